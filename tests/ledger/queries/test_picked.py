"""What a query selects is what its row has."""

from dataclasses import dataclass

from actionledger.ledger.queries.base import picked, rows


@dataclass(frozen=True, slots=True)
class Counted:
    run_id: str
    arguments: str
    kind: str
    count: int


def test_each_field_is_a_column():
    """In order; identifiers and JSON as text, what is computed by its SQL."""
    assert picked(Counted, count="count(*)") == (
        "run_id::VARCHAR AS run_id, arguments::VARCHAR AS arguments, kind, count(*) AS count"
    )
    assert picked(Counted, kind="run_kind", count="7").endswith("run_kind AS kind, 7 AS count")


def test_what_is_picked_becomes_the_row(tmp_path):
    """A field that is picked needs no word in the statement."""
    from actionledger.ledger import open_ledger

    values = "(SELECT uuid() AS run_id, '{\"a\":1}'::JSON AS arguments, 'k' AS kind)"
    with open_ledger(tmp_path / "l.duckdb") as ledger:
        [row] = rows(ledger, Counted, f"SELECT {picked(Counted, count='1')} FROM {values}")
    assert (row.arguments, row.kind, row.count, len(row.run_id)) == ('{"a":1}', "k", 1, 36)
