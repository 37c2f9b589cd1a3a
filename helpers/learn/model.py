"""A small model: words, attention layers with a way around them, answers.

    X = tokens                              what stands in each place
    for each layer:  X = X + attention(X)   (and X + mlp(X), if there is one)
    answers = X[place] @ read_out           at the places that are asked

No biases, no normalisation, unless an MLP is asked for (it has one bias).
All weights lie in one long vector, `flat`; `parts` gives each its name. So a
step of training is a step of one vector, and a copy is a copy.
"""

from dataclasses import dataclass

import numpy as np

from helpers.choice_rules import (
    pair,
    require_choice,
    require_kind,
    require_text,
    several,
)
from helpers.learn.batch import (
    MOST,
    require_head_mask,
    require_spread,
    require_tokens,
)
from helpers.learn.gradients import (
    attention_layer,
    attention_layer_backward,
    head_mask_backward,
    mlp,
    mlp_backward,
)
from helpers.learn.products import added_products
from helpers.number_rules import float_type, require_switch
from helpers.sizes import Sizes, require_memory, whole
from helpers.weights import Projections

POSITIONS = ("Q, K", "Q, K, V")
MLP_PLACES = ("none", "before", "after")
MATRICES = Projections._fields
MLP_WEIGHTS = ("W_1", "b_1", "W_2")


@dataclass(frozen=True)
class Settings:
    """What a model is made of.

    Parameters
    ----------
    vocabulary, N : int
        Different tokens, and places in a sentence.
    read_outs : tuple of (str, int)
        What is asked for, and among how many answers.
    d_model, h, n_kv, n_layers : int
    causal : bool
    positions : str
        "Q, K": a place's vector is added where queries and keys are made,
        in every layer, so values do not know where they come from.
        "Q, K, V": it is added to the token once, and everything sees it.
    mlp : str
        "none"; or "before" or "after" the attention of each layer.
    mlp_width : int
    spread : float, optional
        Standard deviation of W_Q and W_K at the start; 1 / sqrt(d_model),
        like the other matrices, if left out. A small one starts with even
        attention.

    Raises
    ------
    SizeError, ValueError
        If the sizes do not fit, or a word is unknown.
    """

    vocabulary: int
    N: int
    read_outs: tuple
    d_model: int = 32
    h: int = 2
    n_kv: int | None = None
    n_layers: int = 1
    causal: bool = False
    positions: str = "Q, K"
    mlp: str = "none"
    mlp_width: int = 64
    spread: float | None = None

    def __post_init__(self):
        for name in ("vocabulary", "N", "n_layers", "mlp_width"):
            whole(name, getattr(self, name), high=MOST)
        for name, known in (("positions", POSITIONS), ("mlp", MLP_PLACES)):
            require_choice(name, getattr(self, name), known, repr)
        require_switch("causal", self.causal)
        for read_out in several("read_outs", self.read_outs, "pairs"):
            name, choices = pair("a read-out", read_out, "(name, choices)")
            require_text("the name of a read-out", name)
            whole(f"choices of {name!r}", choices, high=MOST)
        if self.spread is not None:
            require_spread(self.spread)
        self.sizes  # noqa: B018 - raises if they do not fit

    @property
    def sizes(self):
        """The sizes of each attention layer."""
        return Sizes(self.d_model, self.h, self.n_kv)

    def shapes(self):
        """Return {name: (shape, standard deviation at the start)}."""
        d, s = self.d_model, self.sizes
        even = d**-0.5
        narrow = even if self.spread is None else self.spread
        shapes = {
            "tokens": ((self.vocabulary, d), 1),
            "places": ((self.N, d), 1),
        }
        for layer in range(self.n_layers):
            shapes |= {
                f"W_Q {layer}": ((d, s.h * s.d_k), narrow),
                f"W_K {layer}": ((d, s.n_kv * s.d_k), narrow),
                f"W_V {layer}": ((d, s.n_kv * s.d_v), even),
                f"W_O {layer}": ((s.h * s.d_v, d), even),
            }
            if self.mlp != "none":
                width = self.mlp_width
                shapes |= {
                    f"W_1 {layer}": ((d, width), even),
                    f"b_1 {layer}": ((width,), 0),
                    f"W_2 {layer}": ((width, d), width**-0.5),
                }
        for name, choices in self.read_outs:
            shapes["read " + name] = ((d, choices), even)
        return shapes


def named_parts(flat, shapes):
    """Return {name: view of its part of the long vector}."""
    parts, start = {}, 0
    for name, (shape, _) in shapes.items():
        end = start + int(np.prod(shape))
        parts[name] = flat[start:end].reshape(shape)
        start = end
    return parts


