"""What the training explorer trains, and what that costs a sentence."""

from dataclasses import dataclass, replace

from helpers.controls import require_choice
from helpers.cost import flops, softmax_work
from helpers.learn.model import Model
from helpers.learn.who_did_what import ROLES, N, WhoDidWhat

HEADS = (1, 2, 4, 8)
VARIANTS = {
    "as it stands": {},
    "places in V": {"positions": "Q, K, V"},
    "MLP before": {"mlp": "before"},
    "MLP before, places in V": {"positions": "Q, K, V", "mlp": "before"},
    "MLP after": {"mlp": "after"},
    "two layers": {"n_layers": 2},
}
NOUNS = (2, 3, 8, 32)
SEEDS = tuple(range(10))
RATES = (0.0005, 0.002, 0.005, 0.02, 0.3)


@dataclass(frozen=True)
class Setting:
    """What the controls say: all that decides how a training ends."""

    h: int = 1
    variant: str = "as it stands"
    nouns: int = 32
    seed: int = 0
    rate: float = 0.005

    def task(self):
        """Return the task; with 2 or 3 nouns no pair can be held back."""
        return WhoDidWhat(self.nouns)

    def model_settings(self):
        """Return the Settings of the model."""
        return self.task().settings(h=self.h, **VARIANTS[self.variant])

    def model(self):
        """Return a fresh model."""
        return Model(self.model_settings(), self.seed)

    def in_words(self):
        """Return the setting in a line."""
        return (
            f"h = {self.h}, {self.variant}, {self.nouns} nouns, seed "
            f"{self.seed}, rate {self.rate:g}"
        )


OFFERED = {
    "h": HEADS,
    "variant": tuple(VARIANTS),
    "nouns": NOUNS,
    "seed": SEEDS,
    "learning_rate": RATES,
}


def require_offered(**values):
    """Raise a ValueError if a value is not one that the controls offer."""
    for name, value in values.items():
        require_choice(name, value, OFFERED[name])


@dataclass(frozen=True)
class Cost:
    """What a model has to learn, and what one sentence takes."""

    parameters: int
    flops: int  # in matrix products; one multiply-add is 2
    exponentials: int  # of the softmax, all heads and layers


def cost(setting):
    """Count a model's parameters, and the work of one sentence.

    Returns
    -------
    Cost
    """
    made_of = setting.model_settings()
    shapes = {name: shape for name, (shape, _) in made_of.shapes().items()}
    others = sum(
        2 * N * shape[0] * shape[1]
        for name, shape in shapes.items()
        if name.startswith(("W_1", "W_2"))
    )
    others += sum(
        2 * rows * columns
        for rows, columns in (shapes[f"read {role}"] for role in ROLES)
    )
    layers = made_of.n_layers
    return Cost(
        len(setting.model().flat),
        layers * flops(N, made_of.sizes).total + others,
        layers * softmax_work(N, setting.h).exponentials,
    )


def costs(setting):
    """Return {h: Cost} of the same model with every number of heads."""
    return {h: cost(replace(setting, h=h)) for h in HEADS}
