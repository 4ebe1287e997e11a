"""What is known of a group of loops while they are read, session by session."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from actionledger.core.rates import Rate
from actionledger.ledger.queries.failures import Spent, Stretch
from actionledger.replay.grouping.groups import FailureExample, FailureGroup, FailureKey, InPeriod

EXAMPLES = 5
"""How many examples of a group are kept."""


@dataclass(slots=True)
class Gathered:
    """What is known of a group of loops so far."""

    count: int = 0
    turns: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    spent: Spent = field(default_factory=Spent)
    times: list[datetime] = field(default_factory=list)
    examples: dict[str, FailureExample] = field(default_factory=dict)
    periods: dict[datetime, "Gathered"] = field(default_factory=dict)

    def take_loops(self, session_id: str, place: tuple[int, int], count: int, took: Stretch) -> None:
        """Take in loops that go on over the same turns of a session."""
        turns = [f"{session_id} {index}" for index in range(place[0], place[1] + 1)]
        self._note(session_id, turns, took.occurred_at, count)
        self.spent += took.spent
        if took.next_index is None:
            self.lost.add(session_id)
        if took.period is not None:
            self._in(took.period)._note(session_id, turns, None, count)  # noqa: SLF001
        if len(self.examples) < EXAMPLES and session_id not in self.examples:
            self.examples[session_id] = FailureExample(session_id, place[0], "", None, turns_in_words(*place))

    def _note(
        self, session_id: str, turns: Iterable[str], occurred_at: datetime | None, count: int = 1
    ) -> None:
        self.count += count
        self.turns.update(turns)
        self.sessions.add(session_id)
        if occurred_at is not None:
            self.times = [min([occurred_at, *self.times]), max([occurred_at, *self.times])]

    def _in(self, period: datetime) -> "Gathered":
        return self.periods.setdefault(period, Gathered())

    def group(self, key: FailureKey, sessions: int) -> FailureGroup:
        """Return the group, of so many sessions."""
        return FailureGroup(
            key=key,
            count=self.count,
            turns=len(self.turns),
            sessions=Rate(len(self.sessions), sessions),
            lost=len(self.lost),
            spent=self.spent,
            first=self.times[0] if self.times else None,
            last=self.times[-1] if self.times else None,
            examples=tuple(self.examples.values()),
            periods={
                period: InPeriod(part.count, len(part.turns), len(part.sessions))
                for period, part in sorted(self.periods.items())
            },
        )


def turns_in_words(first: int, last: int) -> str:
    """Return the turns that a loop goes on for, as an example's particulars."""
    return f"turns {first} to {last}"
