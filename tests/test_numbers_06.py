"""Each number that notebook 06 prints in prose."""

import numpy as np
import pytest

from helpers.attention import causal_mask, multi_head_attention
from helpers.cache import KVCache, in_chunks, step
from helpers.cost import flops, kv_cache_bytes, parameters
from helpers.explorers.decoding import explore_decoding
from helpers.models import model
from helpers.rope import rotate
from helpers.sizes import SizeError, Sizes
from helpers.weights import random_projections
from tests.tools import prose_of

SIZES = Sizes(64, 8)


def says(text):
    assert text in prose_of("06"), text


def test_a_step_is_exactly_t_times_cheaper():
    says("So it does exactly t times the work.")
    says("t times less work at word t")
    for t in (1, 2, 9, 100):
        without = flops(t, SIZES).total
        assert without == t * flops(1, SIZES, N_k=t, N_new=1).total


def test_only_causal_rows_stay():
    says("Under the causal mask an early word never sees a later one")
    X = np.random.default_rng(7).standard_normal((9, 64))
    W = random_projections(SIZES)
    for causal in (True, False):
        nine = multi_head_attention(X, *W, 8, causal=causal)[0][:8]
        eight = multi_head_attention(X[:8], *W, 8, causal=causal)[0]
        assert (np.abs(nine - eight).max() < 1e-12) == causal


def test_the_masks():
    says("So the first query, at position 4, sees five keys.")
    assert causal_mask(3, 7)[0].sum() == 5
    says("The upper triangle forgets this **offset** and lets it see one.")
    assert np.tri(3, 7)[0].sum() == 1
    says("with n = 0 both are the same")
    assert (causal_mask(3, 3) == (np.tri(3, 3) > 0)).all()


def test_rotary_scores():
    says("the same query and key, four places apart, score the same at the")
    q, k = np.random.default_rng(1).standard_normal((2, 1, 8))
    scores = [(rotate(q, [a + 4]) @ rotate(k, [a]).T).item() for a in (0, 100)]
    np.testing.assert_allclose(*scores)


def test_twice_the_text():
    says("eight times this work without a cache, four times with one")

    def sums(n):
        return (
            sum(flops(t, SIZES).attention for t in range(1, n + 1)),
            sum(flops(1, SIZES, t, 1).attention for t in range(1, n + 1)),
        )

    ratios = [b / a for a, b in zip(sums(512), sums(1024))]
    np.testing.assert_allclose(ratios, [8, 4], rtol=0.01)


def test_the_explorers_numbers():
    says("the step is 64 times cheaper, and the whole text 34.6 times")
    explorer = explore_decoding(text="64 words", N=64)
    assert "with one: 64.0 times less" in explorer.status.text
    assert explorer.status.text.count("34.6 times less") == 1
    says("At word 8 both ways are equal")
    prefill = explore_decoding(N=8, prompt=8)
    result = prefill.compute(prefill.read())
    assert result.without == result.cached


def test_the_find_instructions_in_their_order():
    explorer = explore_decoding()
    explorer.N.value = 1
    explorer.playing.value = True
    assert explorer.N.value == 9
    explorer.prompt.value = explorer.N.value = 8
    assert "Both ways do the same" in explorer.status.text
    explorer.prompt.value = 1
    explorer.text.value = "64 words"
    explorer.playing.value = True
    assert explorer.N.value == 64
    assert "34.6 times less" in explorer.status.text
    says(f"*{explorer.n_kv.description}*")


def test_bytes():
    says("32 layers, and 32 query heads on 8 key/value heads of width 128")
    llama = model("Llama 3 8B")
    facts = (llama.n_layers, llama.n_heads, llama.n_kv_heads, llama.head_dim)
    assert facts == (32, 32, 8, 128)
    big = model("Llama 3 70B")
    says("80 layers, 64 query heads on 8 key/value heads of width 128")
    facts = (big.n_layers, big.n_heads, big.n_kv_heads, big.head_dim)
    assert facts == (80, 64, 8, 128)
    says("With a right function it is 320 KiB")
    assert big.kv_bytes(1, 1) == 320 * 1024


def test_flops_per_byte():
    says("has 4 bytes, and takes part in one multiply-add, 2 FLOPs.")
    work = flops(1, SIZES, N_k=8192, N_new=1).attention
    size = kv_cache_bytes(1, 8, 8, 8192, number_type="float32")
    assert work / size == 2 / 4
    says("attention stays at 4 FLOPs per byte. The 4 is how many query heads")
    llama = model("Llama 3 8B")
    assert llama.queries_per_kv == 4
    for batch in (1, 8, 64):
        cost = flops(1, llama.sizes(), 8192, 1, batch)
        own = llama.kv_bytes(8192, batch) // llama.n_layers
        assert cost.attention == 4 * own
        assert cost.projections == batch * 2 * parameters(llama.sizes()).total
    says("With n_kv = h it would be 1.")
    mha = flops(1, Sizes(4096, 32), 8192, 1)
    assert mha.attention == kv_cache_bytes(1, 32, 128, 8192)


def test_a_cache_that_is_not_cleared():
    says("All of the first text, as if it were its own past.")
    first, second = np.random.default_rng(7).standard_normal((2, 5, 64))
    W = random_projections(SIZES)
    fresh = KVCache(SIZES, number_type=np.float64)
    wanted = in_chunks(second, *W, 8, fresh)
    used = KVCache(SIZES, number_type=np.float64)
    in_chunks(first, *W, 8, used)
    assert not np.allclose(in_chunks(second, *W, 8, used), wanted)
    used.clear()
    np.testing.assert_allclose(in_chunks(second, *W, 8, used), wanted)


def test_a_cache_that_is_too_small():
    says("An error says how many words fit; the cache is as it was.")
    cache = KVCache(SIZES, limit=4)
    X = np.random.default_rng(7).standard_normal((9, 64))
    with pytest.raises(SizeError, match="4 more would fit"):
        step(X, *random_projections(SIZES), 8, cache)
    assert cache.N == 0
