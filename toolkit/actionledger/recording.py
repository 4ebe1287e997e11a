"""From values to events: what is recorded of a run, a session, a turn and an attempt, whoever makes it.

An event's id is derived from what it is about. So an import that is repeated, or goes on after a crash, writes the same
events again, and the ledger passes over them.
"""

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any, Protocol

from actionledger._version import __version__
from actionledger.clock import now
from actionledger.errors import EventTooLargeError
from actionledger.events import (
    Event,
    InputLeftOut,
    ParserUsed,
    ResponseReceived,
    RunFinished,
    RunStarted,
    SessionFinished,
    SessionForgotten,
    SessionStarted,
    SystemNoted,
    ToolsOffered,
    TurnFinished,
    TurnResumed,
    TurnSuperseded,
)
from actionledger.ids import derived_id, new_id
from actionledger.made_quickly import made_quickly
from actionledger.privacy import mask_text
from actionledger.text import utf8_with_halves
from actionledger.vocabulary import SENTENCES, ForgettingStep, LeftOutReason, Reason, Relation, RunKind

Recorder = Callable[[Event], None]
"""Takes events; a ledger's ``record`` is one, a list's ``append`` another."""

PRICES_USED = "prices_used"
"""The code of a note that a run has costs by a price file."""

RESPONSE_CHARACTERS = 8 * 2**20
"""The longest response that is recorded and read, in characters: whatever they are, its event fits into a ledger."""

KEPT_CHARACTERS = 2**20
"""How much is kept of a prompt, a thought or a feedback that makes its event too large, in characters."""


def record_fitting(record: Recorder, event: ResponseReceived | TurnFinished | TurnResumed) -> None:
    """Record an event, with the beginning of its prompt and thought, or its feedback, alone where it is too large; a cut says so.

    Args:
        record: takes the event.
        event: what happened.

    Raises:
        LedgerError: it can't be recorded.
    """
    try:
        record(event)
    except EventTooLargeError:
        if isinstance(event, ResponseReceived):
            record(replace(event, prompt=_cut(event.prompt), reasoning=_cut(event.reasoning)))
        else:
            record(replace(event, feedback=_cut(event.feedback) or ""))


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= KEPT_CHARACTERS:
        return text
    # Half of a secret would not be known as one.
    return f"{mask_text(text)[:KEPT_CHARACTERS]} … (cut: {KEPT_CHARACTERS:,} of {len(text):,} characters are kept)"


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


def _head(run_id: str, *about: object) -> dict[str, Any]:
    """Return what every event has, as keyword arguments; its id is derived from what it is about."""
    return {"event_id": derived_id(*about), "recorded_at": now(), "run_id": run_id}


def run_started(key: RunKey, *, name: str, source: str, parent_run_id: str | None = None) -> RunStarted:
    """Return the event of a run that begins now."""
    return RunStarted(
        **_head(key.run_id, "run-started", key.run_id),
        run_kind=key.kind,
        name=name,
        source=source,
        toolkit_version=__version__,
        python_version=platform.python_version(),
        parent_run_id=parent_run_id,
    )


def run_finished(key: RunKey, *, turns: int, refused: int = 0) -> RunFinished:
    """Return the event of a run that ends now."""
    return RunFinished(**_head(key.run_id, "run-finished", key.run_id), turns=turns, refused=refused)


def parser_used(parser: ParserIdentity, run_id: str) -> ParserUsed:
    """Return the event that keeps a parser's configuration."""
    return ParserUsed(
        **_head(run_id, "parser-used", parser.id),
        parser_id=parser.id,
        name=parser.name,
        version=parser.version,
        configuration=parser.configuration,
    )


