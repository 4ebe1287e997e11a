"""Loops as groups of failures: sessions that go in circles in the same way."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from actionledger.core.vocabulary import Reason
from actionledger.ledger import Ledger
from actionledger.ledger.queries.failures import stretches
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.trend import Unit
from actionledger.replay.grouping.gathering import Gathered, turns_in_words
from actionledger.replay.grouping.groups import LOOP, FailureExample, FailureGroup, FailureKey
from actionledger.replay.loops import Loop, LoopReport


def loop_groups(ledger: Ledger, report: LoopReport, within: Filter, unit: Unit) -> Iterator[FailureGroup]:
    """Yield a group for each pattern and action that sessions go in circles with."""
    by_place = [(each, together) for each in _together(report.loops) for together in each.places]
    took = stretches(ledger, [(each.session_id, *place) for each, place in by_place], within, unit)
    gathered: dict[FailureKey, Gathered] = defaultdict(Gathered)
    for (each, place), stretch in zip(by_place, took, strict=True):
        gathered[each.key].take_loops(each.session_id, place, each.counts[place], stretch)
    for key, group in gathered.items():
        yield group.group(key, report.sessions)


class _Circles(NamedTuple):
    """The loops of one kind in one session; those that overlap are one stretch of its turns.

    Args:
        key: their group's.
        session_id: the session.
        counts: how many loops each stretch has, by its first and last turn.
    """

    key: FailureKey
    session_id: str
    counts: dict[tuple[int, int], int]

    @property
    def places(self) -> list[tuple[int, int]]:
        """The stretches, in order."""
        return sorted(self.counts)


def _together(found: Iterable[Loop]) -> Iterator[_Circles]:
    alike: dict[tuple[FailureKey, str], list[Loop]] = defaultdict(list)
    for loop in found:
        alike[key_of_loop(loop), loop.session_id].append(loop)
    for (key, session_id), of_kind in alike.items():
        counts: dict[tuple[int, int], int] = {}
        first = last = -1
        for loop in sorted(of_kind, key=lambda loop: loop.first_turn):
            before = counts.pop((first, last), 0) if loop.first_turn <= last else 0
            first = first if before else loop.first_turn
            last = max(last, loop.last_turn)
            counts[first, last] = before + 1
        yield _Circles(key, session_id, counts)


def key_of_loop(loop: Loop) -> FailureKey:
    """Return the key of the group that a loop belongs to."""
    return FailureKey("acting", Reason.REPETITION, loop.name, None, f"{LOOP}{loop.pattern}")


def turns_of_loops(found: Iterable[Loop]) -> tuple[FailureExample, ...]:
    """Return the turns that loops go on for, each once."""
    turns = {
        (loop.session_id, index): turns_in_words(loop.first_turn, loop.last_turn)
        for loop in found
        for index in range(loop.first_turn, loop.last_turn + 1)
    }
    return tuple(
        FailureExample(session_id, index, "", None, words)
        for (session_id, index), words in sorted(turns.items())
    )
