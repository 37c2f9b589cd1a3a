"""A sentence, set large: its places, and the words that ask."""

import re
import xml.etree.ElementTree as ET

from helpers.pictures.asked import BASE, HEIGHT, WIDTH, asked_of
from helpers.pictures.colours import RELATION_COLOURS

SVG = "{http://www.w3.org/2000/svg}"
TOKENS = ["it", "was", "a", "longer", "word"]
ASKING = {1: ("what?", "when?"), 3: ("than which?",)}


def drawn(tokens=TOKENS, questions=ASKING, description="said"):
    """Return (root, {place: (x, word)}, [(x, y, text)] of the questions)."""
    root = ET.fromstring(asked_of(tokens, questions, description))
    said = [
        (float(t.get("x")), float(t.get("y")), t.text)
        for t in root.iter(f"{SVG}text")
    ]
    named = [(x, text) for x, y, text in said if y == BASE]
    places = [(x, text) for x, y, text in said if y > BASE]
    assert [x for x, _ in named] == [x for x, _ in places]
    words = {
        int(place): one for one, (_, place) in zip(named, places, strict=True)
    }
    return root, words, [one for one in said if one[1] < BASE]


def lines(root):
    """Return (start x, y, end x, y, colour) of each line."""
    found = []
    for path in root.iter(f"{SVG}path"):
        x, y, *_, to_x, to_y = map(
            float, re.findall(r"-?[\d.]+", path.get("d"))
        )
        found.append((x, y, to_x, to_y, path.get("stroke")))
    return found


def test_each_word_has_its_place_from_0_in_the_middle_of_the_picture():
    _, words, _ = drawn()
    assert [words[place][1] for place in range(5)] == TOKENS
    xs = [words[place][0] for place in range(5)]
    assert xs == sorted(xs) and xs[0] > 0
    root, short, _ = drawn(["ab", "cd", "ef"], {})
    left, middle, right = (short[place][0] for place in range(3))
    assert middle == WIDTH / 2 and middle - left == right - middle
    assert not lines(root)


def test_no_word_lies_on_another():
    _, words, _ = drawn()
    for here, there in zip(range(4), range(1, 5), strict=True):
        apart = words[there][0] - words[here][0]
        letters = (len(TOKENS[here]) + len(TOKENS[there])) / 2
        assert apart > 15 * letters  # a letter of size 30 is 15 wide


def test_a_line_leads_from_the_word_that_asks_to_its_question():
    root, words, questions = drawn()
    assert [text for _, _, text in questions] == [
        "what?",
        "when?",
        "than which?",
    ]
    for line, question, place in zip(
        lines(root), questions, (1, 1, 3), strict=True
    ):
        x, y, to_x, to_y, _ = line
        assert x == words[place][0]
        assert to_x == question[0]
        assert 0 < question[1] < to_y < y < BASE < HEIGHT


def test_two_questions_of_a_word_lie_on_its_two_sides():
    _, words, ((one, *_), (two, *_), (only, *_)) = drawn()
    assert one < words[1][0] < two
    assert abs((one + two) / 2 - words[1][0]) < 0.1
    assert two - one > 150  # as wide as a question
    assert only == words[3][0]


def test_each_question_has_its_relations_colour():
    root, *_ = drawn()
    colours = [colour for *_, colour in lines(root)]
    assert colours == list(RELATION_COLOURS[:3])


def test_only_a_word_that_asks_is_bold():
    root, *_ = drawn()
    heavy = {
        t.text: t.get("font-weight")
        for t in root.iter(f"{SVG}text")
        if t.get("font-weight")
    }
    bold = {word for word, weight in heavy.items() if weight == "600"}
    assert bold == {"was", "longer"} and set(heavy) == set(TOKENS)


def test_hostile_words_and_questions_are_shown_as_they_are():
    hostile = '<b onload="x">&'
    root, words, questions = drawn([hostile, "b"], {0: [hostile]}, hostile)
    assert words[0][1] == questions[0][2] == hostile
    assert root.get("aria-label") == hostile
