"""Weights for the four matrices: random ones, and ones built by hand.

Hand-built weights show what heads *can* do. They are made for one sentence,
from a list of relations, and go through the same attention code as any
others: nothing in a map is painted.
"""

import math
from typing import NamedTuple

import numpy as np

from helpers.array_rules import require_finite
from helpers.choice_rules import pair, require_sizes
from helpers.map_rules import checked_relations
from helpers.number_rules import float_type, real_array, solvable_array
from helpers.sizes import SizeError, require_memory, whole

SCORE = 8.0  # size of the scaled score of a wanted key against an equal code
SEED = 7
TOKENS, MIXING = 1, 2  # each has a stream of random numbers of its own


class Projections(NamedTuple):
    """The four matrices of a layer, in the order the layer takes them.

    W_Q (d_model, h * d_k), W_K (d_model, n_kv * d_k),
    W_V (d_model, n_kv * d_v), W_O (h * d_v, d_model).
    """

    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray


def random_projections(sizes, seed=SEED, number_type=np.float64):
    """Draw all four matrices at random: the control, with no structure.

    Entries have variance 1 / rows, so vectors keep their length roughly.

    Parameters
    ----------
    sizes : Sizes
    seed : int
    number_type : NumPy type

    Returns
    -------
    Projections
        W_Q (d_model, h * d_k), W_K (d_model, n_kv * d_k),
        W_V (d_model, n_kv * d_v), W_O (h * d_v, d_model).

    Raises
    ------
    SizeError
        If they would fill the memory.
    """
    require_sizes(sizes)
    number_type = float_type("number_type", number_type)
    seed = whole("seed", seed, 0)
    rng = np.random.default_rng(seed)
    shapes = _shapes(sizes)
    require_memory("The four matrices", sum(map(math.prod, shapes)) * 8)
    return Projections(
        *(_gaussian(rng, *shape, number_type) for shape in shapes)
    )


def _shapes(sizes):
    """Return the shapes of W_Q, W_K, W_V and W_O."""
    return (
        (sizes.d_model, sizes.h * sizes.d_k),
        (sizes.d_model, sizes.n_kv * sizes.d_k),
        (sizes.d_model, sizes.n_kv * sizes.d_v),
        (sizes.h * sizes.d_v, sizes.d_model),
    )


def _gaussian(rng, rows, columns, number_type):
    matrix = np.empty((rows, columns), number_type)
    for row in matrix:  # so that no wide float64 copy stands beside it
        row[:] = rng.standard_normal(columns) / math.sqrt(rows)
    return matrix


