"""Scores at every d_k, drawn once; and the sentence under a mask."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from helpers.attention import causal_mask, softmax
from helpers.sentences import HUNGRY, words

D_K = tuple(2**power for power in range(11))  # 1 to 1024
KEYS, DRAWS, SEED = 32, 400, 7

NO_MASK, CAUSAL = "none", "causal"
PAD_RIGHT, PAD_LEFT = "padding right", "padding left"
BOTH = "causal + padding left"
MASKS = (NO_MASK, CAUSAL, PAD_RIGHT, PAD_LEFT, BOTH)
BEFORE, AFTER = "before softmax (-inf)", "after softmax (times 0)"
PAD = "‹pad›"

# Who wants whom, by place: ate wants cat and fish, it wants cat and hungry.
WANTED = {2: (1, 4), 6: (1, 8)}
SIZE = 8  # of a wanted place's scaled score


@dataclass(frozen=True, eq=False)
class Rows:
    """What the softmax makes of drawn scores, for each d_k of D_K.

    Medians and means are over DRAWS rows of KEYS scores each.
    """

    variance: np.ndarray  # (11,) of the raw scores
    entropy: np.ndarray  # (11,) median, as a share of ln(KEYS)
    largest: np.ndarray  # (11,) median
    gradient: np.ndarray  # (11,) median
    mean_gradient: np.ndarray  # (11,)
    example: np.ndarray  # (11, KEYS) the first row's weights


@cache
def rows(scaled):
    """Return the Rows of q · k, scaled by 1 / sqrt(d_k) or not.

    q and k hold independent numbers of mean 0 and variance 1: what a head
    has before it is trained. Each d_k uses the first d_k of the same 1024.

    Parameters
    ----------
    scaled : bool

    Returns
    -------
    Rows
    """
    found = []
    for d_k, raw in zip(D_K, _raw_scores(), strict=True):
        attn = softmax(raw / np.sqrt(d_k) if scaled else raw)
        sizes = gradient_size(attn)
        found.append(
            (
                raw.var(),
                np.median(entropy(attn)) / np.log(KEYS),
                np.median(attn.max(axis=-1)),
                np.median(sizes),
                sizes.mean(),
                attn[0],
            )
        )
    return Rows(*(np.array(column) for column in zip(*found, strict=True)))


@cache
def _raw_scores():
    """Return q · k for every d_k, arrays (DRAWS, KEYS)."""
    rng = np.random.default_rng(SEED)
    widest = max(D_K)
    q = rng.standard_normal((DRAWS, widest, 1), dtype=np.float32)
    K = rng.standard_normal((DRAWS, KEYS, widest), dtype=np.float32)
    return [
        (K[..., :d_k] @ q[:, :d_k])[..., 0].astype(np.float64) for d_k in D_K
    ]


def entropy(attn):
    """Return the entropy of each row, in nats: 0 for a row with one 1.

    Parameters
    ----------
    attn : array (..., N_k)

    Returns
    -------
    array (...)
    """
    logs = np.log(attn, out=np.zeros_like(attn), where=attn > 0)
    return -(attn * logs).sum(axis=-1)


def gradient_size(attn):
    """Return how much weights move when scores do, for each row.

    The derivative of softmax is diag(p) - p pᵀ; this is its Frobenius norm.

    Parameters
    ----------
    attn : array (..., N_k)

    Returns
    -------
    array (...)
    """
    jacobian = -attn[..., :, None] * attn[..., None, :]
    places = np.arange(attn.shape[-1])
    jacobian[..., places, places] += attn
    return np.sqrt((jacobian**2).sum(axis=(-2, -1)))


@dataclass(frozen=True)
class Masked:
    """A mask, where it acts, and how many of nine places are words."""

    mask: str
    acts: str
    real: int


@dataclass(frozen=True, eq=False)
class MaskedMap:
    """One head's map of the sentence under a mask."""

    tokens: tuple[str, ...]
    visible: np.ndarray  # bool (9, 9)
    attn: np.ndarray  # (9, 9)


def masked_map(setting):
    """Return the MaskedMap of a Masked setting: hand-built scores.

    Without padding all nine words are there, whatever `real` says.
    """
    said = words(HUNGRY)
    N = len(said)
    real = setting.real if "padding" in setting.mask else N
    first = N - real if setting.mask in (PAD_LEFT, BOTH) else 0
    tokens = (PAD,) * first + said[:real] + (PAD,) * (N - real - first)
    visible = np.zeros((N, N), dtype=bool)
    visible[:, first : first + real] = True
    if setting.mask in (CAUSAL, BOTH):
        visible &= causal_mask(N)

    scores = np.zeros((N, N))
    for query, keys in WANTED.items():
        for key in keys:
            if max(query, key) < real:
                scores[first + query, first + key] = SIZE
    if setting.acts == BEFORE:
        attn = softmax(np.where(visible, scores, -np.inf))
    else:
        attn = softmax(scores) * visible
    return MaskedMap(tokens, visible, attn)
