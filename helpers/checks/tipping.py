"""The check of notebook 10: how much to share before the balance tips.

check_tipping(f)        f(d_model, h, N) -> the largest n_kv, or 0
"""

import numpy as np

from helpers.checks.answers import ask
from helpers.checks.verdict import Refused, verdict_on
from helpers.cost import flops
from helpers.sizes import Sizes, divisors

CASES = (
    (512, 8, 1024),  # at n_kv = 8 the two are equal to a FLOP
    (512, 8, 2048),
    (24, 6, 32),
    (60, 12, 100),  # 7 would do, and divides nothing
    (512, 8, 512),  # no n_kv is few enough
)


def check_tipping(f):
    """Check f(d_model, h, N): the largest n_kv that tips the balance.

    Parameters
    ----------
    f : function
        Returns the largest n_kv with which scores and weighted sum cost
        more FLOPs than the projections, or 0 if none does.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine)


def _examine(f):
    for case in CASES:
        _judge(ask(f, *case), *case)
    return (
        "The largest divisor n_kv of h with N > d_model · (1 + n_kv / h); "
        "at equality nothing has tipped."
    )


def tips(d_model, h, N, n_kv):
    """Say whether scores and weighted sum cost more than projections."""
    cost = flops(N, Sizes(d_model, h, n_kv))
    return cost.attention > cost.projections


def _wanted(d_model, h, N):
    legal = [n for n in divisors(h) if tips(d_model, h, N, n)]
    return max(legal, default=0)


def _number(answer):
    array = np.asarray(answer)
    if array.size != 1 or array.dtype.kind not in "iuf":
        raise Refused(
            "The answer is not one number.",
            "Return the n_kv itself, or 0: no text, no list of several.",
        )
    return float(array.reshape(()))


def _judge(answer, d_model, h, N):
    answer, wanted = _number(answer), _wanted(d_model, h, N)
    if answer == wanted:
        return
    where = f"At d_model = {d_model}, h = {h}, N = {N:,}"
    if answer == 0:
        raise Refused(
            f"{where} you say 0, and n_kv = {wanted} tips it.",
            "0 only if not even n_kv = 1 is few enough.",
        )
    if answer not in divisors(h):
        raise Refused(
            f"{where} you say n_kv = {answer:g}, which does not divide h.",
            "Go through the divisors of h, largest first.",
        )
    cost = flops(N, Sizes(d_model, h, int(answer)))
    if cost.attention == cost.projections:
        raise Refused(
            f"{where} with n_kv = {answer:g} the two are equal: "
            f"{cost.attention:,} FLOPs each. Equal is not more.",
            "Write > where you have >=.",
        )
    if answer < wanted:
        raise Refused(
            f"{where} n_kv = {answer:g} tips it, and so does {wanted}: that "
            f"is a smaller change.",
            "The largest n_kv is asked for. Begin with h, and go down.",
        )
    none = " No n_kv is few enough: return 0." if wanted == 0 else ""
    raise Refused(
        f"{where} with n_kv = {answer:g}, scores and weighted sum are "
        f"{cost.attention / cost.total:.1%} of the products: less than half.",
        "Scores and weighted sum: 4 · N² · d_model, whatever n_kv is. Q and "
        f"W_O: 2 · N · d_model² each; K and V: n_kv / h of that.{none}",
    )
