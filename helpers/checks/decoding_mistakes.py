"""The misconceptions about decoding that a check knows."""

from functools import partial

import numpy as np

from helpers.attention import causal_mask, merge_heads, softmax, split_heads
from helpers.checks.answers import Mistake


def _visible(N_new, N):
    return causal_mask(N_new, N)


def _scaled(Q, K, _):
    return Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])


def _weigh(scores, visible):
    return softmax(np.where(visible, scores, -np.inf))


def _mix(heads, W_O):
    return merge_heads(heads) @ W_O


def _all(K_past, K_new):
    return np.concatenate([K_past, K_new], axis=-2)


def one_step(
    X_new,
    W_Q,
    W_K,
    W_V,
    W_O,
    h,
    K_past,
    V_past,
    join=_all,
    score=_scaled,
    visible=_visible,
    weigh=_weigh,
    mix=_mix,
):
    """Run the layer on new tokens, each part replaceable by a wrong one.

    Returns
    -------
    out : array (N_new, d_model)
    K, V : arrays (h, n + N_new, d_k)
    """
    Q = split_heads(X_new @ W_Q, h)
    K = join(K_past, split_heads(X_new @ W_K, h))
    V = join(V_past, split_heads(X_new @ W_V, h))
    scores = score(Q, K, h)
    seen = visible(Q.shape[-2], K.shape[-2])
    with np.errstate(all="ignore"):
        heads = weigh(scores, seen) @ V
    return mix(heads, W_O), K, V


def _mistake(sentence, hint, **wrong):
    def answer(*arguments):
        return one_step(*arguments, **wrong)[0]

    return Mistake(answer, sentence, hint)


def _reversed(past, new):
    return np.concatenate([new, past], axis=-2)


def _past_only(past, new):
    return past if past.shape[-2] else new


def _zero_filled(scores, visible):
    return softmax(np.where(visible, scores, 0))


def _masked_late(scores, visible):
    return softmax(scores) * visible


def _over_queries(scores, visible):
    return softmax(np.where(visible, scores, -1e300), axis=-2)


STEP_MISTAKES = (
    _mistake(
        "The new token sees only the past: its own key is not there yet.",
        "Lay the new key and value behind the past first. Then compare the "
        "query with all of them: a token may see itself.",
        join=_past_only,
    ),
    _mistake(
        "The new token sees only itself: the past is not used.",
        "Compare the query with all keys, past and new: (h, 1, n + 1) scores.",
        join=lambda past, new: new,
    ),
    _mistake(
        "The new query may see only the first key.",
        "One query against n + 1 keys stands at the end, not at the start. "
        "It sees all of them, so one new token needs no mask.",
        visible=lambda N_new, N: np.tri(N_new, N) > 0,
    ),
    _mistake(
        "The scores are not scaled.",
        "A cached step is the same attention: divide by √d_k.",
        score=lambda Q, K, h: Q @ K.swapaxes(-1, -2),
    ),
    _mistake(
        "The scores are divided by √d_model.",
        "A score is a sum over the d_k numbers of one head. Divide by √d_k.",
        score=lambda Q, K, h: _scaled(Q, K, h) / np.sqrt(h),
    ),
    _mistake(
        "The softmax does not run over the keys.",
        "The query shares out 1 among all keys, past and new: axis=-1.",
        weigh=_over_queries,
    ),
    _mistake(
        "W_O is missing: this is what the heads say, side by side.",
        "One product is left: merge_heads(heads) @ W_O.",
        mix=lambda heads, W_O: merge_heads(heads),
    ),
    _mistake(
        "The heads are merged by a bare reshape.",
        "Swap the head axis and the token axis back before you reshape: "
        "merge_heads does both.",
        mix=lambda heads, W_O: heads.reshape(heads.shape[-2], -1) @ W_O,
    ),
)

