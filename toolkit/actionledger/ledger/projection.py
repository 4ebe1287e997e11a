"""What rows an event becomes. Pure: the ingester and every reader derive the same rows from the same event."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic_core import to_json

from actionledger.events import ApprovalDecided, Event, ResponseParsed, SystemNoted
from actionledger.ledger.columns import take
from actionledger.ledger.schema import TABLES, Table, Values
from actionledger.values import FieldError
from actionledger.vocabulary import Reason

REPAIR_CHARACTERS = 500
"""How much of a repair's text is kept, in characters."""

_BY_NAME = {table.name: table for table in TABLES}
_OF_EVENT = {table.source: table for table in TABLES if len(table.parts) == 1}
_HEAD = ("event_id", "kind", "run_id", "session_id", "turn_id", "recorded_at")
_HEADS = {
    kind: Table("events", take(kind, *(name for name in _HEAD if hasattr(kind, name)))) for kind in _OF_EVENT
}


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
    if isinstance(event, SystemNoted):
        yield _row("events", event)
        return
    yield Row("events", _HEADS[type(event)].values(event) | _detail(event))
    yield _row(_OF_EVENT[type(event)].name, event)
    if isinstance(event, ResponseParsed):
        yield from _found_rows(event)


def _row(table: str, *things: Any) -> Row:
    return Row(table, _BY_NAME[table].values(*things))


def _detail(event: Event) -> Values:
    """Return what a decision's own table has no column for."""
    if not (isinstance(event, ApprovalDecided) and event.signature):
        return {}
    detail = {"approval_id": event.approval_id, "signature": event.signature}
    return {"detail": to_json(detail).decode()}


def _found_rows(event: ResponseParsed) -> Iterator[Row]:
    for block in event.blocks:
        yield _row("blocks", event, block)
        for repair in block.repairs:
            row = _row("repairs", event, block, repair)
            row.values.update(
                before=repair.before[:REPAIR_CHARACTERS], after=repair.after[:REPAIR_CHARACTERS]
            )
            yield row
    for issue in event.issues:
        yield _row("issues", event, issue)
    for action in event.actions:
        yield _row("actions", event, action, event, action)
        for error in action.errors:
            yield _row("validation_errors", event, action, error)
        for path, before, after in action.conversions:
            converted = FieldError(Reason.CONVERTED, path, before, after)
            yield _row("validation_errors", event, action, converted)
