"""The checks that ask for a judgement on grouped heads.

check_tile_test(test)     test(f) -> True if f is right
check_pooling_choice(f)   f(X, W_Q, W_K, W_V, W_O, h, n_kv) -> name
"""

import numpy as np

from helpers.attention import grouped_query_attention
from helpers.checks.answers import ask
from helpers.checks.grouped_mistakes import by_order
from helpers.checks.properties import close
from helpers.checks.readers_test import says
from helpers.checks.verdict import NotYet, Refused, verdict_on
from helpers.pooling import POOLINGS, pooling_drift
from helpers.sizes import Sizes
from helpers.weights import random_projections


def check_tile_test(test):
    """Check test(f): does it tell right grouped attention from tiled?

    Parameters
    ----------
    test : function
        Takes a function f(Q, K, V) -> heads. Returns True if f is right,
        False if not; a failed assert counts as False.

    Returns
    -------
    Verdict
    """
    return verdict_on(test, _examine_test)


def _examine_test(test):
    calls = []

    def passes(f):
        said = says(
            test,
            lambda Q, K, V: _logged(f, calls, Q, K, V),
            "np.allclose gives one answer for the whole array.",
        )
        return said if said is None else bool(said)

    right = passes(by_order(lambda h, n_kv: np.arange(h) * n_kv // h))
    shared = passes(lambda Q, K, V: grouped_query_attention(Q, K, V)[0])
    seen = list(calls)
    tiled = passes(by_order(lambda h, n_kv: np.arange(h) % n_kv))
    if right is None and tiled is None:
        raise NotYet("Your test says nothing yet. Return True or False.")
    if not calls:
        raise Refused(
            "Your test never calls f.",
            "Make small Q, K and V, and look at what f(Q, K, V) gives.",
        )
    if right is False or shared is False:
        raise Refused(
            "Your test refuses a right function.",
            "Head i reads key/value head i // (h // n_kv). Compare with "
            "np.allclose: additions in another order round differently.",
        )
    if tiled is False:
        return "Your test lets right functions pass and stops the tiled one."
    zeros = passes(lambda Q, K, V: np.zeros((*Q.shape[:2], V.shape[-1])))
    raise Refused("Tiled heads pass your test.", _why_unseen(seen, zeros))


def _logged(f, calls, Q, K, V):
    Q, K, V = (np.asarray(array) for array in (Q, K, V))
    h, n_kv = len(Q), len(K)
    if n_kv in (1, h):
        calls.append("end")
    elif close(K, K[:1].repeat(n_kv, 0)) and close(V, V[:1].repeat(n_kv, 0)):
        calls.append("alike")
    else:
        calls.append("fine")
    return f(Q, K, V)


def _why_unseen(calls, zeros):
    if set(calls) == {"end"}:
        return (
            "With n_kv = 1 or n_kv = h both orders are the same. Take "
            "n_kv between, such as h = 4 and n_kv = 2."
        )
    if "fine" not in calls:
        return (
            "All your key/value heads are alike, so it makes no difference "
            "which one is read. Make them different."
        )
    if zeros is not False:
        return (
            "A function that returns only zeros passes too: you seem to "
            "look at the shape. Look at the numbers of head 1, the second."
        )
    return (
        "With h = 4 and n_kv = 2, head 0 and head 3 read the same in both "
        "orders. Look at head 1, the second: it must read key/value head 0."
    )


def check_pooling_choice(f):
    """Check f(X, W_Q, W_K, W_V, W_O, h, n_kv): the pooling to take.

    Parameters
    ----------
    f : function
        Takes a multi-head layer and an input; returns "mean" or "first",
        whichever moves the layer's output less.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine_choice)


def pooling_cases():
    """Return two layers, of which each wants another pooling.

    Returns
    -------
    list of (X, W_Q, W_K, W_V, W_O, h, n_kv)
        In the second, the first head of each three writes most.
    """
    sizes, n_kv = Sizes(d_model=30, h=6), 2
    X = np.random.default_rng(34).standard_normal((7, sizes.d_model))
    even = random_projections(sizes, seed=35)
    loud = even.W_O.reshape(sizes.h, sizes.d_v, -1).copy()
    loud[:: sizes.h // n_kv] *= 20
    uneven = even._replace(W_O=loud.reshape(even.W_O.shape))
    return [(X, *layer, sizes.h, n_kv) for layer in (even, uneven)]


def _examine_choice(f):
    answers, wanted = [], []
    for case in pooling_cases():
        answer = ask(f, *case)
        if not isinstance(answer, str) or answer not in POOLINGS:
            raise Refused(
                'The answer must be the name "mean" or "first".',
                "Compute the drift of each, and return the name of the "
                "smaller.",
            )
        answers.append(answer)
        wanted.append(min(POOLINGS, key=lambda h: pooling_drift(*case, h)))
    if answers == wanted:
        return (
            "You measure before you choose: one layer wants the mean, the "
            "other its first heads."
        )
    if answers[0] == answers[1]:
        raise Refused(
            f'You choose "{answers[0]}" for two layers that want different '
            f"things.",
            "Compare what the layer gives, after W_O, before and after "
            "pooling. The matrices alone, or the heads before W_O, do not "
            "say which head counts.",
        )
    raise Refused(
        "You choose the pooling that moves the output more.",
        "Take the smaller drift: min, not max.",
    )
