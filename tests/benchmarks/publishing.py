"""What publishing costs by the size of a ledger: a whole copy, and the spare copy brought up to date.

    python tests/benchmarks/publishing.py LEDGER... [--rounds 3] [--turns 1000]

Each ledger is copied beside itself, so that the disk needs room for four of them. A round records so many turns and publishes them.
Seconds of processor time and of wall time on this machine as it is, and megabytes that were written.
"""

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median
from unittest.mock import patch

from ledger_live import response
from rich.console import Console
from rich.table import Table

from actionledger.ledger import Ledger, ingest as ingest_module, open_ledger
from actionledger.ledger.files import LedgerFiles
from actionledger.ledger.publishing import publish


class Published:
    """Publishes, and takes its costs."""

    def __init__(self) -> None:
        self.costs: list[tuple[float, float, float]] = []

    def __call__(self, *arguments: object) -> None:
        written, usual = [], os.pwrite
        cpu, wall = time.process_time(), time.perf_counter()
        with patch.object(os, "pwrite", lambda *given: written.append(usual(*given)) or written[-1]):
            publish(*arguments)
        self.costs.append((time.process_time() - cpu, time.perf_counter() - wall, sum(written) / 1e6))


def rounds(ledger: Ledger, count: int, turns: int, *, is_whole: bool) -> list[tuple[float, float, float]]:
    """Return what publishing has cost in each round."""
    files, taking = LedgerFiles.at(ledger.path), Published()
    with patch.object(ingest_module, "publish", taking):
        for _ in range(count):
            if is_whole:
                files.spare.unlink(missing_ok=True)
            for number in range(turns):
                ledger.record(response(f"{number} " + "some words of an answer " * 30))
            ledger.ingest()
    return taking.costs


def main() -> None:
    """Measure the ledgers that the command line names."""
    parser = argparse.ArgumentParser(description="What publishing costs.")
    parser.add_argument("ledgers", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--turns", type=int, default=1000)
    given = parser.parse_args()
    grid = Table(title=f"Publishing {given.turns:,} turns more, the median of {given.rounds} rounds")
    for column in ("ledger, MB", "how", "CPU s", "wall s", "written, MB"):
        grid.add_column(column, justify="right")
    for path in given.ledgers:
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            copy = Path(folder, "copy.duckdb")
            shutil.copyfile(path, copy)
            with open_ledger(copy, in_background=False) as ledger:
                size = copy.stat().st_size / 1e6
                for how, is_whole in (("whole", True), ("what is new", False)):
                    costs = rounds(ledger, given.rounds, given.turns, is_whole=is_whole)
                    cpu, wall, written = (median(each) for each in zip(*costs, strict=True))
                    grid.add_row(
                        f"{size:,.0f}",
                        how,
                        f"{cpu:.3f}",
                        f"{wall:.2f}",
                        f"{size if is_whole else written:,.1f}",
                    )
    Console().print(grid)


if __name__ == "__main__":
    main()
