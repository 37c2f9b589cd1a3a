"""The bug gallery: six classic mistakes, and which checks notice them.

Each bug is the right computation with one step swapped. Every one of them
runs, and gives an output of the right shape.
"""

from dataclasses import dataclass
from functools import cache, partial

from helpers import steps
from helpers.checks.properties import PROPERTIES
from helpers.choice_rules import require_choice
from helpers.steps import RIGHT, Steps, attention_by


@dataclass(frozen=True)
class Bug:
    """A mistake: its title, what it does wrong, and when it shows.

    `needs` is "" if it shows always, else "causal" or "n_kv < h".
    """

    title: str
    wrong: str
    steps: Steps
    needs: str = ""


BUGS = {
    "bare reshape": Bug(
        "A bare reshape instead of split_heads",
        "One reshape to (h, N, d_k) gives the right shape, but a head's rows "
        "are pieces of other tokens.",
        RIGHT.swap(split=steps.bare_reshape_split),
    ),
    "wrong merge": Bug(
        "A bare reshape instead of merge_heads",
        "The heads are not swapped back before they are laid side by side, "
        "so a token gets other tokens' results.",
        RIGHT.swap(merge=steps.bare_reshape_merge),
    ),
    "√d_model": Bug(
        "Divide by √d_model instead of √d_k",
        "Scores come out √h times too small, so every head is flatter than "
        "it should be. With h = 1 nothing changes.",
        RIGHT.swap(scale=steps.scale_by_d_model),
    ),
    "softmax over queries": Bug(
        "Softmax along the wrong axis",
        "Columns sum to 1 instead of rows: keys share out their attention, "
        "not queries.",
        RIGHT.swap(weigh=steps.softmax_over_queries),
    ),
    "mask after softmax": Bug(
        "Cross out later keys after the softmax",
        "The rows no longer sum to 1, and what is left still depends on the "
        "words that were crossed out.",
        RIGHT.swap(weigh=steps.mask_after_softmax),
        needs="causal",
    ),
    "tiled KV heads": Bug(
        "Repeat key/value heads as 0, 1, 0, 1",
        "Query heads read another key/value head than the one they were "
        "made for: the order is 0, 0, 1, 1.",
        RIGHT.swap(kv_order=steps.tiled_kv_order),
        needs="n_kv < h",
    ),
}


def attention_with(bug, X, W_Q, W_K, W_V, W_O, h, n_kv=None, causal=False):
    """Compute multi-head attention with one bug in it.

    Parameters
    ----------
    bug : str or None
        A key of BUGS; None for the right computation.
    X, W_Q, W_K, W_V, W_O, h, n_kv, causal
        As for `multi_head_attention`.

    Returns
    -------
    out : array (..., N, d_model)
    attn : array (..., h, N, N)

    Raises
    ------
    ValueError
        If there is no such bug.
    """
    chosen = RIGHT if bug is None else _known(bug).steps
    return attention_by(chosen, X, W_Q, W_K, W_V, W_O, h, n_kv, causal)


@cache
def _noticed(bug):
    f = partial(attention_with, bug)
    return {name: not p.holds(f) for name, p in PROPERTIES.items()}


def noticed_by(bug):
    """Say which named properties notice a bug.

    Parameters
    ----------
    bug : str or None

    Returns
    -------
    dict of str to bool
        {name in PROPERTIES: True if the property no longer holds}.
    """
    if bug is not None:
        _known(bug)
    return dict(_noticed(bug))


def _known(bug):
    require_choice("bug", bug, BUGS)
    return BUGS[bug]
