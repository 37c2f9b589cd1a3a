"""The misconceptions about one head that a check knows by their answers."""

import numpy as np

from helpers.attention import softmax
from helpers.checks.answers import Mistake


def _root_of_d_k(Q, K, V):
    return np.sqrt(Q.shape[-1])


def _weigh(scores, mask):
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores)


def attention(Q, K, V, mask=None, divisor=_root_of_d_k, weigh=_weigh):
    """Compute one head by the given steps; return its output."""
    return weigh(Q @ K.T / divisor(Q, K, V), mask) @ V


def _scaled(divisor, sentence, hint):
    def answer(Q, K, V, mask=None):
        return attention(Q, K, V, mask, divisor=divisor)

    return Mistake(answer, sentence, hint)


def _weighed(weigh, sentence, hint):
    def answer(Q, K, V, mask=None):
        return attention(Q, K, V, mask, weigh=weigh)

    return Mistake(answer, sentence, hint)


PLAIN_MISTAKES = (
    _scaled(
        lambda Q, K, V: 1,
        "The scores are not scaled.",
        "A score is a sum of d_k products, so its size grows with √d_k. "
        "Before the softmax, divide by √d_k.",
    ),
    _scaled(
        lambda Q, K, V: Q.shape[-1],
        "The scores are divided by d_k.",
        "The root is missing. The variance of a score grows with d_k, its "
        "size with √d_k.",
    ),
    _scaled(
        lambda Q, K, V: 1 / np.sqrt(Q.shape[-1]),
        "The scores are multiplied by √d_k.",
        "Wider heads have larger scores already. Divide by √d_k.",
    ),
    _scaled(
        lambda Q, K, V: np.sqrt(len(K)),
        "The scores are divided by the root of the number of keys.",
        "K.shape is (N_k, d_k). The width of a head is its last axis, "
        "K.shape[-1].",
    ),
    _scaled(
        lambda Q, K, V: np.sqrt(len(Q)),
        "The scores are divided by the root of the number of queries.",
        "Q.shape is (N_q, d_k): len(Q) is N_q. Take Q.shape[-1].",
    ),
    _scaled(
        lambda Q, K, V: np.sqrt(V.shape[-1]),
        "The scores are divided by the root of the values' width.",
        "d_v says how wide the output is. Scores are sums over d_k.",
    ),
    _weighed(
        lambda scores, mask: softmax(scores, axis=0),
        "The softmax runs over the queries: columns sum to 1, not rows.",
        "Each query shares out 1 among the keys. Keys are the last axis of "
        "the scores: axis=-1.",
    ),
    _weighed(
        lambda scores, mask: softmax(scores, axis=None),
        "The softmax runs over the whole map: all its numbers sum to 1.",
        "Each row shares out 1 of its own: axis=-1, and keepdims=True in "
        "the sum.",
    ),
    _weighed(
        lambda scores, mask: scores,
        "There is no softmax: the scores themselves weigh the values.",
        "Turn each row of scores into shares that sum to 1.",
    ),
    _weighed(
        lambda scores, mask: np.exp(scores),
        "The weights are exp of the scores: rows do not sum to 1.",
        "Divide each row by its sum.",
    ),
    Mistake(
        lambda Q, K, V, mask=None: _weigh(
            Q @ K.T / np.sqrt(Q.shape[-1]), mask
        ),
        "These are the weights, not the output.",
        "One product is left: weights @ V.",
    ),
    Mistake(
        lambda Q, K, V, mask=None: Q @ K.T / np.sqrt(Q.shape[-1]),
        "These are the scores, not the output.",
        "Two steps are left: a softmax along each row, then @ V.",
    ),
)


def _no_mask(scores, mask):
    return softmax(scores)


def _after(scores, mask):
    return softmax(scores) * mask


def _reversed(scores, mask):
    return _weigh(scores, ~mask)


def _zero(scores, mask):
    return softmax(scores * mask)


def _added(scores, mask):
    return softmax(scores + mask)


def _renormalised_sums(scores, mask):
    shares = softmax(scores) * mask
    return shares / np.maximum(shares.sum(axis=0, keepdims=True), 1e-300)


MASK_MISTAKES = (
    _weighed(
        _no_mask,
        "The mask changes nothing: every query sees every key.",
        "Before the softmax, put -np.inf where the mask is False.",
    ),
    _weighed(
        _after,
        "The mask comes after the softmax: rows no longer sum to 1.",
        "Hidden keys still took part in the sum. Put -np.inf into their "
        "scores before the softmax.",
    ),
    _weighed(
        _reversed,
        "The mask is reversed: hidden keys are seen, and seen ones hidden.",
        "True means: may be seen. np.where(mask, scores, -np.inf), or write "
        "to scores[~mask].",
    ),
    _weighed(
        _zero,
        "Hidden keys get the score 0: exp(0) = 1, so they still get a share.",
        "Only a score of -inf gives a share of 0.",
    ),
    _weighed(
        _added,
        "The mask is added as numbers: a visible score grows by 1.",
        "True counts as 1 in a sum. Choose instead of adding: "
        "np.where(mask, scores, -np.inf).",
    ),
    _weighed(
        _renormalised_sums,
        "After the mask, columns are made to sum to 1, not rows.",
        "Hide before the softmax, and nothing has to be mended after it.",
    ),
)


def _filled(low):
    return lambda scores, mask: softmax(np.where(mask, scores, low))


def _lowered(scores, mask):
    return softmax(scores - 1e4 * ~mask)


LARGE_MISTAKES = tuple(
    _weighed(
        weigh,
        "Hidden keys get a score such as -10,000, which is not low enough: "
        "a visible score of -15,000 lies below it.",
        "A number that hides a key must be lower than every score. Use "
        "-np.inf.",
    )
    for weigh in (_filled(-1e4), _lowered)
)


def _uniform_if_blind(scores, mask):
    shares = _weigh(scores, mask)
    shares[~mask.any(axis=-1)] = 1 / mask.shape[-1]
    return shares


def _unmasked_if_blind(scores, mask):
    return np.where(
        mask.any(axis=-1, keepdims=True), _weigh(scores, mask), softmax(scores)
    )


BLIND_MISTAKES = (
    _weighed(
        _uniform_if_blind,
        "A query that may see nothing gets the plain average of all values.",
        "A large negative number hides keys only while something else is "
        "visible: in a row that is all -1e9, every key is equal again. Such "
        "a row must have weights 0 and output 0.",
    ),
    _weighed(
        _unmasked_if_blind,
        "A query that may see nothing sees everything.",
        "Subtracting one large number from a whole row changes no share. "
        "Such a row must have weights 0 and output 0.",
    ),
)
