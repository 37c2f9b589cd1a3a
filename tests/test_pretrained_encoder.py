"""The encoder: equal to plain loops, and to transformers on real weights."""

import math

import numpy as np
import pytest

from helpers.pretrained.encoder import (
    Encoder,
    encoder_or_sentence,
    load_encoder,
)
from helpers.pretrained.files import FileError
from helpers.pretrained.functions import erf, gelu, layer_norm
from helpers.pretrained.model_folder import read_config, read_wordpiece
from helpers.sizes import SizeError
from tests import small_bert
from tests.small_bert import D_MODEL, N_LAYERS, H
from tests.tools import ROOT

TEXT = "The cat ate the tasty fish."
VECTORS = ROOT / "tests" / "vectors"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model") / "small"
    return load_encoder(small_bert.write_folder(folder))


@pytest.fixture(scope="module")
def minilm():
    small_bert.installed_minilm()
    return load_encoder()


# --- what stands between the attentions ---------------------------------


@pytest.mark.parametrize("number_type", [np.float32, np.float64])
def test_erf_and_gelu_are_exact_to_a_millionth(number_type):
    x = np.linspace(-12, 12, 48_001).astype(number_type)
    x = np.concatenate([x, np.array([-300, 0, 1e-30, 300], number_type)])
    exact = np.array([math.erf(v) for v in x.tolist()])
    assert erf(x).dtype == gelu(x).dtype == number_type
    assert abs(erf(x) - exact).max() < 1e-6
    halves = np.array([math.erf(v / 2**0.5) for v in x.tolist()])
    wanted = x * (1 + halves) / 2
    assert (abs(gelu(x) - wanted) / np.maximum(1, abs(x))).max() < 1e-6


def test_layer_norm_gives_mean_0_and_variance_1_then_scale_and_place():
    X = np.random.default_rng(1).standard_normal((5, 7)) * 3 + 2
    normal = layer_norm(X, np.ones(7), np.zeros(7), 1e-12)
    assert np.allclose(normal.mean(axis=1), 0)
    assert np.allclose(normal.var(axis=1), 1)
    gain, shift = np.arange(7.0), np.arange(7.0)[::-1]
    again = layer_norm(X, gain, shift, 1e-12)
    assert np.allclose(again, normal * gain + shift)
    halved = layer_norm(X, np.ones(7), np.zeros(7), X.var(axis=1).max() * 3)
    assert (halved.var(axis=1) <= 0.2501).all()


# --- the small model -----------------------------------------------------


def test_plain_loops_give_the_same(encoder):
    ids = encoder.encode(TEXT).ids
    hidden, attn = small_bert.plain_run(small_bert.arrays(), ids)
    run = encoder.run(ids)
    assert run.hidden.shape == (N_LAYERS + 1, len(ids), D_MODEL)
    assert run.attn.shape == (N_LAYERS, H, len(ids), len(ids))
    assert abs(run.hidden - hidden).max() < 1e-5
    assert abs(run.attn - attn).max() < 1e-5


def test_the_first_layers_alone_are_the_same(encoder):
    ids = encoder.encode(TEXT).ids
    whole, first = encoder.run(ids), encoder.run(ids, layers=1)
    assert np.array_equal(first.hidden, whole.hidden[:2])
    assert np.array_equal(first.attn, whole.attn[:1])


@pytest.mark.parametrize("head", [0, 2])
def test_a_block_hides_one_key_from_one_query_in_one_head(encoder, head):
    ids = encoder.encode(TEXT).ids
    free = encoder.run(ids)
    run = encoder.run(ids, block=[(1, head, 3, 5)])
    kept = free.attn[1, head, 3].copy()
    kept[5] = 0
    assert np.allclose(run.attn[1, head, 3], kept / kept.sum(), atol=1e-6)
    run.attn[1, head, 3] = free.attn[1, head, 3]
    assert np.array_equal(run.attn, free.attn)
    assert np.array_equal(run.hidden[:2], free.hidden[:2])
    rows = abs(run.hidden[2] - free.hidden[2]).max(axis=1)
    assert rows[3] > 1e-4 and np.delete(rows, 3).max() == 0


def test_a_block_without_a_head_hides_in_all(encoder):
    ids = encoder.encode(TEXT).ids
    every = [(0, head, 1, 2) for head in range(H)] + [(0, None, 1, 4)]
    run = encoder.run(ids, every)
    assert (run.attn[0, :, 1, [2, 4]] == 0).all()
    assert (run.attn[0, :, 2, 2] > 0).all()
    assert (run.attn[1] > 0).all()


