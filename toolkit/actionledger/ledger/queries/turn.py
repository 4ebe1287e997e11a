"""Everything about one turn: the text, the parsed actions, their results, and the messages to the model."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from actionledger.core.events import ActionRecord
from actionledger.core.ids import is_uuid
from actionledger.core.values import Block, Issue
from actionledger.core.vocabulary import (
    BILLED_BESIDE,
    COMPACTED,
    Capture,
    CostOrigin,
    ExecutionStatus,
    Origin,
    Outcome,
    Reason,
    Reversal,
    RunKind,
)
from actionledger.ledger.queries.base import CONVERTED, REFUSED, TOOK, Queryable, picked, rows, rows_by
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS
from actionledger.ledger.queries.turns import reading


@dataclass(frozen=True, slots=True)
class Told:
    """One message to the model about a turn."""

    text: str
    at: datetime | None  # its time, UTC without a zone; None if the source doesn't report it
    is_resumed: bool  # whether the turn had been resumed after its end, so that this is not its first end


@dataclass(frozen=True, slots=True)
class Response:
    """The model's output in one turn, and its input before and after."""

    turn_id: str
    session_id: str
    index: int
    # the response's time, UTC without a zone; None if the source doesn't report it
    occurred_at: datetime | None
    text: str  # the response, exactly
    text_is_exact: bool  # False if a lone surrogate or a secret was replaced before recording
    prompt: str | None  # the model's input before; None if that was the last message about the turn before
    # the later messages to the model, in order: one at the turn's end, and one after each resumption; empty if it never ended
    told: tuple[Told, ...]
    capture: Capture = Capture.TEXT  # how much of its output was kept
    # input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens: its tokens; None if not recorded
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None  # its cost, in dollars; None if unknown
    latency_ms: float | None = None  # the model's latency, in milliseconds; None if not recorded
    reasoning: str | None = None  # the model's reasoning, separate from the text; None if not recorded
    # where the cost comes from: the recording, a price file or a price list; None if unknown
    cost_origin: CostOrigin | None = None
    # why the model stopped, in its provider's term, or what interrupted it; None if not recorded
    finish_reason: str | None = None
    model: str = ""  # the model that wrote it: the session's, or the one that the session went on with
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    # the time to its first token, in milliseconds; None if not recorded
    time_to_first_token_ms: float | None = None

    @property
    def feedback(self) -> str | None:
        """The last message to the model about the turn; None if the turn never ended."""
        return self.told[-1].text if self.told else None


@dataclass(frozen=True, slots=True)
class Reader:
    """A run that parsed a turn.

    Args:
        run_id: identifies it.
        name: its name for people.
        kind: why it was made.
        parser: the name of its parser.
        outcome: its parse outcome.
    """

    run_id: str
    name: str
    kind: RunKind
    parser: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Attempt:
    """One parser's attempt at the turn's response."""

    attempt_id: str
    run_id: str
    parser: str  # the parser's name
    catalogue: str | None  # the catalogue that checked the actions; None if there was none
    dialect: str  # the dialect of most blocks with actions; empty if there are none
    outcome: Outcome  # its parse outcome
    reason: Reason | None  # why it was not fully parsed; None if it was
    duration_us: int  # how long it took, in microseconds


@dataclass(frozen=True, slots=True)
class Execution:
    """One try at an action of the turn."""

    attempt_id: str  # the parse attempt of the action
    action_index: int  # the action's position in it
    name: str  # the action's name
    try_number: int
    status: ExecutionStatus  # how it ended
    reason: Reason | None  # why it did not succeed; None if it did
    # how long it took, in milliseconds; None if it was not tried, or its end is unknown
    duration_ms: float | None
    result: str  # what the handler returned, as JSON text
    message: str  # the message to the model if it did not succeed
    started_at: datetime | None  # its start, UTC without a zone; None if its recording doesn't report it
    origin: Origin = Origin.RUNTIME  # who ran it
    call_id: str | None = None  # the call's identifier in its recording; None if it has none
    exit_status: int | None = None  # the exit status of a program; None if none is recorded
    is_inferred: bool = False  # whether status and reason were inferred from the words of a recorded result


@dataclass(frozen=True, slots=True)
class ActionReversal:
    """An undo or a redo of an action's changes."""

    attempt_id: str  # the parse attempt of the action
    action_index: int  # the action's position in it
    name: str
    kind: Reversal  # whether its changes were undone or redone
    paths: tuple[str, ...]  # the changed paths; only the first of them if there are many
    path_count: int  # how many there are in total
    reversed_at: datetime  # its time, UTC without a zone


@dataclass(frozen=True, slots=True)
class TurnNote:
    """An import's note on a turn."""

    code: str
    message: str  # the sentence for people
    detail: str  # particulars, as a JSON object