def token_vectors(N, d_model, seed=SEED, number_type=np.float64):
    """Give each place of a sentence a vector of length 1.

    Parameters
    ----------
    N, d_model : int
        Places, and width of a vector.

    Returns
    -------
    array (N, d_model)
        Orthonormal rows if d_model >= N. A narrower space has no room for
        N directions at right angles; then the columns are orthogonal.
    """
    N, d_model = whole("N", N), whole("d_model", d_model)
    number_type = float_type("number_type", number_type)
    require_memory("The token vectors", N * d_model * 8)
    seed = whole("seed", seed, 0)
    rng = np.random.default_rng([seed, TOKENS])
    wide = rng.standard_normal((max(N, d_model), min(N, d_model)))
    X = np.linalg.qr(wide)[0]
    X = X.T if N <= d_model else X
    return (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(number_type)


def position_codes(N, d_k):
    """Give each of N places a code of d_k numbers that tells it apart.

    d_k >= N: one-hot, and no two codes overlap. 2 <= d_k < N: cosines and
    sines of the d_k // 2 lowest frequencies, so places lie on a circle and
    near ones look alike; an odd number stays unused. d_k = 1: a place on a
    line from -1 to 1.

    Returns
    -------
    array (N, d_k)
        Rows of length 1 (d_k = 1: of length 1 at most).
    """
    N, d_k = whole("N", N), whole("d_k", d_k)
    require_memory("The codes", N * d_k * 8)
    if d_k >= N:
        return np.eye(N, d_k)
    if d_k == 1:
        return np.linspace(-1, 1, N)[:, None]
    frequencies = np.arange(1, d_k // 2 + 1)
    angles = 2 * np.pi * np.arange(N)[:, None] * frequencies / N
    codes = np.zeros((N, d_k))
    codes[:, 0 : d_k - d_k % 2 : 2] = np.cos(angles)
    codes[:, 1 : d_k - d_k % 2 : 2] = np.sin(angles)
    return codes / math.sqrt(len(frequencies))


def wanted_places(relations, N, h):
    """Say which keys each head wants from each row.

    Relation number i goes to head i mod h.

    Returns
    -------
    array (h, N, N)
        1 where query head, row, key is wanted, else 0. A key that two
        relations want counts once.

    Raises
    ------
    SizeError
        If a relation speaks of a place that is not there.
    TypeError
        If one is no Relation.
    """
    N, h = whole("N", N), whole("h", h)
    relations = checked_relations(relations, N)
    require_memory("What the heads want", h * N * N * 8)
    wanted = np.zeros((h, N, N))
    for relation in relations:
        for query, key in relation.pairs:
            wanted[relation.number % h, query, key] = 1
    return wanted


def mixing_matrices(sizes, seed=SEED, number_type=np.float64):
    """Cut W_V and W_O out of the two halves of one seeded matrix.

    Returns
    -------
    W_V : array (d_model, n_kv * d_v)
    W_O : array (h * d_v, d_model)
    """
    require_sizes(sizes)
    number_type = float_type("number_type", number_type)
    rows = max(sizes.d_model, sizes.h * sizes.d_v)
    require_memory("W_V and W_O", rows * 2 * rows * 8)
    seed = whole("seed", seed, 0)
    rng = np.random.default_rng([seed, MIXING])
    W = _gaussian(rng, rows, 2 * rows, number_type)
    W_V = W[: sizes.d_model, : sizes.n_kv * sizes.d_v]
    return W_V, W[: sizes.h * sizes.d_v, rows : rows + sizes.d_model]


def hand_built(X, relations, sizes, mixing=None):
    """Build weights whose maps follow the relations on this one sentence.

    W_K maps a token's vector to the code of its place; W_Q maps it to the
    sum of the codes of the places it wants. So a wanted key scores 8, and
    a row that wants nothing has equal scores everywhere.

    Parameters
    ----------
    X : array (N, d_model)
        From `token_vectors`. With d_model < N the vectors are not
        independent, and the maps follow the relations only roughly.
    relations : sequence of Relation
    sizes : Sizes
        Of n_kv < h, all query heads of a key/value head share its codes.
    mixing : pair of arrays, optional
        W_V and W_O; from `mixing_matrices` if left out.

    Returns
    -------
    Projections

    Raises
    ------
    SizeError
        If X is no (N, d_model), or W_Q would fill the memory.
    TypeError, ValueError
        If X holds no finite real numbers, or two places look alike.
    """
    require_sizes(sizes)
    require_memory("W_Q", sizes.d_model * sizes.h * sizes.d_k * 8)
    X = solvable_array("X", X)
    require_finite("X", X)
    if X.ndim != 2 or X.shape[1] != sizes.d_model:
        raise SizeError(
            f"X must be (N, d_model): got X {X.shape}, "
            f"d_model={sizes.d_model}."
        )
    N = len(X)
    codes = position_codes(N, sizes.d_k)  # (N, d_k)
    wanted = wanted_places(relations, N, sizes.h) @ codes  # (h, N, d_k)
    wanted *= SCORE * math.sqrt(sizes.d_k)
    queries = wanted.swapaxes(0, 1).reshape(N, -1)  # (N, h * d_k)
    keys = np.tile(codes, sizes.n_kv)  # (N, n_kv * d_k)
    to_place = _inverse(X)  # (d_model, N)
    W_Q = to_place @ queries.astype(X.dtype)
    W_K = to_place @ keys.astype(X.dtype)
    if mixing is None:
        mixing = mixing_matrices(sizes, number_type=X.dtype)
    return Projections(W_Q, W_K, *_mixing(mixing, sizes))


def _mixing(mixing, sizes):
    mixing = pair("mixing", mixing, "arrays, W_V and W_O")
    W_V, W_O = (real_array("mixing", W) for W in mixing)
    wanted = _shapes(sizes)[2:]
    if (W_V.shape, W_O.shape) != wanted:
        raise SizeError(
            f"mixing must be W_V {wanted[0]} and W_O {wanted[1]}: got "
            f"{W_V.shape} and {W_O.shape}."
        )
    return W_V, W_O


def _inverse(X):
    """Return the matrix that maps row i of X to the i-th unit vector.

    Exact for independent rows; the nearest there is if d_model < N.
    """
    N, d_model = X.shape
    if d_model < N:
        return np.linalg.pinv(X)
    try:
        return np.linalg.solve(X @ X.T, X).T
    except np.linalg.LinAlgError:
        raise ValueError(
            "The rows of X must be independent, so that each place can be "
            "told from the others: got equal ones, or zeros. token_vectors "
            "makes such rows."
        ) from None
