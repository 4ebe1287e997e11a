"""A stranger's SQL over all that was recorded and nothing beyond it, and statements that are stopped."""

import os
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread, get_ident
from time import sleep

import duckdb
import pytest
from interrupting import ENDLESS, pressed_soon

from actionledger.core.errors import LedgerError, UsageError
from actionledger.ledger import open_ledger
from actionledger.ledger.stopping import limited, stoppable
from actionledger.runtime.session.runtime import Runtime


def test_what_is_not_taken_in_yet_is_seen(tmp_path):
    """Like any query: what was recorded a moment ago is there."""
    with open_ledger(tmp_path / "x.duckdb") as ledger, ledger.guarded() as guarded:
        with guarded.ask("SELECT count(*) AS n FROM turns") as answer:
            assert (answer.names, list(answer.rows)) == (("n",), [(0,)])
        with guarded.ask("SELECT [now()] AS x, {'a': now()} AS y") as answer:
            [(times, named)] = answer.rows
            assert times[0].tzinfo is None
            assert named["a"] == times[0]


@pytest.mark.parametrize("end", [";", " ; -- weekly ü ;", "\n/* a; */ ;", " -- weekly"])
def test_a_statement_may_end_as_people_end_it(tmp_path, end):
    """With a semicolon and a comment behind it, also where it is made a part of another one."""
    statement = f"SELECT now() AS x, 'é;' AS y{end}"
    with open_ledger(tmp_path / "x.duckdb") as ledger, ledger.guarded() as guarded:
        with guarded.ask(statement) as answer:
            assert [row[1] for row in answer.rows] == ["é;"]
        guarded.write_parquet(statement, tmp_path / "x.parquet")
    assert (tmp_path / "x.parquet").exists()


def test_one_guard_takes_one_question_after_the_other(tmp_path, monkeypatch):
    """One that was stopped, or is wrong, spoils none."""
    with open_ledger(tmp_path / "x.duckdb") as ledger, ledger.guarded() as guarded:
        for wrong in (
            "SELECT count(*) FROM range(100000000000) WHERE hash(range) % 7 = 1",
            "SELECT nope",
            "SET x = 1",
            "",
        ):
            with monkeypatch.context() as short:
                short.setattr(guarded, "_seconds", 0.5)  # for what is wrong alone
                with pytest.raises(UsageError), guarded.ask(wrong) as answer:
                    list(answer.rows)
            with guarded.ask("SELECT 1") as answer:
                assert list(answer.rows) == [(1,)]


def test_explaining_changes_nothing(tmp_path):
    """``EXPLAIN ANALYZE`` runs what it explains, whatever that is: nothing of it stays."""
    with open_ledger(tmp_path / "x.duckdb") as ledger, Runtime("assistant", ledger=ledger) as runtime:
        runtime.handle("Nothing to do.")
        with ledger.guarded() as guarded:
            for changing in (
                "DROP VIEW sessions",
                "CREATE OR REPLACE VIEW sessions AS SELECT 42 AS turns",
                "CREATE TABLE kept AS SELECT 1",
                "CREATE TEMP TABLE sessions AS SELECT 42",
                "INSERT INTO tail.segments VALUES ('x', 1)",
                "DELETE FROM tail.session_starts",
            ):
                for start in ("EXPLAIN ANALYZE ", "/* x */ explain (analyze, format json) "):
                    with suppress(UsageError), guarded.ask(start + changing) as answer:
                        list(answer.rows)
                with guarded.ask("SELECT count(external_id) FROM sessions") as answer:
                    assert list(answer.rows) == [(1,)], changing
                with guarded.ask("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'kept'") as answer:
                    assert list(answer.rows) == [(0,)], changing


REFUSED = [
    ("SELECT nope FROM turns", "can't be run"),
    ("", "no statement"),
    ("SELECT 1; SELECT 2", "2 statements"),
    ("SELECT text FROM turns; DROP VIEW turns", "2 statements"),
    ("DROP VIEW turns", "a ledger is asked, not changed"),
    ("CREATE TABLE x AS SELECT 1", "a ledger is asked, not changed"),
    ("INSERT INTO meta VALUES (9, now(), 'x')", "a ledger is asked, not changed"),
    ("ATTACH 'other.duckdb'", "a ledger is asked, not changed"),
    ("COPY turns TO 'out.csv'", "a ledger is asked, not changed"),
    ("EXPORT DATABASE 'out'", "a ledger is asked, not changed"),
    ("INSTALL httpfs", "a ledger is asked, not changed"),
    ("LOAD httpfs", "a ledger is asked, not changed"),
    ("PRAGMA enable_external_access=true", "a ledger is asked, not changed"),
    ("SET enable_external_access = true", "a ledger is asked, not changed"),
    ("CALL pragma_version()", "a ledger is asked, not changed"),
    ("FROM read_csv('/etc/passwd')", "can't be run"),
    ("FROM read_text('/etc/passwd')", "can't be run"),
    ("FROM read_blob('~/.ssh/id_ed25519')", "can't be run"),
    ("FROM read_parquet('https://evil.example/x.parquet')", "can't be run"),
    ("FROM glob('/*')", "can't be run"),
    ("FROM '/etc/passwd'", "can't be run"),
    ("SELECT getenv('HOME')", "can't be run"),
    ("FROM sniff_csv('/etc/passwd')", "can't be run"),
    ("FROM query('SELECT content FROM read_text(''/etc/passwd'')')", "can't be run"),
    ("EXPLAIN ANALYZE COPY turns TO 'out.csv'", "can't be run"),
]
"""What is no question to the ledger, and what is said of it."""


