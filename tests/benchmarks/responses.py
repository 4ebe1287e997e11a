"""Whole responses of real length: what reading one costs, with actions in it and without.

What is known beside it is the time of ``json.loads`` for the JSON in the blocks plus one scan of the text: less than that
nobody needs who finds a block and decodes it. Where no block holds JSON (tags, Python), that is the scan alone.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from recordings import recorded, samples
from rich.table import Table
from timing import least, scan

from actionledger.core.values import Reading
from actionledger.reading.parsers import PARSERS


def table(folder: Path | None, *, is_full: bool) -> Table:
    """Return the table of all kinds of responses."""
    made = Table(
        title="Whole responses: µs each, and times the known cost (json.loads of the JSON + one scan)"
    )
    for column in (
        "responses",
        "parser",
        "count",
        "characters",
        "with actions",
        "x known",
        "without",
        "x known",
    ):
        made.add_column(column, justify="left" if column in {"responses", "parser"} else "right")
    corpora = [*samples(is_full=is_full), *(recorded(folder, is_full=is_full) if folder else ())]
    for title, parser, texts in ((each.title, name, each.texts) for each in corpora for name in each.parsers):
        readings = [PARSERS[parser].read(text) for text in texts]
        figures = [
            figure
            for has_actions in (True, False)
            for figure in _cost(parser, [each for each in readings if bool(each.actions) is has_actions])
        ]
        made.add_row(title, parser, f"{len(texts):,}", f"{sum(map(len, texts)) // len(texts):,}", *figures)
    return made


def _cost(parser: str, readings: Sequence[Reading]) -> tuple[str, str]:
    """Return the microseconds of reading one of these responses again, and how many times the known cost that is."""
    if not readings:
        return "-", "-"
    texts = [reading.text for reading in readings]
    payloads = [payload for reading in readings for payload in _payloads(reading)]
    times = least(
        {
            "read": lambda: [PARSERS[parser].read(text) for text in texts],
            "loads": lambda: [json.loads(payload) for payload in payloads],
            "scan": lambda: [scan(text) for text in texts],
        }
    )
    return (
        f"{times['read'] / len(texts) * 1e6:.0f}",
        f"{times['read'] / (times['loads'] + times['scan']):.1f}",
    )


def _payloads(reading: Reading) -> Iterator[str]:
    """Yield the valid JSON that blocks hold."""
    for block in reading.blocks:
        body = block.body.of(reading.text)
        try:
            json.loads(body)
        except (ValueError, RecursionError):
            continue
        yield body
