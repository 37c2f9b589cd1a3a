"""The public models: every fact has a source, and the bytes are right."""

import json
import re

import pytest

from helpers.cost import kv_cache_bytes
from helpers.models import FACTS, MODELS, Model, model
from helpers.sizes import SizeError
from tests.tools import ROOT

KIB = 1024
each_model = pytest.mark.parametrize("one", MODELS.values(), ids=list(MODELS))


def checked():
    path = ROOT / "tests" / "vectors" / "kv_cache.json"
    models = json.loads(path.read_text(encoding="utf-8"))["models"]
    return [m for m in models if m["attention"] != "MLA"]


def test_there_are_enough_models_and_no_name_twice():
    path = ROOT / "helpers" / "public_models.json"
    listed = json.loads(path.read_text(encoding="utf-8"))["models"]
    assert len(MODELS) == len(listed) >= 40
    assert {one.kind for one in MODELS.values()} == {"MHA", "GQA", "MQA"}


@each_model
def test_a_model_is_a_legal_layer(one):
    sizes = one.sizes()
    assert sizes.h == one.n_heads and sizes.n_kv == one.n_kv_heads
    assert sizes.d_k == sizes.d_v == one.head_dim
    assert sizes.d_model == one.d_model
    assert sizes.queries_per_kv == one.queries_per_kv
    assert one.n_layers > 0 and one.context >= 1024


@each_model
def test_every_fact_says_where_it_was_read(one):
    for fact in FACTS:
        places = one.source(fact)
        assert places
        for place in places:
            assert re.match(
                r"https://\S+|[\w.-]+/[\w.-]+:\S+@[0-9a-f]{8,40}#\S"
                r"|transformers 5\.24\.0 wheel: |[\w.-]+/[\w.-]+:\S+@\w{8}$"
                r"|derived: d_model/n_heads$",
                place,
            ), place


@each_model
def test_a_free_head_width_is_noted(one):
    free = one.head_dim * one.n_heads != one.d_model
    assert free == ("head_dim is not d_model / n_heads" in one.note)


@pytest.mark.parametrize("facts", checked(), ids=lambda m: m["name"])
def test_it_agrees_with_the_checked_table(facts):
    one = model(facts["name"])
    for fact in FACTS:
        told = facts["max_context" if fact == "context" else fact]
        assert getattr(one, fact) == told
    assert one.kind == facts["attention"]
    assert one.kv_bytes(1) == facts["bytes_per_token_fp16"]
    assert (
        one.kv_bytes(1, n_kv=one.n_heads) == facts["mha_bytes_per_token_fp16"]
    )
    want = facts["bytes_at_max_context_fp16"]
    assert one.kv_bytes(one.context) == want


@pytest.mark.parametrize(
    ("name", "kib", "multi_head"),
    [
        ("Llama 3 8B", 128, 512),
        ("Llama 3 70B", 320, 2560),
        ("Llama 3.1 405B", 504, 8064),
    ],
)
def test_llama_3_in_kib_per_token(name, kib, multi_head):
    llama = model(name)
    assert llama.kv_bytes(1) == kib * KIB
    assert llama.kv_bytes(1, n_kv=llama.n_heads) == multi_head * KIB
    assert llama.kv_bytes(8192) == 8192 * kib * KIB


def test_batch_and_number_type_multiply():
    one = model("SmolLM2 135M")
    assert one.kv_bytes(5, batch=3, number_type="float32") == (
        one.kv_bytes(1) * 5 * 3 * 2
    )
    assert one.kv_bytes(7) == kv_cache_bytes(30, 3, 64, 7)


def test_a_wrong_name_or_fact_is_named():
    with pytest.raises(ValueError, match="Llama 3 8B"):
        model("llama 3 8b")
    with pytest.raises(ValueError, match="51 in MODELS"):
        model("x" * 10_000)
    with pytest.raises(ValueError, match="n_layers"):
        model("Phi-2").source("price")
    with pytest.raises(SizeError):
        model("Phi-2").kv_bytes(0)


def test_a_model_of_your_own_needs_no_source():
    own = Model("mine", "own", 2, 6, 2, 5, 30, 99)
    assert own.kind == "GQA" and own.kv_bytes(1) == 2 * 2 * 2 * 5 * 2
