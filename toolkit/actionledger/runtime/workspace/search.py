"""List and search folders within limits, and report where the limits cut them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from actionledger.core.errors import ActionError
from actionledger.runtime.workspace.limits import FileLimits
from actionledger.runtime.workspace.nodes import NodeKind, PathEntry
from actionledger.runtime.workspace.paths import Parts
from actionledger.runtime.workspace.patterns import search_pattern
from actionledger.runtime.workspace.texts import is_text
from actionledger.runtime.workspace.tree import FileTree, folder_names

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
