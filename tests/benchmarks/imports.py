"""How fast recordings come in: each folder's files read beside a bare loop of ``json.loads`` over the same lines, and imported twice.

    python tests/benchmarks/imports.py FOLDER…

Processor seconds, of which both sides unpack the same files; ``read`` is a format's reader alone, ``recognised`` finds the formats out,
``first`` and ``second`` are whole imports, each in a process of its own, its start included.
"""

import argparse
import resource
import tempfile
from collections.abc import Callable
from pathlib import Path

from recorded_files import formats_of, imported, loads_each_line, unpacked_bytes
from rich.console import Console
from rich.table import Table

from actionledger.imports.sources.base import Source


def main() -> None:
    """Measure the folders that the command line names."""
    arguments = argparse.ArgumentParser(description="How fast recordings come in.")
    arguments.add_argument("folder", nargs="+", type=Path)
    table = Table(
        "folder", "MB", "json.loads", "recognised", "read", "times json.loads", "first", "second", "peak MB"
    )
    for folder in arguments.parse_args().folder:
        table.add_row(str(folder.name), *_measured(folder))
    Console(width=140).print(table)


def _measured(folder: Path) -> list[str]:
    formats: dict[Path, Source] = {}
    recognising = _seconds(lambda: formats.update(formats_of(folder)))
    size = sum(unpacked_bytes(path) for path in formats)
    bare = _seconds(lambda: [loads_each_line(path) for path in formats])
    reading = _seconds(lambda: [_read(path, source) for path, source in formats.items()])
    with tempfile.TemporaryDirectory() as place:
        (first, peak), (second, _) = (imported(folder, Path(place, "l.duckdb")) for _ in range(2))
    figures = (bare, recognising, reading)
    return [
        f"{size / 1e6:.1f}",
        *(f"{each:.2f}" for each in figures),
        f"{reading / bare:.2f}",
        f"{first:.2f}",
        f"{second:.2f}",
        f"{peak:.0f}",
    ]


def _read(path: Path, source: Source) -> None:
    for _ in source.read(path, None):
        pass


def _seconds(run: Callable[[], object]) -> float:
    before = resource.getrusage(resource.RUSAGE_SELF)
    run()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