@dataclass(frozen=True, slots=True)
class TurnDetail:
    """Everything about one turn."""

    response: Response  # the model's output
    attempt: Attempt | None  # the shown parse attempt; None if there is none, or none of this run
    blocks: tuple[Block, ...]  # the attempt's blocks with their repairs, in text order
    issues: tuple[Issue, ...]  # the issues of the text, in text order
    actions: tuple[ActionRecord, ...]  # the parsed actions, in text order
    executions: tuple[Execution, ...]  # every try at every action of the turn, of any parse attempt
    reversals: tuple[ActionReversal, ...]  # undone and redone changes of the turn's actions, in order
    readers: tuple[Reader, ...]  # the runs that parsed the turn, the first one first
    # its import's notes: tokens billed outside the message, and a compaction of the context directly before it
    notes: tuple[TurnNote, ...] = ()

    @property
    def compaction(self) -> str:
        """The note on a compaction of the context directly before the response; empty if there was none."""
        return next((each.message for each in self.notes if each.code == COMPACTED), "")


_TURNS_AT_MOST = 2**31

RESPONSES = """
SELECT turn_id::VARCHAR AS turn_id, session_id::VARCHAR AS session_id, turn_index AS index, occurred_at,
       text, text_is_exact, prompt, capture, input_tokens, output_tokens, cached_tokens, cost_usd, latency_ms,
       reasoning, cost_origin, finish_reason, model, cache_write_tokens, reasoning_tokens, time_to_first_token_ms,
       CASE WHEN feedback IS NULL THEN [] ELSE [{'text': feedback, 'at': finished_at, 'is_resumed': false}] END
           || coalesce(later, []) AS told
FROM turns LEFT JOIN (
    SELECT turn_id, list({'text': feedback, 'at': finished_at, 'is_resumed': true} ORDER BY finished_at) AS later
    FROM resumptions WHERE session_id = $session_id::UUID GROUP BY turn_id) USING (turn_id)
WHERE session_id = $session_id::UUID"""
"""The responses of a session, with the columns of ``Response``."""

_TURN = f"{RESPONSES} AND turn_index = $turn_index LIMIT 1"

_TURNS = f"{RESPONSES} AND turn_index BETWEEN $first AND $last ORDER BY turn_index"

_OF_TURNS = "session_id = $session_id::UUID AND list_contains($turns::UUID[], turn_id)"
_OF_ATTEMPTS = "session_id = $session_id::UUID AND list_contains($attempts::UUID[], attempt_id)"

_ATTEMPTS = f"""
SELECT turn_id::VARCHAR, {picked(Attempt, parser="parser_name")}
FROM parse_attempts WHERE {_OF_TURNS} AND {{reading}}
ORDER BY parsed_at, attempt_id"""

_READERS = f"""
SELECT turn_id::VARCHAR, run_id::VARCHAR AS run_id, coalesce(name, '') AS name, a.run_kind AS kind, parser_name AS parser, outcome
FROM parse_attempts AS a LEFT JOIN run_starts USING (run_id)
WHERE {_OF_TURNS}
ORDER BY a.run_kind IN ('reparse', 'rerun'), parsed_at, attempt_id"""

_BLOCKS = f"""
WITH found AS (
    SELECT attempt_id, block_index,
           list({{'kind': kind, 'span': [span_start, span_end], 'before': before, 'after': after}}
                ORDER BY span_start, span_end) AS repairs
    FROM repairs WHERE {_OF_ATTEMPTS} GROUP BY attempt_id, block_index)
SELECT attempt_id::VARCHAR, block_index AS index, dialect, status, [span_start, span_end] AS span, [body_start, body_end] AS body, reason,
       coalesce(repairs, []) AS repairs, evidence
FROM blocks LEFT JOIN found USING (attempt_id, block_index)
WHERE {_OF_ATTEMPTS} ORDER BY block_index"""

_ISSUES = f"""
SELECT attempt_id::VARCHAR, code, CASE WHEN span_start IS NOT NULL THEN [span_start, span_end] END AS span, coalesce(detail, '') AS detail
FROM issues WHERE {_OF_ATTEMPTS}
ORDER BY span_start NULLS LAST, span_end, code"""

_ACTION = picked(
    ActionRecord,
    index="action_index",
    block="block_index",
    span="[span_start, span_end]",
    errors="coalesce(errors, [])",
    conversions="coalesce(conversions, [])",
)

_ACTIONS = f"""
WITH found AS (
    SELECT attempt_id, action_index,
           list({{'code': code, 'path': path, 'value': value, 'expected': expected}} ORDER BY path, code)
               FILTER ({REFUSED}) AS errors,
           list({{'path': path, 'before': value, 'after': expected}} ORDER BY path)
               FILTER ({CONVERTED}) AS conversions
    FROM validation_errors WHERE {_OF_ATTEMPTS} GROUP BY attempt_id, action_index)
SELECT attempt_id::VARCHAR, {_ACTION} FROM actions LEFT JOIN found USING (attempt_id, action_index)
WHERE {_OF_ATTEMPTS} ORDER BY action_index"""

