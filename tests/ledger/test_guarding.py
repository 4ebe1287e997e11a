"""The process that runs a stranger's SQL: whatever a statement does to it, who asks goes on, within a time, a memory and a size."""

import os
import pickle
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from threading import Thread

import pytest
from interrupting import ENDLESS

from actionledger.core.errors import UsageError
from actionledger.ledger import open_ledger
from actionledger.ledger.guarding import process as processes
from actionledger.ledger.guarding.guard import GuardedSql, Place, keep_ready
from actionledger.ledger.guarding.wire import OverLimitError, received, send

GIVES_ROWS = [
    "FROM pragma_version()",
    "SELECT (SELECT count(*) FROM duckdb_settings())",
    "WITH x AS MATERIALIZED (FROM pragma_database_size()) FROM x",
    "DESCRIBE FROM pragma_version()",
    "EXPLAIN FROM pragma_version()",
    "/* x */ explain /* y */ (analyze, format json) FROM pragma_version()",
    "PIVOT (SELECT 1 AS a, 2 AS b FROM pragma_version()) ON a USING sum(b)",
    'PIVOT (SELECT 1 AS a, 2 AS b FROM "pragma_version" /* x */ ()) ON a USING sum(b)',
    "EXPLAIN PIVOT (SELECT 1 AS a, 2 AS b FROM pragma_version()) ON a USING sum(b)",
    "EXPLAIN ANALYZE DROP VIEW sessions",
    "SELECT json_serialize_plan('SELECT 1')",
]
"""Harmless ones of their kind: functions of DuckDB that give rows of something else than a ledger, wherever they stand."""

READS = [
    ("SHOW TABLES", "turns"),
    ("DESCRIBE turns", "turn_id"),
    ("SUMMARIZE SELECT 1 AS x", "x"),
    ("EXPLAIN (FORMAT json) SELECT 1", "physical_plan"),
    ("explain analyze SELECT 1 -- why", "analyzed_plan"),
    ("PIVOT (SELECT 1 AS a, 2 AS summary) ON a USING sum(summary)", "2"),
    ("WITH t AS (FROM range(2)) SELECT count(*) FROM t, unnest([1, 2])", "4"),
]


@pytest.fixture
def ledger(tmp_path):
    """An empty one, open in this process."""
    with open_ledger(tmp_path / "x.duckdb") as opened:
        yield opened


def rows_of(guarded, statement):
    """Return the rows of a statement."""
    with guarded.ask(statement) as answer:
        return list(answer.rows)


def is_alive(pid):
    """Return whether there is a process that has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_rows_come_from_a_ledger_alone(ledger):
    """In a ledger of one file as in a lake: of DuckDB's functions that give rows, those of a closed list are run."""
    with ledger.guarded() as guarded:
        for statement in GIVES_ROWS:
            with pytest.raises(UsageError, match="can't be run"), guarded.ask(statement):
                pass
        for statement, given in READS:
            assert given in str(rows_of(guarded, statement)), statement


@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGSEGV, signal.SIGKILL])
def test_a_statement_that_ends_its_process_ends_no_other(ledger, number):
    """It is said how, and the next statement is answered."""
    with ledger.guarded() as guarded:
        pid = guarded._process.pid
        Thread(target=lambda: (time.sleep(0.3), os.kill(pid, number))).start()
        with pytest.raises(UsageError, match=f"was ended by the signal {number.name}"):
            rows_of(guarded, ENDLESS)
        assert rows_of(guarded, "SELECT 1") == [(1,)]


def test_a_statement_that_hears_nothing_is_ended_in_time(ledger, monkeypatch):
    """As one function over one long text hears no interrupt: here the process is stopped."""
    with ledger.guarded() as guarded:
        pid = guarded._process.pid
        os.kill(pid, signal.SIGSTOP)
        with monkeypatch.context() as short:
            short.setattr(
                guarded, "_seconds", 0.5
            )  # for this one alone: the next may take as long as a busy machine does
            with pytest.raises(UsageError, match=r"took longer than 0\.5 seconds"):
                rows_of(guarded, "SELECT 1")
        assert not is_alive(pid)
        assert rows_of(guarded, "SELECT 1") == [(1,)]


@pytest.mark.skipif(sys.platform != "linux", reason="what a process has open is read in /proc")
def test_it_has_nothing_to_read_and_nothing_to_write_to(ledger):
    """But its two pipes: neither a log nor last words are anybody's."""
    with ledger.guarded() as guarded:
        rows_of(guarded, "SELECT 1")
        opened = Path(f"/proc/{guarded._process.pid}/fd")
        assert {(opened / str(number)).readlink() for number in range(3)} == {Path(os.devnull)}


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's bound of memory")
def test_a_text_beyond_the_memory_is_not_made(ledger):
    """DuckDB's own bound doesn't count what one function makes."""
    with ledger.guarded() as guarded:
        with pytest.raises(UsageError, match="needs more memory than it may take"):
            rows_of(guarded, "SELECT length(repeat('x', 2000000000))")
        assert rows_of(guarded, "SELECT 1") == [(1,)]


