"""The KV cache: keys and values are computed once and kept.

A causal layer never changes what it made of earlier tokens, so their keys
and values can be remembered. A new token brings one query, one key and one
value, and its query looks at everything remembered.

    KVCache             keys and values so far; grows
    step                run the layer on new tokens only
    in_chunks           run it on a sentence, a chunk at a time

A prompt that is run at once is the prefill; tokens that follow one by one
are decoding. Both are `step`, with many new tokens or with one.
"""

import math
from contextlib import contextmanager

import numpy as np

from helpers.array_rules import checked_layer
from helpers.attention import (
    grouped_query_attention,
    merge_heads,
    split_heads,
)
from helpers.choice_rules import require_kind, require_sizes, several
from helpers.number_rules import as_array, float_type, require_kept
from helpers.rope import rotate
from helpers.sizes import SizeError, require_memory, whole

FIRST_ROOM = 16  # tokens


class KVCache:
    """The keys and values of one layer, for the tokens seen so far.

    It holds n_kv heads, not h: keys and values are never expanded. Room is
    doubled when it runs out, so that N tokens cost about 2 N copies and not
    N^2 / 2.

    Parameters
    ----------
    sizes : Sizes
        n_kv, d_k and d_v are used.
    front : tuple of int
        Axes in front, such as the batch.
    number_type : dtype
        float64, float32 or float16.
    limit : int, optional
        Tokens it may hold; no limit if left out.
    """

    def __init__(self, sizes, front=(), number_type=np.float32, limit=None):
        require_sizes(sizes)
        self.n_kv = sizes.n_kv
        self.limit = None if limit is None else whole("limit", limit)
        front = several("front", front, "sizes")
        self._front = tuple(whole("front", size) for size in front)
        self._widths = (sizes.d_k, sizes.d_v)
        self._number_type = float_type("number_type", number_type)
        self.clear()

    def clear(self):
        """Forget everything."""
        self.N = 0
        self._keys, self._values = self._empty(FIRST_ROOM)

    def _empty(self, room):
        shapes = [
            (*self._front, self.n_kv, room, width) for width in self._widths
        ]
        numbers = sum(map(math.prod, shapes))
        require_memory(
            f"A cache for {room:,} tokens",
            numbers * self._number_type.itemsize,
        )
        return [np.empty(shape, self._number_type) for shape in shapes]

    @property
    def keys(self):
        """All keys so far: a view (..., n_kv, N, d_k)."""
        return self._keys[..., : self.N, :]

    @property
    def values(self):
        """All values so far: a view (..., n_kv, N, d_v)."""
        return self._values[..., : self.N, :]

    @property
    def nbytes(self):
        """Bytes of the keys and values so far; equal to kv_cache_bytes."""
        return self.keys.nbytes + self.values.nbytes

    @property
    def reserved_bytes(self):
        """Bytes of the room that stands ready: nbytes, and what is free."""
        return self._keys.nbytes + self._values.nbytes

    def append(self, K, V):
        """Lay new keys and values behind the others, along the token axis.

        Parameters
        ----------
        K : array (..., n_kv, N_new, d_k)
        V : array (..., n_kv, N_new, d_v)

        Raises
        ------
        SizeError
            If they do not fit, or the limit would be passed.
        TypeError, ValueError
            If they hold no real numbers, or numbers that the cache's type
            can't hold. The cache is then as it was.
        """
        K, V = as_array("K", K), as_array("V", V)
        N_new = self._checked_length(K, V)
        require_kept(self._number_type, K=K, V=V)
        end = self.N + N_new
        self.require_room(N_new)
        room = self._keys.shape[-2]
        if end > room:
            grown = self._empty(max(end, 2 * room))
            grown[0][..., : self.N, :] = self.keys
            grown[1][..., : self.N, :] = self.values
            self._keys, self._values = grown
        self._keys[..., self.N : end, :] = K
        self._values[..., self.N : end, :] = V
        self.N = end

    def require_room(self, N_new):
        """Raise a SizeError if N_new more tokens would pass the limit."""
        end = self.N + whole("N_new", N_new, 0)
        if self.limit is not None and end > self.limit:
            raise SizeError(
                f"this cache holds at most limit={self.limit:,} tokens: got "
                f"{self.N:,} and {N_new:,} more; {self.limit - self.N:,} more "
                f"would fit."
            )

    def _checked_length(self, K, V):
        N_new = K.shape[-2] if K.ndim > 1 and K.size else 1
        for name, array, width in zip("KV", (K, V), self._widths):
            want = (*self._front, self.n_kv, N_new, width)
            if array.shape != want:
                raise SizeError(
                    f"{name} must be (..., n_kv, N_new, width) = {want} for "
                    f"this cache: got {array.shape}."
                )
        return N_new


