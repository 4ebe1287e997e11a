"""How fast recorded turns are read again: in this process and in others, and what an interruption at half costs.

    python tests/benchmarks/replaying.py LEDGER [--parser mint] [--workers 1 2] [--sizes 1000 3000]

The ledger is copied and stays as it is. Each line is a process of its own: the time by the clock, that of processors (its own
and its workers'), and the most memory that it, and the largest of its workers, had at once. ``--sizes`` reads so many turns alone, which
shows from how many on other processes pay.
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
from pathlib import Path

import actionledger as al
from actionledger.ledger import Ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.replay.recorded_run import ReparseProgress, ReparseStopped
from actionledger.replay.reparse import ReparseReport


def main() -> None:
    """Measure, each in a process of its own."""
    given = argparse.ArgumentParser()
    given.add_argument("ledger", type=Path)
    given.add_argument("--parser", default="mint")
    given.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    given.add_argument("--sizes", type=int, nargs="*", default=[])
    given.add_argument("--measure", type=json.loads, help=argparse.SUPPRESS)
    arguments = given.parse_args()
    if arguments.measure is not None:
        print(measured(arguments.ledger, arguments.parser, **arguments.measure))
        return
    for workers in arguments.workers:
        in_a_process(arguments, workers=workers)
        for size in arguments.sizes:
            in_a_process(arguments, workers=workers, size=size)
    in_a_process(arguments, workers=max(arguments.workers), is_interrupted=True)


def in_a_process(arguments: argparse.Namespace, **measure: object) -> None:
    """Measure on a copy of the ledger."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / arguments.ledger.name
        shutil.copy(arguments.ledger, copy)
        shutil.copytree(f"{arguments.ledger}.d", f"{copy}.d")
        words = [sys.executable, __file__, str(copy), "--parser", arguments.parser]
        subprocess.run([*words, "--measure", json.dumps(measure)], check=True)


def measured(path: Path, parser: str, *, workers: int, size: int = 0, is_interrupted: bool = False) -> str:
    """Return one line of figures."""
    with al.open_ledger(path) as ledger:
        within = of_size(ledger, size)
        before, begin = os.times(), time.perf_counter()
        report = interrupted(ledger, parser, workers) if is_interrupted else None
        report = report or al.reparse(ledger, parser=parser, workers=workers, within=within)
        wall, after = time.perf_counter() - begin, os.times()
    own = after.user + after.system - before.user - before.system
    children = after.children_user + after.children_system - before.children_user - before.children_system
    peak, largest = (
        resource.getrusage(who).ru_maxrss // 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    what = f"{workers} worker(s)" + (
        f", stopped after {report.resumed:,} and resumed" if is_interrupted else ""
    )
    return (
        f"{what}: {report.turns:,} turns, wall {wall:.1f} s ({report.turns / wall:,.0f}/s), CPU {own:.1f} s here + {children:.1f} s "
        f"in workers, peak {peak} MB here, {largest} MB in the largest worker; {changed(report)}"
    )


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
