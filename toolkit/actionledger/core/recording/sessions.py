"""Sessions as they are recorded: the keys that events carry, a session's beginning and end, and that it is imported again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from actionledger.core.events import SessionDescribed, SessionFinished, SessionForgotten, SessionStarted
from actionledger.core.frozen import made_quickly
from actionledger.core.ids import derived_id, new_id, now
from actionledger.core.vocabulary import ForgettingStep, Relation, RunKind


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


def session_started(
    session: SessionKey,
    run_id: str,
    *,
    external_id: str,
    source: str,
    started_at: datetime | None,
    metadata: str = "{}",
    parent_session_id: str | None = None,
    relation: Relation | None = None,
) -> SessionStarted:
    """Return the event of a session that begins."""
    return SessionStarted(
        **head(run_id, "session-started", session.session_id),
        session_id=session.session_id,
        profile=session.profile,
        model=session.model,
        task=session.task,
        external_id=external_id,
        source=source,
        started_at=started_at,
        metadata=metadata,
        parent_session_id=parent_session_id,
        relation=relation,
    )


def session_readmitted(session_id: str, run_id: str) -> SessionForgotten:
    """Return the event of a session that was forgotten, and is taken in again."""
    return SessionForgotten(
        event_id=new_id(),
        recorded_at=now(),
        run_id=run_id,
        forgotten_session=session_id,
        step=ForgettingStep.READMITTED,
        forgotten_by="",
    )


def session_finished(
    session: SessionKey,
    run_id: str,
    *,
    success: bool | None,
    reason: str,
    finished_at: datetime | None,
    scores: Mapping[str, float] | None = None,
    labels: Sequence[str] = (),
) -> SessionFinished:
    """Return the event of a session that is over."""
    more = (sorted(scores.items()) if scores else (), tuple(labels))
    return SessionFinished(
        **head(
            run_id,
            "session-finished",
            session.session_id,
            success,
            reason,
            finished_at,
            *(more if any(more) else ()),
        ),
        scores=dict(scores or {}),
        labels=tuple(labels),
        session_id=session.session_id,
        success=success,
        reason=reason,
        finished_at=finished_at,
    )


def details_id_of(session_id: str, said: Mapping[str, Any]) -> str:
    """Return what identifies the words that are said of a session."""
    return derived_id("session-details", session_id, *said.values())


def session_described(session_id: str, run_id: str, said: Mapping[str, Any], before: str) -> SessionDescribed:
    """Return the event of what a session is called and where it ran."""
    details_id = details_id_of(session_id, said)
    return SessionDescribed(
        **head(run_id, "session-described", details_id, before),
        session_id=session_id,
        details_id=details_id,
        **said,
    )
