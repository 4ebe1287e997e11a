"""What an import's processor time goes into, stage by stage, beside a bare loop of ``json.loads`` over the same files.

    python tests/benchmarks/import_stages.py [FOLDER]

Without a folder it takes the sessions of ``../shared/corpora/agents-more`` where they are, else the samples of ``data/agents``, forty
times each. Each stage is run by itself on what the stage before has made, in one process, in seconds of its processor: nothing runs
beside it. ``serialise`` to ``publish`` are the way of what is recorded live, by segments; ``directly`` is all of it on an import's
way, without them. ``whole`` is a process that imports the folder, its start and whatever its threads do included.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import patch

from recorded_files import formats_of, imported, loads_each_line, unpacked_bytes
from rich.console import Console
from rich.table import Table

import actionledger.core.ids
from actionledger.core.events import EVENT, Event
from actionledger.core.privacy import mask
from actionledger.imports.importer import Importer
from actionledger.imports.sources.base import Item, Source
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.recorded import Known
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.ingest import ingest
from actionledger.ledger.storage.journal import SegmentWriter
from actionledger.ledger.storage.publishing import publish
from actionledger.ledger.storage.store import Publishing
from actionledger.ledger.storage.working_file import open_or_make

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpora" / "agents-more"
SAMPLES = ROOT / "data" / "agents"
TIMES = 40


class Stages:
    """Takes the processor time of one stage after the other."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure what is done within."""
        begin = time.process_time()
        yield
        self.seconds[name] = time.process_time() - begin


def main() -> None:
    """Measure the folder that the command line names."""
    parser = argparse.ArgumentParser(description="What an import's processor time goes into.")
    parser.add_argument("folder", nargs="?", type=Path)
    with tempfile.TemporaryDirectory() as place:
        folder = parser.parse_args().folder or _folder(Path(place))
        _print(folder, Path(place))


def _folder(place: Path) -> Path:
    if CORPUS.is_dir():
        return CORPUS
    for number in range(TIMES):
        shutil.copytree(SAMPLES, place / "samples" / str(number))
    return place / "samples"


def _print(folder: Path, place: Path) -> None:
    stages = Stages()
    formats = formats_of(folder)
    size = sum(unpacked_bytes(path) for path in formats)
    with stages.stage("json.loads"):
        for path in formats:
            loads_each_line(path)
    read = _read_and_check(formats, stages)
    _record(read, place / "stages.duckdb", stages)
    whole, peak = imported(folder, place / "whole.duckdb")
    second, _ = imported(folder, place / "whole.duckdb")
    bare = stages.seconds["json.loads"]
    table = Table("stage", "CPU s", "times json.loads", "MB/s")
    rows = {**stages.seconds, "whole": whole, "a second import": second}
    for name, seconds in rows.items():
        table.add_row(name, f"{seconds:.2f}", f"{seconds / bare:.1f}", f"{size / 1e6 / seconds:.0f}")
    console = Console(width=100)
    console.print(table)
    console.print(f"{size / 1e6:.1f} MB unpacked, {len(read):,} events, at most {peak:.0f} MB of memory")


def _read_and_check(formats: dict[Path, Source], stages: Stages) -> list[Event]:
    given: list[tuple[Source, Path, list[Item]]] = []
    with stages.stage("source"):
        for path, source in formats.items():
            given.append((source, path, list(source.read(path, None))))
    events: list[Event] = []
    asked: list[tuple[object, ...]] = []
    _imported(given, lambda _: None, asked)
    with stages.stage("read, check, ids"):
        _imported(given, events.append)
    with stages.stage("of that, ids"):
        for parts in asked:
            actionledger.core.ids.derived_id(*parts)
    return events


def _imported(
    given: list[tuple[Source, Path, list[Item]]],
    record: Callable[[Event], None],
    asked: list[tuple[object, ...]] | None = None,
) -> None:
    """Take sessions in without a ledger; note what identifiers are derived from."""
    derived = actionledger.core.ids.derived_id

    def noted(*parts: object) -> str:
        asked.append(parts)  # type: ignore[union-attr]
        return derived(*parts)

    importers: dict[str, Importer] = {}
    users = [module for module in sys.modules.values() if getattr(module, "derived_id", None) is derived]
    patches = [patch.object(module, "derived_id", noted) for module in users] if asked is not None else []
    for each in patches:
        each.start()
    for source, path, items in given:
        importer = importers.setdefault(
            source.name,
            Importer(record, source=source.name, origin=str(path), known=Known(), wordings=source.wordings),
        )
        for item in items:
            importer.take(item)
    for importer in importers.values():
        importer.finish()
    for each in patches:
        each.stop()


def _record(events: list[Event], path: Path, stages: Stages) -> None:
    files: LedgerFiles = open_or_make(path, read_only=False)[0]
    with stages.stage("serialise"):
        lines = [EVENT.dump_json(event) for event in events]
    with stages.stage("mask"):
        lines = [mask(line) for line in lines]
    with stages.stage("segments"), closing(SegmentWriter(files.segments)) as writer:
        for line in lines:
            writer.append(line + b"\n")
    with stages.stage("ingest"):
        ingest(files, Publishing.WHEN_DUE)
    with stages.stage("publish"):
        publish(files)
    with (
        stages.stage("directly"),
        open_ledger(path.with_name("direct.duckdb"), in_background=False) as ledger,
        ledger.internals.direct() as recorder,
    ):
        for event in events:
            recorder.record(event)


if __name__ == "__main__":
    main()
