"""The misconceptions about multi-head attention that a check knows."""

from functools import partial

import numpy as np

from helpers import steps
from helpers.checks.answers import Mistake
from helpers.steps import RIGHT, attention_by


def _by(swapped, *arguments, **settings):
    return attention_by(swapped, *arguments, **settings)[0]


def _mistake(sentence, hint, **swapped):
    return Mistake(partial(_by, RIGHT.swap(**swapped)), sentence, hint)


def _sliced_first(X, W_Q, W_K, W_V, W_O, h, **settings):
    width = X.shape[-1] // h
    own = np.kron(np.eye(h), np.ones((width, width)))
    matrices = (W * own for W in (W_Q, W_K, W_V))
    return _by(RIGHT, X, *matrices, W_O, h, **settings)


def _one_head(X, W_Q, W_K, W_V, W_O, h, n_kv=None, causal=False):
    return _by(RIGHT, X, W_Q, W_K, W_V, W_O, 1, causal=causal)


PLAIN_MISTAKES = (
    _mistake(
        "Heads are split by a bare reshape: the shape is right, but a "
        "head's rows are pieces of other tokens.",
        "Reshape Q, K and V to (N, h, d_k) first, then swap the first two "
        "axes.",
        split=steps.bare_reshape_split,
    ),
    _mistake(
        "Heads are merged by a bare reshape: the maps are right, but a "
        "token gets other tokens' results.",
        "Swap the axes back to (N, h, d_v) before you reshape to "
        "(N, h * d_v).",
        merge=steps.bare_reshape_merge,
    ),
    _mistake(
        "Heads are split and merged by bare reshapes: two mistakes that "
        "fit each other, so every shape is right.",
        "A head must see every token. Swap the head axis and the token "
        "axis after the first reshape, and back before the last.",
        split=steps.bare_reshape_split,
        merge=steps.bare_reshape_merge,
    ),
    _mistake(
        "Each head gets every h-th column of Q, K and V.",
        "Reshape to (N, h, d_k), not to (N, d_k, h): a head's columns lie "
        "side by side.",
        split=steps.interleaved_split,
    ),
    _mistake(
        "The merged rows hold one number of each head in turn.",
        "Before the last reshape the axes must be (N, h, d_v): all numbers "
        "of head 0, then all of head 1.",
        merge=steps.interleaved_merge,
    ),
    _mistake(
        "The scores are divided by √d_model.",
        "A score is a sum over the d_k numbers of one head, so its size "
        "grows with √d_k. Divide by that.",
        scale=steps.scale_by_d_model,
    ),
    _mistake(
        "The scores are not scaled.",
        "A score is a sum of d_k products. Before the softmax, divide by "
        "√d_k.",
        scale=steps.no_scale,
    ),
    _mistake(
        "The scores are divided by d_k.",
        "The root is missing: divide by √d_k.",
        scale=steps.scale_without_root,
    ),
    _mistake(
        "The scores are multiplied by √d_k.",
        "Larger heads have larger scores already. Divide by √d_k.",
        scale=steps.scale_upside_down,
    ),
    _mistake(
        "The softmax runs over the queries: columns sum to 1, not rows.",
        "Each query shares out 1 among the keys. Keys are the last axis of "
        "the scores: axis=-1.",
        weigh=steps.softmax_over_queries,
    ),
    _mistake(
        "The softmax runs over the heads.",
        "Heads do not share. Within one head, each query shares out 1 "
        "among the keys: axis=-1.",
        weigh=steps.softmax_over_heads,
    ),
    _mistake(
        "The softmax runs over a whole map: all its numbers sum to 1.",
        "Each row shares out 1 of its own: axis=-1, and keepdims=True in "
        "the sum.",
        weigh=steps.softmax_over_all,
    ),
    _mistake(
        "W_O is missing: this is what the heads say, side by side.",
        "One product is left: the merged heads @ W_O.",
        mix=steps.no_mix,
    ),
    Mistake(
        _sliced_first,
        "X is cut into slices before it is projected, so each head sees "
        "only a part of every token.",
        "Project the whole of X first: Q = X @ W_Q. Then cut Q, not X.",
    ),
    Mistake(
        _one_head,
        "This is one head of full width: h makes no difference.",
        "Cut Q, K and V into h heads, and let each have a softmax of its own.",
    ),
)

CAUSAL_MISTAKES = (
    _mistake(
        "causal=True changes nothing: every query still sees later keys.",
        "Before the softmax, put -inf where the key comes after the query.",
        weigh=steps.no_mask,
    ),
    _mistake(
        "Later keys are crossed out after the softmax, so rows no longer "
        "sum to 1.",
        "Hide them before the softmax: a score of -inf gets a share of 0, "
        "and the others share out the whole 1.",
        weigh=steps.mask_after_softmax,
    ),
    _mistake(
        "The mask is reversed: hidden keys are seen, and seen ones hidden.",
        'True means "may see" here. Put -inf where the mask is False: '
        "scores[~mask].",
        weigh=steps.reversed_mask,
    ),
    _mistake(
        "The mask is transposed: a query sees itself and what comes later.",
        "Rows are queries. Row i keeps columns 0 to i: np.tril, not np.triu.",
        weigh=steps.transposed_mask,
    ),
    _mistake(
        "A query may not see itself.",
        "Keep the diagonal: a key is hidden if it is later than the query, "
        "not if it is the query.",
        weigh=steps.strict_mask,
    ),
    _mistake(
        "Hidden scores are set to 0, and exp(0) = 1 still gets a share.",
        "A hidden key needs a share of 0, so its score must be -inf.",
        weigh=steps.fill_with_zero,
    ),
)

LARGE_MISTAKES = tuple(
    _mistake(
        "With large scores it looks ahead: a number such as -10,000 is not "
        "low enough to hide a key.",
        "A visible score may be lower still; then the hidden key wins. Use "
        "-np.inf.",
        weigh=weigh,
    )
    for weigh in (steps.fill_with_minus_10_000, steps.add_minus_10_000)
)

GROUPED_MISTAKES = (
    _mistake(
        "Key/value heads are tiled: 0, 1, 0, 1, …",
        "Neighbouring query heads share a key/value head: 0, 0, 1, 1. "
        "That is np.repeat along the head axis, not np.tile.",
        kv_order=steps.tiled_kv_order,
    ),
)