def test_a_statement_gives_no_more_than_it_may(ledger):
    """The rows until then are given; another statement has as much again."""
    statement = "SELECT repeat('x', 1000) FROM range(100000)"
    with ledger.guarded(max_bytes=2**20) as guarded:
        for _ in range(2):
            with guarded.ask(statement) as answer:
                assert next(answer.rows) == ("x" * 1000,)
                with pytest.raises(UsageError, match="gives more than 1 MB"):
                    list(answer.rows)
        with pytest.raises(UsageError, match="can't be run"):
            guarded.write_parquet(
                "SELECT hash(range) FROM range(1000000)", ledger.path.with_name("x.parquet")
            )
        assert not ledger.path.with_name("x.parquet").exists()
        assert rows_of(guarded, "SELECT 1") == [(1,)]


def test_rows_are_given_as_they_are_made(ledger):
    """The first ones of an answer without an end come at once, and nobody waits for the others."""
    with ledger.guarded() as guarded:
        with guarded.ask("SELECT range FROM range(100000000000)") as answer:
            assert [next(answer.rows) for _ in range(3000)][-1] == (2999,)
        assert rows_of(guarded, "SELECT 1") == [(1,)]


def test_what_was_recorded_a_moment_ago_is_seen(ledger):
    """By the process that is begun for the statement, from the files alone."""
    ledger.record_turn("s1", "Hello.")
    with ledger.guarded() as guarded:
        assert rows_of(guarded, "SELECT text FROM turns") == [("Hello.",)]


def test_texts_that_are_not_to_be_seen_are_blank_there_too(ledger):
    """As in the ledger that is asked."""
    ledger.record_turn("s1", "Hello.")
    ledger.ingest()
    with open_ledger(ledger.path, read_only=True, without_text=True) as blank, blank.guarded() as guarded:
        assert rows_of(guarded, "SELECT count(*) FROM turns WHERE text LIKE '%Hello%'") == [(0,)]


def test_only_plain_values_are_taken_from_it():
    """A fault of DuckDB may have it say anything: no other thing is made of that, and nothing longer than it may be is read."""
    read, write = os.pipe()
    with os.fdopen(read, "rb", buffering=0) as stream, os.fdopen(write, "wb", buffering=0) as other:
        send(other, ("rows", [Fraction(1, 2)]))
        with pytest.raises(pickle.UnpicklingError, match="not a plain value"):
            received(stream, 1000, None)
        send(other, b"x" * 1001)
        with pytest.raises(OverLimitError):
            received(stream, 1000, None)
    with pytest.raises(EOFError):
        received_from(b"")


def received_from(data):
    """Return what is received of bytes."""
    read, write = os.pipe()
    os.write(write, data)
    os.close(write)
    with os.fdopen(read, "rb", buffering=0) as stream:
        return received(stream, 1000, None)


def test_none_is_left_when_it_is_closed(ledger):
    """Neither of the one that was used, nor of one in the middle of a statement."""
    guarded = ledger.guarded()
    pid = guarded._process.pid
    assert is_alive(pid)
    with guarded.ask("SELECT range FROM range(100000000000)"):
        guarded.close()
    assert not is_alive(pid)


@pytest.mark.parametrize("threads", [0, 1])
def test_none_is_left_when_who_asks_is_killed(tmp_path, threads):
    """In the middle of a statement; with threads, as a server has them, another process has begun it."""
    path = tmp_path / "x.duckdb"
    with open_ledger(path):
        pass
    script = (
        "import sys, threading, time\nfrom actionledger.ledger.guarding.guard import GuardedSql, Place\n"
        f"for _ in range({threads}): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        f"guarded = GuardedSql(Place({str(path)!r}), seconds=2)\nprint(guarded._process.pid, flush=True)\n"
        f"with guarded.ask({ENDLESS!r}): pass\n"
    )
    asking = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        pid = int(asking.stdout.readline())
        assert is_alive(pid)
    finally:
        asking.kill()
        asking.wait()
        asking.stdout.close()
    until = time.monotonic() + 120
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_alive(pid)


def test_one_that_begins_others_is_begun_anew_when_it_was_ended(ledger, monkeypatch):
    """It is kept ready by whoever has threads."""
    monkeypatch.setattr(processes, "_has_one_thread", lambda: False)
    keep_ready()
    before = processes._forker._process
    assert before is not None
    with GuardedSql(Place(str(ledger.path))) as guarded:
        assert rows_of(guarded, "SELECT 1") == [(1,)]
        before.kill()
        before.wait()
    with GuardedSql(Place(str(ledger.path))) as guarded:
        assert rows_of(guarded, "SELECT 1") == [(1,)]
    assert processes._forker._process is not before
