"""Two readings of the same turns that no ledger has, compared by the query that compares runs of one."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from actionledger.ledger.queries.compare import Comparison, compare_runs
from actionledger.ledger.queries.expected import ExpectedTurn

_BEFORE: Final = "00000000-0000-0000-0000-000000000001"
_AFTER: Final = "00000000-0000-0000-0000-000000000002"

_TABLES = """
CREATE TABLE parse_attempts (
    run_id UUID, run_kind VARCHAR, turn_id UUID, attempt_id UUID, parsed_at INTEGER, session_id VARCHAR, turn_index BIGINT,
    model VARCHAR, profile VARCHAR, task VARCHAR, dialect VARCHAR, outcome VARCHAR);
CREATE TABLE session_starts (session_id VARCHAR, external_id VARCHAR);
CREATE TABLE actions (attempt_id UUID, action_index BIGINT, name VARCHAR, arguments VARCHAR, status VARCHAR);
"""

_ADD_TURNS = """
INSERT INTO parse_attempts
SELECT $run_id::UUID, '', turn::UUID, attempt::UUID, 0, session, place, model, profile, '', '', outcome
FROM (SELECT unnest(from_json($rows,
    '[{"turn": "VARCHAR", "attempt": "VARCHAR", "session": "VARCHAR", "place": "BIGINT", "model": "VARCHAR", "profile": "VARCHAR", "outcome": "VARCHAR"}]'),
    recursive := true))"""

_NAME_SESSIONS = """
INSERT INTO session_starts SELECT DISTINCT session_id, session_id FROM parse_attempts"""
"""A blessed baseline calls sessions by their own names."""

_ADD_ACTIONS = """
INSERT INTO actions
SELECT attempt::UUID, place, name, arguments, status
FROM (SELECT unnest(from_json($rows,
    '[{"attempt": "VARCHAR", "place": "BIGINT", "name": "VARCHAR", "arguments": "VARCHAR", "status": "VARCHAR"}]'),
    recursive := true))"""


@dataclass(frozen=True, slots=True)
class _Fetched:
    columns: Sequence[str]
    _found: list[Any]

    def fetchmany(self, size: int, /) -> list[Any]:
        batch = self._found[:size]
        del self._found[:size]
        return batch

    def fetchall(self) -> list[Any]:
        return self.fetchmany(len(self._found))


class _Readings:
    """Answers what a ledger would, of two readings alone."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(":memory:", config={"enable_external_access": "false"})
        self._connection.execute(_TABLES)

    def sql(self, query: str, parameters: Any = None, /) -> _Fetched:
        """See ``Queryable``."""
        result = self._connection.execute(query, parameters)
        return _Fetched([column[0] for column in result.description or ()], result.fetchall())

    def add(self, run_id: str, readings: Sequence[ExpectedTurn]) -> None:
        """Take a side's readings; a turn's place among them is what pairs it."""
        turns, actions = [], []
        for number, reading in enumerate(readings):
            attempt = f"{run_id[:-12]}{number * 2 + (run_id == _AFTER):012x}"
            turn = f"{_BEFORE[:-12]}{number:012x}"
            turns.append(
                {
                    "turn": turn,
                    "attempt": attempt,
                    "session": reading.session_id,
                    "place": reading.turn_index,
                    "model": reading.model,
                    "profile": reading.profile,
                    "outcome": reading.outcome,
                }
            )
            actions += [
                {
                    "attempt": attempt,
                    "place": place,
                    "name": each.name,
                    "arguments": each.arguments,
                    "status": each.status,
                }
                for place, each in enumerate(reading.actions)
            ]
        self._connection.execute(_ADD_TURNS, {"run_id": run_id, "rows": json.dumps(turns)})
        self._connection.execute(_NAME_SESSIONS)
        self._connection.execute(_ADD_ACTIONS, {"rows": json.dumps(actions)})

    def close(self) -> None:
        """Forget them."""
        self._connection.close()


def compare_readings(
    before: Sequence[ExpectedTurn], after: Sequence[ExpectedTurn], *, limit: int = 200
) -> Comparison:
    """Return what changes between two readings of the same turns.

    Args:
        before: what was read at first, one or more turns.
        after: what is read of the same turns, in the same order.
        limit: at most how many turns of each bucket to name; the counts are of all.
    """
    assert len(before) == len(after) > 0
    readings = _Readings()
    try:
        readings.add(_BEFORE, before)
        readings.add(_AFTER, after)
        return compare_runs(readings, _BEFORE, _AFTER, limit=limit)
    finally:
        readings.close()
