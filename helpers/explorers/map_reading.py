"""Five cells of one map: read each, and see why it says that."""

from dataclasses import dataclass
from functools import cache

import ipywidgets as widgets
import numpy as np

from helpers.attention import causal_mask, multi_head_attention
from helpers.controls import Message, Stage, selection, style_sheet, switch
from helpers.pictures.one_map import one_map
from helpers.pictures.stills import image, still
from helpers.pictures.text import table
from helpers.questions.map_reading import CELLS
from helpers.quiz.asking import STYLES, Asking
from helpers.quiz.questions import AskedQuestion, as_list, verdict
from helpers.sentences import HUNGRY, relations, words
from helpers.sizes import Sizes
from helpers.weights import hand_built, token_vectors

D_MODEL = 64
TOKENS = words(HUNGRY)
RELATIONS = 3  # verb → subject, verb → object, pronoun → antecedent
MAP_WIDTH, HEIGHT, QUESTION_HEIGHT = "460px", "452px", "250px"
LETTERS_A_LINE = 50  # beside the map
RULES = (
    ".why-reading{max-width:980px}"
    ".why-reading .why-side"
    "{flex:1 1 330px;min-width:300px;padding-right:8px;box-sizing:border-box}"
)


def explore_map():
    """Open the quiz on five cells of a map of attention.

    Returns
    -------
    MapReading
        A box; the last line of a cell shows it.
    """
    return MapReading()


@cache
def map_of_one_head(causal):
    """Return the weights (N, N) of one hand-built head, h = 1."""
    X = token_vectors(len(TOKENS), D_MODEL)
    built = hand_built(X, relations(TOKENS)[:RELATIONS], Sizes(D_MODEL, h=1))
    _, attn = multi_head_attention(X, *built, h=1, causal=causal)
    return attn[0]


@dataclass(frozen=True)
class State:
    """Which cell is asked for, and what is answered so far."""

    place: int
    answers: tuple[int | None, ...]
    as_table: bool


class MapReading(Asking):
    """A map, a slider over five of its cells, and a question for each."""

    def __init__(self):
        super().__init__()
        self.add_class("why-reading")
        numbers = range(1, len(CELLS) + 1)
        self.cell = selection("cell", [(str(n), n - 1) for n in numbers], 0)
        self.asked = [
            AskedQuestion(cell.question, f"cell {n} says", LETTERS_A_LINE)
            for n, cell in zip(numbers, CELLS, strict=True)
        ]
        self.show_table = switch("the map as a table", False)
        self.map, self.table = Stage(HEIGHT, MAP_WIDTH), Stage()
        self.stages = (self.map, self.table)
        self.status = Message(lines=1)
        questions = widgets.VBox(
            [part for asked in self.asked for part in asked.widgets],
            layout=widgets.Layout(min_height=QUESTION_HEIGHT),
        )
        side = widgets.VBox(
            [
                self.cell,
                self.status.widget,
                questions,
                self.message.widget,
                self.show_table,
            ]
        )
        side.add_class("why-side")
        self.children = (
            style_sheet(STYLES + RULES),
            widgets.HBox(
                (self.map.widget, side),
                layout=widgets.Layout(
                    flex_flow="row wrap", min_height=HEIGHT, grid_gap="0 24px"
                ),
            ),
            self.table.widget,
        )
        self.watch(
            self.cell, self.show_table, *(asked.choice for asked in self.asked)
        )
        self.refresh()

    def read(self):
        """Return the controls' State."""
        return State(
            self.cell.value,
            tuple(asked.choice.value for asked in self.asked),
            self.show_table.value,
        )

    def compute(self, state):
        """Return the map (N, N) that the cell belongs to."""
        return map_of_one_head(CELLS[state.place].causal)

    def show(self, state, result):
        """Show the map, and the question of its cell."""
        cell = CELLS[state.place]
        self.map.show(draw, state.place)
        self.status.say(cell_in_words(cell, result))
        for place, asked in enumerate(self.asked):
            for part in asked.widgets:
                part.layout.display = None if place == state.place else "none"
            said = verdict(asked.question, state.answers[place])
            if asked.verdict.text != said:
                asked.verdict.say(said)
        if state.as_table:
            self.table.show(as_table, cell.causal)
        else:
            self.table.clear()

    def remark(self, state):
        """Return how many cells are read, and how many of them right."""
        answered = sum(answer is not None for answer in state.answers)
        right = sum(
            answer == cell.question.right
            for answer, cell in zip(state.answers, CELLS, strict=True)
        )
        return f"{answered} of {len(CELLS)} cells read, {right} right."

    def portrait(self):
        """Return the map with its cell outlined, and its description."""
        place = self.cell.value
        return (
            still(draw(place), description=map_in_words(place)),
            map_in_words(place),
        )

    def printed(self):
        """Return the map and the questions, answers folded."""
        svg, description = self.portrait()
        questions = [cell.question for cell in CELLS]
        return image(svg, description) + as_list(questions), description


def draw(place):
    """Draw the map with the outline of cell number `place`."""
    cell = CELLS[place]
    return one_map(
        map_of_one_head(cell.causal),
        TOKENS,
        map_in_words(place),
        causal_mask(len(TOKENS)) if cell.causal else None,
        (cell.query, cell.key),
    )


def map_in_words(place):
    """Say which map it is, and which cell is outlined."""
    cell = CELLS[place]
    mask = " under a causal mask" if cell.causal else ""
    return (
        f"Attention map of one hand-built head{mask}: rows are queries, "
        f"columns are keys. Sentence: {HUNGRY}. "
        f"{cell_in_words(cell, map_of_one_head(cell.causal))}"
    )


def cell_in_words(cell, attn):
    """Say where the outlined cell lies, and its weight."""
    where = f"Outlined: row {TOKENS[cell.query]}, column {TOKENS[cell.key]}"
    if cell.causal and cell.key > cell.query:
        return f"{where}, hidden by the mask."
    return f"{where}, weight {attn[cell.query, cell.key]:.2f}."


def as_table(causal):
    """Return the map as a table."""
    attn = map_of_one_head(causal)
    hidden = ~causal_mask(len(TOKENS)) if causal else np.zeros_like(attn)
    return table(
        "A row for each query, a column for each key. Each row sums to 1.",
        ["", *TOKENS],
        [
            [
                token,
                *(
                    "hidden" if hidden[q, k] else f"{attn[q, k]:.2f}"
                    for k in range(len(TOKENS))
                ),
            ]
            for q, token in enumerate(TOKENS)
        ],
    )
