"""Values fit their columns, or the error says which one doesn't."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from actionledger.core.ids import new_id
from actionledger.ledger.storage.projection import Row, fit
from actionledger.ledger.storage.schema import TABLES

STAGED = {table.name: table.staged for table in TABLES}
UUID = "6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11"


def fitted(table: str, **values: object) -> dict[str, object]:
    staged = STAGED[table]
    fitting = fit(Row(table, tuple(values.get(name) for name in staged)))
    return {name: value for name, value in zip(staged, fitting.values, strict=True) if name in values}


def test_what_fits_stays() -> None:
    """Identifiers, numbers in range and missing values are left alone; an identifier's letters are small ones, as the database has them."""
    values = {"event_id": new_id(), "session_id": None, "kind": "x"}
    assert fitted("events", **values) == values
    assert fitted("events", event_id=values["event_id"].upper())["event_id"] == values["event_id"]


@pytest.mark.parametrize("bad", ["", "x", UUID.replace("-", ""), UUID + "\n", "{" + UUID + "}"])
def test_an_identifier_must_be_a_uuid(bad) -> None:
    """Only the usual form passes, since all tables are joined by it."""
    with pytest.raises(ValueError, match="session_id is not a UUID"):
        fitted("events", session_id=bad)


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1])
def test_an_integer_must_fit(value) -> None:
    """A number beyond its column's type is refused by name."""
    with pytest.raises(ValueError, match=f"turn_index is out of range: {value}"):
        fitted("turn_starts", turn_index=value)
    assert fitted("run_ends", turns=value)["turns"] == value


def test_times_are_utc_without_a_zone() -> None:
    """A time with a zone is converted."""
    ten = datetime.fromisoformat("2026-05-04T10:00:00")
    noon = datetime(2026, 5, 4, 12, tzinfo=timezone(timedelta(hours=2)))
    assert fitted("events", recorded_at=noon)["recorded_at"] == ten
    assert fitted("events", recorded_at=noon.astimezone(UTC))["recorded_at"] == ten


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": "\\ud800x"}', '{"a": "\ufffdx"}'),
        ('{"a": "\\ud83d\\ude00"}', '{"a": "😀"}'),
        ('{"a": "\\\\ud800"}', '{"a": "\\\\ud800"}'),
        ("no json \\ud800", "no json \\ud800"),
        ('{"a": 1}', '{"a": 1}'),
    ],
)
def test_half_a_character_in_json_is_replaced(text, expected) -> None:
    """The escape of a lone surrogate, which Python writes and DuckDB refuses, becomes U+FFFD."""
    assert fitted("actions", arguments=text)["arguments"] == expected
