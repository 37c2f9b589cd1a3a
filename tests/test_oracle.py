"""Our functions give what ONNX, PyTorch and transformers give.

One test a case of tests/vectors. What the collection does not compute yet
stands in NOT_YET, so a kind nobody has thought of fails here.
"""

import numpy as np
import pytest

from helpers.cost import flops, kv_cache_bytes
from helpers.sizes import Sizes
from tests.oracle.adapter import RUNNERS
from tests.oracle.reader import assert_agrees, cases

NOT_YET = {
    "softcap": "a cap on the scores is not part of the course",
    "window": "a sliding window is not part of the course",
    "top_left": "our causal mask is aligned to the last key only",
    "MLA": "latent attention keeps no heads in its cache",
}


def why_not_yet(case):
    """Return the key of NOT_YET under which the case falls, or None."""
    if case.kind == "causal_mask":
        o = case.options
        other = o["align"] == "top_left" and o["n_q"] != o["n_k"]
        return "top_left" if other else None
    if case.kind == "kv_bytes":
        return "MLA" if case.facts["attention"] == "MLA" else None
    if case.kind in NOT_YET:
        return case.kind
    return case.options.get("optional")


ALL = cases()
WAITING = [case for case in ALL if why_not_yet(case)]
NOW = [case for case in ALL if not why_not_yet(case)]


def of_kinds(*kinds):
    chosen = [case for case in NOW if case.kind in kinds]
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case.name)


def test_every_case_is_run_or_waits_for_a_named_reason():
    known = {*RUNNERS, "flops", "kv_bytes"}
    assert {case.kind for case in NOW} == known
    assert {why_not_yet(case) for case in WAITING} <= set(NOT_YET)
    assert len(NOW) >= 105


@of_kinds(*RUNNERS)
def test_case(case):
    arrays = case.arrays()
    checks = case.facts["checks"]
    given = {k: v.copy() for k, v in arrays.items() if k not in checks}
    before = {name: array.copy() for name, array in given.items()}

    got = RUNNERS[case.kind](case, given)

    assert set(checks) <= set(got)
    for name in checks:
        tolerance = case.options.get("tol")
        assert_agrees(name, got[name], arrays[name], tolerance)
    for name, array in before.items():
        assert np.array_equal(array, given[name]), f"{name} was changed"


@of_kinds("flops")
def test_flops(case):
    s = case.facts["setting"]
    sizes = Sizes(
        s["d_model"], s["n_heads"], s["n_kv_heads"], d_k=s["head_dim"]
    )
    got = flops(s["n_q"], sizes, s["n_kv"], s["n_kv_new"], s["batch"])
    names = ("q_proj", "k_proj", "v_proj", "scores", "weighted_sum")
    want = [case.facts["flops"][name] for name in (*names, "out_proj")]
    assert list(got.as_dict().values()) == want
    assert got.total == case.facts["total_matmul"]
    assert got.total == 2 * case.facts["macs_total"]


@pytest.mark.parametrize(
    ("N", "batch", "number_type"),
    [(1, 1, "bfloat16"), (1000, 3, "float16"), (None, 1, "float32")],
)
@of_kinds("kv_bytes")
def test_kv_cache_bytes(case, N, batch, number_type):
    model = case.facts
    N = N or model["max_context"]
    got = kv_cache_bytes(
        model["n_layers"],
        model["n_kv_heads"],
        model["head_dim"],
        N,
        batch=batch,
        number_type=number_type,
    )
    per_number = 2 if number_type == "float32" else 1
    want = model["bytes_per_token_fp16"] * per_number * N * batch
    assert got == want


def test_llama_3_keeps_128_kib_a_token():
    (llama,) = [c for c in NOW if c.name == "kv_bytes Llama 3 8B"]
    assert llama.facts["bytes_per_token_fp16"] == 131_072
    assert kv_cache_bytes(n_layers=32, n_kv=8, d_k=128, N=1) == 131_072
