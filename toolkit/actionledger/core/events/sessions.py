"""Events of runs, sessions and turns: what took part, what was received, and how it ended."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from actionledger.core.events.base import (
    BigInt,
    Id,
    InTurn,
    JsonObject,
    JsonText,
    Recorded,
    Settings,
    TurnEvent,
    Word,
)
from actionledger.core.frozen import made_quickly
from actionledger.core.vocabulary import (
    Capture,
    CostOrigin,
    ForgettingStep,
    LeftOutReason,
    Relation,
    RunKind,
    TitleOrigin,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Recorded):
    """A set of parse attempts begins.

    Args:
        run_kind: how it comes about.
        name: what people call it.
        source: where its texts come from: a path, a run id, or empty for live sessions.
        parent_run_id: for a reparse, the run whose turns are read again; None for the first readings.
        toolkit_version: the version of this package.
        python_version: the version of Python.
    """

    kind: Literal["run_started"] = "run_started"
    run_kind: RunKind
    name: Word
    source: str
    parent_run_id: Id | None = None
    toolkit_version: Word
    python_version: Word


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(Recorded):
    """A run is over; a run without this event was cut off.

    Args:
        turns: how many turns it has read: of an import those that were new when it read them, also where another import has taken in the
            same at once, and those in whose place others stand by now; ``turns`` by its ``run_id`` has those that are its own.
        refused: how many inputs it could not read at all (unreadable lines of a file).
    """

    kind: Literal["run_finished"] = "run_finished"
    turns: BigInt
    refused: BigInt = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserUsed(Recorded):
    """A parser's configuration, recorded once for each hash.

    Args:
        parser_id: the hash of the configuration.
        name: its name.
        version: its version.
        configuration: all of it, as JSON text.
    """

    kind: Literal["parser_used"] = "parser_used"
    parser_id: Word
    name: Word
    version: Word
    configuration: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsOffered(Recorded):
    """A list of tools that a model was offered, recorded once for each hash.

    Args:
        tools_hash: the hash of the list.
        tools: the list as the OpenAI interface takes it, as JSON text.
    """

    kind: Literal["tools_offered"] = "tools_offered"
    tools_hash: Word
    tools: JsonText


@dataclass(frozen=True, slots=True, kw_only=True)
class InputLeftOut(Recorded):
    """How much of a file is no part of a session, for one reason, beyond what was recorded of it before.

    Args:
        path: the file.
        reason: why it was left out.
        detail: what it is, in a word or two; empty where the reason says all.
        count: how many more such things the file holds than when it was taken in before; less than nothing where they are fewer.
    """

    kind: Literal["input_left_out"] = "input_left_out"
    path: str
    reason: LeftOutReason
    detail: str = ""
    count: BigInt


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemNoted(Recorded):
    """Something about the run itself that a reviewer should see.

    Args:
        code: what, in one word: ``line_refused``, …
        message: the sentence for people.
        session_id, turn_id: where it belongs, if anywhere.
        detail: particulars, as JSON values by name.
    """

    kind: Literal["system_noted"] = "system_noted"
    code: Word
    message: str
    session_id: Id | None = None
    turn_id: Id | None = None
    detail: dict[str, Any] = field(default_factory=dict)


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseReceived(TurnEvent):
    """The model answered; recorded before anyone looks at the text.

    Args:
        text: the raw response; a lone surrogate is stored as U+FFFD (one code point for one, so spans hold).
        text_is_exact: False where ``text`` had a lone surrogate or a secret that was masked.
        prompt: what the model was shown right before; None where it was the feedback of the turn before.
        reasoning: what the model thought to itself before it answered, as far as its provider shows it; no part of ``text``, and
            never read for actions; None if not recorded.
        message_id: the response's own identifier where it comes from; empty where it has none.
        capture: how much of what the model wrote was kept.
        call_count: how many calls stood beside the text, split off by whoever recorded it.
        tools_hash: the hash of the tools that were offered; None if not recorded.
        input_tokens: all that the model was shown, cached or not; None, here and below, if not recorded.
        output_tokens: all that it wrote, thoughts included.
        cached_tokens: how many of the input came from a cache.
        cache_write_tokens: how many of the input were written to a cache.
        reasoning_tokens: how many of the output were thoughts.
        cost_usd: what it cost, in dollars.
        cost_origin: whether the recording says so, a price file or a price list; None where there is no cost.
        latency_ms: from the request to the end of the response, in milliseconds.
        time_to_first_token_ms: from the request to the beginning of the response, in milliseconds.
        finish_reason: why the model stopped, in its provider's word.
    """

    kind: Literal["response_received"] = "response_received"
    text: str
    text_is_exact: bool = True
    prompt: str | None = None
    reasoning: str | None = None
    message_id: Word = ""
    capture: Capture = Capture.TEXT
    call_count: int = 0
    tools_hash: Word | None = None
    input_tokens: BigInt | None = None
    output_tokens: BigInt | None = None
    cached_tokens: BigInt | None = None
    cache_write_tokens: BigInt | None = None
    reasoning_tokens: BigInt | None = None
    cost_usd: float | None = None
    cost_origin: CostOrigin | None = None
    latency_ms: float | None = None
    time_to_first_token_ms: float | None = None
    finish_reason: Word | None = None

    @property
    def characters(self) -> int:
        """How long the response is, in code points."""
        return len(self.text)


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished(InTurn):
    """The turn is over.

    Args:
        feedback: what the model is told next.
        finished_at: when it was over, UTC without a zone; None where the source doesn't say.
    """

    kind: Literal["turn_finished"] = "turn_finished"
    feedback: str
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSuperseded(InTurn):
    """A recording has more of a response by now: what was recorded of it as ``turn_id`` counts no longer.

    Args:
        superseded_by: the turn that stands for the response now.
    """

    kind: Literal["turn_superseded"] = "turn_superseded"
    superseded_by: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResumed(InTurn):
    """A turn that was over went on, after a decision.

    Args:
        feedback: what the model is told of it now.
        finished_at: when, UTC without a zone.
    """

    kind: Literal["turn_resumed"] = "turn_resumed"
    feedback: str
    finished_at: datetime


@made_quickly
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


@made_quickly
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


@made_quickly
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