def test_a_patch_replaces_one_row_of_the_state_entering_a_layer(encoder):
    one = encoder.run(encoder.encode(TEXT).ids)
    ids = encoder.encode("The cat ate the tasty cat.").ids
    other = encoder.run(ids)
    run = encoder.run(ids, patch=(1, 7, one.hidden[1, 7]))
    assert np.array_equal(run.hidden[1, 7], one.hidden[1, 7])
    rest = np.arange(len(ids)) != 7
    assert np.array_equal(run.hidden[1, rest], other.hidden[1, rest])
    assert np.array_equal(run.hidden[0], other.hidden[0])
    assert abs(run.hidden[2] - other.hidden[2]).max() > 1e-3
    same = encoder.run(ids, patch=(0, 2, other.hidden[0, 2]))
    assert np.array_equal(same.hidden, other.hidden)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ids": [2, 16, 3]}, "id must be from 0 to 15"),
        ({"ids": [2, -1, 3]}, "id must be from 0 to 15"),
        ({"ids": []}, "N must be from 1 to 17"),
        ({"ids": [2] * 18}, "N must be from 1 to 17"),
        ({"layers": 0}, "layers must be from 1 to 2"),
        ({"layers": 3}, "layers must be from 1 to 2"),
        ({"block": [(2, 0, 0, 0)]}, "layer must be from 0 to 1"),
        ({"block": [(0, 3, 0, 0)]}, "head must be from 0 to 2"),
        ({"block": [(0, 0, 3, 0)]}, "query must be from 0 to 2"),
        ({"block": [(0, 0, 0, -1)]}, "key must be from 0 to 2"),
        ({"patch": (2, 0, np.ones(12))}, "layer must be from 0 to 1"),
        ({"patch": (0, 3, np.ones(12))}, "row must be from 0 to 2"),
        ({"patch": (0, 0, np.ones(11))}, "one state of shape"),
        ({"patch": (0, 0, 1.0)}, "one state of shape"),
        ({"patch": (0, 0, np.full(12, np.nan))}, "finite numbers"),
    ],
)
def test_what_does_not_exist_is_refused(encoder, changes, said):
    with pytest.raises(ValueError, match=said):
        encoder.run(**({"ids": [2, 5, 3]} | changes))


def test_maps_that_would_fill_the_memory_are_refused(encoder):
    class Large:
        n_layers, h, places, vocabulary = 60, 120, 8000, 100

    large = Encoder.__new__(Encoder)
    large.config = Large
    with pytest.raises(SizeError, match="The maps"):
        large.run([1] * 8000)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 3e38])
@pytest.mark.parametrize(
    "name",
    [
        "embeddings.word_embeddings.weight",
        "embeddings.LayerNorm.weight",
        "encoder.layer.1.attention.self.key.bias",
        "encoder.layer.1.attention.output.dense.weight",
        "encoder.layer.1.output.dense.weight",
        "encoder.layer.1.output.LayerNorm.weight",
    ],
)
def test_weights_that_are_no_numbers_are_refused(tmp_path, name, bad):
    named = small_bert.arrays()
    named[name][...] = bad
    broken = load_encoder(small_bert.write_folder(tmp_path / "m", named))
    try:
        run = broken.run([2, 5, 6, 3])
    except ValueError as error:
        assert "NaN" in str(error) or "range of float32" in str(error)
    else:
        assert bad == 3e38
        assert np.isfinite(run.hidden).all() and np.isfinite(run.attn).all()


# --- a reader's own folder ----------------------------------------------


def changed(tmp_path, encoder, named):
    """Assert that a folder with these arrays gives the same run."""
    other = load_encoder(small_bert.write_folder(tmp_path / "m", named))
    ids = encoder.encode(TEXT).ids
    assert abs(other.run(ids).hidden - encoder.run(ids).hidden).max() < 0.01


def test_names_may_begin_with_bert(tmp_path, encoder):
    named = {f"bert.{k}": v for k, v in small_bert.arrays().items()}
    more = {"cls.predictions.bias": np.zeros(3, np.float32)}
    changed(tmp_path, encoder, named | more)


def test_old_names_of_the_norms_are_known(tmp_path, encoder):
    old = {"LayerNorm.weight": "LayerNorm.gamma"}
    old |= {"LayerNorm.bias": "LayerNorm.beta"}
    named = {}
    for name, array in small_bert.arrays().items():
        for new in old:
            name = name.replace(new, old[new])
        named[name] = array
    changed(tmp_path, encoder, named)


