"""What rows an event becomes. Pure: the ingester and every reader derive the same rows from the same event."""

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple

from pydantic_core import to_json

from actionledger.events import ApprovalDecided, Event, ExecutionRecorded, ResponseParsed, SystemNoted
from actionledger.ledger.columns import Values, take
from actionledger.ledger.schema import IN_ATTEMPT, TABLES, Table
from actionledger.values import FieldError
from actionledger.vocabulary import Reason

REPAIR_CHARACTERS = 500
"""How much of a repair's text is kept, in characters."""

HEAD = ("event_id", "kind", "run_id", "session_id", "turn_id", "recorded_at")
"""What ``events`` has of every event, as far as its kind has it."""

_BY_NAME = {table.name: table for table in TABLES}
_OF_EVENT = {table.source: table for table in TABLES if len(table.parts) == 1}
_EVENTS = _BY_NAME["events"]
_REPAIRS = _BY_NAME["repairs"]


class Row(NamedTuple):
    """One row of one table.

    Args:
        table: the table's name.
        values: its values, in the order of the table's ``staged``.
    """

    table: str
    values: Values


def _head_of(kind: type) -> Callable[[Any], Values]:
    """Return what makes the row of ``events`` of an event of a kind."""
    part = take(kind, *(name for name in HEAD if hasattr(kind, name)))
    places = {name: place for place, name in enumerate(part.staged)}
    picked = itemgetter(*(places.get(name, -1) for name in _EVENTS.staged))
    return lambda event: picked((*part.values(event), None))


_HEADS = {kind: _head_of(kind) for kind in (*_OF_EVENT, ExecutionRecorded)}


def rows_of(event: Event) -> Iterator[Row]:
    """Derive the rows of an event.

    Args:
        event: what happened.

    Yields:
        First its row in ``events``, then those that its kind is about.
    """
    if isinstance(event, SystemNoted):
        yield _row("events", event)
        return
    yield Row("events", _head(event))
    if isinstance(event, ExecutionRecorded):
        yield _row("execution_starts", event)
        yield _row("execution_ends", event)
        return
    table = _OF_EVENT[type(event)]
    yield Row(table.name, table.values(event))
    if isinstance(event, ResponseParsed):
        yield from _found_rows(event)


def _row(table: str, *things: Any) -> Row:
    return Row(table, _BY_NAME[table].values(*things))


def _head(event: Event) -> Values:
    """Return what ``events`` has of an event, and of a decision what its own table has no column for."""
    values = _HEADS[type(event)](event)
    if isinstance(event, ApprovalDecided) and event.signature:
        detail = {"approval_id": event.approval_id, "signature": event.signature}
        return changed(_EVENTS, values, detail=to_json(detail).decode())
    return values


def changed(table: Table, values: Values, **others: Any) -> Values:
    """Return the values of a row, some of them others."""
    made = list(values)
    for name, value in others.items():
        made[table.place[name]] = value
    return tuple(made)


def _found_rows(event: ResponseParsed) -> Iterator[Row]:
    dimensions = IN_ATTEMPT.values(event)
    for block in event.blocks:
        yield _row("blocks", dimensions, block)
        for repair in block.repairs:
            before, after = repair.before[:REPAIR_CHARACTERS], repair.after[:REPAIR_CHARACTERS]
            values = _REPAIRS.values(dimensions, block, repair)
            yield Row(_REPAIRS.name, changed(_REPAIRS, values, before=before, after=after))
    for issue in event.issues:
        yield _row("issues", dimensions, issue)
    for action in event.actions:
        yield _row("actions", dimensions, action, event, action)
        for error in action.errors:
            yield _row("validation_errors", dimensions, action, error)
        for path, before, after in action.conversions:
            converted = FieldError(Reason.CONVERTED, path, before, after)
            yield _row("validation_errors", dimensions, action, converted)
