"""What a source gives: recorded sessions with their turns, what it passes over, and what it can't read.

A source is a function that takes a file and yields these values, in the order of the file. It holds no more of a file than one
session's open ends: a long session is given in pieces, the same ``external_id`` again with further turns, so that no file
is too large. What is there already, what grew and what was copied is the importer's matter; a source says what each thing's
own identifier is, and reads every file from its beginning.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from actionledger.core.canonical import JsonMap
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.sources.containers import OnRead


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
    """Return wordings with the versions in which they were seen, those that don't say it themselves."""
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

    @property
    def first(self) -> Any:
        """The value that it begins with; None where there is none."""
        return self.values[0] if self.values else None

    @property
    def objects(self) -> list[JsonMap]:
        """Those of the values that are objects."""
        return [value for value in self.values if isinstance(value, dict)]


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
        tested: the newest version of its agent, or of the format itself, that it was tested with; empty where its files don't say which it is.
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
