"""Matrix products in pieces too small to be spread over threads.

NumPy's OpenBLAS shares a product of more than 2^18 multiply-adds among all
cores. At the sizes trained here the threads then wait for each other longer
than they work: on two busy cores a step took 16 times the CPU time. In
pieces below that limit a product stays on one core, and costs what it costs.
"""

import numpy as np

LARGEST = 2**18  # multiply-adds; OpenBLAS 0.3, interface/gemm.c


def rows(X):
    """Lay all tokens of all sentences below each other: (tokens, width)."""
    return X.reshape(-1, X.shape[-1])


def project(X, W):
    """Return X @ W.

    Parameters
    ----------
    X : array (..., d_in)
    W : array (d_in, d_out)

    Returns
    -------
    array (..., d_out)
    """
    below = rows(X)
    out = np.empty((len(below), W.shape[1]), np.result_type(X, W))
    for piece in _pieces(len(below), W.size):
        np.matmul(below[piece], W, out=out[piece])
    return out.reshape(*X.shape[:-1], W.shape[1])


def added_products(X, Y):
    """Return rows(X).T @ rows(Y): what all tokens ask of a matrix, added up.

    Parameters
    ----------
    X, Y : arrays (..., d_in), (..., d_out)

    Returns
    -------
    array (d_in, d_out)
    """
    X, Y = rows(X), rows(Y)
    out = np.zeros((X.shape[1], Y.shape[1]), np.result_type(X, Y))
    for piece in _pieces(len(X), out.size):
        out += X[piece].T @ Y[piece]
    return out


def _pieces(n, per_row):
    at_once = max(1, LARGEST // per_row)
    return [slice(i, i + at_once) for i in range(0, n, at_once)]
