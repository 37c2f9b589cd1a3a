"""The checks of notebook 09: right forms, and wrong answers by name."""

import numpy as np
import pytest

from helpers.checks import circuit, next_place
from helpers.checks.circuit import BOUND, FEWEST, check_circuit, shift
from helpers.checks.next_place import check_next_score

# --- the score of the next place ------------------------------------------


def by_loops(attn):
    layers, h, N, _ = attn.shape
    total = np.zeros((layers, h))
    for i in range(1, N - 1):
        total += attn[:, :, i, i + 1]
    return total / (N - 2)


def by_diagonal(attn):
    diagonal = np.diagonal(attn, offset=1, axis1=2, axis2=3)
    return diagonal[..., 1:].mean(-1)  # the row of [CLS] left out


RIGHT = {
    "loops": by_loops,
    "diagonal": by_diagonal,
    "list": lambda attn: by_loops(attn).tolist(),
    "float32": lambda attn: by_loops(attn).astype(np.float32),
}


@pytest.mark.parametrize("f", RIGHT.values(), ids=RIGHT)
def test_right_scores(f):
    verdict = check_next_score(f)
    assert verdict.ok, str(verdict)


def ends(attn, offset, first, last):
    N = attn.shape[-1]
    rows = np.arange(first, N - last)
    return attn[:, :, rows, rows + offset]


WRONG = {
    "place before": lambda attn: ends(attn, -1, 1, 1).mean(-1),
    "swapped": lambda attn: by_loops(attn.transpose(0, 1, 3, 2)),
    "word itself.": lambda attn: ends(attn, 0, 1, 1).mean(-1),
    "itself counts too": lambda attn: (
        by_loops(attn) + ends(attn, 0, 1, 1).mean(-1)
    ),
    "row of [CLS]": lambda attn: ends(attn, 1, 0, 1).mean(-1),
    "last word is missing": lambda attn: ends(attn, 1, 1, 2).mean(-1),
    "added up, too": lambda attn: (
        np.trace(attn, 1, 2, 3) / (attn.shape[-1] - 2)
    ),
    "all N rows": lambda attn: ends(attn, 1, 0, 1).sum(-1) / attn.shape[-1],
    "all N pieces": lambda attn: ends(attn, 1, 1, 1).sum(-1) / attn.shape[-1],
    "the sum": lambda attn: ends(attn, 1, 1, 1).sum(-1),
    "everything behind": lambda attn: attn[:, :, 1:-1, 2:].mean((2, 3)),
    "best word": lambda attn: ends(attn, 1, 1, 1).max(-1),
    "how often": lambda attn: (
        attn.argmax(-1) == np.arange(attn.shape[-1]) + 1
    )[:, :, 1:-1].mean(-1),
    "for a layer": lambda attn: by_loops(attn).mean(-1),
    "for all heads": lambda attn: by_loops(attn).mean(),
    "shape is": lambda attn: by_loops(attn).T,
    "same for two": lambda attn: np.ones((2, 2)),
    "numbers are not": lambda attn: by_loops(attn) + 0.01,
}


@pytest.mark.parametrize("part", WRONG)
def test_wrong_scores_are_named(part):
    verdict = check_next_score(WRONG[part])
    assert verdict.status == "no" and part in verdict.sentence, str(verdict)
    assert verdict.hint


def test_every_known_mistake_is_tried_here():
    assert len(next_place.MISTAKES) <= len(WRONG)
    cases = [next_place.example(place) for place in (0, 1)]
    for attn in cases:
        wanted = next_place.next_score(attn)
        for mistake in next_place.MISTAKES:
            answer = mistake.answer(attn)
            assert answer.shape != wanted.shape or (
                np.abs(answer - wanted).max() > 0.01
            ), mistake.sentence


def test_a_stub_is_not_yet():
    assert check_next_score(lambda attn: ...).status == "not yet"
    assert check_next_score(...).status == "not yet"


# --- the circuit ----------------------------------------------------------


@pytest.mark.parametrize(
    "heads", [["3-4", "3-9"], ("3-9", "3-4"), {"3-9 ", "3-4"}]
)
def test_the_circuit_is_broken(heads):
    verdict = check_circuit(heads)
    assert verdict.ok and "3-4 and 3-9" in verdict.sentence


LAYER_3 = [f"3-{n}" for n in range(1, 13)]
TOO_LITTLE = [
    (["3-9"], "another head"),
    ("3-9", "another head"),
    (["3-9", "3-3"], "companion"),
    (["3-4"], "not the largest"),
    (["3-2"], "does not need it"),
    (["3-1", "3-5"], "carry little"),
    (["4-2"], "too late"),
    ([f"4-{n}" for n in range(1, 13)], "too late"),
    (LAYER_3, "12 heads are more"),
    (["3-4", "3-9", "3-2"], "3 heads are more"),
    (["2-1"], "'2-1' is not one"),
    (["3-13"], "'3-13' is not one"),
    ([(2, 8)], "'(2, 8)' is not one"),
    (9, "'9' is not one"),
]


@pytest.mark.parametrize(("heads", "part"), TOO_LITTLE)
def test_other_heads_are_answered(heads, part):
    verdict = check_circuit(heads)
    assert verdict.status == "no" and part in verdict.sentence, str(verdict)
    assert verdict.hint


@pytest.mark.parametrize("heads", [..., None, [], ()])
def test_no_heads_are_not_yet(heads):
    assert check_circuit(heads).status == "not yet"


def test_no_other_two_heads_do_it():
    """The bound leaves one answer, and some room on both sides."""
    others = [head for head in LAYER_3 if head not in ("3-4", "3-9")]
    assert shift(("3-4", "3-9")) < 0.75 * BOUND
    assert min(shift((head,)) for head in LAYER_3) > BOUND
    assert min(shift((head, "3-9")) for head in others) > 1.1 * BOUND
    assert min(shift((head, "3-4")) for head in others) > 1.1 * BOUND
    assert FEWEST == 2


def test_a_head_hidden_for_another_word_changes_nothing(monkeypatch):
    """What is hidden is the adjective, from "it", in that head."""
    seen = []
    sample = circuit.load_sample()

    class Watched:
        pieces = staticmethod(sample.pieces)

        @staticmethod
        def circuit(sentence, block):
            seen.extend(block)
            return sample.circuit(sentence, block)

    monkeypatch.setattr(circuit, "load_sample", lambda: Watched)
    circuit.shift.__wrapped__(("3-9",))
    assert {entry[:3] for entry in seen} == {(2, 8, 7)}
    assert {entry[3] for entry in seen} == {9, 10}  # tasty has two pieces
