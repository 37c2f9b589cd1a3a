"""Stills: every map alike, every word as it is."""

import io
import warnings

import matplotlib
import numpy as np
import pytest

from helpers import plots
from helpers.plots import attention_maps
from helpers.sentences import HUNGRY

TOKENS = HUNGRY.split()


def drawn(figure):
    """Draw the figure as a notebook would; warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = io.BytesIO()
        figure.savefig(page, format="png")
    return page.getvalue()


def maps(figure):
    """Return the axes that hold a map, and are seen."""
    return [a for a in figure.axes if a.images and a.get_visible()]


def words(labels):
    return [label.get_text() for label in labels]


@pytest.mark.parametrize("h", [1, 2, 3, 4, 5, 8, 12, 16])
def test_each_head_has_a_map(h):
    attn = np.random.default_rng(7).dirichlet(np.ones(9), (h, 9))
    figure = attention_maps(attn, TOKENS)
    assert len(maps(figure)) == h
    for number, axis in enumerate(maps(figure)):
        (image,) = axis.images
        assert image.get_clim() == (0, 1)
        assert image.get_cmap().name == "bone_r"
        np.testing.assert_array_equal(image.get_array(), attn[number])
        assert axis.get_title() == f"head {number + 1}"
    assert drawn(figure)


def test_rows_are_queries_from_the_top():
    attn = np.zeros((3, 5))
    attn[0, 4] = 1
    figure = attention_maps(attn, (["a", "b", "c"], list("vwxyz")))
    (axis,) = maps(figure)
    assert words(axis.get_yticklabels()) == ["a", "b", "c"]
    assert words(axis.get_xticklabels()) == list("vwxyz")
    assert axis.images[0].origin == "upper"
    assert axis.yaxis_inverted() and not axis.xaxis_inverted()
    (number,) = axis.texts
    assert number.get_position() == (4, 0) and number.get_text() == "1.0"


def test_words_are_drawn_literally():
    tokens = "$ $5 $$ a_b x^2 \\frac % # { ~".split()
    figure = attention_maps(np.eye(len(tokens)), tokens, ["$one$ map"])
    assert drawn(figure)
    (axis,) = maps(figure)
    assert words(axis.get_yticklabels()) == tokens
    labels = axis.get_xticklabels() + axis.get_yticklabels() + [axis.title]
    assert not any(label.get_parse_math() for label in labels)


@pytest.mark.parametrize("tokens", [("猫が好き", "日本語"), ("🙂", "ok")])
def test_a_word_without_glyphs_is_shown_by_its_place(tokens):
    figure = attention_maps(np.eye(2), tokens)
    assert drawn(figure)
    assert words(maps(figure)[0].get_yticklabels())[0] == "#1"


@pytest.mark.parametrize("reads", [True, False])
def test_right_to_left_is_never_drawn_backwards(reads, monkeypatch):
    monkeypatch.setattr(plots, "_draws_right_to_left", lambda: reads)
    figure = attention_maps(np.eye(2), ("שלום", "x"))
    shown = words(maps(figure)[0].get_yticklabels())
    assert shown == ["שלום" if reads else "#1", "x"]


def test_repeated_words_keep_their_places():
    tokens = "the cat saw the cat".split()
    (axis,) = maps(attention_maps(np.eye(5), tokens))
    assert words(axis.get_yticklabels()) == tokens
    assert list(axis.get_yticks()) == [0, 1, 2, 3, 4]


def test_long_sentences_thin_their_labels_and_drop_numbers():
    tokens = [f"w{i}" for i in range(100)]
    (axis,) = maps(attention_maps(np.eye(100), tokens))
    assert len(axis.get_yticks()) <= plots.MOST_LABELS
    assert not axis.texts
    assert words(axis.get_yticklabels())[1] == tokens[axis.get_yticks()[1]]


def test_a_long_word_is_shortened():
    (axis,) = maps(attention_maps(np.eye(1), ["w" * 80]))
    assert words(axis.get_yticklabels()) == ["w" * 11 + "…"]


def test_numbers_are_readable_on_every_weight():
    colours = matplotlib.colormaps["bone_r"](np.linspace(0, 1, 101))
    for colour in colours:
        c = colour[:3]
        linear = np.where(
            c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4
        )
        light = linear @ (0.2126, 0.7152, 0.0722)
        ink = 0 if plots._ink_on(colour) == "black" else 1
        low, high = sorted((light, ink))
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_no_figure_is_left_open():
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    attention_maps(np.eye(9), TOKENS)
    assert pyplot.get_fignums() == before


@pytest.mark.parametrize(
    ("attn", "tokens", "titles", "said"),
    [
        (np.eye(3), "a b".split(), None, "3 query words"),
        (np.eye(3), "a b c".split(), ["x", "y"], "needs 1 titles"),
        (np.zeros(3), "a b c".split(), None, r"got \(3,\)"),
        (np.zeros((0, 3, 3)), "a b c".split(), None, "got"),
    ],
)
def test_what_does_not_fit_is_said(attn, tokens, titles, said):
    with pytest.raises(ValueError, match=said):
        attention_maps(attn, tokens, titles)
