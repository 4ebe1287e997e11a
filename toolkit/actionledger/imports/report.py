"""The report of an import: what it recorded, and what it skipped or refused."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Self

from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.sources.base import Refusal


@dataclass(slots=True)
class ImportReport:
    """The report of an import.

    Args:
        sessions: sessions that are new or have something new.
        turns: new turns.
        known: turns that the ledger already had.
        repeated: how many of these the same import recorded before: a fork repeats the turns of its origin.
        revised: turns of which the recording now has more; they also count as new.
        merged: turns that an earlier version recorded a second time under another name; now they count once.
        calls: calls of the new turns that another runtime parsed; for a turn in several states, those of the last one.
        results: results of calls, counted in the same way.
        refusals: what could not be read.
        differing: turns that the ledger has with another text, which it keeps.
        left_out: how much was skipped, by file, reason and kind.
        files: how many files of each format were read.
        sureness: the lowest certainty with which a file's format was recognized, from 0 to 1, by the format's name.
        unchanged: files that were not read, since they haven't changed since their import.
        searched: new turns whose raw text was parsed in every known format, since its format is unknown.
        found: how many of these hold calls of a format, by the dialect's name.
        priced: new turns with a cost from a price file.
        listed: new turns with a cost from their provider's price list.
        unpriced: how many have tokens but no cost, since no price is known for the model, by the model's name.
        versions: the formats that were read, each with a version that wrote some of it, if the files say.
        mistaken: how many files are certainly of another format than the one named, by that other format's name.
        unfilled: turns recorded without a cost that have a price now; they stay as they were recorded.
        is_settled: whether ``turns`` counts only what this import added to the ledger; if others import the same meanwhile, it may count more.

    Example:
        >>> session = al.RecordedSession("s1", None, "some-model", "", (al.RecordedTurn(0, "Hello."),))
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     first, second = (al.import_sessions(ledger, [session]) for _ in range(2))
        >>> first.turns, second.turns, second.known
        (1, 0, 1)
    """

    sessions: int = 0
    turns: int = 0
    known: int = 0
    repeated: int = 0
    revised: int = 0
    merged: int = 0
    calls: int = 0
    results: int = 0
    refusals: list[Refusal] = field(default_factory=list)
    differing: list[Refusal] = field(default_factory=list)
    left_out: Counter[tuple[str, LeftOutReason, str]] = field(default_factory=Counter)
    files: Counter[str] = field(default_factory=Counter)
    sureness: dict[str, float] = field(default_factory=dict)
    unchanged: int = 0
    searched: int = 0
    found: Counter[str] = field(default_factory=Counter)
    priced: int = 0
    listed: int = 0
    unpriced: Counter[str] = field(default_factory=Counter)
    unfilled: int = 0
    versions: set[tuple[str, str]] = field(default_factory=set)
    mistaken: Counter[str] = field(default_factory=Counter)
    is_settled: bool = True

    @property
    def looked_at(self) -> int:
        """How many turns were looked up, new and known."""
        return self.turns + self.known

    @property
    def troubles(self) -> int:
        """How many inputs were refused or have other content under the same id."""
        return len(self.refusals) + len(self.differing)

    @property
    def left_out_by_reason(self) -> dict[LeftOutReason, int]:
        """How much was skipped by reason, the most frequent first."""
        counts: Counter[LeftOutReason] = Counter()
        for (_, reason, _), count in self.left_out.items():
            counts[reason] += count
        return dict(counts.most_common())

    def __iadd__(self, other: Self) -> Self:
        """Add the counts of another import."""
        self.sessions += other.sessions
        self.turns += other.turns
        self.known += other.known
        self.repeated += other.repeated
        self.revised += other.revised
        self.merged += other.merged
        self.calls += other.calls
        self.results += other.results
        self.refusals += other.refusals
        self.differing += other.differing
        self.left_out.update(
            other.left_out
        )  # += would go through all entries, for each of thousands of files
        self.files += other.files
        for name, sureness in other.sureness.items():
            self.sureness[name] = min(sureness, self.sureness.get(name, 1.0))
        self.unchanged += other.unchanged
        self.is_settled &= other.is_settled
        self.searched += other.searched
        self.found += other.found
        self.priced += other.priced
        self.listed += other.listed
        self.unpriced += other.unpriced
        self.unfilled += other.unfilled
        self.versions |= other.versions
        self.mistaken += other.mistaken
        return self
