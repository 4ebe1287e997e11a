"""A ledger while agents live: who sees what when, what a look costs, whether a writer feels it, what kills do.

    python tests/benchmarks/ledger_live.py seen --megabytes 10 500 2000    from another process, by plain DuckDB
    python tests/benchmarks/ledger_live.py look --turns 1000 10000 100000  a reader's cost for one new event
    python tests/benchmarks/ledger_live.py felt                            a writer's flushes without, with a thread, with a process
    python tests/benchmarks/ledger_live.py kills --seconds 600             a kill every two seconds; what was acknowledged, lost, doubled

Latencies are seconds of wall time on this machine as it is; costs are milliseconds of processor time.
"""

import argparse
import os
import random
import secrets
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from statistics import median

import duckdb

from actionledger.core.events import ResponseReceived, SystemNoted
from actionledger.core.ids import new_id
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.publishing import publishing_interval

NOON = datetime.fromisoformat("2026-05-04T12:00:00")
SESSION, RUN = new_id(), new_id()


def note(message: str) -> SystemNoted:
    return SystemNoted(event_id=new_id(), recorded_at=NOON, run_id=RUN, code="bench", message=message)


def response(text: str) -> ResponseReceived:
    return ResponseReceived(
        event_id=new_id(), recorded_at=NOON, run_id=RUN, session_id=SESSION, turn_id=new_id(), turn_index=0,
        profile="coder", model="m", task="t", occurred_at=NOON, text=text,
    )  # fmt: skip


def start(job: str, path: Path, *more: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, __file__, job, str(path), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


# what other processes do


def write_slowly(path: str, a_second: str) -> None:
    """Record and flush, name the time in each event; never close, never ask."""
    ledger = open_ledger(path)
    while True:
        ledger.record(note(repr(time.time())))
        ledger.flush()
        time.sleep(1 / float(a_second))


def write_and_name(path: str) -> None:
    """Record and flush, and say what was acknowledged."""
    ledger = open_ledger(path)
    while True:
        events = [note("x" * 2000) for _ in range(5)]
        for event in events:
            ledger.record(event)
        ledger.flush()
        sys.stdout.write(" ".join(event.event_id for event in events) + "\n")
        sys.stdout.flush()
        time.sleep(0.02)


def ingest_only(path: str) -> None:
    """Take in and publish every second."""
    with open_ledger(path) as ledger:
        while True:
            ledger.ingest()
            time.sleep(1)


def read_only(path: str) -> None:
    """Count; the count may never go down."""
    last = 0
    with open_ledger(path, read_only=True) as ledger:
        while True:
            (count,) = ledger.sql("SELECT count(*) FROM events").fetchall()[0]
            assert count >= last, (count, last)
            last = count
            time.sleep(0.1)


# the measurements


def fill(path: Path, megabytes: int) -> None:
    with open_ledger(path, in_background=False) as ledger:
        for number in range(megabytes):
            ledger.record(response(secrets.token_hex(500_000)))
            if number % 100 == 99:
                ledger.ingest()


def newest(path: Path) -> float:
    """The time in the newest event that plain DuckDB sees; 0 where it sees none."""
    with duckdb.connect(str(path), read_only=True) as plain:
        (message,) = plain.execute("SELECT max(message) FROM events WHERE code = 'bench'").fetchall()[0]
    return float(message or 0)


def seen(megabytes: list[int], seconds: float) -> None:
    """Print how old the newest event is that another tool sees, at its oldest just before a new copy comes."""
    for size in megabytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "team.duckdb")
            fill(path, size)
            bytes_ = path.stat().st_size
            writer = start("write_slowly", path, "10")
            lags, stops_at = [], time.time() + max(seconds, 3 * publishing_interval(bytes_))
            while time.time() < stops_at:
                if last := newest(path):
                    lags.append(time.time() - last)
                time.sleep(0.1)
            writer.kill()
            writer.wait()
            print(
                f"{bytes_ / 1e6:6.0f} MB  seen after: median {median(lags):5.2f} s, at most {max(lags):5.2f} s "
                f"(a copy every {publishing_interval(bytes_):.0f} s; {len(lags)} looks)"
            )


def look(turns: list[int]) -> None:
    """Print what one more event costs a reader that has seen all before it."""
    for count in turns:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "team.duckdb")
            with (
                open_ledger(path, in_background=False) as writer,
                open_ledger(path, read_only=True) as reader,
            ):
                for _ in range(count):
                    writer.record(response("x" * 600))
                writer.flush()
                first = _cost(lambda: reader.sql("SELECT count(*) FROM turns").fetchall())
                costs = []
                for _ in range(20):
                    writer.record(response("x" * 600))
                    writer.flush()
                    costs.append(_cost(lambda: reader.sql("SELECT count(*) FROM turns").fetchall()))
            print(
                f"{count:7,} turns of tail: first look {first:8.0f} ms, one more event {median(costs):6.1f} ms"
            )


