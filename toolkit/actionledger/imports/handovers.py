"""The knowledge that a worker's importer hands to the one that has the ledger, together with the lines it has made."""

import pickle
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from actionledger.imports.import_run import OpenSession
from actionledger.imports.report import ImportReport
from actionledger.imports.results import CallUpdate
from actionledger.ledger.queries.recorded import Added, Before
from actionledger.ledger.storage.preparation import Prepared


@dataclass(slots=True)
class LookedUpKeys:
    """The sessions and turns that a part of an import has looked up: parts that share none are independent.

    Args:
        sessions: the identifiers of sessions.
        turns: the identifiers of turns that are the same turn in whatever session of their source they stand.
    """

    sessions: set[str] = field(default_factory=set)
    turns: set[str] = field(default_factory=set)


@dataclass(slots=True)
class ImporterUpdate:
    """The knowledge that an importer has gained since its last update.

    Args:
        touched: what it has looked at.
        taken_in: what it has taken in, and the sessions that it has begun, as ``packed`` gives it.
        going_on: those of the sessions it has looked at that are not over.
        calls: the calls that wait for a result, and those that have one by now.
        report: what it has counted.
        has_begun: whether it has recorded anything of its run.
    """

    touched: LookedUpKeys
    taken_in: bytes
    going_on: dict[str, OpenSession]
    calls: CallUpdate
    report: ImportReport
    has_begun: bool


@dataclass(slots=True)
class MadePart:
    """The events of a part of an import, and what its importers have learned.

    Args:
        events: what is to be recorded.
        news: the format's name and what came to be known, by the source's name.
    """

    events: Prepared
    news: dict[str, tuple[str, ImporterUpdate]]


class SharedFacts(NamedTuple):
    """The facts that a worker needs of every source; it gets them once.

    Args:
        together: what the ledger had of the sources that were asked for together.
        forgotten: the sessions that are forgotten.
    """

    together: Before
    forgotten: set[str]


class SourceFacts(NamedTuple):
    """The facts that a worker needs of one source.

    Args:
        run_id: the run that they are of.
        before: what the ledger had; None where it was asked for together with other sources.
        added: what came to be known since.
        has_before: whether the ledger had anything of the source when the import began.
    """

    run_id: str
    before: Before | None
    added: Added
    has_before: bool


class Claims:
    """Which part of an import has looked at what: a session or a turn that two parts hold is read by one after the other."""

    def __init__(self) -> None:
        # By their hashes, which take half the memory. Where two are alike, a part is read once more for nothing.
        self._parts: dict[int, int] = {}

    def has_other(self, touched: LookedUpKeys, part: int) -> bool:
        """Return whether another part has looked at any of it."""
        parts = self._parts
        return any(parts.get(each, part) != part for each in map(hash, (*touched.sessions, *touched.turns)))

    def add(self, touched: LookedUpKeys, part: int) -> None:
        """Note that a part has looked at it."""
        self._parts.update(dict.fromkeys(map(hash, (*touched.sessions, *touched.turns)), part))


# What others have taken in, on disk until somebody asks: of an import of millions of turns that is half a kilobyte for each in
# memory.
_IN_MEMORY_BYTES = 2**20
"""What is less stays in memory."""


def packed(added: Added, started: frozenset[str]) -> bytes:
    """Return what ``KeptNews`` keeps."""
    return pickle.dumps((added, started), pickle.HIGHEST_PROTOCOL)


class SpooledUpdates:
    """Keeps what was taken in elsewhere until it is asked for."""

    def __init__(self) -> None:
        self._in_memory: list[bytes] = []
        self._file: IO[bytes] | None = None
        self._in_file = 0

    def add(self, news: bytes) -> None:
        """Keep some more."""
        self._in_memory.append(news)
        if sum(map(len, self._in_memory)) > _IN_MEMORY_BYTES:
            with suppress(OSError):  # of a disk that is full: it stays in memory
                self._write()

    def take(self) -> Iterator[tuple[Added, frozenset[str]]]:
        """Yield all that is kept, in order, and keep it no longer."""
        in_memory, self._in_memory = self._in_memory, []
        if self._file is not None:
            self._file.seek(0)
            while self._file.tell() < self._in_file:
                yield pickle.load(self._file)  # noqa: S301 - from a process that we started
            self._file.close()
            self._file, self._in_file = None, 0
        for news in in_memory:
            yield pickle.loads(news)  # noqa: S301 - likewise

    def _write(self) -> None:
        if self._file is None:
            self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - until it is asked for
        self._file.seek(self._in_file)  # behind what is whole
        whole = memoryview(b"".join(self._in_memory))
        while whole:
            whole = whole[self._file.write(whole) :]
        self._in_file = self._file.tell()
        self._in_memory = []
