"""What a recording of another runtime says: sessions, their turns, calls, results and what they took."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Literal, TypeAlias

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.frozen import made_quickly
from actionledger.core.vocabulary import Capture, ExecutionStatus, Reason, Relation, TitleOrigin

Decider: TypeAlias = Literal["", "person", "hook", "rule", "mode", "nobody"]

_CLOSENESS = {None: 0, TitleOrigin.PROMPT: 1, TitleOrigin.AGENT: 2, TitleOrigin.PERSON: 3}
"""Whose title holds: the higher one's."""


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Billed:
    """What a provider bills beside a message; its tokens are among those of the message's ``Usage``, which sums take.

    Args:
        kind: what it is, in the provider's word: ``advisor_message``, ``compaction``, ``web_search_requests``.
        model: the model, where it is not the message's.
        input_tokens, output_tokens, cached_tokens, cache_write_tokens: as in ``Usage``.
        long_writes: how many of the tokens that were written to a cache are kept for an hour.
        requests: how many requests, where it is billed by these.
        is_own: whether these are the message's own tokens, of which only the price differs.
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
    """The context was compacted right before a response: the model goes on from a summary of what came before.

    Args:
        trigger: what brought it about, in the source's word: ``auto``, ``manual``; empty where it doesn't say.
        tokens_before, tokens_after: how large the context was, as the agent counts it; None if not recorded.
    """

    trigger: str = ""
    tokens_before: int | None = None
    tokens_after: int | None = None


@made_quickly
@dataclass(frozen=True, slots=True)
class Permission:
    """What was decided of a call before it ran, and by whom.

    Args:
        decision: ``allowed`` or ``refused``; empty where only hooks are recorded.
        decided_by: a ``person`` who was asked, a ``hook``, a ``rule`` of the settings, the ``mode`` that the agent ran in, or ``nobody``
            where a person had to be asked and there was none; empty where the recording doesn't say.
        why: the source's own word for it.
        hooks: what ran beside the call, each with how it ended.

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
    """What a session is called and where it ran; empty for what the recording doesn't say.

    Args:
        title: what it is called.
        title_from: who has called it so; None where it has no title.
        project: the folder that the agent worked in.
        git_branch: the branch that was checked out there.
        git_commit: the commit that was checked out there.
        pull_requests: the addresses of pull requests that it has opened or worked on.
        agent: the program that ran it.
        agent_version: that program's version.
        permission_mode: what the agent was allowed to do without asking, in its own word.
        aborted: why its last turn was broken off, in its source's word.

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
        """Return what is known when a later part of the recording has said more.

        Args:
            later: what that part says: it holds, but for a title that somebody closer to the user has given, and but for the folder and
                the commit, which are those that the session began with. That a turn was broken off, it says alone.

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
"""Nothing is said."""


