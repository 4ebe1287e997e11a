"""What an import of MINT would cost at least: its files decoded, its texts read and checked, its rows put into tables by DuckDB alone.

    python tests/benchmarks/import_floors.py [--rounds 3]

Each is measured by itself, beside a whole import by one process: seconds of processor time, the least of the rounds, and what that is
for half a million turns. What an import has beyond the three is events, identifiers, what is known already, masking, lines, proofs.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
from recorded_files import formats_of
from rich.console import Console
from rich.table import Table

from actionledger.ledger.storage.connections import STORAGE_VERSION
from actionledger.ledger.storage.schema import TABLES
from actionledger.profiles import profile_named
from actionledger.runtime.parse_result import read_response

CORPUS = Path(__file__).parents[3] / "shared" / "corpora" / "mint"
IMPORT = "import sys, actionledger as al; al.import_path(sys.argv[1], sys.argv[2], format='mint', workers=1)"
MANY = 500_000
ADDITIONS = 20_000_000


def main() -> None:
    """Print a row for each floor, and for the whole."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as place:
        whole = min(_imported(Path(place, f"{number}.duckdb")) for number in range(rounds))
        with closing(duckdb.connect(str(Path(place, "0.duckdb")), read_only=True)) as ledger:
            texts = [
                text for (text,) in ledger.sql("SELECT text FROM turn_starts ORDER BY turn_id").fetchall()
            ]
            rows = {table.name: ledger.sql(f"FROM {table.name}").to_arrow_table() for table in TABLES}
        floors = {
            "files decoded": _decode,
            "texts read": lambda: _read(texts, is_checked=False),
            "texts read and checked": lambda: _read(texts, is_checked=True),
            "rows put in by DuckDB, and a checkpoint": lambda: _put_in(rows, Path(place)),
            f"beside: {ADDITIONS:,} additions": _add,
        }
        seconds = {name: min(_cost(work) for _ in range(rounds)) for name, work in floors.items()}
    grid = Table("stage", f"CPU s of {len(texts):,} turns", f"of {MANY:,}")
    for name, each in {**seconds, "a whole import": whole}.items():
        grid.add_row(name, f"{each:.2f}", f"{each * MANY / len(texts):.0f}")
    Console().print(grid)


def _decode() -> None:
    for path, source in formats_of(CORPUS).items():
        for _ in source.read(path, None):
            pass


def _read(texts: list[str], *, is_checked: bool) -> None:
    profile = profile_named("mint")
    for text in texts:
        if is_checked:
            read_response(text, profile.parser, profile.catalogue)
        else:
            profile.parser.read(text)


def _put_in(rows: dict[str, object], place: Path) -> None:
    path = place / "bare.duckdb"
    path.unlink(missing_ok=True)
    settings = {"storage_compatibility_version": STORAGE_VERSION}
    with closing(duckdb.connect(str(path), config=settings)) as connection:
        for table in TABLES:
            connection.execute(table.ddl)
            connection.register("given", rows[table.name])
            connection.execute(f"INSERT INTO {table.name} FROM given")
        connection.execute("CHECKPOINT")


def _add() -> None:
    total = 0
    for number in range(ADDITIONS):
        total += number


def _imported(ledger: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", IMPORT, CORPUS, ledger], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _cost(work: Callable[[], None]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


if __name__ == "__main__":
    main()
