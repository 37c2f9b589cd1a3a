"""Controls that stay legal, stages that draw once, failures that are said."""

import ipywidgets as widgets
import nbformat
import pytest
from nbclient import NotebookClient

from helpers.controls import (
    Explorer,
    LinkedSelection,
    Message,
    Stage,
    require_choice,
    runs,
    selection,
)
from helpers.controls.runs import close_all
from helpers.sizes import SizeError, divisors
from helpers.stills import EXPLORERS
from tests.explorers import is_old
from tests.tools import ROOT


@pytest.mark.parametrize(
    ("value", "choices", "said"),
    [
        (7, (1, 2, 6), "n must be one of 1, 2, 6: got 7; the nearest is 6."),
        (2.4, (1, 2, 6), "got 2.4; the nearest is 2."),
        (-(10**299), (1, 2, 6), "the nearest is 1."),
        (
            10**400,
            (0.5, 2),
            "n must be one of 0.5, 2: got a number of 1,329 bits.",
        ),
        (float("nan"), (1, 2, 6), "got nan."),
        (float("inf"), (1, 2, 6), "got inf."),
        ("2", (1, 2, 6), "got '2'."),
        ([2], {"a": 1, "b": 2}, "got [2]."),
        (None, {"a": 1, "b": 2}, "n must be one of a, b: got None."),
        ("c" * 999, ("a", "b"), f"got '{'c' * 58}…."),
        (9, range(1, 8), "n must be one of 1, 2, 3, …: got 9; the nearest"),
    ],
)
def test_a_value_that_is_not_offered_is_refused(value, choices, said):
    with pytest.raises(ValueError) as error:
        require_choice("n", value, choices, most=3)
    assert said in str(error.value)


def test_a_value_that_is_offered_is_taken():
    require_choice("n", 6, (1, 2, 6))
    require_choice("n", "b", {"a": 1, "b": 2})


def linked(value=8, d_model=64):
    moves = []
    slider = selection("heads h", divisors(d_model), value)
    return slider, LinkedSelection(slider, moves.append), moves


def test_child_keeps_a_legal_value_and_stays_quiet():
    slider, link, moves = linked()
    assert link.offer(divisors(48)) == ""
    assert (slider.value, moves) == (8, [])


def test_child_takes_the_nearest_legal_value_and_says_so():
    slider, link, moves = linked()
    said = link.offer(divisors(60))  # 6 and 10 are as near: the lower
    assert slider.value == 6
    assert "from 8 to 6" in said
    assert moves == []


def test_child_returns_to_the_readers_own_choice():
    slider, link, _ = linked()
    link.offer(divisors(60))
    assert "back at your own choice, 8" in link.offer(divisors(24))
    assert slider.value == 8


def test_a_move_by_the_reader_is_the_new_choice():
    slider, link, moves = linked()
    link.offer(divisors(60))
    slider.value = 5
    assert len(moves) == 1
    assert link.offer(divisors(64)) == (
        "heads h moved from 5 to 4: 5 is not possible here, and 4 is the "
        "nearest that is."
    )
    link.offer(divisors(60))
    assert slider.value == 5


def test_stage_draws_once_for_equal_inputs():
    drawn = []

    def draw(number):
        drawn.append(number)
        return f"<b>{number}</b>"

    stage = Stage()
    for number in (3, 3, 5, 5):
        stage.show(draw, number)
    assert drawn == [3, 5]
    assert stage.widget.value == "<b>5</b>"


def test_stage_marks_its_picture_old_and_shows_it_again():
    stage = Stage()
    stage.show(str, 11)
    stage.mark_old()
    assert is_old(stage)
    assert "11" in stage.widget.value
    stage.show(str, 11)
    assert stage.widget.value == "11"


def test_message_is_escaped_and_announced():
    message = Message()
    message.say("<img src=x onerror=alert(1)>", problem=True)
    assert "<img" not in message.widget.value
    assert "&lt;img" in message.widget.value
    assert 'aria-live="polite"' in message.widget.value


class Small(Explorer):
    """An explorer of one slider, which can be told to fail."""

    def __init__(self):
        super().__init__()
        self.number = widgets.IntSlider(value=2, max=9)
        self.stage = Stage()
        self.stages = (self.stage,)
        self.children = (self.number, self.stage.widget)
        self.error = None
        self.refreshed = 0
        self.watch(self.number)
        self.refresh()

    def read(self):
        self.refreshed += 1
        return self.number.value

    def compute(self, state):
        if self.error:
            raise self.error
        return state * state

    def show(self, state, result):
        self.stage.show(str, result)

    def portrait(self):
        return "<svg/>", "a <square>"


def test_one_move_is_one_refresh():
    small = Small()
    small.number.value = 3
    assert small.refreshed == 2
    assert small.stage.widget.value == "9"


