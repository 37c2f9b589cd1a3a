"""The check of notebook 09: break the circuit with the fewest heads.

check_circuit(heads)   names such as "3-1", in which "it" may not see the
                       adjective
"""

from functools import cache

import numpy as np

from helpers.checks.verdict import NotYet, Refused, verdict_on
from helpers.pretrained.sample import load_sample

PAIRS = ((0, 1), (0, 3), (4, 5))  # sentences of the sample, by place
IT, FIRST_NOUN, SECOND_NOUN, ADJECTIVE = 7, 2, 5, 9  # pieces of all of them
READER = 1  # head 4-2, among those of its layer
BOUND, FEWEST = 0.08, 2
LAYERS, HEADS = range(3, 5), range(1, 13)


def check_circuit(heads):
    """Check the heads in which "it" may not see the adjective.

    Parameters
    ----------
    heads : sequence of str
        Layer and head from 1, as in "3-1"; layers 3 and 4.

    Returns
    -------
    Verdict
        Yes, if they bring the shift of 4-2 below BOUND and are as few as
        can be.
    """
    return verdict_on(lambda: heads, lambda _: _examine(heads))


@cache
def shift(names):
    """Return the shift of 4-2 over PAIRS, with the adjective hidden.

    Parameters
    ----------
    names : tuple of str
        Where it is hidden from "it".
    """
    places = [tuple(int(n) - 1 for n in name.split("-")) for name in names]
    leads = [[_lead(sentence, places) for sentence in pair] for pair in PAIRS]
    return float(np.mean([first - second for first, second in leads]))


def _lead(sentence, places):
    sample = load_sample()
    N = len(sample.pieces(sentence).ids)
    block = [
        (*place, IT, key)
        for place in places
        for key in range(ADJECTIVE, N - 1)
    ]
    row = sample.circuit(sentence, block).attn_4[READER, IT]
    return row[FIRST_NOUN] - row[SECOND_NOUN]


def _examine(heads):
    names = _named(heads)
    left, whole = shift(names), shift(())
    found = f"The shift is {left:.2f}; untouched it is {whole:.2f}."
    if left < BOUND and len(names) <= FEWEST:
        return (
            f'{found} Through {" and ".join(names)} "it" fetches the '
            f"adjective; without both, 4-2 is left in the dark."
        )
    if left < BOUND:
        raise Refused(
            f"{found} That is broken, but {len(names)} heads are more than "
            f"it takes.",
            "Leave one out and look again. If the shift stays low, the head "
            "was not needed.",
        )
    raise Refused(*_too_little(names, found))


def _named(heads):
    if heads is None or heads is ...:
        raise NotYet('Name heads first, such as ["3-1", "3-5"].')
    if isinstance(heads, str):
        heads = [heads]
    try:
        heads = list(heads)
    except TypeError:
        heads = [heads]
    known = {f"{layer}-{head}" for layer in LAYERS for head in HEADS}
    for head in heads:
        if not isinstance(head, str) or head.strip() not in known:
            raise Refused(
                f"{str(head)[:40]!r} is not one of the heads that can be "
                f"asked here.",
                'Each head has its own quotes, as in ["3-1", "3-5"]: "3-1" to '
                '"3-12", "4-1" to "4-12". The sample computes layers 3 and 4 '
                "again.",
            )
    names = tuple(sorted({head.strip() for head in heads}))
    if not names:
        raise NotYet("The list is empty: nothing is hidden yet.")
    return names


def _too_little(names, found):
    if all(name.startswith("4") for name in names):
        return (
            f"{found} In layer 4 it is too late.",
            'When layer 4 begins, "it" carries the adjective already: it was '
            "fetched before.",
        )
    if "3-9" in names and len(names) > 1:
        return (
            f"{found} 3-9 is one of them; its companion is still missing.",
            "Which other head of layer 3 lowers the shift when it is hidden "
            "alone? Ask each: shift(f'3-{n}') for n from 1 to 12.",
        )
    if "3-9" in names:
        return (
            f"{found} Most of it is gone, not all: another head fetches the "
            f"adjective as well.",
            "Two heads with one role stand in for each other. Look for the "
            "one that lowers the shift most beside 3-9.",
        )
    if "3-2" in names and "3-4" not in names:
        return (
            f'{found} In 3-2 the row of "it" is dark at the adjective, and '
            f"yet the shift does not need it.",
            "A large weight is not yet a use: what the head writes may be "
            "read by nobody. Hide, and measure, each head.",
        )
    if "3-4" in names:
        return (
            f"{found} 3-4 carries a part of it, and not the largest.",
            "Keep it. Which other head of layer 3 lowers the shift most?",
        )
    return (
        f"{found} These heads carry little of it.",
        "Hide the adjective in one head of layer 3 after the other, and note "
        "how far the shift falls.",
    )