def _cost(work) -> float:
    before = time.process_time()
    work()
    return 1000 * (time.process_time() - before)


def felt(seconds: float) -> None:
    """Print a writer's latencies, 150 turns of 2 KB a second, by who ingests meanwhile; each twice, in turn."""
    for kind in ("nobody", "thread", "process") * 2:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "team.duckdb")
            with open_ledger(path, in_background=kind == "thread") as ledger:
                other = start("ingest_only", path) if kind == "process" else None
                times = sorted(_flushes(ledger, seconds))
                if other:
                    other.kill()
                    other.wait()
            p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
            print(
                f"{kind:8} record + flush p50 {1e3 * p50:5.2f} ms, p99 {1e3 * p99:5.2f} ms, max {1e3 * times[-1]:6.1f} ms"
            )


def _flushes(ledger, seconds: float) -> Iterator[float]:
    stops_at = time.monotonic() + seconds
    while (began := time.monotonic()) < stops_at:
        ledger.record(response("x" * 2000))
        ledger.flush()
        yield time.monotonic() - began
        time.sleep(max(0.0, 1 / 150 - (time.monotonic() - began)))


def kills(seconds: float, seed: int) -> None:
    """Kill one of four processes every two seconds, whoever publishes among them, and count in the end."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "team.duckdb")
        open_ledger(path).close()
        jobs = ["write_and_name", "write_and_name", "write_and_name", "read_only"]
        running = [start(job, path) for job in jobs]
        acknowledged: set[str] = set()
        publications, gaps, killed = Counter(), [], Counter()
        watched, last_published = path.stat().st_ino, time.monotonic()
        pipes = selectors.DefaultSelector()
        for process in running:
            pipes.register(process.stdout, selectors.EVENT_READ)
        next_kill, stops_at = time.monotonic() + 2, time.monotonic() + seconds
        while time.monotonic() < stops_at:
            for key, _ in pipes.select(0.05):
                if (line := key.fileobj.readline()).endswith("\n"):
                    acknowledged.update(line.split())
            if (inode := path.stat().st_ino) != watched:
                gaps.append(time.monotonic() - last_published)
                watched, last_published = inode, time.monotonic()
                publications["seen"] += 1
            if time.monotonic() >= next_kill:
                place = dice.randrange(len(running))
                acknowledged.update(_buried(running[place], pipes))
                killed[jobs[place]] += 1
                running[place] = start(jobs[place], path)
                pipes.register(running[place].stdout, selectors.EVENT_READ)
                next_kill += 2
        for process in running:
            acknowledged.update(_buried(process, pipes))
        with open_ledger(path) as ledger:
            found = [
                event
                for (event,) in ledger.sql(
                    "SELECT event_id::VARCHAR FROM events WHERE code = 'bench'"
                ).fetchall()
            ]
        print(
            f"{sum(killed.values())} kills {dict(killed)}, {len(acknowledged):,} acknowledged, {len(acknowledged - set(found)):,} lost, "
            f"{len(found) - len(set(found)):,} doubled, {publications['seen']:,} publications, "
            f"at most {max(gaps, default=0):.1f} s between two"
        )


def _buried(process: "subprocess.Popen[str]", pipes: selectors.BaseSelector) -> set[str]:
    """Kill a process; return what it acknowledged before."""
    with suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)
    pipes.unregister(process.stdout)
    lines = [line for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    if (said := process.stderr.read()) and process.wait() != -signal.SIGKILL:
        print(said)
    process.wait()
    return {name for line in lines for name in line.split()}


JOBS = {
    "write_slowly": write_slowly,
    "write_and_name": write_and_name,
    "ingest_only": ingest_only,
    "read_only": read_only,
}


def main() -> None:
    if len(sys.argv) > 1 and sys.argv[1] in JOBS:
        JOBS[sys.argv[1]](*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["seen", "look", "felt", "kills"])
    parser.add_argument("--megabytes", type=int, nargs="+", default=[10, 100])
    parser.add_argument("--turns", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    match given.what:
        case "seen":
            seen(given.megabytes, given.seconds)
        case "look":
            look(given.turns)
        case "felt":
            felt(given.seconds)
        case _:
            kills(given.seconds, given.seed)


if __name__ == "__main__":
    main()
