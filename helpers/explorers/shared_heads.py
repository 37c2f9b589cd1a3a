"""n_kv key/value heads for h query heads: the slider, and who reads whom."""

from dataclasses import dataclass

from helpers.controls import LinkedSelection
from helpers.sizes import divisors


class SharedSelection(LinkedSelection):
    """n_kv: while it equals h, as in plain multi-head, it follows h."""

    def follow(self, h, plain):
        """Offer the divisors of `h`; return a sentence, or ""."""
        if plain:
            self._wanted = h
        said = self.offer(divisors(h))
        return "" if plain else said


@dataclass(frozen=True)
class Sharing:
    """h query heads on n_kv key/value heads."""

    h: int
    n_kv: int

    @property
    def order(self):
        """Which key/value head each query head reads: 0, 0, 1, 1."""
        return tuple(head * self.n_kv // self.h for head in range(self.h))
