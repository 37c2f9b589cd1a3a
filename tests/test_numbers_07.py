"""The numbers in the prose of notebook 07, computed again."""

import json

import numpy as np
import pytest

from helpers.attention import padding_mask
from helpers.cost import flops, kv_cache_bytes, parameters
from helpers.models import MODELS, model
from helpers.pooling import POOLINGS, pooling_drift
from helpers.sentences import HUNGRY, words
from helpers.sizes import Sizes
from helpers.weights import random_projections, token_vectors
from tests.tools import ROOT, prose_of

NOTEBOOK = ROOT / "notebooks" / "07_grouped_query_attention.ipynb"


@pytest.fixture(scope="module")
def prose():
    return prose_of("07")


def test_llama_3_bytes_a_token(prose):
    names = "Llama 3 8B", "Llama 3 70B", "Llama 3.1 405B"
    own = [model(name).kv_bytes(1) // 1024 for name in names]
    plain = [
        model(name).kv_bytes(1, n_kv=model(name).n_heads) // 1024
        for name in names
    ]
    assert own == [128, 320, 504]
    assert plain == [512, 2560, 8064]
    assert [b // a for a, b in zip(own, plain, strict=True)] == [4, 8, 16]
    assert "128, 320 and 504 KiB, against 512, 2,560 and 8,064" in prose
    assert "4, 8 and 16 times less" in prose


def test_half_a_mebibyte_is_what_plain_llama_would_keep(prose):
    assert "Half a mebibyte for each word" in prose
    assert 2 * kv_cache_bytes(32, 32, 128, N=1) == 2**20


def test_a_sentence_of_131_072_fits_to_the_byte(prose):
    m = model("Llama 3 8B")
    assert m.kv_bytes(131_072) == 16 * 2**30
    assert m.kv_bytes(131_072, n_kv=32) > 16 * 2**30
    assert m.context == 8192
    assert "planned for 8,192 tokens" in prose
    assert m.kv_bytes(8192) == 2**30
    assert "1 GiB is 1.074 GB is 1,024 MiB" in prose


def test_parameters_and_flops_of_a_layer(prose):
    wide, llama = (Sizes(4096, 32, n_kv=n) for n in (32, 8))
    assert parameters(llama).total / parameters(wide).total == 0.625
    assert "62.5 %" in prose
    saved = [
        1 - flops(N, llama).total / flops(N, wide).total
        for N in (512, 8192, 131_072)
    ]
    assert saved == pytest.approx([0.35, 0.19, 0.02], abs=0.005)
    assert flops(131_072, llama).attention > 0.95 * (
        flops(131_072, llama).total
    )


def test_which_models_share(prose):
    assert MODELS["Llama 2 7B"].kind == MODELS["Llama 2 13B"].kind == "MHA"
    assert MODELS["Llama 2 70B"].kind == "GQA"
    qwen = MODELS["Qwen3 0.6B"]
    assert (qwen.d_model, qwen.n_heads, qwen.head_dim) == (1024, 16, 128)
    assert "16 heads of 128 make 2,048" in prose


def test_the_grouped_models_shown_share_by_2_to_8(prose):
    code = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    (cell,) = (c for c in code if "chosen = (" in "".join(c["source"]))
    shown = [m for m in MODELS.values() if f'"{m.name}"' in str(cell)]
    shares = [m.n_heads // m.n_kv_heads for m in shown if m.kind == "GQA"]
    assert len(shown) == 13  # twelve, and the one whose source is printed
    assert (min(shares), max(shares)) == (2, 8)
    assert "share by 2 to 8" in prose


def test_intensity_at_both_ends():
    for n_kv in (16, 1):
        work = flops(1, Sizes(2048, 16, n_kv=n_kv), N_k=4096, N_new=1)
        read = kv_cache_bytes(1, n_kv, 128, 4096)
        assert work.attention / read == 16 / n_kv


def test_the_mean_drifts_less_on_random_heads_and_more_on_loud_ones():
    X = np.sqrt(512) * token_vectors(len(words(HUNGRY)), 512)
    W = random_projections(Sizes(512, 8))
    for n_kv in (4, 2, 1):
        mean, first = (pooling_drift(X, *W, 8, n_kv, p) for p in POOLINGS)
        assert mean < first
    loud = W.W_O.reshape(8, 64, -1).copy()
    loud[::2] *= 5
    W = W._replace(W_O=loud.reshape(W.W_O.shape))
    mean, first = (pooling_drift(X, *W, 8, 4, p) for p in POOLINGS)
    assert first < mean


def test_small_steps_of_one_query_at_a_time(prose):
    assert 2 * 16 * (4096 // 1024) == 128
    assert "128 small steps" in prose
    assert 2 * 2 * 16 * 4096 * 128 * 4 == 128 * 2**20
    assert "128 MiB of keys and values" in prose


def test_tiled_heads_are_right_at_both_ends_only(prose):
    repeated = np.repeat(np.arange(4), 2)
    tiled = np.tile(np.arange(4), 2)
    assert np.flatnonzero(repeated == tiled).tolist() == [0, 7]
    assert "Only the first and the last head" in prose


def pairings(heads):
    """Give every way to lay heads side by side, two and two."""
    if not heads:
        yield []
        return
    first, *others = heads
    for other in others:
        rest = [head for head in others if head != other]
        for order in pairings(rest):
            yield [first, other, *order]


def side_by_side(W, order):
    """Return the layer W with its heads in another order."""
    columns = np.arange(512).reshape(8, -1)[order].ravel()
    return [matrix[:, columns] for matrix in W[:3]] + [W[3][columns]]


def test_what_it_helps_to_lay_heads_side_by_side(prose):
    X = np.sqrt(512) * token_vectors(len(words(HUNGRY)), 512)
    W = random_projections(Sizes(512, 8))
    as_it_is = pooling_drift(X, *W, 8, 4)
    drifts = [
        pooling_drift(X, *side_by_side(W, order), 8, 4)
        for order in pairings(list(range(8)))
    ]
    assert len(drifts) == 7 * 5 * 3
    assert f"from {as_it_is:.2f} to {min(drifts):.2f} at best" in prose
    copies = [matrix.copy() for matrix in W]
    for matrix in copies[1:3]:  # heads 4 to 7 are nearly heads 0 to 3
        heads = matrix.reshape(512, 8, 64)
        heads[:, 4:] = heads[:, :4] + 0.1 * heads[:, 4:]
    apart = pooling_drift(X, *copies, 8, 4)
    near = side_by_side(copies, [0, 4, 1, 5, 2, 6, 3, 7])
    assert pooling_drift(X, *near, 8, 4) < 0.1 * apart
    assert "It falls far where near copies stood apart" in prose


def test_how_many_tokens_fit_in_8_gib(prose):
    token = kv_cache_bytes(40, 10, 128, N=1)
    fit = 8 * 2**30 // token
    assert f"are {token // 1024} KiB a token: {fit:,} tokens" in prose


def test_a_padding_mask_meets_the_heads_of_as_many_sentences(prose):
    scores = np.zeros((4, 4, 2, 3, 5))  # batch, n_kv, h / n_kv, N_q, N_k
    mask = padding_mask([1, 2, 3, 5], 5)  # (batch, 1, 1, N_k)
    met = np.broadcast_to(mask, scores.shape)
    assert (met[0] == met[3]).all()  # every sentence, and a mask a head
    assert (met[0, 0] != met[0, 1]).any()
    assert "so no error, and wrong masks" in prose
