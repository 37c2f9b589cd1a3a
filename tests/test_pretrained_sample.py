"""The shipped sample: equal to the real model, small, lazy, well refused."""

import io
import shutil
import zipfile

import numpy as np
import pytest

from helpers.attention import multi_head_attention
from helpers.pretrained import make_sample
from helpers.pretrained.encoder import load_encoder
from helpers.pretrained.files import MINILM, FileError
from helpers.pretrained.findings import word_maps
from helpers.pretrained.sample import FOLDER, Sample, load_sample
from helpers.pretrained.scores import PATH, load_scores, read_scores
from helpers.sentences import SENTENCES
from helpers.sizes import SizeError
from tests import small_bert
from tests.tools import ROOT

MOST_BYTES = 10_500_000
ENOUGH = 2e-3  # float16 against float32
IT, ADJECTIVE = 7, 9  # pieces of the running sentence


@pytest.fixture
def sample():
    return load_sample()


@pytest.fixture(scope="module")
def encoder():
    small_bert.installed_minilm()
    return load_encoder()


@pytest.fixture
def copied(tmp_path):
    """Return a copy of the sample's folder, to be spoilt."""
    return shutil.copytree(FOLDER, tmp_path / "sample")


# --- against the independent implementation ------------------------------


def test_the_maps_are_those_of_transformers(sample):
    path = ROOT / "tests" / "vectors" / "minilm_hungry.npz"
    with np.load(path, allow_pickle=False) as wanted:
        text = str(wanted["sentence"])
        got = sample.attn(text)
        assert got.shape == wanted["attn"].shape == (6, 12, 11, 11)
        assert abs(got - wanted["attn"]).max() < ENOUGH
        assert sample.pieces(text).ids == tuple(wanted["ids"])
        assert sample.pieces(text).pieces == tuple(wanted["tokens"])
    assert got.dtype == np.float32
    assert np.allclose(got.sum(axis=-1), 1, atol=1e-6)


def test_all_sentences_agree_with_the_whole_model(sample, encoder):
    for text in sample.sentences:
        assert sample.pieces(text) == encoder.encode(text)
        run = encoder.run(sample.pieces(text).ids)
        assert abs(sample.attn(text) - run.attn).max() < ENOUGH
        states = abs(run.hidden).max() * ENOUGH
        assert abs(sample.hidden(text) - run.hidden[:-1]).max() < states
        again = sample.circuit(text)
        assert abs(again.attn_3 - run.attn[2]).max() < ENOUGH
        assert abs(again.attn_4 - run.attn[3]).max() < ENOUGH
        assert abs(again.state - run.hidden[3]).max() < states


def test_hiding_agrees_with_the_whole_model(sample, encoder):
    for text in sample.sentences[:4]:
        block = [(2, 8, IT, ADJECTIVE), (2, 3, IT, ADJECTIVE), (3, None, 2, 1)]
        got = sample.circuit(text, block)
        run = encoder.run(sample.pieces(text).ids, block)
        assert (got.attn_3[[3, 8], IT, ADJECTIVE] == 0).all()
        assert (got.attn_4[:, 2, 1] == 0).all()
        assert abs(got.attn_4 - run.attn[3]).max() < ENOUGH
        patch = (3, IT, run.hidden[3, 2])
        got = sample.circuit(text, patch=patch[1:])
        run = encoder.run(sample.pieces(text).ids, patch=patch)
        assert abs(got.attn_4 - run.attn[3]).max() < ENOUGH


# --- what the notebook shows ---------------------------------------------


def fit(sample, adjective, block=()):
    """Return the weights of "it" on cat and fish in head 4-2."""
    text = f"The cat ate the fish because it was {adjective}"
    maps = sample.circuit(text, block).attn_4
    return maps[1, IT, [2, 5]]


def test_it_looks_at_the_cat_if_hungry_and_at_the_fish_if_delicious(sample):
    cat, fish = fit(sample, "hungry")
    assert cat > fish
    cat, fish = fit(sample, "delicious")
    assert fish > cat + 0.2
    both = [(2, head, IT, ADJECTIVE) for head in (3, 8)]
    cat, fish = fit(sample, "hungry", both)
    assert fish > cat  # it no longer knows who was hungry
    one, other = (
        sample.circuit(f"The cat ate the fish because it was {word}")
        for word in ("delicious", "hungry")
    )
    patched = sample.circuit(0, patch=(IT, one.state[IT])).attn_4[1, IT]
    assert patched[5] > patched[2]
    assert other.attn_4[1, IT, 2] > other.attn_4[1, IT, 5]


def test_tasty_has_two_pieces_and_the_same_words(sample):
    tasty = sample.reading(SENTENCES[1])
    assert tasty.pieces[-3:-1] == ("ta", "##sty")
    assert tasty.word_of[-3:-1] == (8, 8)
    maps = word_maps(tasty)
    assert maps.shape == (72, 9, 9)
    assert maps[3 * 12 + 1, 6, 4] > maps[3 * 12 + 1, 6, 1]  # fish, cat
    assert tasty.hidden.shape == (6, 12, 384)


def test_a_reader_s_own_attention_can_take_the_weights(sample):
    """Without biases the course's function gives another, near map."""
    part, X = sample.part(0), sample.hidden(0)[0]
    matrices = [part[name][0].T for name in "QKVO"]
    out, attn = multi_head_attention(X, *matrices, h=12)
    assert out.shape == (11, 384)
    assert attn.shape == sample.attn(0)[0].shape


def test_the_running_sentences_are_there(sample):
    assert set(SENTENCES) <= set(sample.sentences)
    assert sample.sentences == make_sample.sentences()
    assert len(set(sample.sentences)) == len(sample.sentences) == 18


