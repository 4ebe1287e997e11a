"""Recorded parse attempts with the data to parse their texts again: parser, catalogue and results."""

from collections.abc import Iterator
from dataclasses import dataclass

from actionledger.core.errors import UsageError
from actionledger.core.ids import is_uuid
from actionledger.core.vocabulary import ActionStatus, Capture, Outcome, Reason
from actionledger.ledger.queries.base import REFUSED, Queryable, Streamable, streamed
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.scopes import scope


@dataclass(frozen=True, slots=True)
class ReadAction:
    """An action in a parse attempt."""

    name: str
    arguments: str  # its arguments, as JSON text
    status: ActionStatus  # the result of its check
    errors: tuple[str, ...]  # the refused fields, each as its path and the code, in order


@dataclass(frozen=True, slots=True)
class RecordedReading:
    """One parse attempt."""

    attempt_id: str
    session_id: str  # session_id, external_id, turn_index: the turn, and its session's name at its source
    external_id: str
    turn_index: int
    source: str  # the session's source
    profile: str  # the session's profile
    parser: str  # the parser's name
    catalogue: str | None  # the catalogue that checked the actions; None if there was none
    tools: str | None  # the offered tools, as JSON text; None if not recorded
    capture: Capture  # how much of the model's output was kept
    text: str  # the kept output
    outcome: Outcome  # its parse outcome
    issues: tuple[Reason, ...]  # the codes of its issues, in text order
    actions: tuple[ReadAction, ...]  # the parsed actions, in text order


_READINGS = f"""
WITH read AS (SELECT * FROM parse_attempts WHERE {{condition}}),
refused AS (
    SELECT attempt_id, action_index, list(path || ' ' || code ORDER BY path, code) AS errors
    FROM validation_errors SEMI JOIN read USING (attempt_id) WHERE {REFUSED} GROUP BY ALL),
found AS (
    SELECT attempt_id, list({{{{'name': name, 'arguments': arguments::VARCHAR, 'status': status,
                              'errors': coalesce(errors, [])}}}} ORDER BY action_index) AS actions
    FROM (SELECT attempt_id, action_index, name, arguments, status FROM actions SEMI JOIN read USING (attempt_id))
    LEFT JOIN refused USING (attempt_id, action_index) GROUP BY attempt_id),
wrong AS (
    SELECT attempt_id, list(code ORDER BY span_start NULLS LAST, span_end, code) AS codes
    FROM issues SEMI JOIN read USING (attempt_id) GROUP BY attempt_id),
named AS (SELECT session_id, any_value(external_id) AS external_id, any_value(source) AS source FROM session_starts GROUP BY session_id),
offered AS (SELECT tools_hash, any_value(tools)::VARCHAR AS tools FROM tools GROUP BY tools_hash)
SELECT attempt_id::VARCHAR AS attempt_id, session_id::VARCHAR AS session_id, external_id, read.turn_index AS turn_index,
       source, read.profile AS profile, parser_name AS parser, catalogue, offered.tools AS tools, turn_starts.capture AS capture,
       text, outcome, coalesce(codes, []) AS issues, coalesce(actions, []) AS actions
FROM read JOIN (SELECT turn_id, text, capture, tools_hash FROM turn_starts) AS turn_starts USING (turn_id)
JOIN named USING (session_id)
LEFT JOIN offered USING (tools_hash) LEFT JOIN found USING (attempt_id) LEFT JOIN wrong USING (attempt_id)
ORDER BY session_id, turn_index, attempt_id"""

_BEGINS = "starts_with(attempt_id::VARCHAR, lower($attempt))"
_IN_TURN = "session_id = $session_id::UUID AND turn_index = $turn_index AND {reading}"


def readings(ledger: Streamable, within: Filter = EVERYTHING) -> Iterator[RecordedReading]:
    """Yield the parse attempts that a filter selects, session by session."""
    yield from streamed(ledger, RecordedReading, *scope(within).filled(_READINGS))


def reading_of_attempt(ledger: Queryable, attempt: str) -> RecordedReading:
    """Return the parse attempt that a text means."""
    found = _some(ledger, _BEGINS, {"attempt": attempt}) if attempt else []
    if len(found) == 1:
        return found[0]
    what = f"{len(found)} attempts have an id that begins so" if found else "no attempt's id begins so"
    raise UsageError(
        f"The attempt {attempt!r} can't be told: {what}; 'actionledger failures --json' names some, and a turn is meant by SESSION#TURN."
    )


def reading_of_turn(
    ledger: Queryable, session_id: str, index: int, run_id: str | None = None
) -> RecordedReading:
    """Return a parse attempt of a turn."""
    found = []
    if is_uuid(session_id) and (run_id is None or is_uuid(run_id)):
        reading, parameters = scope(Filter(run_id=run_id))
        bound = parameters | {"session_id": session_id, "turn_index": index}
        found = _some(ledger, _IN_TURN.format(reading=reading), bound)
    if not found:
        raise UsageError(
            f"Nothing has read turn {index} of session {session_id}; 'actionledger show' lists its turns."
        )
    return found[0]


def _some(ledger: Queryable, condition: str, parameters: dict[str, object]) -> list[RecordedReading]:
    return list(streamed(ledger, RecordedReading, _READINGS.format(condition=condition), parameters))


_READABLE = """
SELECT DISTINCT session_id::VARCHAR FROM parse_attempts WHERE capture = 'text' AND {condition} ORDER BY 1"""


def readable_sessions(ledger: Queryable) -> list[str]:
    """Return the ids of the sessions that have responses with raw text."""
    return [row[0] for row in ledger.sql(*scope(EVERYTHING).filled(_READABLE)).fetchall()]


def readings_of_session(ledger: Queryable, session_id: str) -> list[RecordedReading]:
    """Return the first parse attempts of a session's responses with raw text, in order."""
    reading, parameters = scope(EVERYTHING)
    condition = f"session_id = $session_id::UUID AND capture = 'text' AND {reading}"
    return _some(ledger, condition, parameters | {"session_id": session_id})
