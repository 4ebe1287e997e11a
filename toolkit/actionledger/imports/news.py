"""What one importer has come to know, for another one that goes on from there: a worker tells it with the lines it has made."""

from dataclasses import dataclass, field
from typing import NamedTuple

from actionledger.imports.open_sessions import OpenSession
from actionledger.imports.report import ImportReport
from actionledger.imports.results import CallNews
from actionledger.ledger.queries.recorded import Added, Before
from actionledger.ledger.storage.preparation import Prepared


@dataclass(slots=True)
class Touched:
    """What was looked at, by which two parts of an import are known to stand alone.

    Args:
        sessions: the identifiers of sessions.
        turns: the identifiers of turns that are the same turn in whatever session of their source they stand.
    """

    sessions: set[str] = field(default_factory=set)
    turns: set[str] = field(default_factory=set)


@dataclass(slots=True)
class News:
    """What an importer has come to know since it was asked last.

    Args:
        touched: what it has looked at.
        taken_in: what it has taken in, and the sessions that it has begun, as ``kept_news.packed`` gives it.
        going_on: those of the sessions it has looked at that are not over.
        calls: the calls that wait for a result, and those that have one by now.
        report: what it has counted.
        has_begun: whether it has recorded anything of its run.
    """

    touched: Touched
    taken_in: bytes
    going_on: dict[str, OpenSession]
    calls: CallNews
    report: ImportReport
    has_begun: bool


@dataclass(slots=True)
class Made:
    """What was made of some of what an import reads.

    Args:
        events: what is to be recorded.
        news: the format's name and what came to be known, by the source's name.
    """

    events: Prepared
    news: dict[str, tuple[str, News]]


class FactsOfAll(NamedTuple):
    """What has to be known by whoever takes in sessions for another one, of whatever source: it is told once.

    Args:
        together: what the ledger had of the sources that were asked for together.
        forgotten: the sessions that are forgotten.
    """

    together: Before
    forgotten: set[str]


class Facts(NamedTuple):
    """What has to be known by whoever takes in sessions of a source for another one.

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

    def has_other(self, touched: Touched, part: int) -> bool:
        """Return whether another part has looked at any of it."""
        parts = self._parts
        return any(parts.get(each, part) != part for each in map(hash, (*touched.sessions, *touched.turns)))

    def add(self, touched: Touched, part: int) -> None:
        """Note that a part has looked at it."""
        self._parts.update(dict.fromkeys(map(hash, (*touched.sessions, *touched.turns)), part))