@contextmanager
def all_or_nothing(*caches):
    """Take new tokens out of the caches again if the block fails."""
    before = [cache.N for cache in caches]
    try:
        yield
    except BaseException:  # an interrupt by the reader too
        for cache, N in zip(caches, before, strict=True):
            cache.N = N
        raise


def step(X_new, W_Q, W_K, W_V, W_O, h, cache, rope=None):
    """Run a causal layer on new tokens; the cache knows the earlier ones.

    Query i of the new tokens stands at position cache.N + i and sees every
    key up to there: the causal mask is aligned to the last key.

    Parameters
    ----------
    X_new : array (..., N_new, d_model)
        One token, or a chunk of them.
    W_Q, W_K, W_V, W_O : arrays
        As for `multi_head_attention`.
    h : int
        Query heads. The key/value heads are the cache's.
    cache : KVCache
        Gets the new keys and values.
    rope : str, optional
        "half" or "interleaved": turn queries and keys by their positions.
        The cache keeps keys that are turned already.

    Returns
    -------
    out : array (..., N_new, d_model)
    attn : array (..., h, N_new, N)
        N counts the remembered tokens and the new ones.

    Raises
    ------
    SizeError, TypeError, ValueError
        As for `multi_head_attention`, or if the cache is full or does not
        fit. The cache is then as it was.
    """
    require_kind("cache", cache, KVCache, "KVCache(sizes)")
    X_new, _, W_Q, W_K, W_V, W_O = checked_layer(
        X_new, X_new, W_Q, W_K, W_V, W_O, h, cache.n_kv
    )
    Q = split_heads(X_new @ W_Q, h)  # (..., h, N_new, d_k)
    K = split_heads(X_new @ W_K, cache.n_kv)  # (..., n_kv, N_new, d_k)
    V = split_heads(X_new @ W_V, cache.n_kv)  # (..., n_kv, N_new, d_v)
    if rope is not None:
        positions = cache.N + np.arange(X_new.shape[-2])
        Q, K = (rotate(array, positions, rope) for array in (Q, K))
    with all_or_nothing(cache):
        cache.append(K, V)
        heads, attn = grouped_query_attention(
            Q, cache.keys, cache.values, causal=True
        )
    return merge_heads(heads) @ W_O, attn


def in_chunks(X, W_Q, W_K, W_V, W_O, h, cache, chunks=None, rope=None):
    """Run a causal layer on a sentence, chunk by chunk, through the cache.

    Parameters
    ----------
    X : array (..., N, d_model)
    W_Q, W_K, W_V, W_O, h, cache, rope
        As for `step`.
    chunks : sequence of int, optional
        Tokens of each chunk; they add up to N. Left out: N times 1.

    Returns
    -------
    array (..., N, d_model)
        The same as from one pass over all of X.

    Raises
    ------
    SizeError
        As for `step`, or if the chunks do not add up to N.
    """
    require_kind("cache", cache, KVCache, "KVCache(sizes)")
    X = as_array("X", X)
    N = X.shape[-2] if X.ndim > 1 else 0
    chunks = [1] * N if chunks is None else several("chunks", chunks, "sizes")
    chunks = [whole("chunk", n) for n in chunks]
    if not N or sum(chunks) != N:
        raise SizeError(
            f"chunks must add up to the number of tokens: got {sum(chunks)} "
            f"for X {X.shape}."
        )
    cache.require_room(N)
    ends = np.cumsum(chunks)
    parts = (X[..., end - n : end, :] for n, end in zip(chunks, ends))
    with all_or_nothing(cache):
        steps = [step(x, W_Q, W_K, W_V, W_O, h, cache, rope) for x in parts]
    return np.concatenate([out for out, _ in steps], axis=-2)