class Model:
    """Weights, and the way through them: `forward` and `backward`.

    Parameters
    ----------
    settings : Settings
    seed : int
        The same seed gives the same weights.
    number_type : dtype
    """

    def __init__(self, settings, seed=0, number_type=np.float32):
        require_kind("settings", settings, Settings, "task.settings()")
        number_type = float_type("number_type", number_type)
        self.settings, shapes = settings, settings.shapes()
        seed = whole("seed", seed, 0)
        n = sum(int(np.prod(shape)) for shape, _ in shapes.values())
        require_memory("The weights of this model", 8 * n)  # as drawn
        self.flat = np.zeros(n, number_type)
        self.parts = named_parts(self.flat, shapes)
        rng = np.random.default_rng([seed, 0])
        for name, (shape, deviation) in shapes.items():
            self.parts[name][...] = deviation * rng.standard_normal(shape)

    def copy(self):
        """Return a model of its own with the same weights."""
        other = Model.__new__(Model)
        other.settings, other.flat = self.settings, self.flat.copy()
        other.parts = named_parts(other.flat, self.settings.shapes())
        return other

    def projections(self, layer):
        """Return the four matrices of an attention layer."""
        layer = whole("layer", layer, 0, self.settings.n_layers - 1)
        return Projections(*(self.parts[f"{n} {layer}"] for n in MATRICES))

    def forward(self, tokens, head_mask=None):
        """Run all layers.

        Parameters
        ----------
        tokens : int array (batch, N)
        head_mask : array (n_layers, h), optional
            0 removes a head, 1 keeps it.

        Returns
        -------
        X : array (batch, N, d_model)
        notes : dict
            What `backward` needs; notes["attention"][layer].attn are the
            maps (batch, h, N, N).
        """
        s, parts = self.settings, self.parts
        tokens = require_tokens(tokens, s)
        place = parts["places"][: tokens.shape[1]]
        X = parts["tokens"][tokens]
        notes = {"tokens": tokens, "attention": [], "mlp": []}
        if s.positions == "Q, K, V":
            X = X + place
        head_mask = require_head_mask(head_mask, s, X.dtype)
        for layer in range(s.n_layers):
            if s.mlp == "before":
                X = self._mlp(X, layer, notes)
            X_place = X + place if s.positions == "Q, K" else X
            out, note = attention_layer(
                *(X_place, X_place, X, self.projections(layer)),
                *(s.h, s.n_kv, s.causal),
                None if head_mask is None else head_mask[layer],
            )
            notes["attention"].append(note)
            X = X + out
            if s.mlp == "after":
                X = self._mlp(X, layer, notes)
        return X, notes

    def _mlp(self, X, layer, notes):
        W_1, b_1, W_2 = (self.parts[f"{n} {layer}"] for n in MLP_WEIGHTS)
        out, middle = mlp(X, W_1, b_1, W_2)
        notes["mlp"].append((X, middle))
        return X + out

    def backward(self, d_X, notes, gradients):
        """Go the same way back, and add up what each weight should do.

        Parameters
        ----------
        d_X : array (batch, N, d_model)
        notes : dict
            From `forward`.
        gradients : dict
            Named like `parts`; changed in place. "head mask", if there,
            (n_layers, batch, h): each sentence's own.
        """
        s, tokens = self.settings, notes["tokens"]
        d_place = gradients["places"][: tokens.shape[1]]
        for layer in reversed(range(s.n_layers)):
            if s.mlp == "after":
                d_X = self._mlp_backward(d_X, layer, notes, gradients)
            W, note = self.projections(layer), notes["attention"][layer]
            (d_X_Q, d_X_K, d_X_V), d_W = attention_layer_backward(d_X, W, note)
            if (of_mask := gradients.get("head mask")) is not None:
                of_mask[layer] = head_mask_backward(d_X, W, note)
            for name, d_matrix in zip(MATRICES, d_W):
                gradients[f"{name} {layer}"] += d_matrix
            d_X_place = d_X_Q + d_X_K
            if s.positions == "Q, K":
                d_place += d_X_place.sum(axis=0)
            d_X = d_X + d_X_place + d_X_V
            if s.mlp == "before":
                d_X = self._mlp_backward(d_X, layer, notes, gradients)
        if s.positions == "Q, K, V":
            d_place += d_X.sum(axis=0)
        one_hot = np.eye(s.vocabulary, dtype=d_X.dtype)[tokens.ravel()]
        gradients["tokens"] += added_products(one_hot, d_X)

    def _mlp_backward(self, d_X, layer, notes, gradients):
        X, middle = notes["mlp"][layer]
        names = [f"{name} {layer}" for name in MLP_WEIGHTS]
        W_1, _, W_2 = (self.parts[name] for name in names)
        d_below, d_weights = mlp_backward(d_X, X, W_1, W_2, middle)
        for name, d_weight in zip(names, d_weights):
            gradients[name] += d_weight
        return d_X + d_below
