"""What it costs to read each format, beside a bare loop of ``json.loads`` over the same files.

    python tests/benchmarks/import_formats.py [FOLDER …] [--format NAME …] [--profile NAME]

Without folders it takes ``../shared/corpora/agents`` and ``agents-more``. ``source`` is the format's own reader; ``read`` is all that comes
before a ledger: the same with every turn known again, read and checked, and its events made; ``ledger`` is what it takes to put these into
a ledger in one process. Each is the least processor time of several rounds by turns, in one process, so that a busy machine slows all of
them. Files are unpacked beforehand. ``--profile`` prints where the time of one format's ``read`` goes.
"""

import argparse
import cProfile
import json
import pstats
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from recorded_files import formats_of
from rich.console import Console
from rich.table import Table
from timing import least, seconds

from actionledger.core.events import Event
from actionledger.core.frozen import collecting_seldom
from actionledger.core.processes import interrupt_gate
from actionledger.imports.importer import Importer
from actionledger.imports.importers import dialects_of
from actionledger.imports.reading import AS_IT_SAYS
from actionledger.imports.sources.base import Source
from actionledger.imports.sources.containers import opened
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.recorded import Known

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
ROUNDS = 3


def main() -> None:
    """Print a row for each format."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "folders", nargs="*", type=Path, default=[CORPORA / "agents", CORPORA / "agents-more"]
    )
    parser.add_argument("--format", nargs="+", default=[], help="only these")
    parser.add_argument("--profile", help="the format whose reading is looked into")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        files = _unpacked(given.folders, Path(place))
        if given.profile:
            _print_profile(files[given.profile])
        else:
            _print_table({name: them for name, them in files.items() if name in (given.format or files)})


Files = list[tuple[Path, Source]]


def _unpacked(folders: list[Path], place: Path) -> dict[str, Files]:
    """Return the files of each format, unpacked where they are packed."""
    found: defaultdict[str, Files] = defaultdict(list)
    for folder in folders:
        for path, source in formats_of(folder).items():
            copy = place / source.name / str(len(found[source.name])) / path.name.removesuffix(".gz")
            if path.suffix == ".gz":
                copy.parent.mkdir(parents=True)
                with opened(path, only_lines=False) as file:
                    copy.write_bytes(b"".join(file))
            found[source.name].append((copy if copy.exists() else path, source))
    return dict(found)


def _print_table(files: dict[str, Files]) -> None:
    table = Table("format", "files", "MB", "json.loads ms", "source", "read", "read + ledger", "events")
    for name, them in sorted(files.items()):
        events = list(_events(them))
        tasks: dict[str, Callable[[], object]] = {
            "json.loads": lambda them=them: [_loads(path) for path, _ in them],
            "source": lambda them=them: [list(source.read(path, None)) for path, source in them],
            "read": lambda them=them: sum(1 for _ in _events(them)),
        }
        with interrupt_gate(), collecting_seldom():  # as an import does
            found = least(tasks, ROUNDS)
            ledger = seconds(lambda events=events: _recorded(events))
        bare = found["json.loads"]
        size = sum(path.stat().st_size for path, _ in them) / 1e6
        figures = (found["source"], found["read"], found["read"] + ledger)
        table.add_row(
            name,
            str(len(them)),
            f"{size:.2f}",
            f"{bare * 1000:.1f}",
            *(f"{figure / bare:.1f}" for figure in figures),
            f"{len(events):,}",
        )
    Console(width=100).print(table)


def _loads(path: Path) -> None:
    """Decode each line of a file, or all of it where it is one document."""
    data = path.read_bytes()
    with suppress(ValueError):
        json.loads(data)
        return
    for line in data.splitlines():
        with suppress(ValueError):
            json.loads(line)


def _events(files: Files) -> Iterator[Event]:
    events: list[Event] = []
    source = files[0][1]
    read_as = AS_IT_SAYS.in_format(dialects_of(source.name))
    importer = Importer(
        events.append,
        source=source.name,
        origin="",
        known=Known(),
        wordings=source.wordings,
        read_as=read_as,
    )
    for path, _ in files:
        for item in source.read(path, None):
            importer.take(item)
            yield from events
            events.clear()
    importer.finish()
    yield from events


def _recorded(events: list[Event]) -> None:
    with (
        tempfile.TemporaryDirectory() as place,
        open_ledger(Path(place, "ledger.duckdb"), in_background=False) as ledger,
        ledger.internals.direct() as recorder,
    ):
        for event in events:
            recorder.record(event)


def _print_profile(files: Files) -> None:
    sum(1 for _ in _events(files))  # what is loaded once is no cost of a file
    profile = cProfile.Profile()
    with interrupt_gate(), collecting_seldom(), profile:
        sum(1 for _ in _events(files))
    pstats.Stats(profile).strip_dirs().sort_stats("tottime").print_stats(45)


if __name__ == "__main__":
    main()
