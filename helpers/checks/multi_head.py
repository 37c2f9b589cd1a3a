"""The check of a whole multi-head attention."""

import inspect
from functools import partial

import numpy as np

from helpers.attention import multi_head_attention
from helpers.checks.answers import (
    Mistake,
    ask,
    judge,
    numbers,
    refuse_a_constant,
)
from helpers.checks.mistakes import (
    CAUSAL_MISTAKES,
    GROUPED_MISTAKES,
    LARGE_MISTAKES,
    PLAIN_MISTAKES,
)
from helpers.checks.properties import close
from helpers.checks.verdict import Refused, verdict_on
from helpers.sizes import Sizes
from helpers.weights import random_projections

N = 7
SIZES = Sizes(d_model=30, h=6)
SQUARE = Sizes(d_model=12, h=4)  # with N = h = 4: equal sizes hide mistakes
GROUPED = Sizes(d_model=30, h=6, n_kv=2)
LARGE = 1e6  # what W_Q is multiplied by, for scores of about a million
LARGE_SEED = 150  # no two scores of a row are near each other


def check_multi_head(f):
    """Check f(X, W_Q, W_K, W_V, W_O, h, causal=False).

    Parameters
    ----------
    f : function
        Returns the output (N, d_model), or (output, maps) with maps
        (h, N, N); of any float type. Numbers must agree to 1e-5 of the
        largest. If it takes n_kv as well, grouped heads are checked too.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine)


def _examine(f):
    plain = _arguments(SIZES, N, seed=21)
    other = _arguments(SIZES, N, seed=22)
    refuse_a_constant(_out(f, *plain), _out(f, *other))
    _judge(f, plain, PLAIN_MISTAKES)
    _judge(f, _arguments(SQUARE, SQUARE.h, seed=23), PLAIN_MISTAKES)

    if not _takes(f, "causal"):
        raise Refused(
            "Without a mask it is right. It does not take causal yet.",
            "Add a parameter causal=False. Where it is True, hide the keys "
            "that come after the query.",
        )
    _judge(f, plain, CAUSAL_MISTAKES, causal=True)
    _judge_large(f)

    if not _takes(f, "n_kv"):
        return "Multi-head attention is right, with and without a mask."
    grouped = _arguments(GROUPED, N, seed=24)
    _judge(f, grouped, GROUPED_MISTAKES, n_kv=GROUPED.n_kv)
    return "Multi-head attention is right, masked and grouped too."


def _arguments(sizes, N, seed, large=1):
    X = np.random.default_rng(seed).standard_normal((N, sizes.d_model))
    W_Q, W_K, W_V, W_O = random_projections(sizes, seed)
    return X, W_Q * large, W_K, W_V, W_O, sizes.h


def _takes(f, name):
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(p.name == name or p.kind == p.VAR_KEYWORD for p in parameters)


def _parts(answer):
    if isinstance(answer, tuple | list) and len(answer) == 2:
        if isinstance(answer, tuple) or isinstance(answer[0], np.ndarray):
            return answer
    return answer, None


def _out(f, *arguments, **settings):
    return numbers(_parts(ask(f, *arguments, **settings))[0])


def _judge(f, arguments, mistakes, **settings):
    out, attn = _parts(ask(f, *arguments, **settings))
    wanted, maps = multi_head_attention(*arguments, **settings)
    bound = [
        Mistake(partial(m.answer, **settings), m.sentence, m.hint)
        for m in mistakes
    ]
    judge(numbers(out), wanted, bound, arguments, "(N, d_model)")
    if attn is not None and not close(numbers(attn), maps):
        shape = np.shape(attn)
        raise Refused(
            "The output is right. The maps that you return beside it are "
            "not."
            + ("" if shape == maps.shape else f" Their shape is {shape}."),
            "Return (out, attn), where attn is what the softmax gave: "
            f"(h, N, N) = {maps.shape}, rows are queries.",
        )


def _judge_large(f):
    arguments = _arguments(SIZES, N, seed=LARGE_SEED, large=LARGE)
    answer = _parts(ask(f, *arguments, causal=True))[0]
    if not np.isfinite(np.asarray(answer, dtype=float)).all():
        raise Refused(
            "With scores of about a million the answer is no longer a number.",
            "exp of a large number overflows. Subtract each row's largest "
            "score before exp: no share changes.",
        )
    try:
        _judge(f, arguments, LARGE_MISTAKES, causal=True)
    except Refused as reason:
        if reason.sentence in {m.sentence for m in LARGE_MISTAKES}:
            raise
        raise Refused(
            "With small scores it is right; with scores of about a million "
            "it is not.",
            "Is the number that hides a key low enough? Only -np.inf always "
            "is.",
        ) from None
