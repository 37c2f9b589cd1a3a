"""Where the controls stand, in the words that a screen reader is told."""

import ipywidgets as widgets
import pytest

from helpers.controls import choice, row, selection, switch
from helpers.controls.spoken import moved, stand


@pytest.fixture
def controls():
    """Return one control of each kind, and a box that holds them."""
    parts = {
        "h": selection("heads h", (("one", 1), ("six", 6)), 6),
        "kind": choice("kind", ("built", "drawn"), "drawn"),
        "causal": switch("causal", True),
        "bug": switch("a bug", False),
        "text": widgets.Text(description="text", value="The cat"),
    }
    inner = row(parts["causal"], parts["bug"])
    picture = widgets.HTML("<b>no control</b>")
    box = row(parts["h"], inner, parts["kind"], picture, parts["text"])
    return parts, box


def words(box, leave_out=()):
    return dict(stand(box, leave_out).values())


ALL = {
    "heads h": "six",
    "causal": "on",
    "a bug": "off",
    "kind": "drawn",
    "text": "The cat",
}


def test_each_kind_of_control_says_where_it_stands(controls):
    _, box = controls
    assert words(box) == ALL


@pytest.mark.parametrize(
    "how", ("visibility", "display", "closed", "left out")
)
def test_what_cannot_be_seen_is_not_spoken_of(controls, how):
    parts, box = controls
    leave_out = ()
    if how == "visibility":
        parts["causal"].layout.visibility = "hidden"
    elif how == "display":
        parts["causal"].layout.display = "none"
    elif how == "closed":
        parts["causal"].close()
    else:
        leave_out = (parts["causal"],)
    wanted = {name: said for name, said in ALL.items() if name != "causal"}
    assert words(box, leave_out) == wanted


def test_a_box_that_is_left_out_is_left_out_whole(controls):
    parts, box = controls
    inner = box.children[1]
    assert not {"causal", "a bug"} & set(words(box, (inner,)))


def test_only_what_moved_is_told_and_in_order(controls):
    parts, box = controls
    before = stand(box)
    assert moved(before, stand(box)) == ""
    parts["bug"].value, parts["h"].value = True, 1
    assert moved(before, stand(box)) == "heads h: one; a bug: on"


def test_a_sentence_for_a_name_loses_its_full_stop():
    said = switch("A row sums to 1.", False)
    box = row(said)
    before = stand(box)
    said.value = True
    assert moved(before, stand(box)) == "A row sums to 1: on"


def test_what_comes_into_sight_has_not_moved(controls):
    parts, box = controls
    parts["bug"].layout.visibility = "hidden"
    before = stand(box)
    parts["bug"].layout.visibility = "visible"
    parts["kind"].value = "built"
    assert moved(before, stand(box)) == "kind: built"
