"""Parts of explorers: choices that stay legal, messages, the update loop.

`parts` has single controls, `linked` a slider that another one limits,
`places` what pictures and messages stand in, `settings` the code that
restores a setting, `explorer` the loop: read, compute, show.
"""

from helpers.choice_rules import require_choice
from helpers.controls.explorer import Explorer
from helpers.controls.linked import LinkedSelection
from helpers.controls.parts import (
    WIDE,
    button,
    choice,
    row,
    selection,
    style_sheet,
    switch,
)
from helpers.controls.places import Message, Stage
from helpers.controls.runs import close_all

__all__ = [
    "WIDE",
    "Explorer",
    "LinkedSelection",
    "Message",
    "Stage",
    "button",
    "choice",
    "close_all",
    "require_choice",
    "row",
    "selection",
    "style_sheet",
    "switch",
]
