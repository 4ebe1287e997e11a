"""How fast recorded turns are read again: in this process and in others, and what an interruption at half costs.

    python tests/benchmarks/replaying.py LEDGER [--parser mint] [--workers 1 2] [--sizes 1000 3000] [--places processes ray] [--parquet]

The ledger is copied and stays as it is. Each line is a process of its own: the time by the clock, that of processors (its own
and of all that it has started), and the most memory that it, and the largest of its workers, had at once. ``--sizes`` reads so many turns
alone, which shows from how many on other processes pay, or a local cluster of Ray; ``--parquet`` takes the texts from a file of them.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import psutil

import actionledger as al
from actionledger.ledger import Ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.replay.reparse import ReparseReport
from actionledger.replay.reparse_run import ReparseProgress, ReparseStopped


def main() -> None:
    """Measure, each in a process of its own."""
    given = argparse.ArgumentParser()
    given.add_argument("ledger", type=Path)
    given.add_argument("--parser", default="mint")
    given.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    given.add_argument("--sizes", type=int, nargs="*", default=[])
    given.add_argument("--places", nargs="+", default=["processes"])
    given.add_argument("--parquet", action="store_true")
    given.add_argument("--measure", type=json.loads, help=argparse.SUPPRESS)
    arguments = given.parse_args()
    if arguments.measure is not None:
        print(measured(arguments.ledger, arguments.parser, **arguments.measure))
        return
    for place in arguments.places:
        for workers in arguments.workers:
            for size in (*arguments.sizes, 0):
                in_a_process(arguments, workers=workers, size=size, place=place, parquet=arguments.parquet)
    in_a_process(arguments, workers=max(arguments.workers), is_interrupted=True)


def in_a_process(arguments: argparse.Namespace, **measure: object) -> None:
    """Measure on a copy of the ledger."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / arguments.ledger.name
        shutil.copy(arguments.ledger, copy)
        shutil.copytree(f"{arguments.ledger}.d", f"{copy}.d")
        words = [sys.executable, __file__, str(copy), "--parser", arguments.parser]
        subprocess.run([*words, "--measure", json.dumps(measure)], check=True)


def measured(
    path: Path,
    parser: str,
    *,
    workers: int,
    size: int = 0,
    place: str = "processes",
    parquet: bool = False,
    is_interrupted: bool = False,
) -> str:
    """Return one line of figures."""
    with al.open_ledger(path) as ledger:
        within = of_size(ledger, size)
        texts = as_parquet(ledger) if parquet else None
        before, begin = os.times(), time.perf_counter()
        with descendants() as spent:
            report = interrupted(ledger, parser, workers) if is_interrupted else None
            report = report or al.reparse(
                ledger, parser=parser, workers=workers, within=within, texts=texts, place=place
            )
        wall, after = time.perf_counter() - begin, os.times()
    own = after.user + after.system - before.user - before.system
    peak, largest = (
        resource.getrusage(who).ru_maxrss // 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    what = f"{place}, {workers} worker(s)" + (", texts from Parquet" if parquet else "")
    what += f", stopped after {report.resumed:,} and resumed" if is_interrupted else ""
    return (
        f"{what}: {report.turns:,} turns, wall {wall:.1f} s ({report.turns / wall:,.0f}/s), CPU {own:.1f} s here + "
        f"{sum(spent.values()):.1f} s in {len(spent)} others, peak {peak} MB here, {largest} MB in the largest worker; {changed(report)}"
    )


def as_parquet(ledger: Ledger) -> str:
    """Write the texts beside the ledger as an export does, and return where."""
    file = ledger.path.with_suffix(".parquet")
    ledger.snapshot().execute(f"COPY (SELECT * FROM turns ORDER BY session_id, turn_index) TO '{file}'")
    return str(file)


@contextmanager
def descendants() -> Iterator[dict[int, float]]:
    """Give the time of processors of all that is started by this process, by its id; of what ended, as it was last seen."""
    spent: dict[int, float] = {}
    is_over = Event()

    def look() -> None:
        while not is_over.wait(0.2):
            for each in psutil.Process().children(recursive=True):
                try:
                    times = each.cpu_times()
                except psutil.NoSuchProcess:
                    continue
                spent[each.pid] = times.user + times.system

    looking = Thread(target=look, daemon=True)
    looking.start()
    try:
        yield spent
    finally:
        is_over.set()
        looking.join()


def of_size(ledger: Ledger, turns: int) -> Filter:
    """Return a filter of about so many turns: the models with the fewest until there are enough, or all."""
    if not turns:
        return EVERYTHING
    tasks, total = [], 0
    for task, count in ledger.sql("SELECT task, count(*) FROM turns GROUP BY task ORDER BY 2, 1").fetchall():
        if total >= turns:
            break
        tasks.append(task)
        total += count
    return Filter(tasks=tuple(tasks))


def interrupted(ledger: Ledger, parser: str, workers: int) -> ReparseReport:
    """Stop at half, and go on."""

    def stop(now: ReparseProgress) -> None:
        if 2 * now.turns >= now.total:
            raise KeyboardInterrupt

    try:
        al.reparse(ledger, parser=parser, workers=workers, on_progress=stop)
    except ReparseStopped:
        return al.reparse(ledger, parser=parser, workers=workers, resume=True)
    raise AssertionError("It was not stopped.")


def changed(report: ReparseReport) -> str:
    """Return the buckets that have turns."""
    return ", ".join(f"{bucket} {count:,}" for bucket, count in report.counts.items() if count)


if __name__ == "__main__":
    main()
