"""The check of notebook 02's function with three planted bugs, mended."""

import numpy as np

from helpers.attention import scaled_dot_product_attention, softmax
from helpers.checks.answers import RECOGNISED, ask, judge, numbers
from helpers.checks.properties import close
from helpers.checks.single_head_mistakes import MASK_MISTAKES, PLAIN_MISTAKES
from helpers.checks.verdict import NotYet, Refused, verdict_on

BUG_HINTS = {
    "divisor": "Look at the line of the scores: what does K.shape[0] count?",
    "axis": "Look at the softmax: do the weights of one query sum to 1?",
    "mask": "Look at where the mask acts: what has the softmax already "
    "shared out by then?",
}


def with_bugs(bugs, Q, K, V, mask=None):
    """Return the output of one head with some of the three bugs.

    Parameters
    ----------
    bugs : collection of str
        Out of BUG_HINTS.
    Q, K, V, mask
        As for `scaled_dot_product_attention`; one sentence.
    """
    scores = Q @ K.T / np.sqrt(K.shape[0 if "divisor" in bugs else -1])
    axis = 0 if "axis" in bugs else -1
    if mask is None:
        return softmax(scores, axis) @ V
    if "mask" in bugs:
        return softmax(scores, axis) * mask @ V
    return softmax(np.where(mask, scores, -np.inf), axis) @ V


def check_mended(f):
    """Check a mended copy of notebook 02's function with three bugs.

    Parameters
    ----------
    f : function
        f(Q, K, V, mask=None), as for `check_attention`. A row that may see
        nothing, and large scores, are not asked for here.

    Returns
    -------
    Verdict
        "not yet" as long as all three bugs are there; else how many are.
    """
    return verdict_on(f, _examine_mended)


def _examine_mended(f):
    arguments = _drawn()
    wanted = scaled_dot_product_attention(*arguments)[0]
    got = numbers(ask(f, *arguments))
    for bugs in _sets_of_bugs():
        if bugs and close(got, with_bugs(bugs, *arguments), RECOGNISED):
            if len(bugs) == len(BUG_HINTS):
                raise NotYet(
                    "All three bugs are still there. Test one property at "
                    "a time: do rows sum to 1, and does a mask keep that?"
                )
            left = "1 bug is" if len(bugs) == 1 else "2 bugs are"
            raise Refused(f"{left} left.", BUG_HINTS[bugs[0]])
    known = (*PLAIN_MISTAKES, *MASK_MISTAKES)
    judge(got, wanted, known, arguments, "(N_q, d_v)")
    unmasked = numbers(ask(f, *arguments[:3]))
    wanted = scaled_dot_product_attention(*arguments[:3])[0]
    judge(unmasked, wanted, (), arguments[:3], "(N_q, d_v)")
    return "All three bugs are gone."


def _drawn():
    rng = np.random.default_rng(41)
    N_q, N_k, d_k, d_v = 6, 5, 3, 7
    mask = rng.random((N_q, N_k)) < 0.5
    mask[np.arange(N_q), rng.integers(0, N_k, N_q)] = True
    return (
        rng.standard_normal((N_q, d_k)),
        rng.standard_normal((N_k, d_k)),
        rng.standard_normal((N_k, d_v)),
        mask,
    )


def _sets_of_bugs():
    names = tuple(BUG_HINTS)
    for number in range(2 ** len(names)):
        yield tuple(n for i, n in enumerate(names) if number >> i & 1)
