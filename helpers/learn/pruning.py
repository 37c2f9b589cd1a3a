"""Remove one head after another: in which order, and what is left.

A removed head writes zeros; nothing is trained again. Heads are chosen on
one batch of sentences and judged on another.

Source: Michel et al., "Are Sixteen Heads Really Better than One?" (2019):
the curves, and the importance of a head read from one way back. They divide
it by its length in each layer; here it is left as it comes.
"""

import numpy as np

from helpers import roles
from helpers.choice_rules import pair, require_choice, several
from helpers.learn.batch import require_drawn
from helpers.learn.training import examine, learn_from, require_model
from helpers.sizes import whole

ORDERS = (
    "greedy",
    "by ablation",
    "by gradient",
    "at random",
    "most important first",
)


def heads_of(model):
    """Return all (layer, head) of a model."""
    require_model(model)
    s = model.settings
    return tuple((n, head) for n in range(s.n_layers) for head in range(s.h))


def loss_of(model, batch):
    """Return a function: head mask -> summed losses on the batch."""

    def loss(mask):
        scores = examine(model, batch, mask)
        return sum(score.loss for score in scores.values())

    return loss


def ablation(model, batch):
    """Return by how much the loss rises without each head alone.

    Returns
    -------
    array (n_layers, h)
        In nats.
    """
    s = model.settings
    return roles.ablation(loss_of(model, batch), s.n_layers, s.h)


def importance(model, batch):
    """Guess what each head is worth from one way back.

    Give every head a number that its output is multiplied by, 1. Were the
    loss a straight line in it, its slope would be what removing the head
    saves. Slopes of different sentences would cancel: their sizes are
    added up.

    Returns
    -------
    array (n_layers, h)
        The sum over sentences of |d loss / d number|, in nats.
    """
    require_model(model)
    require_drawn(batch)
    s = model.settings
    slopes = np.zeros((s.n_layers, len(batch.tokens), s.h), model.flat.dtype)
    learn_from(model, batch, d_head_mask=slopes)
    return np.abs(slopes).sum(axis=1)


def order_of(model, batch, how, seed=0):
    """Say in which order heads are to be removed.

    Parameters
    ----------
    model : Model
    batch : Batch
        What the choice is made on.
    how : str
        "greedy": each time the one whose removal now costs least; "by
        ablation": by what each costs alone, the cheapest first; "by
        gradient": by `importance`, the smallest first; "at random"; "most
        important first": the order by ablation from its end.
    seed : int
        Of the random order.

    Returns
    -------
    tuple of (layer, head)
        All heads.
    """
    require_choice("how", how, ORDERS)
    seed = whole("seed", seed, 0)
    heads = heads_of(model)
    if how == "greedy":
        return tuple(greedy(model, batch))
    if how == "at random":
        order = np.random.default_rng([seed, 2]).permutation(len(heads))
    elif how == "by gradient":
        order = importance(model, batch).ravel().argsort()
    else:
        order = ablation(model, batch).ravel().argsort()
        order = order[::-1] if how == "most important first" else order
    return tuple(heads[number] for number in order)


def greedy(model, batch):
    """Yield the heads, each time the one whose removal now costs least."""
    s, loss = model.settings, loss_of(model, batch)
    left, gone = list(heads_of(model)), []

    def without(head):
        return loss(roles.head_mask(s.n_layers, s.h, [*gone, head]))

    while left:
        cheapest = min(left, key=without)
        left.remove(cheapest)
        gone.append(cheapest)
        yield cheapest


def curve(model, batch, order):
    """Remove the heads in this order; examine the model each time.

    Returns
    -------
    list of {read-out: Score}
        With 0, 1, … and at last all of `order` removed.
    """
    require_model(model)
    s, order = model.settings, several("order", order, "(layer, head)")
    return [
        examine(
            model, batch, roles.head_mask(s.n_layers, s.h, order[:n_removed])
        )
        for n_removed in range(len(order) + 1)
    ]


def best_alone(model, batch, layers):
    """Keep one head in each of these layers, all in the others.

    Parameters
    ----------
    layers : iterable of int
        From 0; each layer's head is chosen by itself.

    Returns
    -------
    tuple of (layer, head)
        The heads whose loss is least, and that are kept.
    """
    require_model(model)
    layers = several("layers", layers, "whole numbers")
    s, loss = model.settings, loss_of(model, batch)

    def left(layer, head):
        others = [(layer, o) for o in range(s.h) if o != head]
        return loss(roles.head_mask(s.n_layers, s.h, others))

    return tuple(
        (layer, min(range(s.h), key=lambda head, n=layer: left(n, head)))
        for layer in layers
    )


def only(model, kept):
    """Return the mask that keeps these heads of their layers alone.

    Layers of which no head is named keep all of theirs.
    """
    require_model(model)
    s, each = model.settings, "(layer, head)"
    kept = [pair("kept", place, each) for place in several("kept", kept, each)]
    layers = {layer for layer, _ in kept}
    without = [
        place
        for place in heads_of(model)
        if place[0] in layers and place not in kept
    ]
    return roles.head_mask(s.n_layers, s.h, without)