@made_quickly
@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call that the source's runtime has read already.

    Args:
        call_id: its own identifier, unique in its session; a result names it. Empty where it has none: results follow by place.
        name: the tool's or function's name; empty where the recording has none.
        arguments: a text as the model wrote it (then the turn's capture is ``arguments``), or what it was parsed to.
        kind: ``function`` takes an object, which a text of arguments is the JSON of; ``text`` takes the text as it is,
            which becomes the one argument ``input``.
        at: where in the turn's text it was made, in code points from 0; None behind all of it.

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
    """What came of one call, as the source's runtime has recorded it.

    What is left out is judged by ``sources.wordings``: a source gives what its format says and no more.

    Args:
        call_id: the call's identifier; empty for the first call of the turn that has no result yet.
        output: what the model was given as the result: a text, or a JSON value.
        is_error: whether the recording says that it is an error; None where it doesn't say.
        status: what came of it, where the recording says more than that.
        reason: why it didn't succeed, where the format has a field for it.
        is_inferred: whether ``status`` and ``reason`` were concluded from a text and not read from a field.
        exit_status: a program's, where a field or a fixed form of words says it.
        duration_ms: how long it took, in milliseconds.
        refused_by: who refused it, ``person``, ``hook`` or ``policy``; empty where nobody did.
        started_at: when it began, UTC without a zone.
        finished_at: when its result came, UTC without a zone.
        within: what the call has run by itself, such as a script that calls tools: each such call with what came of it. They are
            executions of their own, under this call.
        permission: who let the call run or refused it; None where the recording doesn't say.

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
    )  # such as identifiers of steps are made of


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one response took; None for what the recording doesn't say.

    Args:
        input_tokens: all that the model was shown, with what came from a cache or was written to one.
        output_tokens: all that it wrote, with what it thought.
        cached_tokens: how many of the input came from a cache.
        cache_write_tokens: how many of the input were written to a cache.
        reasoning_tokens: how many of the output were thoughts.
        cost_usd: what it cost, in dollars of the United States, as recorded.
        latency_ms: from the request to the end of the response, in milliseconds.
        time_to_first_token_ms: from the request to the first of the response, in milliseconds.
        finish_reason: why the model stopped, in its provider's word; empty if unknown.
        billed: what its provider bills beside the message, such as an advisor's tokens: they are among those above.

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
        """Return this with what another one of the same response says beside it.

        Args:
            other: the other one.

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
    """One recorded response: one message of the model, however many lines its recording has of it.

    Args:
        index: its place in the session, from 0: an order, no identity where it has an ``external_id``.
        text: the raw response; where its calls were split off, the text that is left of it.
        prompt: what the model was shown right before; None where that was the feedback of the turn before.
        feedback: what the model was told next, beside the results; None if not recorded.
        occurred_at: when the response was made, UTC without a zone; None if unknown.
        external_id: the message's own identifier; empty to know the turn by its place in its session.
        capture: how much of what the model wrote is there.
        calls: the calls beside the text, in order. With the capture ``text``, what the runtime has read of it, if known.
        results: what came of them, as far as it is known by now.
        usage: tokens, cost and times.
        tools: the tools that were offered, as ``canonical.json_text`` of a list as the OpenAI interface takes it; empty
            where they aren't known.
        model: the language model, where it is not the session's.
        reasoning: what the model thought before it answered, where its provider shows it, and keeps it apart from the text; empty
            where it doesn't.
        demands_action: whether the runtime takes a response without a call for a mistake and says so, as its protocol demands one in each.
        formerly: the ``external_id`` that earlier versions of the source gave it, or several where they made a turn of each part or told it
            twice, of another session as that one's name and the turn's; what a ledger has under them is superseded.
        compaction: how the context was compacted since the response before; None where it was not, or that is not recorded.

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
        external_id: its name where it comes from.
        profile: the profile to read it under; None for none: texts are then read as the import is told to.
        model: the language model, as its source names it.
        task: what it is about.
        turns: its responses, in order; of a piece, those that no earlier piece had.
        success: whether it reached what it was for; None if unknown.
        reason: why it ended, in its source's words.
        metadata: what else its source says, known where the session begins.
        source: the format, as records name it; empty for that of the import.
        parent: the name of the session that it is a child of; empty where it is none.
        relation: how it is its child.
        results: what came of calls of turns that earlier pieces had.
        scores: rewards and scores by their names.
        labels: what the source has filed it under.
        ids: where a turn's ``external_id`` is unique. With ``source`` it is so in every file of the format, so that a message
            that was copied into another session's file is the same turn, and stays where it was seen first.
        is_last: whether no further piece follows.
        begun_as: the name that its recording has for it before it says another one, such as its trace's: a turn is the same under
            both, and what is known under the first goes on under it. Empty where its name is known from the beginning.
        formerly: the name that earlier versions of the source gave it: a ledger that has it under that one goes on with it.
        started_at: when it began, UTC without a zone; None for the time of its first turn.
        finished_at: when it was over, UTC without a zone; None for the time of its last turn.
        details: what it is called and where it ran; of a piece, as far as it says so.
        parser: the parser that its own prompt asks for, by name, where that is not its profile's; empty where it is, or nobody can tell.

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
"""What came of a call, or its fields by name."""


AnyUsage: TypeAlias = Usage | JsonMap
"""What a response took, its fields by name, or a provider's usage object."""
