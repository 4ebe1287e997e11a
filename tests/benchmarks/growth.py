"""Hostile texts, ten times as long: how many times the time and the memory.

The families are those that the tests hold in bounds; here they are larger, and nothing is judged.
"""

import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from runpy import run_path

from rich.table import Table
from timing import seconds

from actionledger.api import AnyParser
from actionledger.reading.parsers import PARSERS

TESTS = Path(__file__).parents[1] / "reading" / "test_growth.py"
SIZES = (100_000, 1_000_000)
TRACED = (20_000, 200_000)
"""The sizes at which memory is measured, which slows everything down."""

EVERY = 8
"""One family in so many is measured, unless all are asked for."""


def table(*, is_full: bool) -> Table:
    """Return the table of hostile families."""
    made = Table(
        title=f"Hostile texts: time at {SIZES[0]:,} and {SIZES[1]:,} characters, memory at {TRACED[0]:,} and {TRACED[1]:,}"
    )
    for column in ("family", "parser", "s", "s", "time", "MB", "MB", "memory"):
        made.add_column(column, justify="left" if column in {"family", "parser"} else "right")
    tests = run_path(str(TESTS))
    families: Mapping[str, tuple[str, ...]] = tests["FAMILIES"]
    make: Callable[[str, int], str] = tests["made"]
    for family in list(families)[:: 1 if is_full else EVERY]:
        parser = PARSERS[families[family][0]]
        times = [_time(parser, make(family, size)) for size in SIZES]
        peaks = [_peak(parser, make(family, size)) for size in TRACED]
        made.add_row(family, parser.name, *_pair(times, ".3f"), *_pair(peaks, ".1f"))
    return made


def _time(parser: AnyParser, text: str) -> float:
    """Return the seconds that reading a text takes."""
    return seconds(lambda: parser.read(text))


def _peak(parser: AnyParser, text: str) -> float:
    """Return the most memory that reading a text holds at one time, in MB."""
    tracemalloc.start()
    try:
        parser.read(text)
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def _pair(figures: list[float], form: str) -> tuple[str, str, str]:
    """Return two figures, and how many times the first the second is."""
    small, large = figures
    return f"{small:{form}}", f"{large:{form}}", f"x{large / max(small, 1e-9):.1f}"
