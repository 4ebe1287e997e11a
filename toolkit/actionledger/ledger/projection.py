"""What rows an event becomes. Pure: the ingester and every reader derive the same rows from the same event."""

from collections.abc import Hashable, Iterator
from functools import cache
from typing import Any, NamedTuple, cast

from pydantic_core import to_json

from actionledger.events import (
    ActionRecord,
    ActionReversed,
    ApprovalDecided,
    ApprovalRequested,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ParserUsed,
    ResponseParsed,
    ResponseReceived,
    RunFinished,
    RunStarted,
    SessionFinished,
    SessionStarted,
    SystemNoted,
    TurnFinished,
    TurnResumed,
)
from actionledger.ledger.schema import TABLES
from actionledger.values import Block, Issue, Span
from actionledger.vocabulary import Reason

REPAIR_CHARACTERS = 500
"""How much of a repair's text is kept, in characters."""

Values = dict[str, Any]
"""The values of a row by column; a column that is missing is NULL."""


class Row(NamedTuple):
    """One row of one table.

    Args:
        table: the table's name.
        values: its values by column.
    """

    table: str
    values: Values


def rows_of(event: Event) -> Iterator[Row]:
    """Derive the rows of an event.

    Args:
        event: what happened.

    Yields:
        First its row in ``events``, then those that its kind is about.
    """
    yield _event_row(event)
    match event:
        case RunStarted():
            yield _row("run_starts", event, started_at=event.recorded_at)
        case RunFinished():
            yield _row("run_ends", event, finished_at=event.recorded_at)
        case ParserUsed():
            yield _row("parsers", event, first_used_at=event.recorded_at)
        case SessionStarted():
            yield _row("session_starts", event)
        case SessionFinished():
            yield _row("session_ends", event)
        case ResponseReceived():
            yield _row("turn_starts", event, characters=len(event.text))
        case ResponseParsed():
            yield from _attempt_rows(event)
        case ExecutionStarted():
            yield _row("execution_starts", event)
        case ExecutionFinished():
            yield _row("execution_ends", event)
        case ActionReversed():
            yield _row("reversals", event, kind=event.reversal, paths=_json(event.paths))
        case ApprovalRequested():
            yield _row("approval_starts", event, requested_at=event.recorded_at)
        case ApprovalDecided():
            changed = event.changed_arguments or None
            yield _row("approval_ends", event, decided_at=event.recorded_at, changed_arguments=changed)
        case TurnFinished():
            yield _row("turn_ends", event)
        case TurnResumed():
            yield _row("resumptions", event)
        case SystemNoted():
            pass  # its row in events says it all


def _row(table: str, event: Event, **derived: Any) -> Row:
    """Take the columns that are called like a field of the event, and those that are derived."""
    return Row(table, _taken(_COLUMNS[table], event) | derived)


def _event_row(event: Event) -> Row:
    if isinstance(event, SystemNoted):
        return _row("events", event, detail=_json(event.detail))
    if isinstance(event, ApprovalDecided) and event.signature:
        # What a decision's own table has no column for.
        detail = {"approval_id": event.approval_id, "signature": event.signature}
        return Row("events", _taken(_EVENT_COLUMNS, event) | {"detail": _json(detail)})
    return Row("events", _taken(_EVENT_COLUMNS, event))


def _taken(columns: tuple[str, ...], event: Event) -> Values:
    event_type = cast("Hashable", type(event))  # mypy looks for the hash of instances
    return {column: getattr(event, column) for column in _common(columns, event_type)}


@cache
def _common(columns: tuple[str, ...], event_type: Hashable) -> tuple[str, ...]:
    return tuple(column for column in columns if hasattr(event_type, column))


_COLUMNS = {table.name: tuple(table.columns) for table in TABLES}
_EVENT_COLUMNS = ("event_id", "kind", "run_id", "session_id", "turn_id", "recorded_at")


def _json(value: Any) -> str:
    return to_json(value).decode()


def _attempt_rows(event: ResponseParsed) -> Iterator[Row]:
    yield _row(
        "parse_attempts",
        event,
        block_count=len(event.blocks),
        action_count=len(event.actions),
        valid_count=sum(action.status.is_runnable for action in event.actions),
        repair_count=sum(len(block.repairs) for block in event.blocks),
        parsed_at=event.recorded_at,
    )
    dimensions = _taken(_ATTEMPT_COLUMNS, event)
    for block in event.blocks:
        yield from _block_rows(block, dimensions)
    for issue in event.issues:
        yield _issue_row(issue, dimensions)
    for action in event.actions:
        yield from _action_rows(action, dimensions, event.catalogue)


_ATTEMPT_COLUMNS = (
    *("run_id", "session_id", "turn_id", "turn_index", "profile", "model", "task", "occurred_at"),
    *("attempt_id", "run_kind", "parser_id", "parser_name"),
)


def _span(span: Span | None) -> Values:
    return {} if span is None else {"span_start": span.start, "span_end": span.end}


def _block_rows(block: Block, dimensions: Values) -> Iterator[Row]:
    dimensions = dimensions | {"block_index": block.index, "dialect": block.dialect}
    yield Row(
        "blocks",
        dimensions
        | _span(block.span)
        | {
            "body_start": block.body.start,
            "body_end": block.body.end,
            "status": block.status,
            "reason": block.reason,
        },
    )
    for repair in block.repairs:
        texts = {"before": repair.before[:REPAIR_CHARACTERS], "after": repair.after[:REPAIR_CHARACTERS]}
        yield Row("repairs", dimensions | _span(repair.span) | {"kind": repair.kind} | texts)


def _issue_row(issue: Issue, dimensions: Values) -> Row:
    return Row("issues", dimensions | _span(issue.span) | {"code": issue.code, "detail": issue.detail})


def _action_rows(action: ActionRecord, dimensions: Values, catalogue: str | None) -> Iterator[Row]:
    dimensions = dimensions | {
        "dialect": action.dialect,
        "action_id": action.action_id,
        "action_index": action.index,
        "name": action.name,
    }
    yield Row(
        "actions",
        dimensions
        | _span(action.span)
        | {
            "block_index": action.block,
            "status": action.status,
            "reason": action.reason,
            "call_id": action.call_id,
            "catalogue": catalogue,
            "arguments": action.arguments,
        },
    )
    for error in action.errors:
        yield Row(
            "validation_errors",
            dimensions
            | {"code": error.code, "path": error.path, "value": error.value, "expected": error.expected},
        )
    for path, before, after in action.conversions:
        yield Row(
            "validation_errors",
            dimensions | {"code": Reason.CONVERTED, "path": path, "value": before, "expected": after},
        )
