"""Events of older versions in segments, converted to current events.

Up to version 2 of the schema, an undo was recorded as one more try at the action: ``undone``, or ``succeeded`` for a redo, with the
paths as its result and a duration of 0. Up to version 4, every cost came from a recording.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import cache
from uuid import UUID

from duckdb import DuckDBPyConnection
from pydantic import TypeAdapter

from actionledger.core.canonical import JsonDict
from actionledger.core.events import ActionReversed, Event, ExecutionStarted, ResponseReceived
from actionledger.core.vocabulary import CostOrigin, Reversal
from actionledger.ledger.storage.columns import IN_EVENTS
from actionledger.ledger.storage.schema import TABLES

_RESULT = {"changed_back", "in_all"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReversalAsTry:
    """The end of a try that was an undo."""

    event_id: str
    recorded_at: datetime
    execution_id: str
    paths: tuple[str, ...]  # paths, path_count: the changed paths, and their number in all
    path_count: int


[_STARTS] = [table for table in TABLES if table.name == "execution_starts"]
_OF_STARTS = ", ".join(_STARTS.columns)
_STARTED = {field.name for field in fields(ExecutionStarted)} - set(IN_EVENTS)
_OF_START = [field.name for field in fields(ActionReversed) if field.name in _STARTED]


def reversal_as_try(data: bytes) -> ReversalAsTry | None:
    """Parse an undo that an older version recorded as a try; None for any other line."""
    if b"changed_back" not in data:
        return None
    try:
        event = json.loads(data)
        result = json.loads(event["result"])
    except (ValueError, KeyError, TypeError):
        return None
    if not (_is_end_of_try(event) and isinstance(result, dict) and result.keys() == _RESULT):
        return None
    found = {"paths": result["changed_back"], "path_count": result["in_all"]}
    kept = {name: event.get(name) for name in ("event_id", "recorded_at", "execution_id")}
    return _adapter().validate_python(kept | found)


@cache
def _adapter() -> TypeAdapter[ReversalAsTry]:
    return TypeAdapter(ReversalAsTry)


def _is_end_of_try(event: JsonDict) -> bool:
    status = event.get("status")
    is_reversal = status == "undone" or (status == "succeeded" and event.get("duration_ms") == 0)
    return event.get("kind") == "execution_finished" and is_reversal


class Older:
    """Converts events of older versions to current ones, in the order in which they were recorded."""

    def __init__(self, connection: DuckDBPyConnection, catalogues: Sequence[str]) -> None:
        self._connection = connection
        self._catalogues = catalogues
        self._starts: dict[str, ExecutionStarted] = {}
        self._counts: dict[str, int] = {}

    def brought_up(self, event: Event | ReversalAsTry) -> Event:
        """Return an event in its current form."""
        if isinstance(event, ExecutionStarted):
            self._starts[event.execution_id] = event
        if isinstance(event, ResponseReceived) and event.cost_usd is not None and event.cost_origin is None:
            return replace(event, cost_origin=CostOrigin.RECORDED)
        if not isinstance(event, ReversalAsTry):
            return event
        start = self._starts.get(event.execution_id) or self._start_of(event.execution_id)
        place = self._counts.get(start.action_id)
        place = self._count_of(start.action_id) if place is None else place
        self._counts[start.action_id] = place + 1
        return ActionReversed(
            event_id=event.event_id,
            recorded_at=event.recorded_at,
            reversal_id=event.execution_id,
            # Each undo of an action reverses the one before it.
            reversal=Reversal.REDONE if place % 2 else Reversal.UNDONE,
            paths=event.paths,
            path_count=event.path_count,
            reversed_at=event.recorded_at,
            **{name: getattr(start, name) for name in _OF_START},
        )

    def _start_of(self, execution_id: str) -> ExecutionStarted:
        for row in self._found(_OF_STARTS, "execution_starts", "execution_id", execution_id):
            values: JsonDict = {
                name: str(value) if isinstance(value, UUID) else value for name, value in row.items()
            }
            return ExecutionStarted(**values, event_id=values["execution_id"], recorded_at=row["started_at"])
        raise ValueError(f"an undoing of an unknown try: {execution_id[:100]!r}")

    def _count_of(self, action_id: str) -> int:
        return sum(
            row["found"] for row in self._found("count(*) AS found", "reversals", "action_id", action_id)
        )

    def _found(self, columns: str, table: str, key: str, value: str) -> list[JsonDict]:
        rows = []
        for catalogue in self._catalogues:
            cursor = self._connection.execute(
                f"SELECT {columns} FROM {catalogue}{table} WHERE {key}::VARCHAR = ?",  # noqa: S608 (our own names)
                [value],
            )
            names = [column[0] for column in cursor.description or ()]
            rows += [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        return rows
