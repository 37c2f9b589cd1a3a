"""The checks of decoding: a cached step, and a chunk of tokens."""

from functools import partial

import numpy as np

from helpers.attention import merge_heads, softmax, split_heads
from helpers.checks.answers import (
    Mistake,
    ask,
    judge,
    numbers,
    refuse_a_constant,
)
from helpers.checks.decoding_mistakes import (
    CACHE_MISTAKES,
    CHUNK_MISTAKES,
    STEP_MISTAKES,
    one_step,
)
from helpers.checks.verdict import Refused, verdict_on
from helpers.sizes import Sizes
from helpers.weights import random_projections

SIZES = Sizes(d_model=30, h=6)
SQUARE = Sizes(d_model=12, h=3)


def check_cached_step(f):
    """Check f(x, W_Q, W_K, W_V, W_O, h, K_past, V_past) for one new token.

    Parameters
    ----------
    f : function
        x is (1, d_model); K_past and V_past are (h, n, d_k) with n = 0 at
        the start. Returns out (1, d_model), K and V (h, n + 1, d_k), of any
        float type. Numbers must agree to 1e-5 of the largest.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, partial(_examine, lengths=((4, 1), (0, 1), (1, 1))))


def check_chunked_step(f):
    """Check the same function for chunks: X_new is (N_new, d_model).

    Parameters
    ----------
    f : function
        Returns out (N_new, d_model), K and V (h, n + N_new, d_k).

    Returns
    -------
    Verdict
    """
    lengths = ((4, 1), (0, 1), (4, 3), (0, 7), (2, 4), (3, 3))
    return verdict_on(f, partial(_examine, lengths=lengths))


def _examine(f, lengths):
    chunks = any(new > 1 for _, new in lengths)
    for n, new in lengths:
        sizes = SQUARE if n == new else SIZES
        arguments = _arguments(sizes, n, new, seed=31 + n)
        got = _parts(_asked(f, arguments))
        if (n, new) == lengths[0]:
            other = _arguments(sizes, n, new, seed=77)
            refuse_a_constant(got[0], _parts(_asked(f, other))[0])
        _judge_cache(got, arguments, new)
        mistakes = CHUNK_MISTAKES if new > 1 else STEP_MISTAKES
        if chunks:  # one new token shows a forgotten offset already
            mistakes = CHUNK_MISTAKES[:1] + mistakes
        wanted = one_step(*arguments)[0]
        judge(got[0], wanted, mistakes, arguments, "(N_new, d_model)")
    if not chunks:
        return "The cached step is right: one row of scores, all keys kept."
    _judge_whole(f)
    return "Chunks are right too: every query sees the past and no future."


def _asked(f, arguments):
    try:
        return ask(f, *arguments)
    except Refused as reason:
        if "same number of dimensions" in reason.sentence:
            raise Refused(
                "The cache has its heads apart, and what joins it has not.",
                "K_past is (h, n, d_k), but X_new @ W_K is (N_new, h * d_k). "
                "Send it through split_heads first, and V too.",
            ) from None
        if "concatenation axis" not in reason.sentence:
            raise
        raise Refused(
            "The new keys are laid along the wrong axis of the cache.",
            "K_past is (h, n, d_k): heads, tokens, width. A new token makes "
            "the middle axis longer, which is axis=-2; heads and width stay.",
        ) from None


def _arguments(sizes, n, new, seed):
    """Return what f is called with: X_new, four matrices, h, the past."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n + new, sizes.d_model))
    W = random_projections(sizes, seed)
    # A loop over tokens may keep keys that no layer made: any past will do.
    K_past, V_past = rng.standard_normal((2, sizes.h, n, sizes.d_k))
    return X[n:], *W, sizes.h, K_past, V_past


def _parts(answer):
    if not isinstance(answer, tuple | list) or len(answer) != 3:
        raise Refused(
            "The function must return three things: out, K and V.",
            "The next step needs the longer cache: return (out, K, V).",
        )
    return [numbers(part) for part in answer]


def _judge_cache(got, arguments, new):
    X_new, _, W_K, W_V, _, h, K_past, V_past = arguments
    for place, name, W, past in ((1, "K", W_K, K_past), (2, "V", W_V, V_past)):
        made = split_heads(X_new @ W, h)
        wanted = np.concatenate([past, made], axis=-2)
        mistakes = [
            Mistake(
                partial(mistake.answer, name),
                mistake.sentence.format(name=name),
                mistake.hint.format(name=name),
            )
            for mistake in CACHE_MISTAKES
        ]
        axes = "(h, n + N_new, d_k)" if new > 1 else "(h, n + 1, d_k)"
        try:
            judge(got[place], wanted, mistakes, arguments, axes)
        except Refused as reason:
            if reason.sentence in {m.sentence for m in mistakes}:
                raise
            raise Refused(
                f"The returned {name} is not right. {reason.sentence}",
                f"{name} is the past along the token axis, and behind it "
                f"split_heads(X_new @ W_{name}, h).",
            ) from None


def _judge_whole(f):
    """A sentence in chunks must give what one pass gives."""
    X, *W, h, _, _ = _arguments(SIZES, 0, 7, seed=5)
    K = V = np.zeros((h, 0, SIZES.d_k))
    outs, start = [], 0
    for new in (3, 1, 2, 1):
        out, K, V = _parts(_asked(f, (X[start : start + new], *W, h, K, V)))
        outs.append(out)
        start += new
    scores = (
        split_heads(X @ W[0], h)
        @ split_heads(X @ W[1], h).swapaxes(-1, -2)
        / np.sqrt(SIZES.d_k)
    )
    scores[..., np.tri(len(X)) == 0] = -np.inf
    heads = softmax(scores) @ split_heads(X @ W[2], h)
    wanted = merge_heads(heads) @ W[3]
    judge(np.concatenate(outs), wanted, (), (), "(N, d_model)")
