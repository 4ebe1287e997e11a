"""What a source gives: recorded sessions with their turns, what it passes over, and what it can't read.

A source is a function that takes a file and yields these values, in the order of the file. It holds no more of a file than one
session's open ends: a long session is given in pieces, the same ``external_id`` again with further turns, so that no file
is too large. What is there already, what grew and what was copied is the importer's matter; a source says what each thing's
own identifier is, and reads every file from its beginning.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

from actionledger.core.made_quickly import made_quickly
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason, Relation
from actionledger.imports.sources.billed import Billed
from actionledger.imports.sources.containers import OnRead
from actionledger.imports.sources.details import NO_DETAILS, SessionDetails
from actionledger.imports.sources.permissions import Permission


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
    arguments: str | Mapping[str, Any]
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
        formerly: the ``external_id`` that earlier versions of the source gave it; what a ledger has under that one is superseded.

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
    formerly: str = ""


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
    metadata: dict[str, Any] = field(default_factory=dict)
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


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something in a file that is known, or was looked at, and is no part of a session; it is counted, not listed.

    Args:
        file: the file that it stands in.
        reason: why it is left out.
        detail: what it is, in a word or two that many share, such as the kind of a line; never a text of the recording.
        count: how many there are.

    Example:
        >>> from actionledger.core.vocabulary import LeftOutReason
        >>> al.LeftOut("log.jsonl", LeftOutReason.INJECTED_CONTEXT).count
        1
    """

    file: str
    reason: LeftOutReason
    detail: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class Refusal:
    """An input that can't be read.

    Args:
        file: the file that it stands in.
        line: its line, from 1; 0 for the file as a whole.
        reason: what is wrong with it, for people.

    Example:
        >>> str(al.Refusal("log.jsonl", 3, "The line is no JSON."))
        'log.jsonl:3: The line is no JSON.'
    """

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}" if self.line else f"{self.file}: {self.reason}"


@dataclass(
    frozen=True, slots=True, eq=False
)  # looked up for each result: by value that takes as long as judging it
class Wording:
    """How a runtime words one kind of error: data that ``sources.wordings`` judges results by.

    Args:
        pattern: a regular expression, searched for in the first ``wordings.JUDGED`` characters of a result's text; ``^`` is where
            a line begins.
        reason: what such a result means.
        example: a text that it fits, and no row before it does.
        is_telling: whether these words alone say that it is an error, where the recording has no field for that. What such
            a row concludes is marked as inferred.
        first_seen, last_seen: the versions of the runtime in which it was seen first and last; empty where that is not known.
    """

    pattern: str
    reason: Reason
    example: str
    is_telling: bool = False
    first_seen: str = ""
    last_seen: str = ""


def seen(first: str, last: str, rows: tuple[Wording, ...]) -> tuple[Wording, ...]:
    """Return wordings with the versions in which they were seen, those that don't say it themselves.

    Args:
        first: the version that their runtime's format is known from; empty where that is not known.
        last: the one that it was known to.
        rows: the wordings.
    """
    return tuple(
        replace(row, first_seen=row.first_seen or first, last_seen=row.last_seen or last) for row in rows
    )


Item: TypeAlias = RecordedSession | LeftOut | Refusal
"""One thing that a source gives."""

Recorded: TypeAlias = Iterator[Item]
"""What a source gives, one after the other, in the order of the file."""

ReadFile: TypeAlias = Callable[[Path, OnRead | None], Recorded]
"""Reads a file; raises ``SourceError`` where it can't be opened, and yields a ``Refusal`` for what can't be read of it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What a format is recognised by.

    Args:
        path: the file; ``-`` for the standard input.
        head: the beginning of what it holds, unpacked, at most ``SAMPLE_BYTES`` of it.
        values: the JSON values at its beginning: of lines, or the one document, of which only so much is there as the head holds.
    """

    path: Path
    head: bytes
    values: tuple[Any, ...] = ()


SAMPLE_BYTES = 256 * 2**10
"""How much of a file its format is recognised by, in bytes."""


@dataclass(frozen=True, slots=True)
class Source:
    """A format of recordings: what a file in ``sources/``, or another package's entry point, offers.

    Args:
        name: what records and the command line call it, such as ``claude_code``.
        title: what people call it.
        keeps: how much of what the model wrote it keeps at most.
        read: reads a file of it.
        recognise: returns how sure it is that a sample is of this format, from 0 (it isn't) to 1 (a field says so).
        patterns: the names of its files in a folder and below it; what compressed files are called needs no pattern of its own.
        wordings: how its runtime words errors, the narrower rows first; those that all runtimes share are asked after them.
        loses: what of a session the format doesn't hold, or this reader leaves, a sentence.
        fields: what its lines hold at least, by which people are told what an unknown file is near to.
        other_fields: the same of its files of other kinds, each.
        names: where a session's name is unique: in the whole format, or in its file, whose place then tells it from others.
        mapped: returns what reads a file whose columns have other names, by the format's own; None where it has no columns.
        dialects: what its raw texts are written in, if not said otherwise; empty to look for every dialect.
        tools: the names of the tools that its agent brings, where its files don't say which were offered.
        tested: the newest version of its agent that it was tested with; empty where its files don't say which wrote them.
        stands_alone: whether no session of a file shares a message or a call with another one, so that several processes may read
            a large file at once, each taking in some of its sessions.
    """

    name: str
    title: str
    keeps: Capture
    read: ReadFile
    recognise: Callable[[Sample], float]
    patterns: tuple[str, ...] = ("*.jsonl", "*.jsonl.gz")
    wordings: tuple[Wording, ...] = ()
    loses: str = ""
    fields: tuple[str, ...] = ()
    other_fields: tuple[tuple[str, ...], ...] = ()
    names: Literal["format", "file"] = "format"
    mapped: Callable[[Mapping[str, str]], ReadFile] | None = None
    dialects: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    stands_alone: bool = False
    tested: str = ""
