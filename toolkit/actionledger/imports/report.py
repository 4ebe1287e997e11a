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
        sessions: sessions that are new, or have something new.
        turns: new turns.
        known: turns that were there already when they came.
        repeated: how many of these the same import has taken in before: a fork repeats the turns of what it was forked from.
        revised: turns of which the recording has more by now; they are among the new ones too.
        merged: turns that the ledger had under another name as well, as an earlier version told them: they count once now.
        calls: calls of the new turns that another runtime has read; of a turn in several states, those of the last one.
        results: what came of calls; of a turn in several states, the same.
        refusals: what could not be read.
        differing: turns that the ledger has with another text; what it has is kept.
        left_out: how much was left out, by file, reason and what it is.
        files: how many files of each format were read.
        sureness: how sure it is that they are of it, that of the least sure one, from 0 to 1.
        unchanged: files that were passed over, since they are as they were when they were taken in.
        searched: new turns of raw text that were read in every known format, since it was unknown how.
        found: in how many of them calls of a format were found, by the dialect's name.
        priced: new turns of which a price file says what they cost.
        listed: new turns of which their provider's price list says it.
        unpriced: how many have tokens and no cost, since neither has a price for the model, by the model's name.
        versions: the formats that were read, each with a version that has written some of it, as far as the files say.
        mistaken: how many files surely are of another format than the one that was named, by that other one's name.
        unfilled: turns that were there already without a cost, and have a price now: they stay as they were recorded.
        is_settled: whether it is known what of it became new, where others import the same; else new turns are those that were new to
            this import.

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
        """How many turns were looked at, new ones and known ones."""
        return self.turns + self.known

    @property
    def troubles(self) -> int:
        """How much was refused, or has other content under the same id."""
        return len(self.refusals) + len(self.differing)

    @property
    def left_out_by_reason(self) -> dict[LeftOutReason, int]:
        """How much was left out by reason, the most frequent first."""
        counts: Counter[LeftOutReason] = Counter()
        for (_, reason, _), count in self.left_out.items():
            counts[reason] += count
        return dict(counts.most_common())

    def __iadd__(self, other: Self) -> Self:
        """Add what another import took in."""
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
        )  # += goes through all that is there, at each of thousands of files
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
