"""Whose effects these are: the turn and the action that a change of the workspace belongs to."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from actionledger.core.ids import new_id


@dataclass(frozen=True, slots=True)
class Unit:
    """What is undone as one.

    Args:
        turn: identifies the turn; empty where the change belongs to none.
        action: identifies the action, or the one try at it (its execution).
        session: identifies the session; empty if unknown.
    """

    turn: str
    action: str
    session: str = ""


# Handlers run in threads and need not know what they run for, so it goes with the thread.
_current: ContextVar[Unit | None] = ContextVar("actionledger_unit", default=None)


def current_unit() -> Unit:
    """Return what changes made here and now belong to; a unit of its own if unknown."""
    return _current.get() or Unit("", new_id())


@contextmanager
def belonging_to(*, turn: str, action: str, session: str = "") -> Iterator[Unit]:
    """Have every change that this thread makes to a workspace meanwhile belong to a turn and an action."""
    unit = Unit(turn, action, session)
    token = _current.set(unit)
    try:
        yield unit
    finally:
        _current.reset(token)
