"""Measure what proofs cost: an import with and without them, side by side, and a verification.

    python tests/benchmarks/proofs.py FOLDER [TIMES]

Imports the folder's recordings into new ledgers, in turn with the chain and without it, and prints processor seconds, sizes and their ratio; then
verifies the last one. Recording and flushing are the same code either way: no proof is made before events are taken in.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from unittest.mock import patch

import actionledger as al
from actionledger.ledger.storage import ingest
from actionledger.ledger.storage.chain import Cells


def imported(source: Path) -> tuple[float, int, int]:
    """Return what an import takes, in processor seconds, how many turns it has and how many bytes they take."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "l.duckdb")
        begun = time.process_time()
        report = al.import_path(source, path)
        took = time.process_time() - begun
        return took, report.turns, path.stat().st_size


def without_proofs(work: Callable[[], tuple[float, int, int]]) -> tuple[float, int, int]:
    """Do the same where no chain is kept and no cell is gathered."""
    with patch.object(ingest, "Chain", lambda _: None), patch.object(Cells, "add", lambda *_: None):
        return work()


def main() -> None:
    """Print the figures."""
    source, times = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    imported(source)  # loads what is loaded once
    runs = [(imported(source), without_proofs(lambda: imported(source))) for _ in range(times)]
    kept, bare = (median(run[side][0] for run in runs) for side in (0, 1))
    (_, turns, size), (_, _, bare_size) = runs[-1]
    print(
        f"{turns:,} turns: {kept:.2f} CPU-s with proofs, {bare:.2f} without: {kept / bare:.3f} (median of {times})"
    )
    print(f"{size:,} bytes with, {bare_size:,} without: {size / bare_size:.3f}")
    with TemporaryDirectory() as folder:
        al.import_path(source, Path(folder, "l.duckdb"))
        with al.open_ledger(Path(folder, "l.duckdb"), read_only=True) as ledger:
            begun = time.process_time()
            found = ledger.verify()
            print(
                f"verified {found.rows:,} rows in {time.process_time() - begun:.2f} CPU-s; whole: {found.is_whole}"
            )


if __name__ == "__main__":
    main()
