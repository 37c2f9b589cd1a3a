"""What attention costs: exact whole numbers, and no arrays.

One multiply-add is 2 FLOPs, so (m, k) @ (k, n) is 2 * m * k * n. Softmax is
always counted apart: it is not a matrix product, and it grows with h.

Every score is counted, also those that a causal mask hides, since NumPy
computes them. `causal_pairs` says how many a kernel that skips would need.
"""

from dataclasses import asdict, dataclass, replace

from helpers.choice_rules import require_choice, require_sizes
from helpers.sizes import Sizes, whole

BYTES_PER_NUMBER = {
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "float8": 1,
    "int8": 1,
}
MOST_BYTES = 10**60  # far beyond what sizes of 10**9 add up to
OPERATIONS_PER_SCORE = 5  # largest, subtract, exp, sum, divide: nominal


@dataclass(frozen=True)
class Flops:
    """FLOPs of each matrix product of one attention layer."""

    Q: int
    K: int
    V: int
    scores: int
    weighted_sum: int
    W_O: int

    @property
    def projections(self):
        """FLOPs of the products with W_Q, W_K, W_V and W_O."""
        return self.Q + self.K + self.V + self.W_O

    @property
    def attention(self):
        """FLOPs of the two products between tokens."""
        return self.scores + self.weighted_sum

    @property
    def total(self):
        """FLOPs of all matrix products."""
        return self.projections + self.attention

    def as_dict(self):
        """Return {step: FLOPs}, in the order of the computation."""
        return asdict(self)


def flops(N, sizes, N_k=None, N_new=None, batch=1):
    """Count the FLOPs of the matrix products of one attention layer.

    Parameters
    ----------
    N : int
        Queries.
    sizes : Sizes
    N_k : int, optional
        Keys that every query is compared with; N if left out.
    N_new : int, optional
        Keys and values that are computed now, not read from a cache; N_k
        if left out.
    batch : int
        Sentences.

    Returns
    -------
    Flops
        In FLOPs: one multiply-add is 2.

    Raises
    ------
    SizeError
        If a size is not a whole number of at least 1 (N_new: 0 to N_k).

    Source: counted from the shapes in Vaswani et al. (2017), section 3.2.2;
    equal to PyTorch's FlopCounterMode (tests/vectors/flops.json).
    """
    N, batch = whole("N", N), whole("batch", batch)
    N_k = N if N_k is None else whole("N_k", N_k)
    N_new = N_k if N_new is None else whole("N_new", N_new, 0, N_k)
    require_sizes(sizes)
    d_model, h, n_kv = sizes.d_model, sizes.h, sizes.n_kv
    d_k, d_v = sizes.d_k, sizes.d_v
    return Flops(
        Q=2 * batch * N * d_model * h * d_k,
        K=2 * batch * N_new * d_model * n_kv * d_k,
        V=2 * batch * N_new * d_model * n_kv * d_v,
        scores=2 * batch * h * N * d_k * N_k,
        weighted_sum=2 * batch * h * N * N_k * d_v,
        W_O=2 * batch * N * h * d_v * d_model,
    )


@dataclass(frozen=True)
class SoftmaxWork:
    """What the softmax of all heads does: it is not a matrix product."""

    exponentials: int
    operations: int


def softmax_work(N, h, N_k=None, batch=1):
    """Count the softmax: one exponential a score, in each of h heads.

    `operations` takes 5 a score, a nominal figure: find the largest,
    subtract, exponentiate, sum, divide. The arguments are those of `flops`.

    Raises
    ------
    SizeError
        If a size is not a whole number of at least 1.
    """
    scores = score_count(N, h, N_k, batch)
    return SoftmaxWork(scores, OPERATIONS_PER_SCORE * scores)


def score_count(N, h, N_k=None, batch=1):
    """Return the number of scores: batch * h * N * N_k."""
    N, h, batch = whole("N", N), whole("h", h), whole("batch", batch)
    return batch * h * N * (N if N_k is None else whole("N_k", N_k))


