"""Hostile text in every field of every explorer: shown as it is, or refused.

The fields are found, not listed: a new one is tested without being named.
The browser's part is tests/browser/test_hostile_text.py.
"""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import ipywidgets as widgets
import pytest

from helpers.sentences import TextError
from helpers.stills import EXPLORERS
from tests.explorers import ONE_OF_EACH_KIND

HOSTILE = {
    "mathematics": r"$ $5 $$ a_b x^2 \frac % # { ~ \(x\) \[y\]",
    "script": "</script><script>alert(1)</script>",
    "image": "<img src=x onerror=alert(1)> <svg/onload=alert(1)>",
    "entities": "&lt;b&gt; &amp;amp; &#60; a<b<c </text></svg></div>",
    "attribute": "\" onmouseover=alert(1) x=\" ' onfocus='alert(1) `",
    "comment": "<!-- --> <![CDATA[x]]> <?xml?> ]]> <!DOCTYPE",
    "format": "{0} {x!r} %s %(name)s ${y} \\N{BULLET} \\u0041 {{",
    "code": 'set 1-2-3 "set 9" "',
    "link": "javascript:alert(1) data:text/html,<b> ../../etc/passwd",
    "control": "a\x00b \x1b[31m \x07 \x7f",
    "line ends": "a\nb\r\nc\u2028d\u2029e\x85f",
    "half a character": "\ud800 a\udfff",
    "no character": "\ufffe \uffff",
    "right to left": "שלום \u202eevil\u202c عربى \u2067x\u2069",
    "joined": "👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯",
    "unseen": "\u200b \u200d \ufeff",
    "wide": "猫が好き 日本語 ﷽",
    "empty": "",
    "blank": " \t\u00a0\u3000 ",
    "2,000 words": "word " * 2000,
    "a long word": "x" * 5000,
    "a great text": "y " * 200_000,
}
HARMLESS_LINKS = re.compile(r"data:image/(svg\+xml|png);base64,[\w+/=]*\Z|#")
ELEMENTS = set(
    "a b br caption circle clippath code dd defs details div dl dt ellipse em"
    " figcaption figure g h3 h4 i image img kbd li line linearGradient marker"
    " ol p path pattern polygon polyline pre rect small span stop strong style"
    " sub summary sup svg symbol table tbody td text tfoot th thead title tr"
    " tspan u ul use".lower().split()
)


class Page(HTMLParser):
    """Read HTML as a browser does; keep what a page of ours never holds."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.foreign, self.text = [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag not in ELEMENTS:
            self.foreign.append(tag)
        for name, value in attributes:
            link = name in ("href", "src", "xlink:href", "action")
            if name.startswith("on") or (
                link and not HARMLESS_LINKS.match(value or "")
            ):
                self.foreign.append((tag, name, value[:60]))

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.foreign.append(("comment", data[:60]))

    handle_decl = handle_pi = unknown_decl = handle_comment


def inside(box):
    """Return a widget and all the widgets in it."""
    found = [box]
    for child in getattr(box, "children", ()):
        found += inside(child)
    return found


def fields(explorer):
    """Return the fields that a reader can type into as things are."""
    return [
        w
        for w in inside(explorer)
        if isinstance(w, widgets.Text) and not w.disabled
    ]


def require_harmless(explorer):
    """Check everything that the explorer sends to a page or a file."""
    explorer.keeping and explorer.keeping.save.click()
    sent = [w.value for w in inside(explorer) if isinstance(w, widgets.HTML)]
    bundle = explorer._repr_mimebundle_()
    for html in (*sent, bundle["text/html"], bundle["text/plain"]):
        html.encode("utf-8")  # half a character can't be sent
    for html in (*sent, bundle["text/html"]):
        assert Page(html).foreign == []
    try:
        svg, description = explorer.portrait()
    except TextError as error:
        assert str(error) in explorer.message.text
        assert str(error) in explorer.keeping.message.text
    else:
        assert description == bundle["text/plain"]
        assert Page(svg).foreign == []
        ET.fromstring(svg)
    for w in inside(explorer):
        if isinstance(w, widgets.DOMWidget) and hasattr(w, "description"):
            assert "<" not in w.description
            assert not getattr(w, "description_allow_html", False)
    assert re.fullmatch(r"[\w.-]{1,200}", explorer.short_name)


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
def test_each_field_shows_or_refuses(name, kind, explorers):
    explorer = explorers(name)
    before = explorer.code if explorer.dials else None
    for field in fields(explorer):
        try:
            field.value = HOSTILE[kind]  # raises if our own code fails
            require_harmless(explorer)
        finally:
            explorer.restore(before)


@pytest.fixture(scope="module")
def explorers():
    """Return a function: a name to its explorer, made once."""
    made = {}

    def explorer(name):
        if name not in made:
            made[name] = EXPLORERS[name]()
        return made[name]

    return explorer


def test_there_are_fields_to_test(explorers):
    assert sum(len(fields(explorers(name))) for name in ONE_OF_EACH_KIND) > 12


@pytest.mark.parametrize(
    "html",
    [
        "<img src=x>",
        "<p onclick=x>",
        "<script>",
        "<a href='javascript:x'>",
        "<!-- -->",
        "<iframe>",
    ],
)
def test_what_runs_would_be_seen(html):
    assert Page(html).foreign
