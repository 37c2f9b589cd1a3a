"""The check of scaled dot-product attention."""

import numpy as np

from helpers.attention import scaled_dot_product_attention
from helpers.checks.answers import ask, judge, numbers, refuse_a_constant
from helpers.checks.properties import close
from helpers.checks.single_head_mistakes import (
    BLIND_MISTAKES,
    LARGE_MISTAKES,
    MASK_MISTAKES,
    PLAIN_MISTAKES,
)
from helpers.checks.verdict import Refused, verdict_on

# N_q, N_k, d_k, d_v: all different; then all equal, where a mistake hides.
SIZES, SQUARE = (7, 5, 3, 11), (4, 4, 4, 4)
MIDDLE, LARGE = 3e4, 1e6  # what queries, and so scores, are multiplied by
LARGE_SEED = 31  # no two scores of a row are near each other


def check_attention(f):
    """Check f(Q, K, V, mask=None): scaled dot-product attention.

    Parameters
    ----------
    f : function
        Takes Q (N_q, d_k), K (N_k, d_k), V (N_k, d_v) and a boolean mask
        (N_q, N_k) that is True where a query may see a key. Returns the
        output (N_q, d_v), or (output, weights) with weights (N_q, N_k); of
        any float type. Numbers must agree to 1e-5 of the largest. A query
        that may see nothing has weights 0 and output 0.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine)


def _examine(f):
    plain, other = _drawn(SIZES, 21), _drawn(SIZES, 22)
    refuse_a_constant(_out(f, *plain), _out(f, *other))
    try:
        _judge(f, plain, PLAIN_MISTAKES)
        _judge(f, _drawn(SQUARE, 23), PLAIN_MISTAKES)
    except Refused as reason:
        if not reason.sentence.startswith("The shape is right, the numbers"):
            raise
        _refuse_a_fixed_divisor(f)
        raise
    _refuse_a_fixed_divisor(f)
    mask = _mask(SIZES, 24)
    _judge(f, (*plain, mask), MASK_MISTAKES)
    square = _drawn(SQUARE, 23)
    _judge(f, (*square, np.tri(SQUARE[0], dtype=bool)), MASK_MISTAKES)
    _judge_large(f)
    _judge_blind_row(f)
    return (
        "Scaled dot-product attention is right: with a mask, with large "
        "scores, and for a query that may see nothing."
    )


def _drawn(sizes, seed, large=1.0):
    N_q, N_k, d_k, d_v = sizes
    rng = np.random.default_rng(seed)
    Q, K = rng.standard_normal((N_q, d_k)), rng.standard_normal((N_k, d_k))
    return large * Q, K, rng.standard_normal((N_k, d_v))


def _mask(sizes, seed):
    """Return a mask that hides about half, and leaves each row one key."""
    N_q, N_k, *_ = sizes
    rng = np.random.default_rng(seed)
    mask = rng.random((N_q, N_k)) < 0.5
    mask[np.arange(N_q), rng.integers(0, N_k, N_q)] = True
    mask[0] = [True] + [False] * (N_k - 1)
    return mask


def _parts(answer):
    if isinstance(answer, tuple | list) and len(answer) == 2:
        if isinstance(answer, tuple) or isinstance(answer[0], np.ndarray):
            return answer
    return answer, None


def _asked(f, *arguments):
    try:
        return _parts(ask(f, *arguments))
    except Refused as reason:
        if len(arguments) < 4 or "positional argument" not in reason.sentence:
            raise
        raise Refused(
            "Without a mask it is right. It does not take a mask yet.",
            "Add a parameter mask=None. Where it is False, the query may "
            "not see the key.",
        ) from None


def _out(f, *arguments):
    return numbers(_asked(f, *arguments)[0])


def _judge(f, arguments, mistakes):
    out, attn = _asked(f, *arguments)
    wanted, shares = scaled_dot_product_attention(*arguments)
    if len(arguments) == 4 and np.isnan(np.asarray(out, dtype=float)).any():
        raise Refused(
            "With a mask, the output holds NaN.",
            "inf - inf or 0 * inf gives NaN. Put -np.inf into the scores "
            "with np.where, instead of multiplying by the mask.",
        )
    judge(numbers(out), wanted, mistakes, arguments, "(N_q, d_v)")
    if attn is not None and not close(numbers(attn), shares):
        raise Refused(
            "The output is right. The weights that you return beside it are "
            "not.",
            "Return (out, attn), where attn is what the softmax gave: "
            f"(N_q, N_k) = {shares.shape}, rows are queries.",
        )


def _refuse_a_fixed_divisor(f):
    """Find what scores are divided by, from answers with two keys."""
    try:
        divisors = [_divisor(f, d_k) for d_k in (4, 64)]
    except Refused:
        return
    if not np.isfinite(divisors).all():
        return
    if abs(divisors[0] / divisors[1] - 1) < 1e-3:
        square = divisors[0] ** 2
        raise Refused(
            f"The scores are divided by √{square:.4g} = {divisors[0]:.4g}, "
            f"whatever d_k is.",
            "That is a number from outside the function, such as √d_model. "
            "A score is a sum over the d_k numbers of one head: read d_k off "
            "Q.shape[-1].",
        )


def _divisor(f, d_k):
    """Return c, where out = 1 / (1 + exp(-1 / c)) for scores 0 and 1."""
    q = np.full((1, d_k), 1.0)
    K = np.vstack([np.zeros(d_k), np.full(d_k, 1 / d_k)])
    out = float(_out(f, q, K, np.array([[0.0], [1.0]])).ravel()[0])
    with np.errstate(all="ignore"):
        return 1 / np.log(out / (1 - out))


def _judge_large(f):
    for size in (MIDDLE, LARGE):
        arguments = (*_drawn(SIZES, LARGE_SEED, size), _mask(SIZES, 24))
        _judge_overflow(f, arguments)
        try:
            _judge(f, arguments, LARGE_MISTAKES if size == MIDDLE else ())
        except Refused as reason:
            if reason.sentence in {m.sentence for m in LARGE_MISTAKES}:
                raise
            raise Refused(
                f"With small scores it is right; with a mask and scores of "
                f"about {size:,.0f} it is not.",
                "Is the number that hides a key low enough? Only -np.inf "
                "always is.",
            ) from None


def _judge_overflow(f, arguments):
    plain = _asked(f, *arguments[:3])[0]
    if not np.isfinite(np.asarray(plain, dtype=float)).all():
        raise Refused(
            "With scores of many thousands the answer is no longer a number.",
            "exp of a large number overflows. Subtract each row's largest "
            "score before exp: no share changes.",
        )
    answer = np.asarray(_asked(f, *arguments)[0], dtype=float)
    wanted = scaled_dot_product_attention(*arguments)[0]
    if not np.isfinite(answer).all() or _is_lost(answer, wanted):
        raise Refused(
            "With a mask and scores of many thousands, weights are lost.",
            "A hidden key has the largest score, and takes everything "
            "before the mask comes. Hide first, then take the largest "
            "visible score, then exp.",
        )


def _is_lost(answer, wanted):
    """Say whether rows of the answer are 0 that must not be."""
    return answer.shape == wanted.shape and bool(
        (~answer.any(axis=-1) & wanted.any(axis=-1)).any()
    )


def _judge_blind_row(f):
    Q, K, V = _drawn(SIZES, 25)
    mask = _mask(SIZES, 26)
    mask[2] = False
    out, _ = _asked(f, Q, K, V, mask)
    out = np.asarray(out, dtype=float)
    wanted = scaled_dot_product_attention(Q, K, V, mask)[0]
    if not np.isfinite(out).all():
        raise Refused(
            "A query that may see nothing gives NaN.",
            "Its scores are all -inf, and -inf - -inf and 0 / 0 are NaN. "
            "Where a row sees nothing, let its weights be 0: replace a "
            "largest score of -inf by 0, and a sum of 0 by 1.",
        )
    judge(out, wanted, BLIND_MISTAKES, (Q, K, V, mask), "(N_q, d_v)")