def score_bytes(N, h, N_k=None, batch=1, number_type="float32"):
    """Return the bytes of one array (batch, h, N, N_k) of all scores."""
    return score_count(N, h, N_k, batch) * bytes_per_number(number_type)


def causal_pairs(N):
    """Return the pairs a causal mask leaves: N (N + 1) / 2, not N^2 / 2."""
    N = whole("N", N)
    return N * (N + 1) // 2


@dataclass(frozen=True)
class Parameters:
    """Numbers to learn in each of the four matrices."""

    W_Q: int
    W_K: int
    W_V: int
    W_O: int

    @property
    def total(self):
        """All four together."""
        return self.W_Q + self.W_K + self.W_V + self.W_O


def parameters(sizes):
    """Count the numbers in W_Q, W_K, W_V and W_O; there are no biases."""
    require_sizes(sizes)
    return Parameters(
        W_Q=sizes.d_model * sizes.h * sizes.d_k,
        W_K=sizes.d_model * sizes.n_kv * sizes.d_k,
        W_V=sizes.d_model * sizes.n_kv * sizes.d_v,
        W_O=sizes.h * sizes.d_v * sizes.d_model,
    )


def one_head(sizes):
    """Return the sizes of one head of full width: d_k = d_v = d_model."""
    require_sizes(sizes)
    return Sizes(sizes.d_model, h=1)


def full_width_heads(sizes):
    """Return the sizes of h heads, each of full width.

    Each head has d_k = d_v = d_model, so W_O is (h * d_model, d_model).
    """
    require_sizes(sizes)
    return replace(sizes, d_k=sizes.d_model, d_v=sizes.d_model)


def kv_cache_bytes(
    n_layers, n_kv, d_k, N, d_v=None, batch=1, number_type="bfloat16"
):
    """Return the bytes of the keys and values that decoding remembers.

    n_layers * n_kv * (d_k + d_v) * N * batch * bytes a number. The query
    heads do not appear: only keys and values are kept.

    Parameters
    ----------
    n_layers, n_kv, d_k : int
        Layers; key/value heads a layer; width of a key.
    N : int
        Tokens remembered.
    d_v : int, optional
        Width of a value; d_k if left out.
    batch : int
        Sentences remembered side by side.
    number_type : str
        A key of BYTES_PER_NUMBER.

    Source: tests/vectors/kv_cache.json, from the configurations of public
    models.
    """
    d_k = whole("d_k", d_k)
    width = d_k + (d_k if d_v is None else whole("d_v", d_v))
    numbers = whole("n_layers", n_layers) * whole("n_kv", n_kv) * width
    numbers *= whole("N", N) * whole("batch", batch)
    return numbers * bytes_per_number(number_type)


def bytes_per_number(number_type):
    """Return the bytes of one number of a named type.

    Raises
    ------
    ValueError
        If the name is not a key of BYTES_PER_NUMBER.
    """
    name = str(number_type)  # a NumPy type gives its name
    if name not in BYTES_PER_NUMBER:
        require_choice("number_type", number_type, BYTES_PER_NUMBER)
    return BYTES_PER_NUMBER[name]


def binary_units(n_bytes):
    """Write bytes in KiB, MiB, GiB or TiB: powers of 1024.

    Three significant digits, and none behind the point if nothing is
    rounded off: 1 GiB is exactly 2^30 bytes, 1.00 GiB is about that.

    Raises
    ------
    SizeError
        If it is not a whole number of at least 0.
    """
    n_bytes = whole("n_bytes", n_bytes, 0, MOST_BYTES)
    if n_bytes < 1024:
        return f"{n_bytes:,} byte{'' if n_bytes == 1 else 's'}"
    amount = n_bytes / 1024
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1023.5 or unit == "TiB":
            break
        amount /= 1024
    if amount.is_integer() or amount >= 99.95:
        return f"{amount:,.0f} {unit}"
    return f"{amount:.{1 if amount >= 9.995 else 2}f} {unit}"
