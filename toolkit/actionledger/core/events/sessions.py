"""Events of sessions: start, finish, description, and erasure."""

from dataclasses import field
from datetime import datetime
from typing import Literal

from actionledger.core.events.base import Id, JsonObject, Recorded, Word
from actionledger.core.frozen import dataclass
from actionledger.core.vocabulary import ForgettingStep, Relation, TitleOrigin


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted(Recorded):
    """A session begins.

    Args:
        session_id: identifies it.
        external_id: its name where it comes from; empty for live sessions.
        source: where it comes from: ``live``, ``jsonl``, ``mint``, …
        profile: the profile that it runs under.
        model: the language model, as its source names it.
        task: what the session is about: a task set, a suite, a customer.
        started_at: when it began, UTC without a zone; None where the source doesn't say.
        metadata: what else the source says, as JSON text of an object.
        parent_session_id: the session that it is a child of; None where it is none.
        relation: how it is its child.
    """

    kind: Literal["session_started"] = "session_started"
    session_id: Id
    external_id: Word
    source: Word
    profile: Word
    model: Word
    task: Word
    started_at: datetime | None
    metadata: JsonObject = "{}"
    parent_session_id: Id | None = None
    relation: Relation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFinished(Recorded):
    """A session is over.

    Args:
        session_id: identifies it.
        success: whether it reached what it was for; None if unknown.
        reason: why it ended, in its source's words.
        finished_at: when, UTC without a zone; None where the source doesn't say.
        scores: rewards and scores by the names that their source gives them.
        labels: what the source has filed it under.
    """

    kind: Literal["session_finished"] = "session_finished"
    session_id: Id
    success: bool | None
    reason: str
    finished_at: datetime | None = None
    scores: dict[str, float] = field(default_factory=dict)
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDescribed(Recorded):
    """What a session is called and where it ran, as far as its source says so by now; the last one of a session counts.

    Args:
        session_id: identifies it.
        details_id: identifies what is said: the same for the same words of the same session.
        title: what it is called; empty where nobody has called it anything and no prompt is recorded.
        title_from: who has called it so; None where it has no title.
        project: the folder that the agent worked in; empty where the source doesn't say.
        git_branch: the branch that was checked out there; empty where the source doesn't say.
        git_commit: the commit that was checked out there; empty where the source doesn't say.
        pull_requests: the addresses of pull requests that it has opened or worked on.
        agent: the program that ran it; empty where the source doesn't say.
        agent_version: that program's version; empty where the source doesn't say.
        permission_mode: what the agent was allowed to do without asking, in its own word; empty where the source doesn't say.
        aborted: why its last turn was broken off, in its source's word; empty where it was not, or nobody says so.
        parent_session_id: the session that it is a child of, also where that was not known when it began; None where it is none.
        relation: how it is its child.
    """

    kind: Literal["session_described"] = "session_described"
    session_id: Id
    details_id: Id
    title: str = ""
    title_from: TitleOrigin | None = None
    project: str = ""
    git_branch: str = ""
    git_commit: Word = ""
    pull_requests: tuple[str, ...] = ()
    agent: Word = ""
    agent_version: Word = ""
    permission_mode: Word = ""
    aborted: Word = ""
    parent_session_id: Id | None = None
    relation: Relation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionForgotten(Recorded):
    """All that was recorded of a session is gone, or it may come in again; it says nothing of what was in it.

    Args:
        forgotten_session: the session.
        step: whether it was forgotten, or is taken in again.
        forgotten_by: who asked for it.
        why: for what rule; empty where somebody named the session.
        counts: how many rows of each table, and how many of each other thing, are gone.
    """

    kind: Literal["session_forgotten"] = "session_forgotten"
    forgotten_session: Id
    step: ForgettingStep
    forgotten_by: Word
    why: Word = ""
    counts: dict[str, int] = field(default_factory=dict)
