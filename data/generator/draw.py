"""Seeded chance, from nothing but ``random()`` and ``choices()``: the same on every version of Python."""

from collections.abc import Callable, Mapping, Sequence, Sized
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


class Draw(Random):
    """One stream of chance, from a seed that decides all that follows."""

    def chance(self, share: float) -> bool:
        """Return True with the given probability, 0 to 1."""
        return self.random() < share

    def maybe(self, share: float, make: Callable[[], T]) -> list[T]:
        """Return what ``make`` makes with the given probability, otherwise nothing."""
        return [make()] if self.chance(share) else []

    def wanted(self, *names: str) -> list[str]:
        """Return the names, those only now and then that say how often: ``name?0.6`` is wanted six times of ten."""
        shares = (name.partition("?") for name in names)
        return [name for name, _, share in shares if not share or self.chance(float(share))]

    def between(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``, both included."""
        return self.pick(range(low, high + 1))

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items, each as likely as the others; raise NothingThereError where there is none."""
        return self.choices(needed(items))[0]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Return ``count`` different items (or all, where there are fewer) in random order."""
        rest = list(items)
        return [rest.pop(self.between(0, len(rest) - 1)) for _ in range(min(count, len(rest)))]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """Return one of the keys, each as likely as its share of all weights."""
        return self.choices(tuple(weights), tuple(weights.values()))[0]
