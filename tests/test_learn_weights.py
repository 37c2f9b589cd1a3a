"""The shipped weights: what the script makes, and what a broken file says.

The script trains for about seven seconds of CPU time.
"""

import shutil

import numpy as np
import pytest

from helpers import roles
from helpers.learn import make, weights_on_disk
from helpers.learn.model import Model
from helpers.learn.repeat import Repeat, patterns
from helpers.learn.snapshots import (
    EXAMINED,
    RECIPES,
    Recipe,
    examination,
    head_scores,
    recorded,
)
from helpers.learn.training import examine

RECIPE = RECIPES["repeat"]
TASK = RECIPE.task
SMALL = Recipe(
    "small",
    Repeat(vocabulary=7, N=8, shortest=2, longest=3),
    {"d_model": 8, "h": 2},
    seed=3,
    steps=20,
    kept=(0, 10, 20),
)


@pytest.fixture(scope="module")
def record():
    return weights_on_disk.load("repeat")


# --- the sentences and the rows that count ---------------------------------


def test_the_patterns_hold_the_rows_that_carry_a_loss():
    """prefix a b | c d e f | c d e f: three questions, at c, d and e."""
    task = Repeat(vocabulary=9, N=10, shortest=3, longest=5)
    batch = task.ask("ab cdef cdef")
    assert batch.asked["next"].places.tolist() == [6, 7, 8]
    found = {
        name: np.argwhere(pattern[0]).tolist()
        for name, pattern in patterns(batch).items()
    }
    assert found == {
        "induction": [[6, 3], [7, 4], [8, 5]],
        "previous": [[3, 2], [4, 3], [5, 4]],
    }


def test_a_sentence_is_asked_as_it_is_drawn():
    drawn = TASK.draw(np.random.default_rng(1), 9)
    for row, tokens in enumerate(drawn.tokens):
        text = "".join(TASK.words[token] for token in tokens)
        batch = TASK.ask(text)
        mine = drawn.asked["next"].rows == row
        assert np.array_equal(batch.tokens[0], tokens)
        for name in ("places", "answers"):
            wanted = getattr(drawn.asked["next"], name)[mine]
            assert np.array_equal(getattr(batch.asked["next"], name), wanted)


@pytest.mark.parametrize(
    "text, said",
    [
        ("xyzwepound catfish catfis!", "does not know '!'"),
        ("catfish catfish", "24 letters: got 14"),
        ("xyzwepound catfish catfihs", "5 to 12 of them"),
        ("xyzweponnd catfish catfish", "all others must differ"),
        ("abcdefghijklmnopqrstu stu", "5 to 12"),
    ],
)
def test_a_sentence_that_can_not_be_asked_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        TASK.ask(text)


def test_tokens_past_the_alphabet_have_numbers():
    assert TASK.words[2] == "c" and Repeat().words[2] == "2"


# --- what the recipe makes -------------------------------------------------


def test_the_shipped_file_is_what_the_script_makes(record):
    """Training in float64 is steady: rounding stays at the 13th digit."""
    made = recorded(RECIPE)
    for (step, new), (kept, old) in zip(made.snapshots, record.snapshots):
        assert step == kept
        assert new.flat.dtype == np.float64
        assert old.flat == pytest.approx(new.flat, abs=1e-2)
    assert made.curves.keys() == record.curves.keys()
    for name, points in made.curves.items():
        assert record.curves[name] == pytest.approx(points, abs=1e-2), name


def test_the_files_are_small():
    files = list(weights_on_disk.SHIPPED.glob("*.npz"))
    assert 0 < sum(file.stat().st_size for file in files) <= 600_000


def test_snapshots_and_curves_tell_the_same(record):
    """16 bits a weight are enough: the scores are those of the curves."""
    batch = examination(TASK)
    assert len(batch.tokens) == EXAMINED
    curves = record.curves
    assert curves["step"].tolist() == list(range(0, 801, 10))
    for step, model in record.snapshots:
        scores, found = head_scores(model, batch)
        at = step // 10
        assert scores == examine(model, batch)
        assert scores["next"].loss == pytest.approx(
            curves["loss"][at], abs=0.02
        )
        assert scores["next"].accuracy == pytest.approx(
            curves["accuracy"][at], abs=0.02
        )
        for name in ("previous", "induction"):
            assert found[name] == pytest.approx(curves[name][at], abs=0.01)


def test_a_recipe_starts_from_its_seed_and_keeps_its_steps():
    made = recorded(SMALL)
    assert [step for step, _ in made.snapshots] == [0, 10, 20]
    start = Model(SMALL.task.settings(**SMALL.settings), 3, np.float64)
    assert np.array_equal(made.snapshots[0][1].flat, start.flat)
    assert made.curves["loss"].shape == made.curves["control loss"].shape
    assert made.curves["previous"].shape == (3, 2, 2)
    assert made.curves["loss"][0] != made.curves["control loss"][0]
    with pytest.raises(ValueError, match="multiples of 10"):
        Recipe("odd", TASK, {}, seed=0, steps=20, kept=(0, 15))


# --- what notebook 08 says of the shipped model ------------------------------