def prices_used(run_id: str, dated: date | None) -> SystemNoted:
    """Return the event that says of a run whose price file it has costs by.

    Args:
        run_id: the run.
        dated: the day on which the file was changed last, UTC; None if unknown.
    """
    day = dated.isoformat() if dated else ""
    return SystemNoted(
        **_head(run_id, PRICES_USED, run_id, day),
        code=PRICES_USED,
        message=f"What no recording says that it cost has its cost by a price file{f' of {day}' if day else ''}.",
        detail={"dated": day},
    )


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
        **_head(run_id, "session-started", session.session_id),
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
    """Return the event of a session that was forgotten, and is taken in again.

    Args:
        session_id: the session.
        run_id: the run that takes it in.
    """
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
        **_head(
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


def response_received(
    turn: TurnKey, run_id: str, text: str, prompt: str | None, **recorded: Any
) -> ResponseReceived:
    """Return the event of a response that came in.

    Args:
        turn: the turn that it makes.
        run_id: the run that it belongs to.
        text: the raw response.
        prompt: what the model was shown right before; None where it was the feedback of the turn before.
        recorded: what a recording says beside, by the fields of ``ResponseReceived``.
    """
    return ResponseReceived(
        event_id=derived_id("response-received", turn.turn_id),
        text=text,
        prompt=prompt,
        **turn.dimensions(run_id),
        **recorded,
    )


def turn_superseded(turn: TurnKey, run_id: str, superseded_by: str) -> TurnSuperseded:
    """Return the event of a turn for whose response another one stands now."""
    return TurnSuperseded(
        **_head(run_id, "turn-superseded", turn.turn_id),
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        superseded_by=superseded_by,
    )


def tools_offered(tools: str, run_id: str) -> ToolsOffered:
    """Return the event that keeps a list of tools.

    Args:
        tools: the list, as JSON text.
        run_id: the run that it was seen in.
    """
    tools_hash = hash_of_tools(tools)
    return ToolsOffered(**_head(run_id, "tools-offered", tools_hash), tools_hash=tools_hash, tools=tools)


@lru_cache(maxsize=256)  # as a rule all turns of a session were offered the same
def hash_of_tools(tools: str) -> str:
    """Return what a list of tools is known by.

    Args:
        tools: the list, as JSON text.
    """
    return sha256(utf8_with_halves(tools)).hexdigest()[:16]


def input_left_out(
    run_id: str, path: str, reason: LeftOutReason, detail: str, count: int, *, times: int = 0
) -> InputLeftOut:
    """Return the event of what a file holds that is no part of a session, beyond what earlier runs have said of it.

    Args:
        run_id: the run that says it.
        path: the file.
        reason: why it is none.
        detail: what it is.
        count: how much more there is than was said before.
        times: how many times it was said before; of two runs that read a file at once, and know the same, one is heard.
    """
    about = ("left-out", str(times), path, reason, detail)
    return InputLeftOut(**_head(run_id, *about), path=path, reason=reason, detail=detail, count=count)


def response_refused(session_id: str, run_id: str, index: int, characters: int) -> SystemNoted:
    """Return the event of a response that is too large to be recorded; only its size is.

    Args:
        session_id: the session that it came in.
        run_id: the run that it belongs to.
        index: the place in its session that it would have had, from 0.
        characters: its size.
    """
    reason = Reason.RESPONSE_TOO_LARGE
    return SystemNoted(
        event_id=new_id(),
        recorded_at=now(),
        run_id=run_id,
        code=str(reason),
        message=f"{SENTENCES[reason]} It has {characters:,} characters; at most {RESPONSE_CHARACTERS:,} are taken.",
        session_id=session_id,
        detail={"characters": characters, "limit": RESPONSE_CHARACTERS, "turn_index": index},
    )


def turn_id_of(session: SessionKey, index: int) -> str:
    """Return the id of a session's turn, by its place in the session."""
    return derived_id("turn", session.session_id, index)


def turn_finished(turn: TurnKey, run_id: str, feedback: str, finished_at: datetime | None) -> TurnFinished:
    """Return the event of a turn that is over."""
    return TurnFinished(
        **_head(run_id, "turn-finished", turn.turn_id),
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        feedback=feedback,
        finished_at=finished_at,
    )
