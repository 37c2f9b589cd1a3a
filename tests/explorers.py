"""What the tests of explorers share: what is shown, and planted failures."""

import asyncio
import xml.etree.ElementTree as ET

from helpers.stills import EXPLORERS

ONE_OF_EACH_KIND = [  # one study is as good as another
    name
    for name in EXPLORERS
    if "study" not in name or name == "03_study_heads.svg"
]
PATIENCE = 10_000  # turns of the event loop, of 2 ms at least


def label(stage):
    """Return the alternative text of the picture on a stage."""
    return ET.fromstring(stage.picture).get("aria-label")


def is_old(stage):
    """Say whether a stage is greyed: its picture is of another setting."""
    return 'aria-disabled="true"' in stage.widget.value


def count_shows(explorer, monkeypatch):
    """Return a list that gets longer each time the explorer shows."""
    shows, real = [], type(explorer).show
    monkeypatch.setattr(
        type(explorer),
        "show",
        lambda self, *args: (shows.append(1), real(self, *args)),
    )
    return shows


def plant_failure(explorer, part, monkeypatch):
    """Let the explorer's method `part` fail; it says "planted"."""

    def fail(*_):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(type(explorer), part, fail)


async def until(reached):
    """Wait until `reached()`: a busy machine may take its time."""
    for _ in range(PATIENCE):
        if reached():
            return
        await asyncio.sleep(0.002)
    raise AssertionError("it never came")
