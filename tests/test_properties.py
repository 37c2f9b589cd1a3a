"""A thousand random settings each, against slow plain loops over lists.

`seed` draws the numbers and stands in what a failure prints, with the sizes
of the smallest setting that fails. On CI the settings are the same every
time; elsewhere they are new each time, and `--hypothesis-seed` repeats them.
"""

import os
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from helpers.attention import grouped_query_attention, multi_head_attention
from helpers.cache import KVCache, in_chunks
from helpers.sizes import Sizes
from helpers.tiled import tiled_attention
from tests import plain_loops
from tests.layers import QUICK

SETTINGS = 1000
ON_CI = os.environ.get("CI", "").lower() in ("1", "true")
many = settings(
    max_examples=SETTINGS,
    deadline=None,
    derandomize=ON_CI,
    database=None,
    print_blob=True,
    phases=QUICK if os.environ.get("NO_SHRINKING") else list(Phase),
)
TYPES = ("float64", "float32", "float16", "int32")
MASKS = ("none", "(N_q, N_k)", "full", "one for all heads")
# steps of the number type: a sum rounds more than once
STEPS = {"float64": 4000, "float32": 400, "float16": 6, "int32": 4000}


@dataclass(frozen=True)
class Case:
    """One setting: sizes, and how Q, K, V, a mask and a bias are drawn."""

    seed: int
    batch: tuple
    n_kv: int
    queries_per_kv: int
    N_q: int
    N_k: int
    d_k: int
    d_v: int
    number_type: str
    mask: str
    bias: str
    causal: bool

    @property
    def h(self):
        """The query heads."""
        return self.n_kv * self.queries_per_kv

    def arrays(self):
        """Return Q, K, V, mask and bias; None where there is none."""
        rng = np.random.default_rng(self.seed)
        Q = self._numbers(rng, self.h, self.N_q, self.d_k)
        K = self._numbers(rng, self.n_kv, self.N_k, self.d_k)
        V = self._numbers(rng, self.n_kv, self.N_k, self.d_v)
        mask, bias = self._shape(self.mask), self._shape(self.bias)
        if mask is not None:
            mask = rng.random(mask) < 0.6
        if bias is not None:
            bias = rng.normal(size=bias)
            bias[rng.random(bias.shape) < 0.1] = -np.inf
        return Q, K, V, mask, bias

    def _numbers(self, rng, heads, rows, width):
        numbers = 2 * rng.normal(size=(*self.batch, heads, rows, width))
        return numbers.astype(self.number_type)

    def _shape(self, kind):
        return {
            "none": None,
            "(N_q, N_k)": (self.N_q, self.N_k),
            "full": (*self.batch, self.h, self.N_q, self.N_k),
            "one for all heads": (*self.batch, 1, self.N_q, self.N_k),
        }[kind]


cases = st.builds(
    Case,
    seed=st.integers(0, 2**32 - 1),
    batch=st.sampled_from([(), (1,), (2,), (3,), (2, 2)]),
    n_kv=st.integers(1, 3),
    queries_per_kv=st.integers(1, 3),
    N_q=st.integers(1, 5),
    N_k=st.integers(1, 6),
    d_k=st.integers(1, 4),
    d_v=st.integers(1, 5),
    number_type=st.sampled_from(TYPES),
    mask=st.sampled_from(MASKS),
    bias=st.sampled_from(MASKS),
    causal=st.booleans(),
)


