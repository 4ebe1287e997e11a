"""Digests of what was just taken in: those of the rows as they lie there, whatever their texts and numbers are."""

import duckdb
import pytest

from actionledger.ledger import open_ledger
from actionledger.ledger.storage import stored
from actionledger.ledger.storage.chain import line_of
from actionledger.ledger.storage.connections import connect_store
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.stored import digests_of, rows_of_links, stored_cells

CONTROLS = "".join(map(chr, range(32))) + '\x7f\x85\u2028\ufeff\\u001B \\\\u001b \\" /é漢😀'
NUMBERS = (0.0, -0.0, 0.1, 1e-5, 9.9e-6, 5e-324, 1e15, 1e16, 1.5e300, 123456789.123)


@pytest.fixture
def store(path, make) -> duckdb.DuckDBPyConnection:
    """A working file that took in, directly, all kinds, hostile texts and amounts."""
    with open_ledger(path, in_background=False) as ledger, ledger.internals.direct() as recorder:
        for event in make.one_of_each():
            recorder.record(event)
        for number in NUMBERS:
            recorder.record(make.response(text=CONTROLS, cost_usd=number, latency_ms=-number))
    with connect_store(LedgerFiles.at(path).store) as connection:
        yield connection


def _asked(connection: duckdb.DuckDBPyConnection) -> tuple[list[bytes], list[bytes]]:
    [(last,)] = connection.execute("SELECT max(link) FROM links").fetchall()
    rows = rows_of_links(1, last)
    return sorted(digests_of(connection, rows)), sorted(
        cell.digest for cell in stored_cells(connection, rows)
    )


def test_digests_of_lines_are_those_of_values(store) -> None:
    """Control characters, backslashes, and numbers that two writers write in two ways."""
    made, looked_at = _asked(store)
    assert made == looked_at
    assert len(made) > len(NUMBERS)


def test_what_duckdb_writes_otherwise_is_written_here(store, monkeypatch) -> None:
    """A table with such a number is read by values; without the bounds its digests would be others."""
    monkeypatch.setattr(stored, "_ONE_FORM", "0 AND 1e308")
    made, looked_at = _asked(store)
    assert made != looked_at


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_within_the_bounds_has_one_form(number: float) -> None:
    """The bounds leave no number to DuckDB that it writes in another way."""
    asked = f"SELECT json_array(x)::VARCHAR, x = 0 OR abs(x) BETWEEN {stored._ONE_FORM} FROM (SELECT ?::DOUBLE AS x)"
    [(line, is_sure)] = duckdb.execute(asked, [number]).fetchall()
    assert line.encode() == line_of((number,)) or not is_sure