def test_what_the_reader_can_mend_is_said_and_the_picture_marked_old():
    small = Small()
    small.error = SizeError("h must divide d_model: got h=5.")
    small.number.value = 5
    assert small.message.text == "h must divide d_model: got h=5."
    assert is_old(small.stage)
    small.error = None
    small.refresh()
    assert small.message.text == ""
    assert small.stage.widget.value == "25"


def test_any_other_failure_is_said_and_raised():
    small = Small()
    small.error = ZeroDivisionError("by <zero>")
    with pytest.raises(ZeroDivisionError):
        small.number.value = 7
    assert "ZeroDivisionError" in small.message.text
    assert "<zero>" not in small.message.widget.value


def test_bundle_has_a_picture_that_needs_no_kernel():
    bundle = Small()._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["text/html"].startswith('<img alt="a &lt;square&gt;"')
    assert "<svg" not in bundle["text/html"]


def test_a_rerun_closes_what_the_same_cell_made_before(monkeypatch):
    run = ["a"]
    monkeypatch.setattr(runs, "_this_run", lambda: ("cell 1", run[0]))
    monkeypatch.setattr(runs, "_RUNS", {})
    first, second = Small(), Small()  # two copies in one run both live
    assert first.comm is not None
    assert second.comm is not None
    run[0] = "b"
    third = Small()
    assert first.comm is None
    assert second.number.comm is None
    assert third.comm is not None


def test_d12_a_callback_that_fails_says_so_beside_the_control():
    class Failing(Explorer):
        def __init__(self):
            super().__init__()
            self.stages = (Stage(),)
            self.button = widgets.Button()
            self.button.on_click(self._on_click)

        def _on_click(self, _):
            raise ZeroDivisionError("3 < 5")

    explorer = Failing()
    explorer.button.click()  # ipywidgets hides the failure itself
    assert "The course's own code failed (ZeroDivisionError: 3 < 5)" in (
        explorer.message.text
    )
    assert "aria-disabled" in explorer.stages[0].widget.value
    with pytest.raises(ZeroDivisionError):
        explorer._on_click(None)


@pytest.fixture(scope="module")
def parts():
    """Return every widget of every explorer, as (explorer, widget)."""

    def inside(box):
        yield box
        for child in getattr(box, "children", ()):
            yield from inside(child)

    return [
        (name, part)
        for name, explore in EXPLORERS.items()
        for part in inside(explore())
    ]


def test_d18_every_control_is_one_of_ipywidgets(parts):
    modules = {part._view_module for _, part in parts}
    assert modules == {"@jupyter-widgets/controls"}


def test_d21_fields_compute_on_enter_and_no_number_is_typed(parts):
    fields = [
        (name, part)
        for name, part in parts
        if isinstance(part, widgets.Text) and not part.disabled
    ]
    assert len(fields) > len(EXPLORERS) - 2  # the code of the setting
    for name, field in fields:
        assert field.continuous_update is False, (name, field.description)
    typed = (
        widgets.widget_int._Int,
        widgets.widget_float._Float,
        widgets.Textarea,
    )
    shown_only = (widgets.IntProgress, widgets.FloatProgress)
    assert not [
        (name, part.description)
        for name, part in parts
        if isinstance(part, typed) and not isinstance(part, shown_only)
    ]


def test_g04_no_description_is_html(parts):
    assert not [
        (name, part.description)
        for name, part in parts
        if getattr(part, "description_allow_html", False)
    ]


def test_closing_leaves_no_layout_and_no_style():
    alive = ipywidgets_alive()
    close_all(widgets.VBox([selection("h", [1, 2], 1), widgets.HTML()]))
    assert ipywidgets_alive() == alive


def ipywidgets_alive():
    from ipywidgets.widgets.widget import _instances

    return set(_instances)


def test_a_rerun_leaves_nothing_in_the_kernels_memory(tmp_path):
    cells = [
        "import gc, sys\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from helpers.controls import runs\n"
        "from helpers.explorers.ledger import explore_ledger\n"
        "shell = get_ipython()\n"
        "runs._this_run = lambda: ('a cell', shell.execution_count)",
        *("explore_ledger()",) * 6,
        "from helpers.explorers.ledger.explorer import LedgerExplorer as kind"
        "\ngc.collect()\n"
        "print(sum(isinstance(o, kind) for o in gc.get_objects()))",
    ]
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells]
    )
    NotebookClient(notebook, kernel_name="python3").execute()
    # IPython's own _, __ and ___ keep three, and no more are left.
    assert int(notebook.cells[-1].outputs[-1].text) <= 3


def test_options_are_sent_before_a_place_beyond_the_old_ones():
    slider = selection("h", (1, 2, 4, 8), 1)
    linked = LinkedSelection(slider, print)
    linked._wanted, sent = 64, []
    slider.send_state = lambda key=None: sent.append(slider.index)
    linked.offer((1, 2, 4, 8, 16, 32, 64))
    assert slider.value == 64
    assert sent == [3, 6]