def by_plain_loops(case):
    """Return heads and attn, a sentence and a head at a time, in lists."""
    Q, K, V, mask, bias = case.arrays()
    scores = (*case.batch, case.h, case.N_q, case.N_k)
    seen = np.ones(scores, bool)
    added = np.zeros(scores)
    if mask is not None:
        seen &= mask
    if case.causal:
        seen &= np.array(plain_loops.causal(case.N_q, case.N_k))
    if bias is not None:
        added += bias.astype("f4") if case.number_type == "float16" else bias
    heads = np.zeros((*case.batch, case.h, case.N_q, case.d_v))
    attn = np.zeros(scores)
    for place in np.ndindex(*case.batch, case.h):
        kv = (*place[:-1], place[-1] // case.queries_per_kv)
        heads[place], attn[place] = plain_loops.one_head(
            *(a.astype(float).tolist() for a in (Q[place], K[kv], V[kv])),
            seen[place].tolist(),
            added[place].tolist(),
        )
    return heads, attn


def assert_agree(got, want, case, name):
    number_type = case.number_type
    computed = "float64" if number_type == "int32" else number_type
    assert got.dtype == computed
    largest = max(1.0, np.abs(want).max())
    atol = STEPS[number_type] * np.finfo(computed).eps * largest
    assert np.allclose(got, want, rtol=0, atol=atol), (name, case)


@many
@given(cases)
def test_g11_attention_is_the_formula_in_plain_loops(case):
    Q, K, V, mask, bias = case.arrays()
    heads, attn = grouped_query_attention(Q, K, V, mask, bias, case.causal)
    want_heads, want_attn = by_plain_loops(case)
    assert_agree(attn, want_attn, case, "attn")
    assert_agree(heads, want_heads, case, "heads")
    # A15: what is shown is what was used.
    shown = np.repeat(V, case.queries_per_kv, axis=-3)
    assert_agree(heads, attn.astype(float) @ shown, case, "attn @ V")


@many
@given(cases, st.integers(1, 6), st.integers(1, 7), st.integers(1, 2))
def test_g11_tiles_are_the_formula_in_plain_loops(
    case, rows, columns, threads
):
    case = replace(case, bias="none")  # tiles take none
    Q, K, V, mask, _ = case.arrays()
    heads = tiled_attention(
        Q, K, V, mask, case.causal, None, rows, columns, threads
    )
    want, _ = by_plain_loops(case)
    assert_agree(heads, want, case, "heads")


@many
@given(
    seed=st.integers(0, 2**32 - 1),
    n_kv=st.integers(1, 3),
    queries_per_kv=st.integers(1, 3),
    chunks=st.lists(st.integers(1, 3), min_size=1, max_size=4),
    widths=st.tuples(*3 * [st.integers(1, 4)]),
    number_type=st.sampled_from(["float64", "float32"]),
)
def test_g11_decoding_is_the_formula_in_plain_loops(
    seed, n_kv, queries_per_kv, chunks, widths, number_type
):
    rng = np.random.default_rng(seed)
    N, h = sum(chunks), n_kv * queries_per_kv
    d_model, d_k, d_v = widths
    shapes = (
        (N, d_model),
        (d_model, h * d_k),
        (d_model, n_kv * d_k),
        (d_model, n_kv * d_v),
        (h * d_v, d_model),
    )
    layer = [rng.normal(size=s).astype(number_type) for s in shapes]
    sizes = Sizes(d_model * h, h, n_kv, d_k=d_k, d_v=d_v)
    cache = KVCache(sizes, number_type=number_type)
    out = in_chunks(*layer, h, cache, chunks)
    lists = [array.astype(float).tolist() for array in layer]
    allowed = [plain_loops.causal(N, N)] * h
    want, _ = plain_loops.multi_head(*lists, h, n_kv, allowed)
    largest = max(1.0, np.abs(want).max())
    atol = 4000 * np.finfo(number_type).eps * largest
    assert out.dtype == number_type
    assert np.allclose(out, want, rtol=0, atol=atol)
    at_once, _ = multi_head_attention(*layer, h, n_kv, causal=True)
    assert np.allclose(out, at_once, rtol=0, atol=atol)


def test_g11_a_failure_shrinks_to_a_small_case():
    def tiled_order_is_wrong(case):
        Q, K, V, mask, bias = case.arrays()
        tiles = (1,) * len(case.batch) + (case.queries_per_kv, 1, 1)
        heads, _ = grouped_query_attention(
            Q, np.tile(K, tiles), np.tile(V, tiles), mask, bias, case.causal
        )
        return not np.allclose(heads, by_plain_loops(case)[0], atol=0.1)

    smallest = find(
        cases,
        tiled_order_is_wrong,
        settings=settings(database=None, derandomize=True, deadline=None),
    )
    assert (smallest.n_kv, smallest.queries_per_kv) == (2, 2)
    assert (smallest.batch, smallest.mask, smallest.causal) == (
        (),
        "none",
        False,
    )
    assert smallest.N_q == smallest.N_k == smallest.d_k == 1


@pytest.mark.parametrize("change", ["d_k", "causal", "mask"])
def test_g11_the_loops_notice_a_change(change):
    case = Case(
        5, (2,), 2, 3, 4, 6, 3, 5, "float64", "full", "(N_q, N_k)", True
    )
    wrong = {
        "d_k": dict(scale=1 / 3),
        "causal": dict(causal=False),
        "mask": dict(mask=None),
    }[change]
    Q, K, V, mask, bias = case.arrays()
    seen = dict(mask=mask, bias=bias, causal=case.causal) | wrong
    _, attn = grouped_query_attention(Q, K, V, **seen)
    assert not np.allclose(attn, by_plain_loops(case)[1], atol=0.01)
