"""How many examples of a property are tried: the profiles of hypothesis, one for each way to run the suite."""

import os
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

PERCENT = {"quick": 10, "test": 30, "soak": 300}
"""Of the examples that a property asks for. A profile says it by the number of those that asks for none: a hundred."""


def register_profiles() -> None:
    """Register the profiles, and load that of ``make test``; ``--hypothesis-profile`` loads another.

    A soak tries other examples each time, but for one in CI; the other two always the same. None minds a busy machine.
    """
    for name, percent in PERCENT.items():
        settings.register_profile(
            name,
            max_examples=percent,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
            derandomize=name != "soak" or "CI" in os.environ,
        )
    settings.load_profile("test")


def examples(count: int) -> int:
    """Return how many examples are tried in this run of a property that asks for so many."""
    return ceil(count * settings().max_examples / 100)


def is_soak() -> bool:
    """Return whether this run takes its time."""
    return settings().max_examples > 100


def soaked(values: Iterable[Any], always: Sequence[Any]) -> list[Any]:
    """Return values to parametrize a test with; all but those that are tried always are for the soak."""
    every = list(values)
    if missing := [value for value in always if value not in every]:
        raise ValueError(f"not among the values: {missing}")
    return [value if value in always else pytest.param(value, marks=pytest.mark.soak) for value in every]