CHUNK_MISTAKES = (
    _mistake(
        "The offset of the mask is forgotten: the first query of the chunk "
        "sees only the first key.",
        "Query i of the chunk stands at position n + i, behind n remembered "
        "tokens. Keep key j where j <= n + i: np.tri(N_new, N, k=n).",
        visible=lambda N_new, N: np.tri(N_new, N) > 0,
    ),
    _mistake(
        "There is no mask: a token of the chunk sees the tokens after it.",
        "One new token needs no mask, several do. Hide key j from query i "
        "of the chunk where j > n + i, before the softmax.",
        visible=lambda N_new, N: np.ones((N_new, N), dtype=bool),
    ),
    _mistake(
        "The chunk cannot see the past: only its own keys are visible.",
        "All n remembered keys are earlier, so no query hides them. The "
        "triangle stands in the last N_new columns only.",
        visible=lambda N_new, N: (
            causal_mask(N_new, N) & (np.arange(N) >= N - N_new)
        ),
    ),
    _mistake(
        "A query may not see its own token.",
        "Keep key j where j <= n + i: with the equal sign.",
        visible=lambda N_new, N: np.tri(N_new, N, N - N_new - 1) > 0,
    ),
    _mistake(
        "A query sees one token too many: the one after its own.",
        "Keep key j where j <= n + i. The offset is n, not n + 1.",
        visible=lambda N_new, N: np.tri(N_new, N, N - N_new + 1) > 0,
    ),
    _mistake(
        "The offset of the mask is 4, however many tokens are remembered.",
        "The example had n = 4. In a function n is the number of remembered "
        "tokens, K_past.shape[-2]; here it is 0, 2 or 3 as well.",
        visible=lambda N_new, N: np.tri(N_new, N, 4) > 0,
    ),
    _mistake(
        "The mask is reversed: what should be hidden is seen.",
        'True means "may see" here: put -inf where the mask is False.',
        visible=lambda N_new, N: ~causal_mask(N_new, N),
    ),
    _mistake(
        "Hidden scores are set to 0, and exp(0) = 1 still gets a share.",
        "A hidden key needs a share of 0, so its score must be -np.inf.",
        weigh=_zero_filled,
    ),
    _mistake(
        "Later keys are crossed out after the softmax, so rows no longer "
        "sum to 1.",
        "Hide them before the softmax: then what is left shares the whole 1.",
        weigh=_masked_late,
    ),
    *STEP_MISTAKES,
)


def _pieces(name, X_new, W_Q, W_K, W_V, W_O, h, K_past, V_past):
    own, other = (W_K, W_V) if name == "K" else (W_V, W_K)
    past, other_past = (K_past, V_past) if name == "K" else (V_past, K_past)
    made = [split_heads(X_new @ W, h) for W in (own, other, W_Q)]
    return past, other_past, *made


def _cache(build, name, *arguments):
    return build(*_pieces(name, *arguments))


def _bare(name, X_new, W_Q, W_K, W_V, W_O, h, K_past, V_past):
    W, past = (W_K, K_past) if name == "K" else (W_V, V_past)
    return _all(past, (X_new @ W).reshape(h, len(X_new), -1))


CACHE_MISTAKES = tuple(
    Mistake(
        partial(_cache, build) if build else _bare,
        sentence,
        hint,
    )
    for build, sentence, hint in (
        (
            lambda past, other_past, new, other, q: past,
            "The returned {name} is the old one: the new token is not in it.",
            "Return the longer {name}, or the next step starts where this "
            "one did.",
        ),
        (
            lambda past, other_past, new, other, q: new,
            "The returned {name} holds only the new tokens: the past is lost.",
            "Join the past and the new {name} along the token axis, and "
            "return both.",
        ),
        (
            lambda past, other_past, new, other, q: _reversed(past, new),
            "The new tokens stand before the past in {name}.",
            "Positions grow to the right: the past first, then what is new. "
            "A mask or a rotary position would meet the wrong token.",
        ),
        (
            lambda past, other_past, new, other, q: _all(other_past, other),
            "The two caches have changed places: {name} is the other one.",
            "Return them in the order out, K, V.",
        ),
        (
            lambda past, other_past, new, other, q: _all(past, other),
            "New keys and new values have changed places in {name}.",
            "{name} gets X_new @ W_{name}.",
        ),
        (
            lambda past, other_past, new, other, q: _all(past, q),
            "The queries are cached in {name}.",
            "Nobody asks an old query again. Keep X_new @ W_{name}.",
        ),
        (
            lambda past, other_past, new, other, q: merge_heads(
                _all(past, new)
            ),
            "The heads of {name} are merged: its shape is (tokens, h * d_k).",
            "Keep the cache split into heads, as it came: (h, tokens, d_k).",
        ),
        (
            lambda past, other_past, new, other, q: _all(past, new).swapaxes(
                -1, -2
            ),
            "The returned {name} is transposed: (h, d_k, tokens).",
            "Transpose for the scores only, and keep (h, tokens, d_k).",
        ),
        (
            None,
            "The new tokens of {name} are split by a bare reshape.",
            "Use split_heads: cut the last axis first, then swap two axes.",
        ),
    )
)
