"""Read the vectors of tests/vectors and compare what comes out with them."""

import json
from dataclasses import dataclass, field

import numpy as np

from tests.tools import ROOT

VECTORS = ROOT / "tests" / "vectors"
TOLERANCE = {  # absolute, relative
    "float16": (2e-3, 2e-3),
    "float32": (1e-5, 1e-4),
    "float64": (1e-6, 1e-5),
}


@dataclass(frozen=True)
class Case:
    """One case of the index: a name, a kind, and what belongs to it."""

    name: str
    kind: str
    facts: dict = field(repr=False)

    @property
    def options(self):
        """How the peer was called: scale, causal alignment, heads, …"""
        return self.facts.get("attrs", {})

    def arrays(self):
        """Return {name: array}, inputs and answers together."""
        with np.load(VECTORS / self.facts["file"]) as arrays:
            return dict(arrays)


def _json(name):
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


def cases():
    """Return every case there is: arrays, FLOPs and cache bytes."""
    return [
        *(Case(c["id"], c["kind"], c) for c in _json("index.json")["cases"]),
        *(
            Case("flops " + c["name"], "flops", c)
            for c in _json("flops.json")["cases"]
        ),
        *(
            Case("kv_bytes " + m["name"], "kv_bytes", m)
            for m in _json("kv_cache.json")["models"]
        ),
    ]


def assert_agrees(name, got, want, tolerance=None):
    """Fail unless `got` has the shape of `want`, is finite, and is close."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, name
    if want.dtype == bool:
        assert got.dtype == bool, name
        assert np.array_equal(got, want), name
        return
    assert np.isfinite(got).all(), name
    atol, rtol = tolerance or TOLERANCE[str(want.dtype)]
    np.testing.assert_allclose(
        got.astype(float), want.astype(float), rtol, atol, err_msg=name
    )
