"""Stills: every map alike, every word as it is."""

import base64
import io
import warnings
import xml.etree.ElementTree as ET

import matplotlib
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib.figure import Figure

from helpers import plot_words, plots
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
    monkeypatch.setattr(plot_words, "_draws_right_to_left", lambda: reads)
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
    assert len(axis.get_yticks()) <= plot_words.MOST_LABELS
    assert not axis.texts
    assert words(axis.get_yticklabels())[1] == tokens[axis.get_yticks()[1]]


@pytest.mark.parametrize(("N_q", "N_k"), [(30, 30), (31, 9), (7, 200)])
def test_c11_labels_that_are_left_out_are_announced(N_q, N_k):
    names = [f"q{i}" for i in range(N_q)], [f"k{i}" for i in range(N_k)]
    figure = attention_maps(np.zeros((3, N_q, N_k)), names)
    axis = maps(figure)[0]
    steps = [
        places[1] - places[0]
        for places in (axis.get_yticks(), axis.get_xticks())
    ]
    assert [len(axis.get_yticks()), len(axis.get_xticks())] == [
        -(-n // s) for n, s in zip((N_q, N_k), steps, strict=True)
    ]
    note = figure.get_supxlabel()
    if steps == [1, 1]:
        assert note == ""
    else:
        rows, columns = steps
        assert note == f"a label for 1 row in {rows}, 1 column in {columns}"
        assert note[1:] in figure.description


def test_c16_hidden_cells_are_stroked_out_and_weight_0_is_not():
    shares = np.tril(np.full((5, 5), 0.2))
    shares[4] = [1, 0, 0, 0, 0]  # seen, and 0
    visible = np.tri(5, dtype=bool)
    figure = attention_maps(
        [shares, shares], list("abcde"), None, [None, visible]
    )
    assert drawn(figure)
    bare, struck = maps(figure)
    assert not bare.collections
    (strokes,) = struck.collections
    middles = [line.mean(axis=0)[::-1] for line in strokes.get_segments()]
    assert sorted(map(tuple, middles)) == [
        tuple(place) for place in np.argwhere(~visible)
    ]
    assert figure.get_supxlabel() == "stroked out: hidden by the mask"
    assert figure.description.endswith("Stroked out: hidden by the mask.")
    many = attention_maps(
        np.tri(200) / 200, list("x" * 200), None, np.tri(200) > 0
    )
    (strokes,) = maps(many)[0].collections
    lines = {k - q for k, q in (line[0] for line in strokes.get_segments())}
    apart = np.diff(sorted(lines)).min() * plots.LARGE_SIDE / 200
    assert plots.CLOSEST <= apart < 0.15  # inches


@pytest.mark.parametrize(
    ("visible", "error", "said"),
    [
        (np.ones((3, 3)), TypeError, "boolean and .3, 3.: got float64"),
        (np.ones((3, 2), bool), TypeError, r"got bool, \(3, 2\)"),
        ([None], ValueError, "visible must be one, or 2: got 1"),
        ([None, np.ones(3, bool)], TypeError, r"got bool, \(3,\)"),
    ],
)
def test_c16_a_mask_that_does_not_fit_is_refused(visible, error, said):
    with pytest.raises(error, match=said):
        attention_maps([np.eye(3)] * 2, list("abc"), None, visible)


@pytest.mark.parametrize("wrong", [5, -0.01, 1.01, np.nan, np.inf, -np.inf])
def test_c14_a_map_shows_weights_and_nothing_else(wrong):
    """A score of 5 would be drawn as the weight 1.0."""
    attn = np.eye(3)
    attn[1, 2] = wrong
    with pytest.raises(ValueError, match="from 0 to 1: got"):
        attention_maps(attn, list("abc"))
    attn[1, 2] = 1 + 1e-6  # a rounded weight
    assert drawn(attention_maps(attn.astype(np.float32), list("abc")))


@pytest.mark.parametrize("N", [2, 3])
@pytest.mark.parametrize("token", [101, None, b"cat", 0.5])
def test_a_token_that_is_no_text_is_refused_by_name(token, N):
    with pytest.raises(TypeError, match="tokens must be texts: got"):
        attention_maps(np.eye(N), [token] * N)


def test_c04_what_cannot_be_seen_is_shown_by_its_place():
    tokens = ["a", "\u200d", "\u00a0", "\ud800", "\x07", ""]
    figure = attention_maps(np.eye(6), tokens)
    assert drawn(figure)
    shown = words(maps(figure)[0].get_xticklabels())
    assert shown == ["a", "#2", "#3", "#4", "#5", ""]  # "" is left empty
    figure.description.encode("utf-8")  # a page can't be sent half a letter
    assert "#4 → #4 1.00" in figure.description


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


def test_the_description_names_the_strongest_key_of_each_query():
    attn = np.array([[0.25, 0.75], [0.9, 0.1]])
    assert attention_maps(attn, ("a", "b"), ["one"]).description == (
        "1 attention map, 2 queries by 2 keys; the largest weight of each "
        "query. one: a → b 0.75, b → a 0.90."
    )
    many = np.stack([np.eye(5)] * 3)
    many[1, 2] = many[1, 4] = 0.2
    said = attention_maps(many, tuple("vwxyz")).description
    assert "3 attention maps, 5 queries by 5 keys; the largest" in said
    assert "the 3 clearest queries. head 1: v → v 1.00, w → w" in said
    assert "head 2: v → v 1.00, w → w 1.00, y → y 1.00; head 3:" in said


def test_a_notebook_shows_one_image_with_its_alternative(monkeypatch):
    shell = InteractiveShell.instance()
    png = shell.display_formatter.formatters["image/png"]
    monkeypatch.setitem(  # what %matplotlib inline does
        png.type_printers, Figure, lambda figure: pytest.fail("drawn twice")
    )
    hostile = "<b>\"&'$"
    figure = attention_maps(np.eye(1), [hostile])
    with capture_output() as shown:
        assert shell.display_formatter.format(figure) == ({}, {})
    (output,) = shown.outputs
    bundle = output.data
    assert set(bundle) == {"text/html", "image/png", "text/plain"}
    (element,) = ET.fromstring(
        f"<p>{bundle['text/html']}</p>".replace('">', '"/>')
    )
    assert element.tag == "img"
    assert element.get("alt") == bundle["text/plain"] == figure.description
    assert f"{hostile} → {hostile} 1.00" in figure.description
    assert base64.b64decode(bundle["image/png"])[:4] == b"\x89PNG"
    assert element.get("src").endswith(bundle["image/png"])


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
