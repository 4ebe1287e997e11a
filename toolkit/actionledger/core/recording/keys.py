"""A run, a session and a turn as their events carry them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from actionledger.core.clock import now
from actionledger.core.ids import derived_id
from actionledger.core.made_quickly import made_quickly
from actionledger.core.vocabulary import RunKind


class ParserIdentity(Protocol):
    """What is recorded of a parser."""

    @property
    def id(self) -> str:
        """The hash of its configuration."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def version(self) -> str:
        """Its version."""

    @property
    def configuration(self) -> str:
        """All of it, as JSON text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunKey:
    """A run as its events carry it.

    Args:
        run_id: identifies it.
        kind: how it comes about.
    """

    run_id: str
    kind: RunKind


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKey:
    """A session as the events of its turns carry it.

    Args:
        session_id: identifies it.
        profile, model, task: its dimensions.
    """

    session_id: str
    profile: str
    model: str
    task: str


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class TurnKey:
    """A turn as its events carry it.

    Args:
        session: the session that it belongs to.
        turn_id: identifies it.
        index: its place in the session, from 0.
        occurred_at: when the response was made, UTC without a zone; None if unknown.
    """

    session: SessionKey
    turn_id: str
    index: int
    occurred_at: datetime | None

    def dimensions(self, run_id: str) -> dict[str, Any]:
        """Return what every event within the turn has, as keyword arguments."""
        return {
            "recorded_at": now(),
            "run_id": run_id,
            "session_id": self.session.session_id,
            "turn_id": self.turn_id,
            "turn_index": self.index,
            "profile": self.session.profile,
            "model": self.session.model,
            "task": self.session.task,
            "occurred_at": self.occurred_at,
        }


def head(run_id: str, *about: object) -> dict[str, Any]:
    """Return what every event has, as keyword arguments; its id is derived from what it is about."""
    return {"event_id": derived_id(*about), "recorded_at": now(), "run_id": run_id}