@pytest.mark.parametrize("number_type", [np.float16, np.float64])
def test_other_floats_are_run_in_float32(tmp_path, encoder, number_type):
    named = {k: v.astype(number_type) for k, v in small_bert.arrays().items()}
    changed(tmp_path, encoder, named)


def test_a_name_that_is_there_twice_is_refused(tmp_path):
    named = small_bert.arrays()
    named["bert.embeddings.LayerNorm.bias"] = np.zeros(12, np.float32)
    folder = small_bert.write_folder(tmp_path / "m", named)
    with pytest.raises(FileError, match="with and without bert"):
        load_encoder(folder)


@pytest.mark.parametrize("name", sorted(small_bert.arrays()))
def test_every_missing_array_is_named(tmp_path, name):
    named = small_bert.arrays()
    del named[name]
    folder = small_bert.write_folder(tmp_path / "m", named)
    last = name.rsplit(".", 2)[-2]
    with pytest.raises(FileError, match=f"has no array .*{last}"):
        load_encoder(folder)


def test_a_wrong_shape_or_type_is_refused(tmp_path):
    name = "encoder.layer.1.intermediate.dense.weight"
    named = small_bert.arrays()
    named[name] = np.ascontiguousarray(named[name].T)
    folder = small_bert.write_folder(tmp_path / "m", named)
    with pytest.raises(FileError, match=r"shape \(20, 12\).*got \(12, 20\)"):
        load_encoder(folder)
    named = small_bert.arrays()
    named[name] = named[name].astype(np.int32)
    folder = small_bert.write_folder(tmp_path / "m", named)
    with pytest.raises(FileError, match="must hold floats: got int32"):
        load_encoder(folder)


def test_a_piece_without_a_row_is_refused(tmp_path):
    folder = small_bert.write_folder(tmp_path / "m")
    with (folder / "vocab.txt").open("a", encoding="utf-8") as file:
        file.write("more\n")
    with pytest.raises(FileError, match="from 0 to 16; .* has 16 rows"):
        load_encoder(folder)


def test_what_is_missing_comes_as_a_sentence(tmp_path):
    found, why_not = encoder_or_sentence(tmp_path / "nothing")
    assert found is None and "'config.json' cannot be opened" in why_not
    folder = small_bert.write_folder(tmp_path / "m")
    found, why_not = encoder_or_sentence(str(folder))
    assert isinstance(found, Encoder) and why_not is None


# --- the real model -------------------------------------------------------


def close(got, wanted, bound):
    assert got.shape == wanted.shape
    return abs(got - wanted).max() <= bound


def test_the_running_sentence_is_as_transformers_computes_it(minilm):
    wanted = np.load(VECTORS / "minilm_hungry.npz", allow_pickle=False)
    pieces = minilm.encode(str(wanted["sentence"]))
    assert list(pieces.ids) == wanted["ids"].tolist()
    assert list(pieces.pieces) == wanted["tokens"].tolist()
    run = minilm.run(pieces.ids)
    largest = abs(wanted["last_hidden"]).max()
    assert close(run.attn, wanted["attn"], 1e-5)
    assert close(run.hidden[-1], wanted["last_hidden"], 1e-5 * largest)


@pytest.mark.parametrize("i", range(3))
def test_other_texts_are_as_transformers_computes_them(minilm, i):
    wanted = np.load(VECTORS / "minilm_more.npz", allow_pickle=False)
    pieces = minilm.encode(str(wanted["texts"][i]))
    assert list(pieces.ids) == wanted[f"ids {i}"].tolist()
    run = minilm.run(pieces.ids)
    assert close(run.attn, wanted[f"attn {i}"], 1e-5)
    for got, state in zip(run.hidden, wanted[f"hidden {i}"], strict=True):
        assert close(got[:, ::7], state, 1e-5 * abs(state).max())


def test_the_real_folder_says_its_sizes():
    folder = small_bert.installed_minilm()
    config = read_config(folder)
    assert (config.n_layers, config.h, config.d_model) == (6, 12, 384)
    assert config.eps == 1e-12
    assert read_wordpiece(folder, config.places).most == 512


def test_one_head_flips_between_hungry_and_tasty(minilm):
    maps = {}
    for word in ("hungry", "delicious"):
        text = f"The cat ate the fish because it was {word}"
        maps[word] = minilm.run(minilm.encode(text).ids).attn[3, 1, 7]
    cat, fish = 2, 5
    assert maps["hungry"][cat] > maps["hungry"][fish] + 0.05
    assert maps["delicious"][fish] > maps["delicious"][cat] + 0.3
