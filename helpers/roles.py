"""What a head does: scores of its map, and what its loss would cost.

A role is a pattern: a boolean map, True where a head with this role looks.
A head's score is the weight it puts there, averaged over all queries that
have such a key; 1 is a pure head. A score alone proves little: compare it
with what a fixed distance would get, and remove the head to see whether
the model needs it.

Source: Clark et al., "What Does BERT Look At?" (2019), for scores against
fixed offsets; Olsson et al., "In-context Learning and Induction Heads"
(2022), for previous-token and induction heads; Michel et al., "Are Sixteen
Heads Really Better than One?" (2019), for the ablation.
"""

from collections import Counter

import numpy as np

from helpers.choice_rules import pair, several
from helpers.map_rules import (
    checked_pairs,
    checked_pattern,
    require_maps,
    tokens_array,
    weights_array,
)
from helpers.sizes import (
    LARGEST_SIZE,
    SizeError,
    quoted,
    require_memory,
    whole,
)


def at_offset(N, offset):
    """Return the pattern of a head that looks `offset` places on.

    Parameters
    ----------
    N : int
        Tokens.
    offset : int
        -1 for the previous token, 1 for the next, 0 for the token itself.

    Returns
    -------
    bool array (N, N)
        A query that would look outside has no key.
    """
    offset = whole("offset", offset, -LARGEST_SIZE)
    return np.eye(_places(N), k=offset, dtype=bool)


def first_token(N):
    """Return the pattern of a head that looks at place 0: (N, N).

    The first token itself has no choice in a causal model: it is left out.
    """
    pattern = np.zeros((_places(N), N), bool)
    pattern[1:, 0] = True
    return pattern


def _places(N):
    N = whole("N", N)
    require_memory(f"A pattern of {N:,} tokens", N * N)
    return N


def same_word(tokens):
    """Return where the same word stands in another place.

    Tokens (..., N), any that can be compared, give a bool array (..., N, N).
    """
    tokens = tokens_array(tokens)
    same = tokens[..., :, None] == tokens[..., None, :]
    return same & ~np.eye(tokens.shape[-1], dtype=bool)


def induction(tokens):
    """Return the keys right behind an earlier occurrence of the query.

    In "a b c a" the second a looks at b: what followed the last time.

    Tokens (..., N) give a bool array (..., N, N).
    """
    earlier = np.tril(same_word(tokens))  # key before query
    pattern = np.zeros_like(earlier)
    pattern[..., 1:] = earlier[..., :-1]
    return pattern


def score(attn, pattern):
    """Return the mean weight each head puts on a pattern.

    Parameters
    ----------
    attn : array (..., h, N, N)
    pattern : bool array (N, N) or (..., N, N)
        One for all sentences, or one for each.

    Returns
    -------
    array (h,)
        0 to 1, over the queries for which the pattern has a key.

    Raises
    ------
    SizeError
        If shapes do not fit, or the pattern is empty.
    TypeError, ValueError
        If the pattern is not boolean, or `attn` holds no weights.
    """
    attn, pattern = checked_pattern(attn, pattern)
    on = (attn * pattern).sum(axis=-1)  # (sentences, h, N)
    asked = pattern.any(axis=-1)  # (sentences, 1, N)
    if not asked.any():
        raise SizeError("The pattern has no key for any query.")
    n = np.broadcast_to(asked, on[:, :1].shape).sum()
    return on.sum(axis=(0, 2)) / n


def entropy(attn):
    """Return how spread the rows of each head (..., h, N, N) are: (h,).

    In nats, the mean over all rows: 0 if all weight lies on one key, ln N
    if it is spread evenly over N.
    """
    attn = weights_array("attn", attn).astype(float)
    require_maps(attn)
    logs = np.log(attn, out=np.zeros_like(attn), where=attn > 0)
    rows = -(attn * logs).sum(axis=-1)  # (..., h, N)
    return np.moveaxis(rows, -2, 0).reshape(rows.shape[-2], -1).mean(axis=1)


def scores(attn, tokens):
    """Return every score of every head.

    Parameters
    ----------
    attn : array (..., h, N, N)
    tokens : array (..., N)

    Returns
    -------
    dict of {str: array (h,)}
        A role no query could play (no word occurs twice) is left out.
    """
    tokens = tokens_array(tokens)
    N = tokens.shape[-1]
    patterns = {
        "previous": at_offset(N, -1),
        "next": at_offset(N, 1),
        "itself": at_offset(N, 0),
        "first token": first_token(N),
        "same word": same_word(tokens),
        "induction": induction(tokens),
    }
    found = {
        name: score(attn, pattern)
        for name, pattern in patterns.items()
        if pattern.any()
    }
    return found | {"entropy": entropy(attn)}


def best_offset(pairs):
    """Return the fixed offset that hits most pairs, and its hit rate.

    A head has learnt something about a relation only if it beats this: a
    head that always looks one place back finds many determiners.

    Returns
    -------
    offset : int
        key - query; of equal ones the shortest, and back before forward.
    rate : float
        Share of the pairs, 0 to 1.

    Raises
    ------
    SizeError
        If there is no pair.
    """
    offsets = Counter(key - query for query, key in checked_pairs(pairs))
    if not offsets:
        raise SizeError("The relation has no pair in these sentences.")
    offset = max(offsets, key=lambda o: (offsets[o], -abs(o), -o))
    return offset, offsets[offset] / offsets.total()


def head_mask(n_layers, h, without=()):
    """Return the mask that removes some heads.

    Parameters
    ----------
    n_layers, h : int
    without : list of (layer, head)

    Returns
    -------
    array (n_layers, h)
        1 for a head that stays, 0 for one that is removed.
    """
    mask = np.ones((whole("n_layers", n_layers), whole("h", h)))
    for place in several("without", without, "(layer, head)"):
        layer, head = pair("without", place, "numbers, (layer, head)")
        whole("layer", layer, 0, n_layers - 1)
        whole("head", head, 0, h - 1)
        mask[layer, head] = 0
    return mask


def ablation(loss_of, n_layers, h):
    """Remove each head in turn, and see how much the loss rises.

    Parameters
    ----------
    loss_of : callable
        Takes a head mask (n_layers, h), returns the loss.

    Returns
    -------
    array (n_layers, h)
        Loss without the head, less the loss with all heads.
    """
    if not callable(loss_of):
        raise TypeError(
            f"loss_of must be a function from a head mask to a loss: got "
            f"{quoted(loss_of)}."
        )
    whole_loss = loss_of(head_mask(n_layers, h))
    rise = np.zeros((n_layers, h))
    for place in np.ndindex(n_layers, h):
        rise[place] = loss_of(head_mask(n_layers, h, [place])) - whole_loss
    return rise
