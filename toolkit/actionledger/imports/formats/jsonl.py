"""The project's own simple format for anyone's logs: one JSON object per line, one turn per line (``sources.rows``)."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from actionledger.core.vocabulary import Capture
from actionledger.imports.sources.base import ReadFile, Recorded, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.files import STANDARD_INPUT
from actionledger.imports.sources.json_values import json_lines
from actionledger.imports.sources.rows import HELD_TURNS, REQUIRED, Numbered, checked, renamed, sessions_of


def read(
    path: Path,
    on_read: OnRead | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    is_whole: bool = False,
) -> Recorded:
    """Yield the sessions of a file, and a refusal for each line that can't be read."""
    held = 1 if path == STANDARD_INPUT else HELD_TURNS
    return sessions_of(_rows(path, on_read, columns or {}), shown(path), held=held, is_whole=is_whole)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample has this format: its lines name their session, and have a text."""
    lines = sample.objects
    fitting = [line for line in lines if all(isinstance(line.get(name), str) for name in REQUIRED)]
    return 0.9 if lines and len(fitting) * 2 > len(lines) else 0.5 if fitting else 0.0


def mapped(columns: Mapping[str, str]) -> ReadFile:
    """Return a reader of lines whose fields have other names."""
    return partial(read, columns=checked(columns))


def _rows(path: Path, on_read: OnRead | None, columns: Mapping[str, str]) -> Iterator[Numbered | Refusal]:
    for item in json_lines(path, on_read):
        yield item if isinstance(item, Refusal) else (item[0], renamed(item[1], columns))


SOURCE = Source(
    "jsonl",
    "Lines of JSON, a turn each",
    Capture.TEXT,
    read,
    recognise,
    loses="Calls beside the text, results and tokens: it has no fields for them.",
    fields=REQUIRED,
    names="file",
    mapped=mapped,
    stands_alone=True,
)
