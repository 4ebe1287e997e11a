"""List and search folders within limits, and report where the limits cut them.

A model's regular expression runs in a child process with limits of time and memory. No way within this process is safe: ``re`` can't be interrupted
while it tries ``(a+)+$``, and the ``regex`` package limits the time of matching only, not the memory of compiling.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.nodes import NodeKind, PathEntry
from actionledger.runtime.workspace.paths import Parts
from actionledger.runtime.workspace.snapshots import FileLimits
from actionledger.runtime.workspace.texts import is_text
from actionledger.runtime.workspace.tree import FileTree, folder_names

MAX_PATTERN = 2_000
"""The maximum length of a regular expression, in characters."""

_CHILD = Path(__file__).with_name("pattern_child.py")
_START_SECONDS = 5.0
"""Extra time for a child beyond matching, in seconds, because a busy machine starts it late."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """The result of a replacement."""

    text: str | None  # the new text; None if it would be too long
    count: int  # the number of matches
    starts: tuple[int, ...]  # the start of the first few matches, in code points


def replace_pattern(
    text: str, pattern: str, template: str, *, every: bool, characters: int, seconds: float
) -> Replacement:
    r"""Replace the matches of a regular expression."""
    task = {"task": "replace", "text": text, "template": template, "every": every, "characters": characters}
    answer = _answer(pattern, task, seconds)
    return Replacement(answer["text"], answer["count"], tuple(answer["starts"]))


def search_pattern(
    texts: Sequence[str], pattern: str, *, ignore_case: bool, hits: int, seconds: float
) -> list[tuple[int, int]]:
    """Return the lines that a regular expression matches, as pairs of text and line indexes."""
    task = {"task": "search", "texts": list(texts), "ignore_case": ignore_case, "hits": hits}
    return [(text, line) for text, line in _answer(pattern, task, seconds)["lines"]]


def _answer(pattern: str, task: JsonMap, seconds: float) -> JsonDict:
    if len(pattern) > MAX_PATTERN:
        message = f"The regular expression has {len(pattern):,} characters; the limit is {MAX_PATTERN:,}."
        raise ActionError(Reason.TOO_LARGE, message)
    message = json.dumps({"pattern": pattern, "seconds": seconds, **task})
    command = [sys.executable, "-I", "-S", "-B", str(_CHILD)]
    try:
        done = subprocess.run(  # noqa: S603 - the command is ours; the model's text is only input
            command,
            input=message,
            capture_output=True,
            text=True,
            timeout=seconds + _START_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _too_much(seconds) from None
    if done.returncode:
        raise _too_much(seconds)
    answer: JsonDict = json.loads(done.stdout)
    if "error" in answer:
        message = f"The regular expression can't be used: {answer['error']}. Example: '(?m)^version = .*$'."
        raise ActionError(Reason.BAD_FORMAT, message)
    return answer


def _too_much(seconds: float) -> ActionError:
    message = (
        f"The regular expression takes more than {seconds:g} seconds, or more memory than it may. "
        "Use a simpler one without repetition inside repetition, or plain text."
    )
    return ActionError(Reason.TIMEOUT, message)


_LONGEST_LINE = 300
"""The maximum shown length of a line, in characters."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The listing of a folder."""

    entries: tuple[PathEntry, ...]  # its entries, sorted by path
    is_complete: bool  # whether all entries are included


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A line found by a search."""

    path: str  # the file
    line: int  # the line's number, from 1
    text: str  # the line, cut if it is long


@dataclass(frozen=True, slots=True)
class Hits:
    """The matches of a search."""

    hits: tuple[SearchHit, ...]  # the matching lines, by path
    searched: int  # the number of files searched
    skipped: int  # the number of files skipped: too large, not text, or unreadable
    is_complete: bool  # whether all files were searched and all lines are included


def listed(tree: FileTree, parts: Parts, limits: FileLimits, *, depth: int) -> Listing:
    """Return a folder's entries and, down to a depth, those of its subfolders."""
    entries: list[PathEntry] = []
    for entry in _walk(tree, parts, min(depth, limits.depth)):
        if len(entries) == limits.entries:
            return Listing(tuple(entries), is_complete=False)
        entries.append(entry)
    return Listing(tuple(entries), is_complete=True)


