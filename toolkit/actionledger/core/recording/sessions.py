"""Events of runs and sessions: the keys that events carry, start and finish, and skipped input."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Protocol

from actionledger._version import __version__
from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.events import (
    InputLeftOut,
    ParserUsed,
    RunFinished,
    RunStarted,
    SessionDescribed,
    SessionFinished,
    SessionForgotten,
    SessionStarted,
    SystemNoted,
    ToolsOffered,
)
from actionledger.core.frozen import made_quickly
from actionledger.core.ids import derived_id, new_id, now
from actionledger.core.text import utf8_with_halves
from actionledger.core.vocabulary import ForgettingStep, LeftOutReason, Relation, RunKind

PRICES_USED = "prices_used"
"""The code of the note that a run has costs from a price file."""

ALERT_RAISED = "alert_raised"
"""The code of the note that a number crossed a rule's limit."""

LIST_PRICES_USED = "list_prices_used"
"""The code of the note that a run has costs from providers' price lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunKey:
    """A run as its events carry it."""

    run_id: str  # its identifier
    kind: RunKind


def run_started(key: RunKey, *, name: str, source: str, parent_run_id: str | None = None) -> RunStarted:
    """Return the event of a run that starts now."""
    return RunStarted(
        **head(key.run_id, "run-started", key.run_id),
        run_kind=key.kind,
        name=name,
        source=source,
        toolkit_version=__version__,
        python_version=platform.python_version(),
        parent_run_id=parent_run_id,
    )


def run_finished(key: RunKey, *, turns: int, refused: int = 0) -> RunFinished:
    """Return the event of a run that finishes now."""
    return RunFinished(**head(key.run_id, "run-finished", key.run_id), turns=turns, refused=refused)


class ParserIdentity(Protocol):
    """A parser's recorded identity."""

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
        """The whole configuration, as JSON text."""


def parser_used(parser: ParserIdentity, run_id: str) -> ParserUsed:
    """Return the event that records a parser's configuration."""
    return ParserUsed(
        **head(run_id, "parser-used", parser.id),
        parser_id=parser.id,
        name=parser.name,
        version=parser.version,
        configuration=parser.configuration,
    )


def prices_used(run_id: str, dated: date | None) -> SystemNoted:
    """Return the event that notes a run's price file."""
    day = dated.isoformat() if dated else ""
    return SystemNoted(
        **head(run_id, PRICES_USED, run_id, day),
        code=PRICES_USED,
        message=f"What no recording says that it cost has its cost by a price file{f' of {day}' if day else ''}.",
        detail={"dated": day},
    )


def list_prices_used(run_id: str, package: str, dated: date) -> SystemNoted:
    """Return the event that notes a run's price lists."""
    day = dated.isoformat()
    return SystemNoted(
        **head(run_id, LIST_PRICES_USED, run_id, package, day),
        code=LIST_PRICES_USED,
        message=f"What no recording says that it cost has its cost by list prices of {day} ({package}), each of the response's own day.",
        detail={"dated": day, "package": package},
    )


def alert_raised(run_id: str, message: str, detail: JsonDict) -> SystemNoted:
    """Return the event of an alert; each has an id of its own."""
    return SystemNoted(
        event_id=new_id(),
        recorded_at=now(),
        run_id=run_id,
        code=ALERT_RAISED,
        message=message,
        detail=detail,
    )


def tools_offered(tools: str, run_id: str) -> ToolsOffered:
    """Return the event that records a list of tools."""
    tools_hash = hash_of_tools(tools)
    return ToolsOffered(**head(run_id, "tools-offered", tools_hash), tools_hash=tools_hash, tools=tools)


@lru_cache(maxsize=256)  # usually all turns of a session have the same tools
def hash_of_tools(tools: str) -> str:
    """Return the hash that identifies a list of tools."""
    return sha256(utf8_with_halves(tools)).hexdigest()[:16]


def input_left_out(
    run_id: str, path: str, reason: LeftOutReason, detail: str, count: int, *, times: int = 0
) -> InputLeftOut:
    """Return the event of a file's skipped input, beyond what earlier runs have recorded."""
    about = ("left-out", str(times), path, reason, detail)
    return InputLeftOut(**head(run_id, *about), path=path, reason=reason, detail=detail, count=count)


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKey:
    """A session as the events of its turns carry it."""

    session_id: str  # its identifier
    profile: str  # profile, model, task: its dimensions
    model: str
    task: str


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class TurnKey:
    """A turn as its events carry it."""

    session: SessionKey
    turn_id: str  # its identifier
    index: int  # its index in the session, from 0
    occurred_at: datetime | None  # when the response was made, UTC without a zone; None if unknown

    def dimensions(self, run_id: str) -> JsonDict:
        """Return the common fields of the turn's events, as keyword arguments."""
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


def head(run_id: str, *about: object) -> JsonDict:
    """Return the common fields of all events, as keyword arguments; the id is derived from ``about``."""
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
    """Return the event of a session that starts."""
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
    """Return the event of an erased session that is imported again."""
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


def details_id_of(session_id: str, said: JsonMap) -> str:
    """Return the identifier of a session's description."""
    return derived_id("session-details", session_id, *said.values())


def session_described(session_id: str, run_id: str, said: JsonMap, before: str) -> SessionDescribed:
    """Return the event of a session's title and place."""
    details_id = details_id_of(session_id, said)
    return SessionDescribed(
        **head(run_id, "session-described", details_id, before),
        session_id=session_id,
        details_id=details_id,
        **said,
    )
