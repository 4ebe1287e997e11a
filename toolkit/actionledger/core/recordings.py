"""Another runtime's recording as values: sessions, turns, calls, results, and usage."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Literal, TypeAlias

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.frozen import made_quickly
from actionledger.core.vocabulary import Capture, ExecutionStatus, Reason, Relation, TitleOrigin

Decider: TypeAlias = Literal["", "person", "hook", "rule", "mode", "nobody"]

_CLOSENESS = {None: 0, TitleOrigin.PROMPT: 1, TitleOrigin.AGENT: 2, TitleOrigin.PERSON: 3}
"""The rank of each origin of a title; the higher one's title is kept."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Billed:
    """Something that a provider bills beside a message; the message's ``Usage``, which sums use, includes its tokens.

    Args:
        kind: the provider's word for it: ``advisor_message``, ``compaction``, ``web_search_requests``.
        model: the model, if it is not the message's.
        input_tokens, output_tokens, cached_tokens, cache_write_tokens: as in ``Usage``.
        long_writes: how many of the tokens that were written to a cache are kept for an hour.
        requests: the number of requests, if it is billed by requests.
        is_own: whether these are the message's own tokens, with only another price.
    """

    kind: str
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    long_writes: int = 0
    requests: int = 0
    is_own: bool = False


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """The context was compacted right before a response: the model continues from a summary of earlier turns.

    Args:
        trigger: the cause, in the source's word: ``auto``, ``manual``; empty if unknown.
        tokens_before, tokens_after: the size of the context, as the agent counts it; None if not recorded.
    """

    trigger: str = ""
    tokens_before: int | None = None
    tokens_after: int | None = None


@made_quickly
@dataclass(frozen=True, slots=True)
class Permission:
    """A decision on a call before it ran, and who made it.

    Args:
        decision: ``allowed`` or ``refused``; empty if only hooks are recorded.
        decided_by: a ``person`` who was asked, a ``hook``, a ``rule`` of the settings, the agent's ``mode``, or ``nobody`` if a person had to be
            asked and none was there; empty if unknown.
        why: the source's own word for the reason.
        hooks: the hooks that ran with the call, each with how it ended.

    Example:
        >>> al.Permission("refused", "nobody", "unattended_fallback").decided_by
        'nobody'
    """

    decision: Literal["", "allowed", "refused"]
    decided_by: Decider = ""
    why: str = ""
    hooks: tuple[str, ...] = ()


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDetails:
    """A session's title and place; fields that the recording lacks are empty.

    Args:
        title: its title.
        title_from: who gave the title; None if it has none.
        project: the folder that the agent worked in.
        git_branch: the branch that was checked out there.
        git_commit: the commit that was checked out there.
        pull_requests: the addresses of pull requests that it has opened or worked on.
        agent: the program that ran it.
        agent_version: that program's version.
        permission_mode: what the agent may do without asking, in its own word.
        aborted: why its last turn was interrupted, in the source's word.

    Example:
        >>> al.SessionDetails(project="/work/shop", git_branch="main", agent="codex").git_branch
        'main'
    """

    title: str = ""
    title_from: TitleOrigin | None = None
    project: str = ""
    git_branch: str = ""
    git_commit: str = ""
    pull_requests: tuple[str, ...] = ()
    agent: str = ""
    agent_version: str = ""
    permission_mode: str = ""
    aborted: str = ""

    def then(self, later: "SessionDetails") -> "SessionDetails":
        """Return these details updated with a later part of the recording.

        Args:
            later: the later part's details. Its values win, except over a title from somebody closer to the user, and over the folder and commit,
                which are those at the session's start. ``aborted`` is always the later part's.

        Example:
            >>> al.SessionDetails(git_branch="main").then(al.SessionDetails(git_branch="fix")).git_branch
            'fix'
        """
        keeps_title = _CLOSENESS[self.title_from] > _CLOSENESS[later.title_from]
        named = self if keeps_title or not later.title else later
        return SessionDetails(
            title=named.title,
            title_from=named.title_from,
            project=self.project or later.project,
            git_branch=later.git_branch or self.git_branch,
            git_commit=self.git_commit or later.git_commit,
            pull_requests=tuple(dict.fromkeys((*self.pull_requests, *later.pull_requests))),
            agent=later.agent or self.agent,
            agent_version=later.agent_version or self.agent_version,
            permission_mode=later.permission_mode or self.permission_mode,
            aborted=later.aborted,
        )


