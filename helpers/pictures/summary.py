"""The course on one page, its numbers computed when it is made."""

import base64

from helpers.cost import (
    binary_units,
    flops,
    parameters,
    score_bytes,
    softmax_work,
)
from helpers.models import model
from helpers.pictures.text import escape
from helpers.sizes import Sizes

TITLE = "Multi-head and grouped-query attention on one page"
HEADS = (1, 8, 64)
LLAMAS = ("Llama 3 8B", "Llama 3 70B", "Llama 3.1 405B")
LENGTHS = (512, 8192, 131_072)
# light in every theme, and on paper
CELL = (
    "padding:1px 8px 1px 0;text-align:right;border:0;background:none;"
    "white-space:nowrap"
)
HEAD = CELL + ";border-bottom:1px solid #777;font-weight:600"
SHEET = (
    "@page{size:A4;margin:14mm}body{margin:0;background:#fff}"
    "article{border:0 !important}table{page-break-inside:avoid}"
)


def cost_rows(N=512, d_model=512):
    """Return a row of words for each h: what it costs at N tokens."""
    rows = []
    for h in HEADS:
        sizes = Sizes(d_model, h)
        products = flops(N, sizes).total
        softmax = softmax_work(N, h)
        rows.append(
            (
                f"{h}",
                f"{sizes.d_k}",
                f"{products:,}",
                f"{parameters(sizes).total:,}",
                f"{softmax.exponentials:,}",
                f"{softmax.operations / products:.1%}",
                binary_units(score_bytes(N, h)),
            )
        )
    return rows


def cache_rows():
    """Return a row of words for each size of Llama 3: its KV cache."""
    rows = []
    for name in LLAMAS:
        m = model(name)
        own, plain = m.kv_bytes(1), m.kv_bytes(1, n_kv=m.n_heads)
        rows.append(
            (
                name,
                f"{m.n_layers}",
                f"{m.n_heads} on {m.n_kv_heads}",
                f"{own // 1024:,} KiB",
                f"{plain // 1024:,} KiB",
                f"{plain // own} ×",
                binary_units(m.kv_bytes(LENGTHS[1])),
                binary_units(m.kv_bytes(LENGTHS[2])),
            )
        )
    return rows


def balance():
    """Return where tokens overtake projections, as sentences."""
    d_model, llama = 512, model("Llama 3 8B")
    tips = llama.d_model * (llama.n_kv_heads + llama.n_heads) // llama.n_heads
    for N, sizes in ((2 * d_model, Sizes(d_model, 8)), (tips, llama.sizes())):
        counted = flops(N, sizes)
        if counted.projections != counted.attention:
            raise AssertionError(f"no balance at N = {N} for {sizes}")
    return (
        f"Scores and weighted sum together overtake the four projections at "
        f"N = 2 · d_model, for every h: {2 * d_model:,} tokens at d_model = "
        f"{d_model}. With shared heads at d_model · (1 + n_kv / h): {tips:,} "
        f"in Llama 3 8B."
    )


def saved():
    """Return what a grouped layer saves when it reads a text, in words."""
    m = model("Llama 3 8B")
    plain = Sizes(m.d_model, m.n_heads)
    shares = [
        f"{1 - flops(N, m.sizes()).total / flops(N, plain).total:.0%} at "
        f"N = {N:,}"
        for N in LENGTHS
    ]
    kept = parameters(m.sizes()).total / parameters(plain).total
    return (
        f"Not saved: maps, softmax work, FLOPs of scores and weighted sum. "
        f"One layer of Llama 3 8B keeps {kept:.1%} of its parameters, and "
        f"saves, of the FLOPs of reading N tokens, {'; '.join(shares)}."
    )


def summary(level=3):
    """Return the page as HTML, its title a heading of `level`."""
    return (
        f'<article lang="en" style="background:#fff;color:#111;border:1px '
        f"solid #777;padding:14px 20px;max-width:900px;line-height:1.4;"
        f'font-size:13px;font-family:system-ui,sans-serif">'
        f'<h{level} style="font-size:19px;margin:0 0 6px;color:#111">'
        f"{TITLE}</h{level}>"
        f"{''.join(_parts())}</article>"
    )


def _parts():
    yield _paragraph(
        "One head: softmax(Q Kᵀ / √d_k) V. Each row of weights sums to 1, so "
        "a head gives each word one weighting and one average of values. "
        "Two wishes of one word share it; wishes of other words do not "
        "compete."
    )
    yield _paragraph(
        "h heads: each projects the whole vector to d_k = d_model / h "
        "numbers and has its own softmax. concat(heads) · W_O is the sum of "
        "what the heads write. Two heads can carry three relations: heads "
        "are no slots."
    )
    yield _table(
        "What h costs: N = d_model = 512, d_k = d_model / h",
        "h|d_k|FLOPs of products|parameters|exponentials|beside products"
        "|score memory",
        cost_rows(),
    )
    yield _paragraph(balance())
    yield _paragraph(
        "Grouped queries: query head i reads key/value head i // (h / n_kv), "
        "in the order 0, 0, 1, 1. KV cache = 2 · layers · n_kv · d_k · "
        "tokens · batch · bytes a number."
    )
    yield _table(
        "KV cache in bfloat16",
        "model|layers|h on n_kv|a token|with n_kv = h|less|8,192 tokens"
        "|131,072 tokens",
        cache_rows(),
    )
    yield _paragraph(saved())
    yield _paragraph(
        "Decoding waits for memory, so fewer bytes can mean less time: less "
        "than the bytes promise, and nothing if K and V are copied first. A "
        "cache turns cubic work into quadratic work, for the same output."
    )
    yield _paragraph(
        "Trust numbers, not shapes: compare loop and batch, shared and "
        "copied heads, at sizes that are all different. A map says where a "
        "head looks; the loss without the head says whether it matters."
    )
    yield _paragraph(
        "KiB, MiB, GiB are powers of 1024. One multiply-add is 2 FLOPs. "
        "Exponentials count 5 operations each beside the products. Score "
        "memory is float32. Llama 3 was made for 8,192 tokens, Llama 3.1 for "
        "131,072; every number on this page is computed."
    )


def _paragraph(text):
    return f'<p style="margin:5px 0;color:#111">{escape(text)}</p>'


def _table(caption, header, rows):
    heads = "".join(
        f'<th scope="col" style="{HEAD}">{escape(cell)}</th>'
        for cell in header.split("|")
    )
    body = "".join(
        f'<tr style="background:none"><th scope="row" style="{CELL};'
        f'font-weight:400">{escape(first)}</th>'
        + "".join(f'<td style="{CELL}">{escape(cell)}</td>' for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f'<table style="border-collapse:collapse;margin:6px 0;color:#111;'
        f'font-size:12px;font-variant-numeric:tabular-nums"><caption style="'
        f'text-align:left;font-weight:600;color:#111">{escape(caption)}'
        f"</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
        f"</table>"
    )


def page_to_print():
    """Return the summary as a page of its own, for a sheet of A4."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{TITLE}</title><style>{SHEET}</style></head><body>"
        f"{summary(level=1)}</body></html>"
    )


def link_to_print():
    """Return a link that saves the page as a file, to open and print."""
    data = base64.b64encode(page_to_print().encode("utf-8")).decode("ascii")
    return (
        f'<p><a download="attention_on_one_page.html" '
        f'style="text-decoration:underline" '
        f'href="data:text/html;base64,{data}">save this page, to print it'
        f"</a></p>"
    )
