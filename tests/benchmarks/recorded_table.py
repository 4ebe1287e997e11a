"""What there is in every file of recordings: a row a file, of what its reader and the importer make of it, each file by itself.

    python tests/benchmarks/recorded_table.py [FOLDER …] [--json] [--by-format]

Without folders it takes ``../shared/corpora``. No ledger is made: counted are the events that an import would record, and what was left out.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from recorded_files import formats_of
from rich.console import Console
from rich.table import Table

from actionledger.core.events import (
    Event,
    ExecutionRecorded,
    ResponseReceived,
    SessionStarted,
    TurnSuperseded,
)
from actionledger.core.recordings import RecordedSession
from actionledger.imports.importer import Importer
from actionledger.imports.importers import dialects_of
from actionledger.imports.parts import items_of
from actionledger.imports.reading import AS_IT_SAYS
from actionledger.imports.sources.base import Source
from actionledger.imports.sources.registry import source_named
from actionledger.ledger.queries.recorded import Known

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"


@dataclass
class Counts:
    """What one file has."""

    file: str
    format: str
    sessions: int = 0
    children: int = 0
    turns: int = 0
    calls: int = 0
    results: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    refused: int = 0

    def take(self, event: Event) -> None:
        """Count an event."""
        if isinstance(event, SessionStarted):
            self.sessions += 1
            self.children += event.parent_session_id is not None
        elif isinstance(event, ResponseReceived):
            self._add(event, 1)
        elif isinstance(event, ExecutionRecorded):
            self.results += 1
            if event.reason:
                self.errors[str(event.reason)] += 1

    def _add(self, event: ResponseReceived, sign: int) -> None:
        self.turns += sign
        self.calls += sign * event.call_count
        self.input_tokens += sign * (event.input_tokens or 0)
        self.output_tokens += sign * (event.output_tokens or 0)

    def take_back(self, events: list[Event]) -> None:
        """Take back responses for which a later state of the same message stands."""
        gone = {event.turn_id for event in events if isinstance(event, TurnSuperseded)}
        for event in events:
            if isinstance(event, ResponseReceived) and event.turn_id in gone:
                self._add(event, -1)
            elif isinstance(event, ExecutionRecorded) and event.turn_id in gone:
                self.results -= 1
                if event.reason:
                    self.errors[str(event.reason)] -= 1


def main() -> None:
    """Print a row for each file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, default=[CORPORA])
    parser.add_argument("--json", action="store_true", help="a line of JSON for each file")
    parser.add_argument("--by-format", action="store_true", help="a row for each format, its files together")
    given = parser.parse_args()
    rows = counted(given.folders, by_format=given.by_format)
    if given.json:
        for row in rows:
            print(json.dumps(vars(row)))
        return
    names = (
        "file",
        "format",
        "sessions",
        "children",
        "turns",
        "calls",
        "results",
        "errors",
        "tokens in",
        "out",
        "left out",
        "refused",
    )
    table = Table(*names)
    for row in rows:
        texts = (said(value) if isinstance(value, Counter) else str(value) for value in vars(row).values())
        table.add_row(*texts)
    Console(width=220).print(table)


def said(counts: Counter[str]) -> str:
    """Return counts as words."""
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def counted(folders: list[Path], *, by_format: bool = False) -> Iterator[Counts]:
    """Yield the counts of each file, or of each format's files together, where what two files both have is there once."""
    for folder in folders:
        groups: dict[str, list[Path]] = {}
        formats = formats_of(folder)
        for path, source in formats.items():
            groups.setdefault(source.name if by_format else str(path), []).append(path)
        for paths in groups.values():
            name = folder if by_format else paths[0].relative_to(folder) if folder.is_dir() else folder
            yield counts_of(str(name), formats[paths[0]], paths)


def counts_of(name: str, source: Source, paths: list[Path]) -> Counts:
    """Return what some files of one format have together."""
    counts, events = Counts(name, source.name), list[Event]()
    importers: dict[str, Importer] = {}
    for path in paths:
        for item in items_of(path, source.name, source.read, lambda _: None):
            of = item.source if isinstance(item, RecordedSession) and item.source else source.name
            if of not in importers:
                importers[of] = Importer(
                    events.append,
                    source=of,
                    origin="",
                    known=Known(),
                    wordings=source_named(of).wordings,
                    read_as=AS_IT_SAYS.in_format(dialects_of(of)),
                )
            importers[of].take(item)
    for importer in importers.values():
        importer.finish()
        counts.refused += len(importer.report.refusals)
        for (_, reason, detail), count in importer.report.left_out.items():
            counts.left_out[f"{reason} {detail}".strip()] += count
    for event in events:
        counts.take(event)
    counts.take_back(events)
    return counts


if __name__ == "__main__":
    main()