# --- small, and made again -----------------------------------------------


def test_the_sample_is_small_and_in_float16():
    files = sorted(FOLDER.glob("*.npz"))
    assert [file.name for file in files] == [
        "layer_3.npz",
        "layers.npz",
        "states.npz",
    ]
    assert sum(file.stat().st_size for file in files) <= MOST_BYTES
    for path in files:
        with np.load(path, allow_pickle=False) as held:
            assert {held[key].dtype for key in held} == {np.dtype("<f2")}


def test_the_command_writes_the_same_bytes_again(encoder, tmp_path):
    make_sample.write_sample(tmp_path)
    for path in sorted(tmp_path.iterdir()):
        shipped = (FOLDER / path.name).read_bytes()
        assert path.read_bytes() == shipped, path.name
    names = {path.name for path in FOLDER.iterdir()}
    assert names == {path.name for path in tmp_path.iterdir()} | {PATH.name}


def test_an_unknown_order_is_refused():
    with pytest.raises(SystemExit, match="sample or scores"):
        make_sample.main(["everything"])


def test_nothing_is_opened_before_it_is_asked_for(copied):
    for path in copied.glob("*.npz"):
        path.unlink()
    made = Sample(copied)
    assert made.pieces(0).pieces[1] == "the"
    with pytest.raises(FileError, match=r"states\.npz is missing"):
        made.attn(0)


def test_a_layer_is_widened_once(sample):
    assert sample.part(4) is sample.part(4)
    assert set(sample.part(4)) == set("QKVO")
    assert set(sample.part(2)) > {"1", "2", "norm 1", "norm 2"}
    assert load_sample() is sample


# --- refused with a sentence ---------------------------------------------


def test_a_sentence_it_does_not_have(sample):
    with pytest.raises(SizeError, match="has no states of 'The dog slept'"):
        sample.attn("The dog slept")
    for place in (-1, 18, 0.5):
        with pytest.raises((SizeError, TypeError)):
            sample.attn(place)


def test_what_the_circuit_cannot_do(sample):
    with pytest.raises(SizeError, match="block a key in layer 2 or 3"):
        sample.circuit(0, [(1, None, 1, 1)])
    with pytest.raises(SizeError):
        sample.circuit(0, [(2, 12, 1, 1)])
    with pytest.raises(SizeError):
        sample.circuit(0, patch=(11, np.zeros(384)))
    with pytest.raises(SizeError, match="shape"):
        sample.circuit(0, patch=(1, np.zeros(383)))


@pytest.mark.parametrize("name", ["layers", "layer_3", "states"])
@pytest.mark.parametrize(
    "how", ["cut", "no zip", "one array", "empty", "gone"]
)
def test_a_spoilt_file_is_refused_with_a_sentence(copied, name, how):
    path = copied / f"{name}.npz"
    content = path.read_bytes()
    one_array = io.BytesIO()
    np.save(one_array, np.zeros(5))
    spoilt = {
        "cut": content[:-900],
        "no zip": b"PK" + content[:50],
        "one array": one_array.getvalue(),
    }
    path.write_bytes(spoilt.get(how, b""))
    if how == "gone":
        path.unlink()
    made = Sample(copied)
    with pytest.raises(FileError, match=f"{name}.npz .*the collection again"):
        made.circuit(0)


def broken_arrays():
    """Yield (what is wrong, array) for the states."""
    held = np.zeros((6, 7, 384), "<f2")
    yield "another number of tokens", held
    with np.load(FOLDER / "states.npz", allow_pickle=False) as file:
        right = file["states"]
    yield "another type", right.astype(np.float32)
    bad = right.copy()
    bad[1, 2, 3] = np.nan
    yield "NaN", bad
    yield "objects", np.array([{}], dtype=object)


@pytest.mark.parametrize("what, array", [*broken_arrays()])
def test_wrong_arrays_are_refused(copied, what, array):
    content = io.BytesIO()
    np.lib.format.write_array(content, array)
    with zipfile.ZipFile(copied / "states.npz", "w") as file:
        file.writestr("states.npy", content.getvalue())
    with pytest.raises(FileError, match=r"states\.npz .* is not what it was"):
        Sample(copied).hidden(0)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"sentences": [{"text": "a"}]}', "\xff"]
)
def test_spoilt_sentences_are_refused(copied, text):
    (copied / "sentences.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(FileError, match=r"sentences\.json"):
        Sample(copied)


# --- the shipped scores --------------------------------------------------


def test_the_scores_have_their_shapes_and_say_where_they_are_from():
    scores = load_scores()
    assert scores["model"] == MINILM.files
    assert scores["made by"] == f"python -m {make_sample.__name__} scores"
    for name, sentences in (("A", 160), ("B", 24)):
        assert scores[name]["sentences"] == sentences
        for table in scores[name]["patterns"].values():
            assert table.shape == (6, 12)
            assert 0 <= table.min() <= table.max() <= 1
        for relation in scores[name]["relations"].values():
            assert relation["rate"].shape == relation["mass"].shape == (6, 12)
            assert 0 < relation["offset_rate"] <= 1
    with pytest.raises(ValueError, match="read-only"):
        scores["A"]["patterns"]["previous"][0, 0] = 1


ONE_PART = '{"A": {}, "B": {}, "fits": 1, "circuit": {}}'


@pytest.mark.parametrize(
    "text", [None, "", "{", "[]", '{"A": 1}', ONE_PART, "\xff"]
)
def test_spoilt_scores_are_refused(tmp_path, text):
    path = tmp_path / "scores.json"
    if text is not None:
        path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FileError, match="scores are missing or broken"):
        read_scores(path)
