"""Statements of unknown length: Ctrl-C and the end of their time reach them, whatever DuckDB's threads are in the middle of."""

from collections.abc import Iterator
from threading import Thread
from time import sleep

import duckdb
import pytest
from interrupting import ENDLESS, pressed_soon

from actionledger.ledger.stopping import limited, stoppable


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
