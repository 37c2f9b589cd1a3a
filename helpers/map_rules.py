"""What attention maps must be, and the words and relations they are about."""

import numpy as np

from helpers.choice_rules import pair, require_kind, several
from helpers.number_rules import as_array, real_array
from helpers.sentences import Relation
from helpers.sizes import SizeError, quoted, whole

ROUNDING = 0.005  # how far beyond 0 and 1 a weight may lie


def weights_array(name, values):
    """Return `values` as an array, if they can be weights: from 0 to 1."""
    array = real_array(name, values)
    wrong = array[~((array >= -ROUNDING) & (array <= 1 + ROUNDING))]
    if wrong.size:  # NaN too
        raise ValueError(
            f"{name} must hold weights, from 0 to 1: got {wrong.flat[0]:.3g}."
            f" Scores become weights in a softmax."
        )
    return array


def require_maps(attn):
    """Raise a SizeError unless `attn` is (..., h, N, N)."""
    if attn.ndim < 3 or not attn.size:
        raise SizeError(
            f"attn must be (..., h, N, N), with no axis of size 0: got shape "
            f"{attn.shape}."
        )


def checked_pattern(attn, pattern):
    """Return maps (n, h, N, N) and a pattern (n or 1, 1, N, N) that fit."""
    attn = weights_array("attn", attn)
    pattern = as_array("pattern", pattern)
    if pattern.dtype != bool:
        raise TypeError(f"A pattern must be boolean: got {pattern.dtype}.")
    fits = attn.ndim >= 3 and pattern.shape in (
        attn.shape[-2:],
        attn.shape[:-3] + attn.shape[-2:],
    )
    if not fits:
        raise SizeError(
            f"attn must be (..., h, N, N), and the pattern (N, N) or "
            f"(..., N, N): got {attn.shape} and {pattern.shape}."
        )
    return (
        attn.reshape(-1, *attn.shape[-3:]),
        pattern.reshape(-1, 1, *pattern.shape[-2:]),
    )


def tokens_array(tokens):
    """Return tokens as an array (..., N), one token for each place."""
    found = as_array("tokens", tokens)
    if not found.ndim:  # also a whole text
        raise TypeError(
            f"tokens must be (..., N), one for each place: got "
            f"{quoted(tokens)}."
        )
    return found


def checked_pairs(pairs):
    """Return all (query, key) of all sentences in one list."""
    each = "lists of (query, key)"
    return [
        tuple(
            whole("a place", place, 0)
            for place in pair("a pair", two, "places")
        )
        for wanted in several("pairs", pairs, each)
        for two in several("pairs", wanted, each)
    ]


def checked_relations(relations, N):
    """Return relations as a tuple, if all their places are in 0..N-1."""
    relations = several("relations", relations, "Relation")
    for relation in relations:
        require_kind("a relation", relation, Relation, "relations(tokens)[0]")
        for place in np.ravel(relation.pairs):
            whole(f"a place of {relation.name!r}", place, 0, N - 1)
    return relations
