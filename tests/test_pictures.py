"""Pictures: well-formed, escaped, legible, in the right colours and place."""

import base64
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cost import flops, one_head
from helpers.pictures import colours
from helpers.pictures.bars import flop_bars
from helpers.pictures.maps import Outline, attention_maps
from helpers.pictures.pixels import map_png
from helpers.pictures.stills import image, still
from helpers.pictures.text import per_cent, table, weight, word
from helpers.sizes import Sizes

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<b>",
    "&",
    "&amp;",
    '"',
    "'",
    "a<b<c",
    "$$",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "שלום",
    "猫が好き",
    "👩‍👩‍👧",
    "\\frac",
)


def picture(h=3, N=5, **settings):
    attn = np.random.default_rng(7).dirichlet(np.ones(N), size=(h, N))
    tokens = settings.pop("tokens", tuple("abcdefghijklmnop"[:N]))
    return attn, attention_maps(attn, tokens, "five words", **settings)


def titles(svg):
    return [title.text for title in ET.fromstring(svg).iter(f"{SVG}title")]


@pytest.mark.parametrize("h", (1, 2, 3, 12, 16, 17, 64, 65, 131))
def test_every_number_of_heads_gives_a_picture_of_one_size(h):
    _, svg = picture(h=h)
    assert ET.fromstring(svg).get("viewBox") == "0 0 980 442"


def test_each_cell_says_its_words_and_weight_by_place():
    attn, svg = picture(h=2, tokens=("the", "cat", "saw", "the", "cat"))
    said = titles(svg)
    names = ("the", "cat", "saw", "the", "cat")
    want = [
        f"{names[q]} → {names[k]} {attn[head, q, k]:.2f}"
        for head in range(2)
        for q in range(5)
        for k in range(5)
    ]
    assert said[: len(want)] == want


def test_rows_are_queries_and_the_origin_is_top_left():
    attn = np.zeros((1, 3, 3))
    attn[0, 0, 2] = 1
    svg = attention_maps(attn, ("x", "y", "z"), "one cell")
    dark = f'fill="{colours.PERCENT_COLOUR[100]}" d="M2 0h1v1h-1z"'
    assert dark in svg


def test_labels_stand_at_the_cells_and_none_is_left_over():
    _, svg = picture(h=1, N=5)
    assert len(re.findall(r"<text[^>]*>a<", svg)) == 4  # two maps, two sides
    _, svg = picture(h=1, N=12)
    assert len(re.findall(r"<text[^>]*>l<", svg)) == 4


@pytest.mark.parametrize("token", HOSTILE)
def test_a_readers_word_is_shown_literally(token):
    _, svg = picture(h=2, N=2, tokens=(token, token))
    root = ET.fromstring(svg)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "g", "path", "text", "tspan", "title", "image"}
    shown = "".join(root.itertext()).replace("\u2068", "")
    assert f"{token} → {token}" in shown.replace("\u2069", "")


def test_a_word_from_right_to_left_is_isolated():
    assert word("שלום") == "\u2068שלום\u2069"
    assert word("cat") == "cat"


def test_a_long_word_is_shortened_and_kept_in_full_as_a_tooltip():
    long = "Donaudampfschiff"
    _, svg = picture(h=1, N=2, tokens=(long, "x"))
    assert ">Donauda…<title>Donaudampfschiff</title>" in svg
    assert word("猫が好きです", 8) == "猫が好…"


def test_hidden_cells_look_unlike_weight_0():
    attn = np.tril(np.full((2, 4, 4), 0.25))
    visible = np.tril(np.ones((4, 4), bool))
    svg = attention_maps(attn, tuple("abcd"), "causal", visible=visible)
    assert "a → b" not in svg
    assert svg.count("M1 0l1 1") == 3  # a stroke in two maps and the average
    assert "hidden by the mask" in svg


@pytest.mark.parametrize(("h", "N"), [(2, 5), (3, 16), (8, 60), (64, 61)])
def test_c16_strokes_over_hidden_cells_can_be_seen(h, N):
    attn = np.broadcast_to(np.tri(N) / N, (h, N, N))
    visible = np.tri(N, dtype=bool)
    svg = attention_maps(attn, ("w",) * N, "causal", visible=visible)
    maps = re.findall(
        r"scale\(([\d.]+)\)\" fill=\"none\"><path d=\"([^\"]+)\" "
        r"stroke=\"#9e9e9e\" stroke-width=\"([\d.]+)\"",
        svg,
    )
    assert len(maps) == h + 1  # and the average
    for cell, path, thick in maps:
        struck = {
            (int(q), int(k)) for k, q in re.findall(r"M(\d+) (\d+)l1 1", path)
        }
        assert struck and not any(visible[place] for place in struck)
        apart = np.diff(np.unique([k - q for q, k in struck]))
        assert (apart * float(cell) >= 5.9).all()  # units of the picture
        assert len(struck) * apart.min() >= 0.6 * (~visible).sum()
        assert float(thick) * float(cell) >= 0.65