def test_what_reaches_beyond_the_ledger_is_refused(tmp_path, monkeypatch):
    """By its kind or by what it calls; no file is read or written, and the guard goes on."""
    monkeypatch.chdir(tmp_path)
    with open_ledger(tmp_path / "x.duckdb") as ledger, ledger.guarded() as guarded:
        before = sorted(tmp_path.rglob("*"))
        for statement, said in REFUSED:
            with pytest.raises(UsageError, match=said), guarded.ask(statement) as answer:
                list(answer.rows)
        with guarded.ask("SELECT count(*) FROM turns") as answer:
            assert list(answer.rows) == [(0,)]
        assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("SELECT modle FROM turns", r'"modle" not found .*"model"'),
        ("FROM trns", r'trns .*"turns"'),
        ("SELECT model, count(*) FROM turns", "GROUP BY list"),
        ("SELECT model\nFROM turns\nWHERE model = = 1", r"\(line 3\)$"),
        ("SELECT sum(model) FROM turns", r"You might need to add explicit type casts\.$"),
    ],
)
def test_what_was_probably_meant_is_said(tmp_path, statement, said):
    """Of a column, a table or a group that DuckDB has a better one for, and in which line: all on one line."""
    with (
        open_ledger(tmp_path / "x.duckdb") as ledger,
        ledger.guarded() as guarded,
        pytest.raises(UsageError, match=said) as refused,
        guarded.ask(statement) as answer,
    ):
        list(answer.rows)
    assert "\n" not in str(refused.value)


def test_half_a_character_is_wrong_use(tmp_path):
    """As a terminal hands over bytes that are no UTF-8."""
    with (
        open_ledger(tmp_path / "x.duckdb") as ledger,
        ledger.guarded() as guarded,
        pytest.raises(UsageError, match="can't be run"),
        guarded.ask("SELECT '\udcff'"),
    ):
        pass


def test_nothing_is_left_of_it(tmp_path):
    """What it spilled to goes with it; closed, it answers no more."""
    with open_ledger(tmp_path / "x.duckdb") as ledger:
        guarded = ledger.guarded()
        folder = guarded._folder.path
        assert folder.is_dir()
        guarded.close()
    assert not folder.exists()
    with pytest.raises(LedgerError, match="closed"), guarded.ask("SELECT 1"):
        pass


def test_a_statement_is_stopped_by_its_user(tmp_path):
    """It is no error of the statement's, and what is asked next is answered."""
    with open_ledger(tmp_path / "x.duckdb") as ledger, ledger.guarded() as guarded:
        with pytest.raises(KeyboardInterrupt), pressed_soon(), guarded.ask(ENDLESS):
            pass
        with pytest.raises(KeyboardInterrupt), pressed_soon():
            ledger.sql(ENDLESS)
        with guarded.ask("SELECT count(*) AS n FROM turns") as answer:
            assert list(answer.rows) == [(0,)]
        assert ledger.sql("SELECT count(*) FROM turns").fetchall() == [(0,)]


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def test_what_is_done_is_given_and_what_fails_is_raised(connection):
    assert stoppable(connection, lambda: connection.execute("SELECT 42").fetchall()) == [(42,)]
    with pytest.raises(duckdb.BinderException):
        stoppable(connection, lambda: connection.execute("SELECT nope"))


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_a_signal_stops_it(connection, raised):
    """Ctrl-C, or one whose handler ends the program; what is asked next is answered."""
    with pytest.raises(raised), pressed_soon(raised):
        stoppable(connection, lambda: connection.execute(ENDLESS))
    assert connection.execute("SELECT 42").fetchall() == [(42,)]


def test_one_thread_does_one_statement_after_the_other(connection):
    """A new one has none of the memory that DuckDB's allocator keeps; one whose statement was stopped or failed goes on."""
    first = stoppable(connection, get_ident)
    with pytest.raises(KeyboardInterrupt), pressed_soon():
        stoppable(connection, lambda: connection.execute(ENDLESS))
    with pytest.raises(duckdb.BinderException):
        stoppable(connection, lambda: connection.execute("SELECT nope"))
    assert {stoppable(connection, get_ident) for _ in range(3)} == {first} != {get_ident()}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
def test_a_forked_child_has_a_thread_of_its_own(connection):
    """Its parent's are not there."""
    assert stoppable(connection, lambda: 42) == 42
    if not (child := os.fork()):
        os._exit(stoppable(connection, lambda: 7))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_a_statement_that_begins_when_its_time_is_over_is_stopped(connection):
    """The first interrupt came before it, and DuckDB forgets of one that nothing heard."""
    with limited(connection, 0):
        sleep(0.2)
        with pytest.raises(duckdb.InterruptException):
            connection.execute(ENDLESS)
    assert connection.execute("SELECT 42").fetchall() == [(42,)]


def test_another_thread_does_it_by_itself(connection):
    """Python tells it of no Ctrl-C."""
    given = []
    thread = Thread(
        target=lambda: given.append(stoppable(connection, lambda: connection.execute("SELECT 42").fetchall()))
    )
    thread.start()
    thread.join(60)
    assert given == [[(42,)]]
