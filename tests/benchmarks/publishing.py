"""What publishing costs by the size of a ledger: a whole copy, and the spare copy brought up to date.

    python tests/benchmarks/publishing.py LEDGER... [--rounds 3] [--turns 1000]

Each ledger is copied beside itself, so that the disk needs room for four of them. A round records so many turns, has what sessions come
to counted, and publishes them. Seconds of processor time and of wall time on this machine as it is, and megabytes that were written.
Meanwhile another process opens the published file ten times a second as any tool does, and counts its turns.
"""

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Queue, get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from statistics import median
from typing import NamedTuple
from unittest.mock import patch

import duckdb
from ledger_live import response
from rich.console import Console
from rich.table import Table

from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.storage import ingest as ingest_module
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.publishing import publish
from actionledger.ledger.storage.rollups.state import keep_rolled_up


class Cost(NamedTuple):
    """What a step of one round took."""

    cpu: float
    wall: float
    written: float


class Taken:
    """A step of publishing, of which the costs are taken."""

    def __init__(self, step: Callable[..., object]) -> None:
        self.step = step
        self.costs: list[Cost] = []

    def __call__(self, *arguments: object, **named: object) -> None:
        written, usual = [], os.pwrite
        cpu, wall = time.process_time(), time.perf_counter()
        with patch.object(os, "pwrite", lambda *given: written.append(usual(*given)) or written[-1]):
            self.step(*arguments, **named)
        self.costs.append(Cost(time.process_time() - cpu, time.perf_counter() - wall, sum(written) / 1e6))

    def median(self) -> Cost:
        """Return the medians of all rounds."""
        return Cost(*(median(each) for each in zip(*self.costs, strict=True)))


def look(path: Path, stopped: Event, seen: Queue) -> None:
    """Count the turns of a published file again and again; put how often that went well and how often not, and whether turns were ever fewer."""
    counts, refused = [0], 0
    while not stopped.wait(0.1):
        try:
            with duckdb.connect(str(path), read_only=True) as connection:
                counts += connection.execute("SELECT count(*) FROM turn_starts").fetchone()
        except duckdb.Error:
            refused += 1
    seen.put((len(counts) - 1, refused, counts != sorted(counts), len(set(counts[1:]))))


@contextmanager
def looked_at(path: Path) -> Iterator[None]:
    """Have another process look at a published file meanwhile, and print what it has seen."""
    spawning = get_context("spawn")
    stopped, seen = spawning.Event(), spawning.Queue()
    reader = spawning.Process(target=look, args=(path, stopped, seen))
    reader.start()
    try:
        yield
    finally:
        stopped.set()
        opened, refused, is_fewer, states = seen.get(timeout=60)
        reader.join()
        print(
            f"opened {opened} times, refused {refused}, {states} states, {'FEWER' if is_fewer else 'never fewer'} turns"
        )


def rounds(ledger: Ledger, count: int, turns: int, *, is_whole: bool) -> tuple[Cost, Cost]:
    """Return what counting sessions and publishing have cost in a round."""
    files = LedgerFiles.at(ledger.path)
    rolling, publishing = Taken(keep_rolled_up), Taken(publish)
    with (
        patch.object(ingest_module, "keep_rolled_up", rolling),
        patch.object(ingest_module, "publish", publishing),
    ):
        for _ in range(count):
            if is_whole:
                files.spare.unlink(missing_ok=True)
            for number in range(turns):
                ledger.record(response(f"{number} " + "some words of an answer " * 30))
            ledger.ingest()
    return rolling.median(), publishing.median()


def main() -> None:
    """Measure the ledgers that the command line names."""
    parser = argparse.ArgumentParser(description="What publishing costs.")
    parser.add_argument("ledgers", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--turns", type=int, default=1000)
    given = parser.parse_args()
    grid = Table(title=f"Publishing {given.turns:,} turns more, the median of {given.rounds} rounds")
    for column in ("ledger, MB", "how", "counting, CPU s", "CPU s", "wall s", "written, MB"):
        grid.add_column(column, justify="right")
    for path in given.ledgers:
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            copy = Path(folder, "copy.duckdb")
            shutil.copyfile(path, copy)
            with open_ledger(copy, in_background=False) as ledger:
                size = copy.stat().st_size / 1e6
                for how, is_whole in (("whole", True), ("what is new", False)):
                    with looked_at(copy):
                        rolled, cost = rounds(ledger, given.rounds, given.turns, is_whole=is_whole)
                    written = size if is_whole else cost.written
                    figures = (f"{rolled.cpu:.3f}", f"{cost.cpu:.3f}", f"{cost.wall:.2f}", f"{written:,.1f}")
                    print(f"{size:,.0f}", how, *figures, flush=True)
                    grid.add_row(f"{size:,.0f}", how, *figures)
    Console().print(grid)


if __name__ == "__main__":
    main()