def test_the_drop_is_sudden_and_both_scores_rise_in_it(record):
    c = record.curves
    loss = dict(zip(c["step"].tolist(), c["loss"]))
    assert loss[300] > 2.8 and loss[540] < 0.3
    for curve in (c["previous"][:, 0, 0], c["induction"][:, 1, 0]):
        rises = dict(zip(c["step"].tolist(), curve))
        assert rises[300] < 0.3 and rises[540] > 0.7
    assert c["control loss"].min() > 2.2
    assert c["control accuracy"].max() < 0.25


def test_which_head_is_which(record):
    _, model = record.snapshots[-1]
    batch = TASK.draw(np.random.default_rng(7), 200)
    scores, found = head_scores(model, batch)
    assert scores["next"].accuracy > 0.98
    assert found["previous"][0, 0] > 0.9
    assert np.delete(found["previous"].ravel(), 0).max() < 0.4
    assert found["induction"][1, :3].min() > 0.85
    assert np.delete(found["induction"].ravel(), [4, 5, 6]).max() < 0.4

    def loss(*without):
        mask = roles.head_mask(2, 4, without)
        return examine(model, batch, mask)["next"].loss

    assert loss((0, 0)) > 4  # worse than a guess among all, ln 26 = 3.26
    assert max(loss((0, head)) for head in (1, 2, 3)) < 0.1
    assert max(loss((1, head)) for head in range(4)) < 0.4
    assert loss((1, 0), (1, 1)) > 1  # either alone is spared


# --- files ------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a copy of the file, that the module reads."""
    shutil.copy(weights_on_disk.file_of("repeat"), tmp_path)
    monkeypatch.setattr(weights_on_disk, "SHIPPED", tmp_path)
    weights_on_disk.load("repeat")
    return tmp_path


def refused():
    with pytest.raises(weights_on_disk.WeightsError) as error:
        weights_on_disk.load_model("repeat")
    said = str(error.value)
    assert "python -m helpers.learn.make weights repeat" in said
    assert "\n" not in said
    return said


def test_a_missing_file_is_said(folder):
    (folder / "repeat.npz").unlink()
    assert "shipped/repeat.npz is missing" in refused()


@pytest.mark.parametrize("content", (b"", b"PK", b"hello", b"\0" * 99))
def test_a_file_that_is_something_else_is_said(folder, content):
    (folder / "repeat.npz").write_bytes(content)
    assert "is broken" in refused()


def test_a_file_cut_or_changed_anywhere_is_said_or_read_whole(folder):
    whole = (folder / "repeat.npz").read_bytes()
    want = weights_on_disk.load_model("repeat").flat
    rng = np.random.default_rng(4)
    for place in rng.integers(len(whole), size=40):
        (folder / "repeat.npz").write_bytes(whole[:place])
        assert "is broken" in refused()
        changed = bytearray(whole)
        changed[place] ^= 0x41
        (folder / "repeat.npz").write_bytes(changed)
        try:
            got = weights_on_disk.load_model("repeat").flat
        except weights_on_disk.WeightsError as error:
            assert "is broken" in str(error)
        else:  # a byte that does not count, such as a date
            assert np.array_equal(got, want)


def changed(name, array):
    with np.load(weights_on_disk.file_of("repeat")) as found:
        arrays = {key: found[key] for key in found.files}
    arrays[name] = array(arrays[name]) if array else None
    np.savez(
        weights_on_disk.file_of("repeat"),
        **{key: a for key, a in arrays.items() if a is not None},
    )


@pytest.mark.parametrize(
    "name, array, said",
    [
        ("weights", lambda a: a * np.nan, "no number"),
        ("weights", lambda a: a[:, :-1], "must be"),
        ("loss", lambda a: a.astype(str), "must hold numbers"),
        ("kept", lambda a: a + 1, "keep the steps"),
        ("loss", None, "loss"),
        ("previous", lambda a: a.astype(object), "allow_pickle"),
    ],
)
def test_arrays_that_do_not_fit_are_said(folder, name, array, said):
    changed(name, array)
    assert said in refused()


def test_a_file_too_large_is_not_read(folder):
    with (folder / "repeat.npz").open("ab") as file:
        file.write(bytes(weights_on_disk.LARGEST))
    assert "more than 600 KiB" in refused()


def test_a_file_that_unpacks_to_too_much_is_not_read(folder):
    np.savez_compressed(folder / "repeat.npz", weights=np.zeros(10**6))
    assert "8000128 bytes when unpacked" in refused()


def test_a_single_array_is_not_the_file(folder):
    with (folder / "repeat.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    assert "not an .npz file" in refused()


def test_a_name_that_is_not_shipped_is_said():
    with pytest.raises(weights_on_disk.WeightsError, match="are repeat"):
        weights_on_disk.load("repeats")


def test_models_that_are_read_are_the_readers_own():
    weights_on_disk.load_model().flat[...] = 0
    assert weights_on_disk.load_model().flat.any()


def test_the_script_writes_and_names_the_file(folder, monkeypatch, capsys):
    monkeypatch.setitem(RECIPES, "small", SMALL)
    assert make.main(["weights", "small"]) == 0
    assert capsys.readouterr().out.endswith("small.npz\n")
    kept = [step for step, _ in weights_on_disk.snapshots("small")]
    assert kept == [0, 10, 20]
    assert make.main(["weights", "other"]) == 2
