"""What opens a block, over and over: sixteen times the text may take twenty-four times the processor time.

The openers are the dialects' own, as in the test that counts steps; what steps don't show, such as a pattern that goes over
the text again and again, shows here.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table
from timing import seconds

sys.path[:0] = [str(Path(__file__).parents[1] / "support")]
from openers import offered, openers  # noqa: E402 - it lies beside the tests

from actionledger.reading.parsers import PARSERS  # noqa: E402 - the same

SMALL, TIMES, MOST = 10_000, 16, 24
SCREENED, SCREENED_TIMES = 1_000, 4
"""How long the texts are that choose the openers which are measured, and how many times as long: all at once would take minutes."""

WORST = 12
ROUNDS = 2
SLACK = 0.001
"""Seconds that a small text is taken to need at least: below, what reading costs once is all there is to see."""


def table(*, is_full: bool) -> Table:
    """Return the table of the openers whose time grows most, on one line and on lines of their own with half a body."""
    figures = sorted(_figures(is_full=is_full), key=lambda figure: -figure[2] / max(figure[1], SLACK))
    over = sum(large > MOST * max(small, SLACK) for _, small, large in figures)
    title = f"{len(figures)} texts of openers, {TIMES} times as long: {over} take more than {MOST} times the time; the slowest-growing"
    made = Table(title=title)
    for column in ("opener", f"s at {SMALL:,}", f"s at {SMALL * TIMES:,}", "time"):
        made.add_column(column, justify="left" if column == "opener" else "right")
    for text, small, large in figures[:WORST]:
        made.add_row(repr(text)[:60], f"{small:.4f}", f"{large:.4f}", f"x{large / max(small, SLACK):.1f}")
    return made


def _figures(*, is_full: bool) -> Iterator[tuple[str, float, float]]:
    units = list(dict.fromkeys(unit for each in openers() for unit in (each.text, f"{each.half}\n")))
    chosen = units if is_full else sorted(units, key=_growth_of_short_texts)[-WORST:]
    for unit in chosen:
        small, large = (min(_time(unit, size) for _ in range(ROUNDS)) for size in (SMALL, SMALL * TIMES))
        yield unit, small, large


def _growth_of_short_texts(unit: str) -> float:
    small, large = (_time(unit, size) for size in (SCREENED, SCREENED * SCREENED_TIMES))
    return large / max(small, SLACK)


def _time(unit: str, size: int) -> float:
    text = unit * (size // len(unit) + 1)
    return seconds(lambda: PARSERS["auto"].read(text, offered()))
