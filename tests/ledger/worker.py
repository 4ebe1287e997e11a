"""What other processes do in the tests: ``python worker.py JOB LEDGER``. Each says on its output what it has done."""

import os
import resource
import signal
import sys
import tomllib  # noqa: F401 - loaded at first use, when nobody may read Python's own files any more
from datetime import datetime

from actionledger.core.errors import LedgerError
from actionledger.core.events import SystemNoted
from actionledger.core.ids import new_id
from actionledger.ledger import Ledger, open_ledger

NOON = datetime.fromisoformat("2026-05-04T12:00:00")


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def note(message: str) -> SystemNoted:
    return SystemNoted(event_id=new_id(), recorded_at=NOON, run_id=new_id(), code="test", message=message)


def write(ledger: Ledger) -> None:
    """Record and flush without an end, and name what is flushed."""
    while True:
        events = [note("x" * 2000) for _ in range(5)]
        for event in events:
            ledger.record(event)
        ledger.flush()
        say(*(event.event_id for event in events))


def write_some(ledger: Ledger) -> None:
    """Record and flush a hundred times, and close."""
    for number in range(100):
        ledger.record(note(str(number)))
        ledger.flush()
    ledger.close()
    say("done")


def flush_and_die(ledger: Ledger) -> None:
    """Flush, and be gone before anything else can happen."""
    ledger.record(note("left behind"))
    ledger.flush()
    os.kill(os.getpid(), signal.SIGKILL)


def ingest(ledger: Ledger) -> None:
    """Take in and publish without an end."""
    while True:
        report = ledger.ingest()
        say(report.events)


def read(ledger: Ledger) -> None:
    """Count without an end; the count may never go down, and nothing may be there twice."""
    last = 0
    while True:
        rows = ledger.sql("SELECT count(*), count(DISTINCT event_id) FROM events").fetchone()
        assert rows is not None
        assert rows[0] == rows[1] >= last, (rows, last)
        last = rows[0]
        say(last)


def fill_disk(ledger: Ledger) -> None:
    """Flush under a limit on the size of files, then without it."""
    ledger.record(note("small"))
    ledger.flush()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    ledger.record(note("y" * 50_000))
    try:
        ledger.flush()
    except LedgerError as error:
        say(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    ledger.close()


def drop_rights(path: str) -> None:
    """Read as somebody who may write nowhere."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    try:
        open_ledger(path)
    except LedgerError as error:
        say(error)
    with open_ledger(path, read_only=True) as ledger:
        say(*ledger.sql("SELECT message FROM events").fetchall()[0])


if __name__ == "__main__":
    job, target = sys.argv[1:]
    if job == "drop_rights":
        drop_rights(target)
    else:
        with open_ledger(target, read_only=job == "read") as opened:
            {
                "write": write,
                "write_some": write_some,
                "flush_and_die": flush_and_die,
                "ingest": ingest,
                "read": read,
                "fill_disk": fill_disk,
            }[job](opened)
