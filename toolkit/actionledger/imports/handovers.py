"""The knowledge that a worker's importer passes to the importer with the ledger, along with its events."""

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
    """The sessions and turns that a part of an import has looked up: parts that share none are independent."""

    sessions: set[str] = field(default_factory=set)  # the identifiers of sessions
    # the identifiers of turns that are the same turn in any session of their source
    turns: set[str] = field(default_factory=set)


@dataclass(slots=True)
class ImporterUpdate:
    """The knowledge that an importer has gained since its last update."""

    touched: LookedUpKeys  # the sessions and turns that it has looked up
    taken_in: bytes  # what it has imported, and the sessions that it has begun, as `packed` returns them
    going_on: dict[str, OpenSession]  # the open sessions among those it has looked up
    calls: CallUpdate  # the calls that wait for a result, and those that now have one
    report: ImportReport  # its counts
    has_begun: bool  # whether its run has recorded anything


@dataclass(slots=True)
class MadePart:
    """The events of a part of an import, and what its importers have learned."""

    events: Prepared  # the events to record
    # the format's name and the knowledge gained, by the source's name
    news: dict[str, tuple[str, ImporterUpdate]]


class SharedFacts(NamedTuple):
    """The facts about all sources that a worker needs; it gets them once."""

    together: Before  # what the ledger had of the sources that were queried together
    forgotten: set[str]  # the erased sessions


class SourceFacts(NamedTuple):
    """The facts that a worker needs of one source."""

    run_id: str
    before: Before | None  # what the ledger had; None if it was queried together with other sources
    added: Added  # what was imported since
    has_before: bool  # whether the ledger had anything of the source when the import began


class Claims:
    """The part that looked up each session or turn: parts with a session or turn in common are read one after the other."""

    def __init__(self) -> None:
        # By hash, which takes half the memory. A collision only has a part read twice.
        self._parts: dict[int, int] = {}

    def has_other(self, touched: LookedUpKeys, part: int) -> bool:
        """Return whether another part has looked up any of these."""
        parts = self._parts
        return any(parts.get(each, part) != part for each in map(hash, (*touched.sessions, *touched.turns)))

    def add(self, touched: LookedUpKeys, part: int) -> None:
        """Note that a part has looked these up."""
        self._parts.update(dict.fromkeys(map(hash, (*touched.sessions, *touched.turns)), part))


# Workers' imports on disk until they are needed: in memory, millions of turns would take half a kilobyte each.
_IN_MEMORY_BYTES = 2**20
"""Less than this stays in memory."""


def packed(added: Added, started: frozenset[str]) -> bytes:
    """Return the bytes that ``SpooledUpdates`` keeps."""
    return pickle.dumps((added, started), pickle.HIGHEST_PROTOCOL)


class SpooledUpdates:
    """Keeps what workers have imported until it is needed."""

    def __init__(self) -> None:
        self._in_memory: list[bytes] = []
        self._file: IO[bytes] | None = None
        self._in_file = 0

    def add(self, news: bytes) -> None:
        """Keep one more update."""
        self._in_memory.append(news)
        if sum(map(len, self._in_memory)) > _IN_MEMORY_BYTES:
            with suppress(OSError):  # if the disk is full, it stays in memory
                self._write()

    def take(self) -> Iterator[tuple[Added, frozenset[str]]]:
        """Yield all updates in order, and drop them."""
        in_memory, self._in_memory = self._in_memory, []
        if self._file is not None:
            self._file.seek(0)
            while self._file.tell() < self._in_file:
                yield pickle.load(self._file)  # noqa: S301 - from a process that we started
            self._file.close()
            self._file, self._in_file = None, 0
        for news in in_memory:
            yield pickle.loads(news)  # noqa: S301 - the same

    def _write(self) -> None:
        if self._file is None:
            self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - open until it is needed
        self._file.seek(self._in_file)  # after the last complete write
        whole = memoryview(b"".join(self._in_memory))
        while whole:
            whole = whole[self._file.write(whole) :]
        self._in_file = self._file.tell()
        self._in_memory = []
