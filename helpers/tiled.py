"""Attention in tiles: the same output, and never a whole map in memory.

For a few queries at a time, walk along the keys and keep three things: the
largest score so far, the sum of the exponentials, and the sum of exponential
times value. When a larger score turns up, shrink both sums to it. At the end
the second sum, divided by the first, is the weighted average. Notebook 05
does it for one row of scores; `_rows` does it here. Read that first.

Nothing is left out and nothing is rounded more coarsely: the same products,
in pieces that stay in the processor's own fast memory. There is no map to
look at. Three things more save time, and change no more than rounding:

    no running maximum       where |q| |k|, which bounds a score, is small
    a product with ones      adds up the exponentials faster than a sum does
    no tile that is hidden   as a whole, by the mask or behind the last query

Source: Milakov and Gimelshein, "Online normalizer calculation for softmax"
(2018), for the running maximum; Dao et al., "FlashAttention" (2022), for
attention in tiles.
"""

import math
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product

import numpy as np

from helpers.array_rules import (
    checked_heads,
    checked_mask,
    checked_qkv,
    require_fit_scores,
)
from helpers.number_rules import require_scores_in_range, require_switch
from helpers.sizes import whole

ROWS, COLUMNS = 256, 512  # of a tile: half a megabyte in float32
# In float32, exp(-SAFE) times 1 / TAME does not vanish, nor does
# exp(SAFE) times TAME overflow.
SAFE, TAME = 62, 2**36
LOWEST = {  # exp of less is 0 beside 1, and slow to compute
    t: (np.finfo(t).minexp + 6) * math.log(2)
    for t in (np.float32, np.float64, np.longdouble)
}


def tiled_attention(
    Q,
    K,
    V,
    mask=None,
    causal=False,
    scale=None,
    rows=ROWS,
    columns=COLUMNS,
    threads=1,
):
    """Run h heads, each key/value head serving h / n_kv query heads.

    Parameters
    ----------
    Q : array (..., h, N_q, d_k)
    K : array (..., n_kv, N_k, d_k)
    V : array (..., n_kv, N_k, d_v)
    mask, causal, scale
        As for `attention.grouped_query_attention`. Tiles in which all is
        hidden are not computed.
    rows, columns : int
        Queries and keys of one tile.
    threads : int
        Tiles that are computed at once.

    Returns
    -------
    heads : array (..., h, N_q, d_v)
        What `grouped_query_attention` gives, up to rounding.

    Raises
    ------
    SizeError, TypeError, ValueError
        As there. Only the scores of one tile a thread take memory.
    """
    Q, K, V = checked_heads(Q, K, V)
    require_fit_scores(Q, K, mask=mask)
    rows, columns = whole("rows", rows), whole("columns", columns)
    threads = whole("threads", threads)
    by_kv_head = (*Q.shape[:-3], K.shape[-3], -1, *Q.shape[-2:])
    Q, K, V = checked_qkv(
        Q.reshape(by_kv_head),  # (..., n_kv, h / n_kv, N_q, d_k)
        K[..., None, :, :],
        V[..., None, :, :],
        all_scores=False,
    )
    require_switch("causal", causal)
    if scale is None:
        scale = 1 / math.sqrt(Q.shape[-1])
    number_type = Q.dtype
    wide = np.result_type(number_type, np.float32)  # float32 at least
    Q, K, V = (array.astype(wide, copy=False) for array in (Q, K, V))
    require_scores_in_range(Q, K, scale)
    longest_key, tame = _lengths(K).max(axis=-1), _tame(V)
    fronts = (array.shape[:-2] for array in (Q, K, V))
    front = np.broadcast_shapes(*fronts)  # (..., n_kv, h / n_kv)
    Q, K, V = (
        np.broadcast_to(array, front + array.shape[-2:], subok=True)
        for array in (Q, K, V)
    )
    longest_key, tame = (
        np.broadcast_to(a, front) for a in (longest_key, tame)
    )
    sight = Sight(mask, causal, front, Q.shape[-2], K.shape[-2])
    out = np.empty((*front, Q.shape[-2], V.shape[-1]), number_type)
    todo = deque(product(np.ndindex(front), tiles(Q.shape[-2], rows)))

    def work():
        """Compute a few queries of one head, and a few more, to the end."""
        room = np.empty_like(Q, shape=(min(rows, Q.shape[-2]), columns))
        for place, some in _taken(todo):
            q = Q[(*place, some)] * wide.type(scale)
            # No score is larger than |q| |k|.
            bound = float(_lengths(q).max()) * float(longest_key[place])
            bounded = tame[place] and bound <= SAFE
            reach = sight.reach(some)
            k, v = K[place][:reach], V[place][:reach]
            hidden_at = partial(sight.hidden, place, some)
            _rows(q, k, v, hidden_at, bounded, room, out[(*place, some)])

    if threads == 1:
        work()
    else:
        with ThreadPoolExecutor(threads - 1) as pool:
            others = [pool.submit(work) for _ in range(threads - 1)]
            work()
        for other in others:
            other.result()  # raises what was raised there
    return out.reshape(*front[:-2], -1, *out.shape[-2:])


