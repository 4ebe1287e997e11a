"""One recording in one file, in a lake on this disk, and in a lake on PostgreSQL and S3: what it takes to write, keep and ask.

    python tests/benchmarks/lake.py PATH [--profile PROFILE] [--commits 40]

It needs DuckDB 1.5.5 with the extra ``lake-test``. Costs are seconds of processor time, of this process and of PostgreSQL and moto
beside it; times are wall time on this machine as it is. The rows are counted in each place.
"""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import lake_servers

from actionledger.core.events import SystemNoted
from actionledger.core.ids import new_id, now
from actionledger.imports import import_path
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.funnel import funnel
from actionledger.ledger.queries.reasons import reasons
from actionledger.ledger.queries.sessions import sessions
from actionledger.ledger.storage.lake.committer import compact
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.place import LakePlace, is_place
from actionledger.ledger.storage.local import verify

QUERIES: dict[str, Callable[[Ledger], object]] = {
    "open and count": lambda ledger: ledger.sql("SELECT count(*) FROM turns").fetchall(),
    "funnel": funnel,
    "reasons": reasons,
    "sessions": sessions,
    "one session's turns": lambda ledger: ledger.sql(
        "FROM turns WHERE session_id = (SELECT min(session_id) FROM session_starts)"
    ).fetchall(),
    "text search": lambda ledger: ledger.sql(
        "SELECT count(*) FROM turns WHERE text ILIKE '%matrix%'"
    ).fetchall(),
}


def measured(what: Callable[[], object]) -> tuple[float, float]:
    """Return what something took: seconds of processor time of this process and its children, and of wall time."""
    cpu, wall = _cpu(), time.perf_counter()
    what()
    return _cpu() - cpu, time.perf_counter() - wall


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def size_of(path: Path) -> tuple[int, int]:
    """Return the bytes that the tables take, and in how many files."""
    if not is_place(path):
        return path.stat().st_size, 1
    with connect_lake(LakePlace.read(path)) as connection:
        [(size, files)] = connection.execute(
            "SELECT sum(file_size_bytes), sum(file_count) FROM ducklake_table_info('base')"
        ).fetchall()
    return int(size), int(files)


def commit_often(path: Path, commits: int) -> None:
    with open_ledger(path, in_background=False) as ledger:
        for _ in range(commits):
            for number in range(20):
                ledger.record(
                    SystemNoted(
                        event_id=new_id(),
                        recorded_at=now(),
                        run_id=new_id(),
                        code="bench",
                        message=str(number),
                    )
                )
            ledger.ingest()


def show_verifying(path: Path) -> None:
    begun = _cpu()
    found = verify(path)
    cpu = _cpu() - begun
    print(
        f"  verify: {found.rows:,} rows in {found.links:,} links in {cpu:.2f} CPU-s, {cpu / found.rows * 1e6:.0f} µs a row; whole: {found.is_whole}"
    )


def measure(name: str, path: Path, source: Path, profile: str | None, commits: int) -> None:
    cpu, wall = measured(lambda: import_path(source, path, profile=profile))
    size, files = size_of(path)
    with open_ledger(path, read_only=True) as ledger:
        [(turns,)] = ledger.sql("SELECT count(*) FROM turns").fetchall()
    per = 1000 / turns
    print(
        f"\n{name}: {turns:,} turns, {cpu * per:.2f} CPU-s and {wall * per:.1f} s per 1,000 turns; {size * per / 1e6:.2f} MB per 1,000 in {files} files"
    )
    for question, ask in QUERIES.items():
        costs = []
        for _ in range(3):
            with open_ledger(path, read_only=True) as ledger:
                if question != "open and count":
                    ledger.sql("SELECT 1").fetchall()
                costs.append(measured(lambda ledger=ledger, ask=ask: ask(ledger)))
        cpu, wall = min(costs)
        print(f"  {question:20} {cpu * 1000:6.0f} ms CPU {wall * 1000:6.0f} ms")
    show_verifying(path)
    cpu, wall = measured(lambda: commit_often(path, commits))
    print(f"  a commit of 20 events {cpu / commits * 1000:6.0f} ms CPU {wall / commits * 1000:6.0f} ms")
    if is_place(path):
        (cpu, wall), (_, files) = (
            measured(lambda: compact(LakePlace.read(path), keep=timedelta(0))),
            size_of(path),
        )
        size, files = size_of(path)
        print(
            f"  compacted: {cpu:.2f} CPU-s {wall:.1f} s; {size * per / 1e6:.2f} MB per 1,000 in {files} files"
        )
        show_verifying(path)


def place(folder: Path, metadata_path: str, data_path: str) -> Path:
    folder.mkdir()
    path = folder / "team.toml"
    path.write_text(f'[ducklake]\nmetadata_path = "{metadata_path}"\ndata_path = "{data_path}"\n')
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--profile")
    parser.add_argument("--commits", type=int, default=40)
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(lake_servers.postgres())
        os.environ |= database | stack.enter_context(lake_servers.s3())
        lake_servers.make_database(database, "ledger")
        for name, path in {
            "one file": folder / "team.duckdb",
            "lake, SQLite and this disk": place(folder / "disk", "sqlite:catalog.sqlite", "data"),
            "lake, PostgreSQL and S3": place(
                folder / "served", "postgres:dbname=ledger", f"s3://{lake_servers.BUCKET}/l/"
            ),
        }.items():
            measure(name, path, given.path, given.profile, given.commits)


if __name__ == "__main__":
    main()
