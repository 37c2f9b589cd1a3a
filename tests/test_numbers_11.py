"""The numbers in the prose and the questions of notebook 11."""

import re

import pytest

from helpers.cost import flops, kv_cache_bytes, parameters, softmax_work
from helpers.learn.studies import shipped
from helpers.models import MODELS, model
from helpers.questions.follow_ups import FOLLOW_UPS
from helpers.questions.judged import TWELVE
from helpers.questions.said_aloud import ONE_MINUTE, THREE_MINUTES
from helpers.sizes import Sizes
from tests.tools import ROOT, prose_of


@pytest.fixture(scope="module")
def prose():
    return prose_of("11")


@pytest.fixture(scope="module")
def said():
    """Every text of the cards, the follow-ups and the statements."""
    texts = [*ONE_MINUTE.model_text, *THREE_MINUTES.model_text]
    texts += [text for f in FOLLOW_UPS for text in (f.answer, f.because)]
    texts += [c.because for q in TWELVE for c in q.choices]
    return " ".join(texts)


def test_as_many_as_the_text_says(prose):
    assert len(ONE_MINUTE.points) == 6 and "six points" in prose
    assert len(THREE_MINUTES.points) == 11 and "Eleven points" in prose
    assert len(FOLLOW_UPS) == 13 and "Thirteen questions" in prose
    assert "Four are true, four are false, four depend" in prose


def test_llama_3_in_every_text(prose, said):
    names = "Llama 3 8B", "Llama 3 70B", "Llama 3.1 405B"
    found = [model(name) for name in names]
    assert [m.n_layers for m in found] == [32, 80, 126]
    assert [m.n_heads for m in found] == [32, 64, 128]
    assert {(m.n_kv_heads, m.head_dim) for m in found} == {(8, 128)}
    assert [m.kv_bytes(1) / 1024 for m in found] == [128, 320, 504]
    plain = [m.kv_bytes(1, n_kv=m.n_heads) / 1024 for m in found]
    assert plain == [512, 2560, 8064]
    assert [m.queries_per_kv for m in found] == [4, 8, 16]
    assert "2 · 32 · 8 · 128 · 2 = 128 KiB" in said
    assert "70B has 80 layers: 320 KiB. 405B has 126: 504 KiB" in said
    assert "512, 2,560 and 8,064" in said
    assert "128 KiB a token, and not 512" in said
    assert "4 for 8B, 8 for 70B, 16 for 405B" in said
    assert "8B: 32 layers, 32 query heads. 70B: 80 layers, 64." in prose
    assert "405B: 126 layers, 128." in prose


def test_a_head_that_is_not_d_model_by_h(said):
    m = MODELS["Qwen3 0.6B"]
    assert (m.d_model, m.n_heads, m.head_dim) == (1024, 16, 128)
    assert "d_model = 1,024 and 16 heads of 128: 2,048" in said
    assert m.d_model / m.n_heads == 64
    assert "the division would give 64" in said


def test_the_formula_of_the_products(said):
    assert "8 · N · d_model² + 4 · N² · d_model" in said
    for h in (1, 4, 8):
        wanted = 8 * 96 * 64**2 + 4 * 96**2 * 64
        assert flops(96, Sizes(64, h)).total == wanted


def test_two_heads_carry_three_roles_in_each_seed(said):
    assert "in each of five seeds" in said
    two = next(
        found for row, found in shipped("three roles").items() if "2" in row
    )
    assert two["roles right"] == [3] * 5


def test_the_work_of_a_doubled_text(said):
    assert "four times the scores and weighted sums, and eight times" in said
    sizes = Sizes(64, 8)
    for cached, factor in ((True, 4), (False, 8)):
        short, long = (
            sum(
                flops(1 if cached else t, sizes, t, 1).attention
                for t in range(1, n + 1)
            )
            for n in (512, 1024)
        )
        assert long / short == pytest.approx(factor, abs=0.02)


def test_the_share_of_attention_in_a_block(prose):
    m = model("Llama 3 8B")
    own = parameters(m.sizes()).total
    share = own / (own + 3 * m.d_model * 14_336)
    assert round(share, 1) == 0.2
    assert m.d_model == 4096 and "4,096 × 14,336" in prose
    assert "4 · d_model² against 8 · d_model², one third" in prose
    assert parameters(Sizes(64, 8)).total == 4 * 64**2


def test_latent_attention_and_windows(prose):
    assert (512 + 64) / (2 * 128) == 2.25
    assert "512 numbers, and 64 for rotary positions" in prose
    assert 32 * 4096 == 131_072 and "131,072 tokens back" in prose
    for name, size in (("Gemma 2 2B", 4096), ("Gemma 3 4B", 1024)):
        assert f"a window of {size}" in MODELS[name].note
    assert "every other layer" in MODELS["Gemma 2 2B"].note
    assert "5 of 6 layers" in MODELS["Gemma 3 4B"].note
    assert kv_cache_bytes(32, 8, 128, 4096) == 512 * 2**20


def test_the_answer_to_32_heads(prose):
    assert "Each head is a 32nd as wide: the products stay" in prose
    one, many = Sizes(96, 1), Sizes(96, 32)
    assert one.d_k / many.d_k == 32
    assert flops(7, one).total == flops(7, many).total
    assert "only softmax work and score memory grow 32 times" in prose
    grown = softmax_work(7, 32).exponentials / softmax_work(7, 1).exponentials
    assert grown == 32


def test_ten_parts(prose):
    assert "Ten parts" in prose and "Nine words, eight heads" in prose
    assert 1 + 8 + 1 == 10  # the input, the heads, the MLP


def test_the_start_page_leads_here():
    start = ROOT / "notebooks" / "00_start_here.ipynb"
    text = start.read_text(encoding="utf-8")
    assert "[Say it out loud](11_say_it_out_loud.ipynb)" in text
    linked = set(re.findall(r"\((\d\d_\w+\.ipynb)\)", text))
    assert linked >= {
        path.name for path in start.parent.glob("[01][1-9]_*.ipynb")
    }
