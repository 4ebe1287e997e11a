"""Whole responses of real length: what reading one costs, with actions in it and without.

What is known beside it is the time of ``json.loads`` for the JSON in the blocks plus one scan of the text: less than that
nobody needs who finds a block and decodes it. Where no block holds JSON (tags, Python), that is the scan alone.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.table import Table
from timing import least

from actionledger.errors import SourceError
from actionledger.parsing.parsers import PARSERS
from actionledger.sources.base import RecordedSession, Refusal
from actionledger.sources.lines import json_lines
from actionledger.sources.mint import mint_files, read_mint
from actionledger.values import Reading

SAMPLES = Path(__file__).parents[2] / "data" / "sessions.jsonl"
FEW = 300
"""How many responses of one kind are read, unless all are asked for."""

_RARE = re.compile("[\x00\x01]")
"""One scan looks at every character once; hardly any text holds one of these."""


class Kind(NamedTuple):
    """Responses of one kind, and what reads them.

    Args:
        title: what they are.
        parser: the parser's name.
        texts: the responses.
    """

    title: str
    parser: str
    texts: Sequence[str]


def kinds(corpora: Path | None, *, is_full: bool) -> Iterator[Kind]:
    """Yield the sample responses by profile, all of them by auto, and what a folder of recordings holds.

    Args:
        corpora: a folder with recordings: MINT's sessions, and lines of JSON with a response as ``text``.
        is_full: whether all responses are read, not a few of each kind.
    """
    samples = [json.loads(line) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]
    for profile in sorted({sample["profile"] for sample in samples}):
        texts = [sample["text"] for sample in samples if sample["profile"] == profile]
        yield Kind("samples", profile, _some(texts, is_full=is_full))
    yield Kind("samples", "auto", _some([sample["text"] for sample in samples], is_full=is_full))
    for title, parsers, texts in _recorded(corpora) if corpora else ():
        for parser in parsers if texts else ():
            yield Kind(title, parser, _some(texts, is_full=is_full))


def table(corpora: Path | None, *, is_full: bool) -> Table:
    """Return the table of all kinds."""
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
    for kind in kinds(corpora, is_full=is_full):
        readings = [PARSERS[kind.parser].read(text) for text in kind.texts]
        characters = sum(map(len, kind.texts)) // len(kind.texts)
        figures = [
            figure
            for has_actions in (True, False)
            for figure in _cost(kind.parser, [each for each in readings if bool(each.actions) is has_actions])
        ]
        made.add_row(kind.title, kind.parser, f"{len(kind.texts):,}", f"{characters:,}", *figures)
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
            "scan": lambda: [_RARE.search(text) for text in texts],
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


def _recorded(folder: Path) -> Iterator[tuple[str, tuple[str, ...], list[str]]]:
    """Yield the recordings of others below a folder, each kind with the parsers that read it."""
    try:
        files = mint_files(folder)
    except SourceError:
        files = []
    sessions = (item for file in files for item in read_mint(file) if isinstance(item, RecordedSession))
    yield "MINT", ("mint", "auto"), [turn.text for session in sessions for turn in session.turns]
    lines = (
        line
        for file in sorted(folder.rglob("*.jsonl*"))
        if file not in files
        for line in json_lines(file)
        if not isinstance(line, Refusal)
    )
    yield (
        "lines with a text",
        ("auto",),
        [line["text"] for _, line in lines if isinstance(line.get("text"), str)],
    )


def _some(texts: Sequence[str], *, is_full: bool) -> Sequence[str]:
    """Return all texts, or a few from all over them."""
    return texts if is_full else texts[:: max(1, len(texts) // FEW)]