@dataclass(frozen=True, slots=True)
class Search:
    """A search: the text, and the files to search."""

    text: str  # a text within one line, or a regular expression
    glob: str = "*"  # a pattern over the paths of files, such as `"src/*.py"`; `*` matches slashes too
    is_pattern: bool = False  # whether `text` is a regular expression
    ignore_case: bool = False  # whether to ignore letter case

    def lines_in(self, texts: list[str], hits: int, seconds: float) -> list[tuple[int, int]]:
        """Return the matching lines, as pairs of text and line indexes from 0; at most ``hits``."""
        if self.is_pattern:
            return search_pattern(
                texts, self.text, ignore_case=self.ignore_case, hits=hits, seconds=max(seconds, 0.1)
            )
        wanted = self.text.casefold() if self.ignore_case else self.text
        found = []
        for place, text in enumerate(texts):
            if wanted not in (text.casefold() if self.ignore_case else text):
                continue
            for number, line in enumerate(text.split("\n")):
                if wanted in (line.casefold() if self.ignore_case else line):
                    found.append((place, number))
                    if len(found) == hits:
                        return found
        return found


def searched(tree: FileTree, parts: Parts, search: Search, limits: FileLimits) -> Hits:
    """Return the matching lines in the files of a folder."""
    give_up_at = time.monotonic() + limits.seconds
    files = _Texts(tree, parts, search.glob, limits, give_up_at)
    hits: list[SearchHit] = []
    for batch in files.batches():
        texts = [text for _, text in batch]
        room = limits.hits + 1 - len(hits)
        for place, number in search.lines_in(texts, room, give_up_at - time.monotonic()):
            path, text = batch[place]
            hits.append(SearchHit(path, number + 1, text.split("\n")[number].rstrip("\r")[:_LONGEST_LINE]))
        if len(hits) > limits.hits:
            return Hits(tuple(hits[: limits.hits]), files.searched, files.skipped, is_complete=False)
    return Hits(tuple(hits), files.searched, files.skipped, files.is_complete)


class _Texts:
    """The texts in a folder, in batches of limited size."""

    def __init__(
        self, tree: FileTree, parts: Parts, glob: str, limits: FileLimits, give_up_at: float
    ) -> None:
        self.tree, self.parts, self.glob = tree, parts, glob
        self.limits, self.give_up_at = limits, give_up_at
        self.searched = self.skipped = 0
        self.is_complete = True

    def batches(self) -> Iterator[list[tuple[str, str]]]:
        """Yield lists of (path, text), each no larger than the size limit of a file, or with one file."""
        batch: list[tuple[str, str]] = []
        size = 0
        for entry in self.files():
            if (text := self.text(entry)) is None:
                self.skipped += 1
                continue
            self.searched += 1
            batch.append((entry.path, text))
            size += len(text)
            if size >= self.limits.file_bytes:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def files(self) -> Iterator[PathEntry]:
        """Yield the files with matching paths, until the limit of entries or time is reached."""
        entry = self.tree.look(self.parts)
        entries = (
            iter((entry,))
            if entry and entry.kind is NodeKind.FILE
            else _walk(self.tree, self.parts, self.limits.depth)
        )
        for number, one in enumerate(entries):
            if number == self.limits.entries or time.monotonic() > self.give_up_at:
                self.is_complete = False
                return
            if one.kind is NodeKind.FILE and fnmatchcase(one.path, self.glob):
                yield one

    def text(self, entry: PathEntry) -> str | None:
        if entry.size > self.limits.file_bytes:
            return None
        try:
            found = self.tree.load(tuple(entry.path.split("/")))
        except ActionError:
            return None
        if found is None or found.content is None or found.names > 1 or not is_text(found.content):
            return None
        return found.content.decode()


def _walk(tree: FileTree, parts: Parts, depth: int) -> Iterator[PathEntry]:
    """Yield the entries of a folder, each subfolder before its own entries."""
    for name in folder_names(tree, parts):
        inner = (*parts, name)
        entry = tree.look(inner)
        if entry is None:
            continue  # deleted meanwhile
        yield entry
        if entry.kind is NodeKind.FOLDER and depth > 1:
            try:
                yield from _walk(tree, inner, depth - 1)
            except ActionError:
                continue  # deleted or replaced meanwhile, or not readable