_EXECUTION = picked(
    Execution,
    duration_ms=TOOK,
    result="coalesce(result::VARCHAR, '')",
    message="coalesce(message, '')",
    is_inferred="coalesce(is_inferred, false)",
)

_EXECUTIONS = f"""
SELECT turn_id::VARCHAR, {_EXECUTION}
FROM executions WHERE {_OF_TURNS} AND {FIRST_EXECUTIONS}
ORDER BY started_at, action_index, try_number"""

_REVERSALS = f"""
SELECT turn_id::VARCHAR, {picked(ActionReversal, paths="paths::VARCHAR[]")}
FROM reversals WHERE {_OF_TURNS}
ORDER BY reversed_at, action_index, kind"""


_NOTES = f"""
SELECT turn_id::VARCHAR, code, coalesce(message, '') AS message, detail::VARCHAR AS detail
FROM events WHERE {_OF_TURNS} AND code IN ('{BILLED_BESIDE}', '{COMPACTED}') ORDER BY code, detail"""


def response(ledger: Queryable, session_id: str, turn_index: int) -> Response | None:
    """Return the model's output in one turn, or None if there is no such turn."""
    if not is_uuid(session_id) or not 0 <= turn_index < _TURNS_AT_MOST:
        return None
    found = rows(ledger, Response, _TURN, {"session_id": session_id, "turn_index": turn_index})
    return next(iter(found), None)


def turn(ledger: Queryable, session_id: str, turn_index: int, run_id: str | None = None) -> TurnDetail | None:
    """Return everything about one turn in a run (None: its first parse attempt), or None if there is no such turn."""
    found = response(ledger, session_id, turn_index)
    if found is None or not (run_id is None or is_uuid(run_id)):
        return None
    [detail] = _details(ledger, [found], run_id)
    return detail


def turn_details(
    ledger: Queryable, session_id: str, between: tuple[int, int], run_id: str | None = None
) -> list[TurnDetail]:
    """Return everything about the turns of a session between two positions, in order; empty if there are none."""
    if not is_uuid(session_id) or not (run_id is None or is_uuid(run_id)):
        return []
    bound = dict(zip(("first", "last"), between, strict=True))
    return _details(ledger, rows(ledger, Response, _TURNS, {"session_id": session_id, **bound}), run_id)


def _details(ledger: Queryable, found: list[Response], run_id: str | None) -> list[TurnDetail]:
    """Return everything about some responses of one session; the number of queries doesn't depend on theirs."""
    if not found:
        return []
    of_turns: dict[str, Any] = {"session_id": found[0].session_id, "turns": [each.turn_id for each in found]}
    run = {} if run_id is None else {"run_id": run_id}
    attempts = rows_by(ledger, Attempt, _ATTEMPTS.format(reading=reading(run_id)), of_turns | run)
    read = [first.attempt_id for first, *_ in attempts.values()]
    of_attempts = {"session_id": found[0].session_id, "attempts": read}
    blocks = rows_by(ledger, Block, _BLOCKS, of_attempts) if read else {}
    issues = rows_by(ledger, Issue, _ISSUES, of_attempts) if read else {}
    actions = rows_by(ledger, ActionRecord, _ACTIONS, of_attempts) if read else {}
    executions = rows_by(ledger, Execution, _EXECUTIONS, of_turns)
    reversals = rows_by(ledger, ActionReversal, _REVERSALS, of_turns)
    readers = rows_by(ledger, Reader, _READERS, of_turns)
    notes = rows_by(ledger, TurnNote, _NOTES, of_turns)
    details = []
    for each in found:
        attempt = next(iter(attempts.get(each.turn_id, ())), None)
        shown = "" if attempt is None else attempt.attempt_id
        details.append(
            TurnDetail(
                each,
                attempt,
                blocks=tuple(blocks.get(shown, ())),
                issues=tuple(issues.get(shown, ())),
                actions=tuple(actions.get(shown, ())),
                executions=tuple(executions.get(each.turn_id, ())),
                reversals=tuple(reversals.get(each.turn_id, ())),
                readers=tuple(readers.get(each.turn_id, ())),
                notes=tuple(notes.get(each.turn_id, ())),
            )
        )
    return details


_CONVERSATION = f"{RESPONSES} ORDER BY turn_index"


def conversation(ledger: Queryable, session_id: str) -> list[Response]:
    """Return the responses of a session in order; empty if there is no such session."""
    if not is_uuid(session_id):
        return []
    return rows(ledger, Response, _CONVERSATION, {"session_id": session_id})