@pytest.mark.parametrize("N", [9, 19, 60])
def test_c11_labels_that_are_left_out_are_announced(N):
    names = tuple(f"w{i}" for i in range(N))
    attn = np.full((8, N, N), 1 / N)
    svg = attention_maps(attn, names, "long")
    sides = re.findall(r'<g text-anchor="end" font-size="\d+">(.*?)</g>', svg)
    said = [int(n) for n in re.findall(r">1 word in (\d+)</text>", svg)]
    shown = [len(re.findall(r">(w\d+)<", side)) for side in sides]
    assert len(shown) == 3  # two rows of heads, and the average
    steps = [-(-N // count) for count in (shown[0], shown[2])]
    assert said == [step for step in steps if step > 1]
    assert (said == []) == (min(shown) == N)
    assert svg.count("has a label") == len(said)


def test_a_hidden_relation_is_dashed():
    outline = Outline(1, "verb → object", ((1, 0), (1, 3)), {(1, 3)})
    attn = np.full((1, 4, 4), 0.25)
    svg = attention_maps(attn, tuple("abcd"), "one", [[outline]])
    drawn = re.findall(r'<path d="[^"]*" stroke="#D55E00"[^>]*>', svg)
    assert len(drawn) == 2
    assert ["stroke-dasharray" in path for path in drawn] == [False, True]


def test_many_cells_become_pixels():
    for h, N in ((8, 17), (31, 3)):
        attn = np.full((h, N, N), 1 / N)
        svg = attention_maps(attn, tuple("w" * N), "many")
        assert svg.count("<image") == h + 1
    attn = np.full((2, 17, 17), 1 / 17)
    assert "<image" not in attention_maps(attn, tuple("w" * 17), "few")


def test_png_holds_the_weights(tmp_path):
    pytest.importorskip("PIL")  # comes with Matplotlib
    from PIL import Image

    percent = np.array([[0, 37, 100], [100, 5, 62]])
    visible = np.array([[True, True, True], [True, False, True]])
    address = map_png(percent, visible)
    file = tmp_path / "map.png"
    file.write_bytes(base64.b64decode(address.split(",")[1]))
    pixels = np.asarray(Image.open(file).convert("RGBA"))
    assert (
        pixels[..., :3][visible] == colours.PERCENT_RGB[percent[visible]]
    ).all()
    assert (pixels[..., 3] == np.where(visible, 255, 0)).all()


def test_colours_are_matplotlibs_bone_reversed():
    import matplotlib

    matplotlib.use("agg")
    share = np.linspace(0, 1, 101)
    theirs = matplotlib.colormaps["bone_r"](colours.DARKEST * share)[:, :3]
    ours = colours.bone_reversed(share) / 255
    assert np.abs(theirs - ours).max() < 0.012  # their table has 256 steps


def test_lightness_falls_evenly():
    luminance = np.array([colours.luminance(c) for c in colours.PERCENT_RGB])
    lightness = np.where(
        luminance > 0.008856, 116 * np.cbrt(luminance) - 16, 903.3 * luminance
    )
    steps = -np.diff(lightness)
    assert steps.min() > 0
    assert steps.max() < 2.5 * steps.mean()


def test_numbers_are_legible_on_every_shade():
    for rgb, ink in zip(colours.PERCENT_RGB, colours.PERCENT_INK, strict=True):
        ink_rgb = (0, 0, 0) if ink == "#000" else (255, 255, 255)
        assert colours.contrast(rgb, ink_rgb) >= 4.5


@given(st.floats(0, 1))
def test_weights_are_written_short(share):
    assert abs(float(weight(share)) - share) <= 0.005001


@given(st.floats(0, 1) | st.floats(0, 0.001) | st.floats(0.999, 1))
def test_shares_are_never_rounded_to_nothing_or_to_all(share):
    said = per_cent(share)
    if "under" in said or "over" in said:
        assert 0 < share < 0.001 or 0.999 < share < 1
    else:
        assert abs(float(said[:-1]) / 100 - share) <= 0.000501
        assert (said == "0.0%") == (share == 0)
        assert (said == "100.0%") == (share == 1)


def test_table_escapes_every_cell():
    html = table("<c>", ["<h>"], [["<r>", "<d>"]])
    assert re.findall(r"<[chrd]>", html) == []
    assert html.count("&lt;") == 4


def test_bars_of_equal_work_are_equally_long():
    sizes = Sizes(d_model=512, h=8)
    counts = {"one": flops(9, one_head(sizes)), "eight": flops(9, sizes)}
    root = ET.fromstring(flop_bars(counts, "bars"))
    ends = {}
    for bar in root.iter(f"{SVG}rect"):
        if bar.get("height") == "20":
            end = float(bar.get("x")) + float(bar.get("width"))
            ends[bar.get("y")] = max(end, ends.get(bar.get("y"), 0))
    assert len(ends) == 2
    assert all(end == pytest.approx(950, abs=0.02) for end in ends.values())


def test_still_is_one_svg_of_fixed_size_and_image_holds_it():
    _, svg = picture()
    one = still(svg, svg, description="two <maps>")
    root = ET.fromstring(one)
    assert (root.get("width"), root.get("height")) == ("980", "884")
    assert root.get("aria-label") == "two <maps>"
    html = image(one, 'a "picture"')
    data = re.search(r"base64,([^\"]+)", html).group(1)
    assert base64.b64decode(data).decode() == one
    assert 'alt="a &quot;picture&quot;"' in html
