"""Count the work of code that really runs, without changing the code.

    with counting() as tally:
        multi_head_attention(count(X), *projections, h=8)
    tally.flops

A CountedArray is a NumPy array that writes down each matrix product and each
exponential that it passes through. Give the real code one such array, and
every array made from it counts too.
"""

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import prod

import numpy as np

from helpers.number_rules import as_array

_tally = ContextVar("tally", default=None)
_REFUSED = (
    *("einsum", "dot", "tensordot", "inner", "vdot", "vecdot"),
    *("convolve", "correlate"),
)
_REFUSED_UFUNCS = ("vecdot", "matvec", "vecmat")


@dataclass(frozen=True)
class Product:
    """`batch` matrix products (m, k) @ (k, n)."""

    m: int
    k: int
    n: int
    batch: int

    @property
    def flops(self):
        """2 * m * k * n a product: one multiply-add is 2 FLOPs."""
        return 2 * self.batch * self.m * self.k * self.n


@dataclass
class Tally:
    """What was counted: the products in their order, and exponentials."""

    products: list[Product] = field(default_factory=list)
    exponentials: int = 0

    @property
    def flops(self):
        """FLOPs of all matrix products."""
        return sum(product.flops for product in self.products)


@contextmanager
def counting():
    """Give a Tally that counts what CountedArrays do inside the block."""
    tally = Tally()
    token = _tally.set(tally)
    try:
        yield tally
    finally:
        _tally.reset(token)


def count(array):
    """Return a view of `array` whose products are counted."""
    array = as_array("array", array)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"array must hold real numbers: got {array.dtype}.")
    return np.asarray(array).view(CountedArray)


class CountedArray(np.ndarray):
    """An array that tells the running tally what is computed with it.

    Raises
    ------
    TypeError
        In einsum, dot, tensordot, inner, vdot, vecdot, matvec, vecmat,
        convolve and correlate: their products would go by uncounted. Use @.
        One gap is left: the method `a.dot(b)` of a plain `a` asks nobody.
    """

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if ufunc.__name__ in _REFUSED_UFUNCS:
            raise _not_counted(ufunc.__name__)
        plain = tuple(_plain(value) for value in inputs)
        if out is not None:
            kwargs["out"] = tuple(_plain(value) for value in out)
        result = getattr(ufunc, method)(*plain, **kwargs)
        tally = _tally.get()
        if tally is not None and method == "__call__":
            if ufunc is np.matmul:
                tally.products.append(_product(*plain))
            elif ufunc in (np.exp, np.exp2, np.expm1):
                tally.exponentials += np.size(result)
        if out is not None:
            return out[0]
        if isinstance(result, np.ndarray):
            return result.view(CountedArray)
        return result

    def __array_function__(self, function, types, args, kwargs):
        if function.__name__ in _REFUSED:
            raise _not_counted(function.__name__)
        result = super().__array_function__(function, types, args, kwargs)
        # np.concatenate and a few others would give a plain array.
        return count(result) if type(result) is np.ndarray else result

    def dot(self, *_, **__):
        """Refuse: its products would go by uncounted."""
        raise _not_counted("dot")


def _not_counted(name):
    return TypeError(f"{name} is not counted here: write the product with @.")


def _plain(value):
    return value.view(np.ndarray) if isinstance(value, np.ndarray) else value


def _product(left, right):
    left, right = np.shape(left), np.shape(right)
    m, k = left[-2:] if len(left) > 1 else (1, *left)
    n = right[-1] if len(right) > 1 else 1
    front = np.broadcast_shapes(left[:-2], right[:-2])
    return Product(m=m, k=k, n=n, batch=prod(front))