NO_DETAILS = SessionDetails()
"""Details without any value."""


@made_quickly
@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call that the source's runtime has already parsed.

    Args:
        call_id: its own identifier, unique in its session, which its result names; empty if it has none, then results are matched by order.
        name: the tool's or function's name; empty where the recording has none.
        arguments: a text as the model wrote it (the turn's capture is then ``arguments``), or the parsed value.
        kind: a ``function`` takes an object, and text arguments are its JSON; ``text`` takes the text itself, which becomes the one argument
            ``input``.
        at: its position in the turn's text, in code points from 0; None if it is after the whole text.

    Example:
        >>> al.RecordedCall("toolu_1", "Read", {"file_path": "x.py"}).kind
        'function'
    """

    call_id: str
    name: str
    arguments: str | JsonMap
    kind: Literal["function", "text"] = "function"
    at: int | None = None


@made_quickly
@dataclass(frozen=True, slots=True)
class RecordedResult:
    """The result of one call, as the source's runtime recorded it.

    ``sources.wordings`` infers what is missing: a source should only give what its format states.

    Args:
        call_id: the call's identifier; empty for the turn's first call without a result.
        output: the result that the model was given: a text, or a JSON value.
        is_error: whether the recording says that it is an error; None if it doesn't say.
        status: the execution's status, if the recording states more than that.
        reason: why it didn't succeed, if the format has a field for it.
        is_inferred: whether ``status`` and ``reason`` were inferred from a text, not read from a field.
        exit_status: a program's exit status, if a field or a fixed wording states it.
        duration_ms: the duration, in milliseconds.
        refused_by: who refused it, ``person``, ``hook`` or ``policy``; empty if nobody did.
        started_at: when it began, UTC without a zone.
        finished_at: when its result came, UTC without a zone.
        within: calls that the call made itself, such as a script that calls tools, each with its result. They are
            executions of their own, under this call.
        permission: who allowed or refused the call; None if the recording doesn't say.

    Example:
        >>> al.RecordedResult("toolu_1", "Exit code 1", is_error=True).is_error
        True
    """

    call_id: str
    output: Any = None
    is_error: bool | None = None
    status: ExecutionStatus | None = None
    reason: Reason | None = None
    is_inferred: bool = False
    exit_status: int | None = None
    duration_ms: float | None = None
    refused_by: Literal["", "person", "hook", "policy"] = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None
    within: "tuple[tuple[RecordedCall, RecordedResult], ...]" = field(default=(), repr=False)
    permission: Permission | None = field(
        default=None, repr=False
    )  # ids of steps are derived from the other fields' repr


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """One response's usage; None for what the recording lacks.

    Args:
        input_tokens: all input tokens, including those read from or written to a cache.
        output_tokens: all output tokens, including reasoning.
        cached_tokens: the input tokens from a cache.
        cache_write_tokens: the input tokens that were written to a cache.
        reasoning_tokens: the output tokens that were reasoning.
        cost_usd: the recorded cost, in US dollars.
        latency_ms: from the request to the end of the response, in milliseconds.
        time_to_first_token_ms: from the request to the response's first token, in milliseconds.
        finish_reason: why the model stopped, in its provider's word; empty if unknown.
        billed: what the provider bills beside the message, such as an advisor's tokens; the numbers above include them.

    Example:
        >>> al.Usage(input_tokens=1200, cached_tokens=1000, output_tokens=80).output_tokens
        80
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None
    time_to_first_token_ms: float | None = None
    finish_reason: str = ""
    billed: tuple[Billed, ...] = field(default=(), repr=False)

    def filled(self, other: "Usage") -> "Usage":
        """Return this usage, with missing values from another one of the same response.

        Args:
            other: the other usage.

        Example:
            >>> al.Usage(output_tokens=80).filled(al.Usage(output_tokens=1, input_tokens=12)).input_tokens
            12
        """
        mine = {
            each.name: value for each in fields(self) if (value := getattr(self, each.name)) not in {None, ""}
        }
        return replace(other, **mine)


@made_quickly
@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One recorded response: one message of the model, even if its recording has several lines of it.

    Args:
        index: its index in the session, from 0; it orders turns, and identifies one only if ``external_id`` is empty.
        text: the raw response; if its calls were split off, the remaining text.
        prompt: the model's input right before; None if it was the feedback of the turn before.
        feedback: the model's next input, besides the results; None if not recorded.
        occurred_at: when the response was made, UTC without a zone; None if unknown.
        external_id: the message's own identifier; if empty, the turn is identified by its index in its session.
        capture: how much of the response was kept.
        calls: the split-off calls, in order. With the capture ``text``, the calls that the runtime parsed, if known.
        results: the calls' results, as far as known.
        usage: tokens, cost and times.
        tools: the offered tools, as ``canonical.json_text`` of a list in the OpenAI interface's format; empty if unknown.
        model: the language model, if it is not the session's.
        reasoning: the model's reasoning, if its provider shows it and separates it from the text; empty otherwise.
        demands_action: whether the runtime reports a response without a call as an error, since its protocol demands one in each.
        formerly: the ``external_id`` from earlier versions of the source. Several if they made a turn of each part or repeated it; for one of another
            session, that session's name and the turn's. What a ledger has under them is superseded.
        compaction: the compaction of the context since the response before; None if there was none or it is not recorded.

    Example:
        >>> call = al.RecordedCall("toolu_1", "Read", {"file_path": "x.py"})
        >>> turn = al.RecordedTurn(0, "On it.", external_id="msg_1", capture=al.Capture.CALLS, calls=(call,))
        >>> str(turn.capture), turn.calls[0].name
        ('calls', 'Read')
    """

    index: int
    text: str
    prompt: str | None = None
    feedback: str | None = None
    occurred_at: datetime | None = None
    external_id: str = ""
    capture: Capture = Capture.TEXT
    calls: tuple[RecordedCall, ...] = ()
    results: tuple[RecordedResult, ...] = ()
    usage: Usage = field(default=Usage())
    tools: str = ""
    model: str = ""
    reasoning: str = ""
    demands_action: bool = False
    formerly: str | tuple[str | tuple[str, str], ...] = ""
    compaction: Compaction | None = None


@made_quickly
@dataclass(frozen=True, slots=True)
class RecordedSession:
    """One recorded session, or a piece of it.

    Args:
        external_id: its source's name for it.
        profile: the profile to parse it with; None if there is none, then texts are parsed with the import's settings.
        model: the language model, as its source names it.
        task: its topic.
        turns: its responses, in order; in a piece, only those that no earlier piece had.
        success: whether it reached its aim; None if unknown.
        reason: why it ended, in its source's words.
        metadata: other data of the source, known at the session's start.
        source: the format's name in records; empty for the import's.
        parent: its parent session's name; empty if it has none.
        relation: its relation to the parent.
        results: results of calls in turns of earlier pieces.
        scores: rewards and scores by name.
        labels: the source's labels for it.
        ids: the scope in which a turn's ``external_id`` is unique. With ``source`` it is unique in all files of the format, so a message that was
            copied into another session's file is the same turn, and stays where it was seen first.
        is_last: whether no further piece follows.
        begun_as: a first name of the session, such as its trace's, if its recording gives another one later. A turn is the same under both, and what
            is known under the first continues under the second. Empty if the name is known from the start.
        formerly: its name in earlier versions of the source; a ledger that has it under that name continues with it.
        started_at: when it began, UTC without a zone; None for the time of its first turn.
        finished_at: when it was over, UTC without a zone; None for the time of its last turn.
        details: its title and place; in a piece, as far as it has them.
        parser: the name of the parser for the format that its own prompt requests, if that is not its profile's; empty if it is, or is unknown.

    Example:
        >>> answer = al.RecordedTurn(0, "All done.")
        >>> child = al.RecordedSession(
        ...     "agent-1", None, "some-model", "", (answer,), parent="main", relation=al.Relation.SUBAGENT
        ... )
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     al.import_sessions(ledger, [child]).sessions
        1
    """

    external_id: str
    profile: str | None
    model: str
    task: str
    turns: tuple[RecordedTurn, ...]
    success: bool | None = None
    reason: str = ""
    metadata: JsonDict = field(default_factory=dict)
    source: str = ""
    parent: str = ""
    relation: Relation | None = None
    results: tuple[RecordedResult, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    ids: Literal["session", "source"] = "session"
    is_last: bool = True
    begun_as: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None
    details: SessionDetails = field(default=NO_DETAILS)
    parser: str = ""
    formerly: str = ""


AnyResult: TypeAlias = RecordedResult | JsonMap
"""A call's result, or its fields by name."""


AnyUsage: TypeAlias = Usage | JsonMap
"""A response's usage, its fields by name, or a provider's usage object."""
