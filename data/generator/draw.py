"""Seeded chance, from nothing but ``Random.random()``: the same on every version of Python."""

from collections.abc import Mapping, Sequence, Sized
from random import Random
from typing import TypeVar

T = TypeVar("T")
S = TypeVar("S", bound=Sized)


class NothingThereError(Exception):
    """There is nothing to choose from, or nothing that could be changed."""


def needed(items: S) -> S:
    """Return the items.

    Raises:
        NothingThereError: there are none.
    """
    if not items:
        raise NothingThereError
    return items


class Draw:
    """One stream of chance.

    Args:
        seed: the text that decides all that follows.
    """

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def chance(self, share: float) -> bool:
        """Return True with the given probability, 0 to 1."""
        return self._random.random() < share

    def between(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items, each as likely as the others; raise NothingThereError where there is none."""
        return items[self.between(0, len(needed(items)) - 1)]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Return ``count`` different items (or all, where there are fewer) in random order."""
        rest = list(items)
        return [rest.pop(self.between(0, len(rest) - 1)) for _ in range(min(count, len(rest)))]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """Return one of the keys, each as likely as its share of all weights."""
        mark = self._random.random() * sum(weights.values())
        likely = [(item, weight) for item, weight in weights.items() if weight > 0]
        for item, weight in likely:
            mark -= weight
            if mark < 0:
                return item
        return likely[-1][0]
