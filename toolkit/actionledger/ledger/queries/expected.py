"""The parse of each turn in a run, as the baseline for later parses; hashes replace the model's text."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from actionledger.core.vocabulary import ActionStatus, Capture, Outcome
from actionledger.ledger.queries.base import Queryable, Streamable, number, rows, streamed
from actionledger.ledger.queries.compare import Comparison, compare_runs
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.scopes import scope


@dataclass(frozen=True, slots=True)
class ExpectedAction:
    """An action of a parse."""

    name: str  # as written
    status: ActionStatus  # the result of its check
    arguments: str  # the SHA-256 of its arguments as JSON text, in hexadecimal digits


@dataclass(frozen=True, slots=True)
class ExpectedTurn:
    """One parse of one turn.

    Args:
        session_id, turn_index: identify the turn.
        profile, model: those of its session.
        text: the SHA-256 of the recorded response, in hexadecimal digits.
        tools: the SHA-256 of the offered tools as JSON text; None if not recorded.
        outcome: its parse outcome.
        actions: the parsed actions, in text order, without illustrations.
    """

    session_id: str
    turn_index: int
    profile: str
    model: str
    text: str
    tools: str | None
    outcome: Outcome
    actions: tuple[ExpectedAction, ...]


@dataclass(frozen=True, slots=True)
class ExpectedParser:
    """A parser that parsed some of the turns.

    Args:
        name: its name.
        id: the hash of its configuration.
        reading_rules: the version of its reading rules; 0 if its configuration has none.
    """

    name: str
    id: str
    reading_rules: int


_READ = f"""
WITH read AS (
    SELECT turn_id, min_by(attempt_id, (parsed_at, attempt_id)) AS attempt_id
    FROM parse_attempts WHERE capture = '{Capture.TEXT}' AND {{condition}} GROUP BY turn_id)"""

_TURNS = f"""{_READ},
found AS (
    SELECT attempt_id, list({{{{'name': name, 'status': status, 'arguments': sha256(arguments::VARCHAR)}}}} ORDER BY action_index) AS actions
    FROM actions SEMI JOIN read USING (attempt_id) WHERE status <> 'illustration' GROUP BY attempt_id),
offered AS (SELECT tools_hash, sha256(any_value(tools)::VARCHAR) AS tools FROM tools GROUP BY tools_hash)
SELECT attempts.session_id::VARCHAR AS session_id, attempts.turn_index AS turn_index, attempts.profile AS profile,
       attempts.model AS model, sha256(texts.text) AS text, offered.tools AS tools, outcome, coalesce(actions, []) AS actions
FROM parse_attempts AS attempts JOIN read USING (attempt_id)
JOIN (SELECT turn_id, text, tools_hash FROM turn_starts) AS texts ON texts.turn_id = attempts.turn_id
LEFT JOIN offered USING (tools_hash) LEFT JOIN found USING (attempt_id)
ORDER BY session_id, turn_index"""

_PARSERS = f"""{_READ}
SELECT DISTINCT parser_name AS name, attempts.parser_id AS id,
       coalesce(TRY_CAST(configuration->>'reading_rules' AS INTEGER), 0) AS reading_rules
FROM parse_attempts AS attempts JOIN read USING (attempt_id)
LEFT JOIN (SELECT parser_id, any_value(configuration) AS configuration FROM parsers GROUP BY parser_id) AS known
ON known.parser_id = attempts.parser_id
ORDER BY ALL"""

_BESIDE = f"""
SELECT count(DISTINCT turn_id) FROM parse_attempts WHERE capture <> '{Capture.TEXT}' AND {{condition}}"""

_CONTENTS = """
SELECT DISTINCT text FROM turn_starts WHERE sha256(text) IN (SELECT unnest(string_split($hashes, ' ')))
UNION SELECT DISTINCT tools::VARCHAR FROM tools WHERE sha256(tools::VARCHAR) IN (SELECT unnest(string_split($hashes, ' ')))"""


def expected_turns(ledger: Streamable, within: Filter) -> Iterator[ExpectedTurn]:
    """Yield the parses of the turns whose text is recorded, session by session."""
    yield from streamed(ledger, ExpectedTurn, *scope(within).filled(_TURNS), at_once=1000)


def expected_parsers(ledger: Queryable, within: Filter) -> tuple[ExpectedParser, ...]:
    """Return the parsers of these turns."""
    return tuple(rows(ledger, ExpectedParser, *scope(within).filled(_PARSERS)))


def count_without_text(ledger: Queryable, within: Filter) -> int:
    """Return how many parsed turns have only their calls recorded, so that they can't be parsed again."""
    return number(ledger, *scope(within).filled(_BESIDE))


def recorded_contents(ledger: Queryable, hashes: Sequence[str]) -> list[str]:
    """Return the given responses and lists of tools that a ledger has, by their SHA-256 in hexadecimal digits."""
    bound: Mapping[str, object] = {"hashes": " ".join(hashes)}
    return [text for (text,) in ledger.sql(_CONTENTS, bound).fetchall()]


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
"""A blessed baseline identifies sessions by their own names."""

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
    """Answers queries as a ledger would, from two parses only."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(":memory:", config={"enable_external_access": "false"})
        self._connection.execute(_TABLES)

    def sql(self, query: str, parameters: Any = None, /) -> _Fetched:
        """See ``Queryable``."""
        result = self._connection.execute(query, parameters)
        return _Fetched([column[0] for column in result.description or ()], result.fetchall())

    def add(self, run_id: str, readings: Sequence[ExpectedTurn]) -> None:
        """Add one side's parses; turns are paired by their position."""
        turns, actions = [], []
        for place, reading in enumerate(readings):
            attempt = f"{run_id[:-12]}{place * 2 + (run_id == _AFTER):012x}"
            turn = f"{_BEFORE[:-12]}{place:012x}"
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
        """Close the database in memory."""
        self._connection.close()


def compare_readings(
    before: Sequence[ExpectedTurn], after: Sequence[ExpectedTurn], *, limit: int = 200
) -> Comparison:
    """Return what changes between two parses of the same turns, in the same order; of each bucket at most ``limit`` turns, the counts include all."""
    assert len(before) == len(after) > 0
    readings = _Readings()
    try:
        readings.add(_BEFORE, before)
        readings.add(_AFTER, after)
        return compare_runs(readings, _BEFORE, _AFTER, limit=limit)
    finally:
        readings.close()
