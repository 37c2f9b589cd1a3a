"""The KV cache: the same answers in any chunking, and exact bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import helpers.cache
from helpers.attention import (
    grouped_query_attention,
    merge_heads,
    multi_head_attention,
    split_heads,
)
from helpers.cache import KVCache, in_chunks, step
from helpers.cost import flops, kv_cache_bytes
from helpers.counted import count, counting
from helpers.models import model
from helpers.rope import LAYOUTS, rotate
from helpers.sizes import SizeError, Sizes
from tests.layers import D_MODEL, D_V, H, N, few, layer, seeds

D_K = 10  # even, for rotary positions
SIZES = Sizes(D_MODEL, H, 2, D_K, D_V)


def matrices(seed=1, n_kv=2, number_type=float, front=(), n=N):
    """Return X and the four matrices; d_k = 10."""
    rng = np.random.default_rng(seed)
    shapes = (
        (*front, n, D_MODEL),
        (D_MODEL, H * D_K),
        (D_MODEL, n_kv * D_K),
        (D_MODEL, n_kv * D_V),
        (H * D_V, D_MODEL),
    )
    return [rng.normal(size=s).astype(number_type) / 3 for s in shapes]


def cache_for(n_kv=2, front=(), number_type=float, limit=None):
    sizes = Sizes(D_MODEL, H, n_kv, D_K, D_V)
    return KVCache(sizes, front, number_type, limit)


def one_pass(X, W_Q, W_K, W_V, W_O, n_kv, rope):
    """Run the layer without a cache."""
    if rope is None:
        return multi_head_attention(
            X, W_Q, W_K, W_V, W_O, H, n_kv, causal=True
        )[0]
    Q = rotate(split_heads(X @ W_Q, H), layout=rope)
    K = rotate(split_heads(X @ W_K, n_kv), layout=rope)
    V = split_heads(X @ W_V, n_kv)
    return merge_heads(grouped_query_attention(Q, K, V, causal=True)[0]) @ W_O


@st.composite
def chunkings(draw):
    chunks, left = [], N
    while left:
        chunks.append(draw(st.integers(1, left)))
        left -= chunks[-1]
    return chunks


@few
@given(
    seed=seeds,
    chunks=chunkings(),
    n_kv=st.sampled_from([1, 2, 3, H]),
    rope=st.sampled_from([None, *LAYOUTS]),
    front=st.sampled_from([(), (3,), (2, 1)]),
)
def test_cached_is_full_in_any_chunking(seed, chunks, n_kv, rope, front):
    arrays = matrices(seed, n_kv, front=front)
    cache = cache_for(n_kv, front)
    got = in_chunks(*arrays, H, cache, chunks, rope)
    want = one_pass(*arrays, n_kv, rope)
    np.testing.assert_allclose(got, want, atol=1e-10)
    assert cache.N == N and cache.keys.shape == (*front, n_kv, N, D_K)


@pytest.mark.parametrize("chunk", [1, 3, 9])
@pytest.mark.parametrize("rope", [None, *LAYOUTS])
@pytest.mark.parametrize("n_kv", [1, 2, H])
def test_case_b15(chunk, rope, n_kv):
    arrays = matrices(n_kv=n_kv, n=9)
    got = in_chunks(*arrays, H, cache_for(n_kv), [chunk] * (9 // chunk), rope)
    np.testing.assert_allclose(
        got, one_pass(*arrays, n_kv, rope), rtol=0, atol=1e-10
    )


def test_a_step_sees_what_came_before_and_nothing_later():
    X, *W = matrices()
    cache = cache_for()
    step(X[:4], *W, H, cache)
    out, attn = step(X[4:], *W, H, cache)
    _, full = multi_head_attention(X, *W, H, 2, causal=True)
    np.testing.assert_allclose(attn, full[:, 4:], atol=1e-12)
    assert attn.shape == (H, 3, N) and out.shape == (3, D_MODEL)


def test_the_bytes_of_the_arrays_are_the_formula():
    """Case B08: H = 8, G = 2 keeps a quarter of G = 8."""
    used = {}
    for n_kv in (2, 8):
        sizes = Sizes(32, 8, n_kv)
        rng = np.random.default_rng(5)
        X = rng.normal(size=(11, 32)).astype(np.float32)
        W = (
            rng.normal(size=(32, heads * 4)).astype(np.float32)
            for heads in (8, n_kv, n_kv, 8)
        )
        cache = KVCache(sizes)
        in_chunks(X, *W, 8, cache)
        used[n_kv] = cache.keys.nbytes + cache.values.nbytes
        assert cache.nbytes == used[n_kv]
        assert used[n_kv] == kv_cache_bytes(
            1, n_kv, 4, 11, number_type="float32"
        )
        assert cache.reserved_bytes >= cache.nbytes
    assert used[8] == 4 * used[2]


@few
@given(
    n=st.integers(1, 40),
    number_type=st.sampled_from(["float16", "float32", "float64"]),
    batch=st.integers(1, 3),
)
def test_bytes_for_every_size(n, number_type, batch):
    cache = cache_for(front=(batch,), number_type=number_type)
    for _ in range(n):
        cache.append(np.ones((batch, 2, 1, D_K)), np.ones((batch, 2, 1, D_V)))
    assert cache.nbytes == kv_cache_bytes(
        1, 2, D_K, n, D_V, batch, number_type
    )


def test_whole_numbers_do_not_wrap():
    """Case B10: 80 layers, 8 KV heads, width 128, 131,072 tokens."""
    assert model("Llama 3.1 70B").kv_bytes(131_072) == 40 * 1024**3
    assert kv_cache_bytes(80, 8, 128, 131_072) == 42_949_672_960


def test_growing_copies_each_number_twice_at_most():
    """No quadratic copying: room is doubled, not grown by one."""
    cache = cache_for()
    copied, room = 0, cache._keys.shape[-2]
    for _ in range(1000):
        before = cache.N
        cache.append(np.ones((2, 1, D_K)), np.ones((2, 1, D_V)))
        if cache._keys.shape[-2] != room:
            copied, room = copied + before, cache._keys.shape[-2]
    assert copied < 2 * 1000 and room <= 2048
    assert (cache.keys == 1).all() and (cache.values == 1).all()


def test_a_step_writes_where_there_is_room():
    cache = cache_for()
    cache.append(np.ones((2, 3, D_K)), np.ones((2, 3, D_V)))
    before = cache.keys
    cache.append(np.zeros((2, 1, D_K)), np.zeros((2, 1, D_V)))
    assert np.shares_memory(before, cache.keys)


def test_the_work_of_a_step_is_counted_and_is_the_formula():
    X, *W = matrices()
    for chunks in ([1] * N, [4, 2, 1], [N]):
        cache, seen = cache_for(), 0
        for n in chunks:
            with counting() as tally:
                step(count(X[seen : seen + n]), *W, H, cache)
            seen += n
            assert tally.flops == flops(n, SIZES, N_k=seen, N_new=n).total


def test_generation_twice_gives_the_same():
    """Case B19: an empty cache at the start, and nothing left over."""
    arrays = matrices()
    first = in_chunks(*arrays, H, cache_for())
    assert np.array_equal(first, in_chunks(*arrays, H, cache_for()))
    cache = cache_for()
    in_chunks(*arrays, H, cache)
    cache.clear()
    assert cache.N == 0 and cache.nbytes == 0
    assert np.array_equal(first, in_chunks(*arrays, H, cache))
    other = matrices(seed=2)
    cache.clear()
    np.testing.assert_allclose(
        in_chunks(*other, H, cache), one_pass(*other, 2, None), atol=1e-10
    )


def test_a_prompt_longer_than_the_limit_is_refused_and_changes_nothing():
    X, *W = matrices()
    cache = cache_for(limit=5)
    with pytest.raises(SizeError, match="limit=5 tokens: got 0 and 7 more"):
        step(X, *W, H, cache)
    with pytest.raises(SizeError, match="5 more would fit"):
        in_chunks(X, *W, H, cache)
    assert cache.N == 0
    in_chunks(X[:5], *W, H, cache)
    before = cache.keys.copy()
    with pytest.raises(SizeError, match="0 more would fit"):
        step(X[5:6], *W, H, cache)
    assert cache.N == 5 and np.array_equal(cache.keys, before)


def test_bad_input_is_named_and_the_cache_stays():
    X, *W = matrices()
    cache = cache_for()
    step(X[:3], *W, H, cache)
    nan = X.copy()
    nan[0, 0] = np.nan
    with pytest.raises(ValueError, match="X holds NaN"):
        step(nan, *W, H, cache)
    with pytest.raises(SizeError, match="n_kv"):
        step(X, W[0], W[1][:, 1:], *W[2:], H, cache)
    with pytest.raises(SizeError, match="K must be"):
        step(X[None], *W, H, cache)
    with pytest.raises(SizeError, match="W_O must have"):
        step(X, *W[:3], W[3][1:], H, cache)
    with pytest.raises(ValueError, match="layout"):
        step(X, *W, H, cache, rope="Half")
    assert cache.N == 3


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (np.nan, ValueError, "K holds nan, and float16 no number beyond"),
        (np.inf, ValueError, "K holds inf"),
        (-np.inf, ValueError, "K holds inf"),
        (-70_000.0, ValueError, r"K holds 7e\+04, and float16 no number"),
        (1j, TypeError, "K must hold real numbers: got complex128"),
        (None, TypeError, "K must hold real numbers: got object"),
        ("1", TypeError, "K must hold real numbers"),
        (True, TypeError, "K must hold real numbers: got bool"),
    ],
)
def test_b19_what_the_cache_cannot_keep_is_refused(value, error, said):
    cache = cache_for(number_type=np.float16)
    cache.append(np.ones((2, 3, D_K)), np.ones((2, 3, D_V)))
    new = np.full((2, 1, D_K), value)
    with pytest.raises(error, match=said):
        cache.append(new, np.ones((2, 1, D_V)))
    with pytest.raises(error, match=said.replace("K", "V", 1)):
        cache.append(np.ones((2, 1, D_K)), np.full((2, 1, D_V), value))
    assert cache.N == 3 and (cache.keys == 1).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("which", range(4))
def test_b19_a_step_that_fails_leaves_no_token_behind(which):
    """Queries, keys, values or the scores of both are too large."""
    X, *W = matrices(number_type=np.float32)
    cache = cache_for(number_type=np.float32)
    step(X[:3], *W, H, cache)
    before = cache.keys.copy(), cache.values.copy()
    large = list(W)
    if which < 3:
        large[which] = W[which] * np.float32(1e38)
    else:
        large[:2] = (w * np.float32(1e25) for w in W[:2])
    with pytest.raises(ValueError, match="range of float32|holds"):
        step(20 * X[3:], *large, H, cache)
    assert cache.N == 3
    kept = cache.keys, cache.values
    assert all(map(np.array_equal, kept, before))
    out, _ = step(X[3:], *W, H, cache)
    want = one_pass(X, *W, 2, None)
    np.testing.assert_allclose(out, want[3:], rtol=1e-3, atol=1e-4)


def test_b19_chunks_are_taken_together_or_not_at_all(monkeypatch):
    X, *W = matrices()
    cache = cache_for()
    step(X[:1], *W, H, cache)
    real, seen = helpers.cache.step, []

    def stopped(x, *rest):
        seen.append(x)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return real(x, *rest)

    monkeypatch.setattr(helpers.cache, "step", stopped)
    with pytest.raises(KeyboardInterrupt):
        in_chunks(X[1:], *W, H, cache, [2, 1, 3])
    assert cache.N == 1
    monkeypatch.undo()
    np.testing.assert_allclose(
        in_chunks(X[1:], *W, H, cache, [2, 1, 3]),
        one_pass(X, *W, 2, None)[1:],
        atol=1e-10,
    )


@pytest.mark.parametrize("chunks", [[3, 3], [8], [], [0, 7], [-1, 8], [3.5]])
def test_chunks_must_add_up(chunks):
    with pytest.raises(SizeError, match="chunk"):
        in_chunks(*matrices(), H, cache_for(), chunks)


def test_a_cache_of_a_wrong_kind_is_refused():
    with pytest.raises(TypeError, match="int64"):
        KVCache(SIZES, number_type=np.int64)
    with pytest.raises(SizeError, match="limit"):
        KVCache(SIZES, limit=0)
    with pytest.raises(SizeError, match="GiB"):
        KVCache(Sizes(8, 1, 1, 10**9))
    cache = cache_for()
    with pytest.raises(SizeError, match="V must be"):
        cache.append(np.ones((2, 3, D_K)), np.ones((2, 2, D_V)))
    with pytest.raises(SizeError, match="K must be"):
        cache.append(1, 2)
    assert cache.N == 0


def test_the_layer_of_the_other_tests_runs_too():
    X, *W = layer()
    cache = KVCache(Sizes(D_MODEL, H, 2, 5, D_V), number_type=float)
    want, _ = multi_head_attention(X, *W, H, 2, causal=True)
    np.testing.assert_allclose(
        in_chunks(X, *W, H, cache, [3, 4]), want, atol=1e-10
    )