def _taken(todo):
    """Yield the next thing to do that no other thread has taken."""
    while True:
        try:
            yield todo.popleft()
        except IndexError:  # nothing is left
            return


def _rows(q, k, v, hidden_at, bounded, room, out):
    """Let the queries q (n, d_k) of one tile walk along all keys.

    A score is q @ k: the queries carry the scale. If scores are `bounded`,
    no running maximum is needed. Those of each tile are written into `room`,
    again and again, and the averages to `out` (n, d_v) at the end.
    """
    top = np.full((len(q), 1), -np.inf, q.dtype)
    total = np.zeros((len(q), 1), q.dtype)
    kept = np.zeros((len(q), v.shape[-1]), q.dtype)
    for keys in tiles(len(k), room.shape[1]):
        hidden = hidden_at(keys)
        if hidden is not None and hidden.all():
            continue
        scores = room[: len(q), : len(k[keys])]
        np.matmul(q, k[keys].T, out=scores)
        if not bounded:
            if hidden is not None:
                np.copyto(scores, -np.inf, where=hidden)
            before, top = top, np.maximum(top, scores.max(-1, keepdims=True))
            finite = np.where(np.isneginf(top), 0, top)
            shrink = np.exp(before - finite)  # 0 if nothing was seen before
            total *= shrink
            kept *= shrink
            scores -= finite
            np.maximum(scores, LOWEST[q.dtype.type], out=scores)
        np.exp(scores, out=scores)
        if hidden is not None:
            np.copyto(scores, 0, where=hidden)
        total += scores @ np.ones((scores.shape[-1], 1), q.dtype)
        kept += scores @ v[keys]
    total[total == 0] = 1  # nothing was seen, and nothing was kept
    np.divide(kept, total, out=out)


def _lengths(vectors):
    """Return the length of each vector; infinity where it is too large."""
    vectors = np.asarray(vectors)  # of a count, which is not for these sums
    with np.errstate(over="ignore"):
        return np.sqrt(np.einsum("...i,...i->...", vectors, vectors))


def _tame(V):
    """Say of each head whether sums of its values stay in float32's range."""
    size = np.maximum(V.max(axis=(-2, -1)), -V.min(axis=(-2, -1)))
    return (1 / TAME <= size) & (size <= TAME / V.shape[-2])


def tiles(n, size):
    """Return slices that cut n places into pieces of at most `size`."""
    return [slice(i, min(i + size, n)) for i in range(0, n, size)]


class Sight:
    """Which keys a tile of queries sees, without a whole map."""

    def __init__(self, mask, causal, front, N_q, N_k):
        self._causal, self._queries_per_kv = causal, front[-1]
        self._ahead = N_k - N_q  # query i stands at place i + ahead
        self._N_k = N_k
        self._mask = None
        if mask is not None:
            heads = front[-2] * front[-1]
            shape = (*front[:-2], heads, N_q, N_k)
            scores = np.broadcast_to(np.float32(0), shape)  # takes no memory
            self._mask = np.broadcast_to(checked_mask(mask, scores), shape)

    def reach(self, rows):
        """Return how many keys, from the first, the rows can see at most."""
        if not self._causal:
            return self._N_k
        return max(rows.stop + self._ahead, 0)

    def hidden(self, place, rows, keys):
        """Return which scores of a tile are hidden, as bools; None: none."""
        hidden = None
        if self._causal and keys.stop - 1 > rows.start + self._ahead:
            queries = np.arange(rows.start, rows.stop)[:, None]
            hidden = np.arange(keys.start, keys.stop) > queries + self._ahead
        if self._mask is not None:
            *batch, kv_head, query_head = place
            head = kv_head * self._queries_per_kv + query_head
            masked = ~self._mask[(*batch, head, rows, keys)]
            if masked.any():
                hidden = masked if hidden is None else hidden | masked
        return hidden
