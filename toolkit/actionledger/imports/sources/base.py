"""The values that a source yields: recorded sessions with their turns, skips and refusals.

A source is a function that reads a file and yields these values in the file's order. It holds only the open end of a session: a long one comes in
pieces, with the same ``external_id`` and further turns. So no file is too large. The importer finds what is known, has grown or was copied; a source
gives identifiers, and reads every file from its beginning.
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
    """Something in a file that is known or was examined but is no part of a session; it is counted, not listed.

    Args:
        file: its file.
        reason: why it is skipped.
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
        file: its file.
        line: its line, from 1; 0 for the file as a whole.
        reason: what is wrong with it, as a sentence for people.

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
)  # looked up for each result: comparing by value takes as long as judging it
class Wording:
    """How a runtime words one kind of error, as data by which ``sources.wordings`` judges results.

    Args:
        pattern: a regular expression, searched for in the first ``wordings.JUDGED`` characters of a result's text; ``^`` matches where a line begins.
        reason: the meaning of such a result.
        example: a text that it matches and no earlier row does.
        is_telling: whether the words alone show an error, if the recording has no field for that. The result is then marked as inferred.
        first_seen, last_seen: the first and last version of the runtime in which it was seen; empty if unknown.
    """

    pattern: str
    reason: Reason
    example: str
    is_telling: bool = False
    first_seen: str = ""
    last_seen: str = ""


def seen(first: str, last: str, rows: tuple[Wording, ...]) -> tuple[Wording, ...]:
    """Return wordings with the versions in which they were seen, unless they have their own."""
    return tuple(
        replace(row, first_seen=row.first_seen or first, last_seen=row.last_seen or last) for row in rows
    )


Item: TypeAlias = RecordedSession | LeftOut | Refusal
"""One item that a source yields."""

Recorded: TypeAlias = Iterator[Item]
"""The items of a source, in the file's order."""

ReadFile: TypeAlias = Callable[[Path, OnRead | None], Recorded]
"""Reads a file; raises ``SourceError`` if it can't be opened, and yields a ``Refusal`` for a part that can't be read."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a file, by which its format is recognized.

    Args:
        path: the file; ``-`` for the standard input.
        head: the first bytes of its content, unpacked, at most ``SAMPLE_BYTES``.
        values: the JSON values in the head: of lines, or of one document, as far as the head goes.
    """

    path: Path
    head: bytes
    values: tuple[Any, ...] = ()

    @property
    def first(self) -> Any:
        """The first value; None if there is none."""
        return self.values[0] if self.values else None

    @property
    def objects(self) -> list[JsonMap]:
        """The values that are objects."""
        return [value for value in self.values if isinstance(value, dict)]


SAMPLE_BYTES = 256 * 2**10
"""How many bytes of a file are read to recognize its format."""


@dataclass(frozen=True, slots=True)
class Source:
    """A format of recordings, from a file in ``sources/`` or another package's entry point.

    Args:
        name: its name in records and on the command line, such as ``claude_code``.
        title: its name for people.
        keeps: the most of the model's output that it keeps.
        read: reads a file of it.
        recognise: returns the certainty that a sample has this format, from 0 (it hasn't) to 1 (a field says so).
        patterns: the names of its files in a folder and below it; compressed files need no pattern of their own.
        wordings: how its runtime words errors, the narrower rows first; the shared rows are tried after them.
        loses: what the format or this reader drops of a session, as a sentence.
        fields: the fields that its lines have at least, to name the nearest format of an unknown file.
        other_fields: the same for each other kind of its files.
        names: whether a session's name is unique in the whole format or only in its file, whose path then distinguishes it.
        mapped: returns a reader of files with other column names, given the column of each field; None if it has no columns.
        dialects: the dialects of its raw texts, unless the user names some; empty to try every dialect.
        tools: the names of its agent's tools, if its files don't say which were offered.
        tested: the newest tested version of its agent, or of the format; empty if its files have none.
        stands_alone: whether the sessions of a file share no message or call, so that several processes may each import some of its sessions.
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
