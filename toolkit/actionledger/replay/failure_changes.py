"""Compare groups of failures before and after: new, gone, grown or shrunk, and whether by more than chance."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from actionledger.core.errors import UsageError
from actionledger.core.hooks import Shown
from actionledger.core.rates import Rate, clustered
from actionledger.ledger import Ledger
from actionledger.ledger.queries.failure_sums import failing_turns
from actionledger.ledger.queries.failures import failures_at, intended_by_session, shared_turns
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.names import Called, run_or_first
from actionledger.replay.failure_groups import FailureKey, key_of
from actionledger.replay.failures import key_of_loop
from actionledger.replay.loops import loops
from actionledger.replay.statistics import (
    holm,
    is_dealt,
    least_by_flipping,
    permutation_tests,
    score_test,
    session_test,
    smallest_p_value,
)
from actionledger.replay.statistics.paired import SURE

ChangeKind: TypeAlias = Literal["new", "gone", "grown", "shrunk", "same"]
"""The change of a group: only after, only before, or a larger, a smaller or the same share of turns."""

PAIRED_TEST = "sign-flip test over sessions, on the turns that both have read"
UNPAIRED_TEST = "permutation of sessions, of the shares of their turns"


@dataclass(frozen=True, slots=True)
class FailureChange:
    """The change of a group of failures between two periods.

    Args:
        key: its failures' shared properties.
        kind: the kind of change.
        turns_before, turns_after: number of turns with it on each side.
        before, after: share of sessions with it on each side.
        p_value: the probability of such a difference by chance.
        p_holm: the p-value adjusted by Holm's procedure for all tested groups.
        of_turns_before, of_turns_after: number of turns on each side that could have it.
        p_least: the smallest possible ``p_value`` for its number of sessions; from 0.05 on, the group is not counted among the tested ones.
    """

    key: FailureKey
    kind: ChangeKind
    turns_before: int
    turns_after: int
    before: Rate
    after: Rate
    p_value: float
    p_holm: float
    of_turns_before: int
    of_turns_after: int
    p_least: float = 0.0

    @property
    def is_sure(self) -> bool:
        """Whether the change is more than chance, adjusted for all tested groups."""
        return self.p_holm < SURE

    @property
    def said(self) -> str:
        """The change in words, with a remark if it may be chance."""
        return (
            f"{self.kind}, may be chance"
            if self.kind in {"grown", "shrunk"} and not self.is_sure
            else self.kind
        )


@dataclass(frozen=True, slots=True, repr=False)
class FailureChanges(Shown):
    r"""Groups of failures before and after.

    Args:
        changes: each group's change, the most certain first, then those with the most turns.
        test: the test used.
        paired: number of turns parsed on both sides and compared; None if the two have different turns.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     run = al.reparse(ledger, parser="gembrain-standard").run_id
        ...     changes = al.failure_changes(ledger, None, run)
        >>> changes.paired, [(change.kind, str(change.key.code)) for change in changes.changes]
        (1, [('new', 'malformed_json')])
    """

    changes: tuple[FailureChange, ...]
    test: str
    paired: int | None

    @property
    def compared(self) -> int:
        """Number of groups with enough sessions to show more than chance; Holm's procedure counts only these."""
        return sum(change.p_least < SURE for change in self.changes)


def failure_changes(
    ledger: Ledger, before: Called | Filter | None, after: Called | Filter | None, within: Filter = EVERYTHING
) -> FailureChanges:
    r"""Compare the groups of failures of two runs, or of two filters such as two weeks.

    If both parsed the same turns, these are compared turn by turn for parse and check failures, because only a turn's first parse
    was executed. Otherwise the shares of turns are compared for all failures and loops, with sessions as units.

    Args:
        ledger: the ledger with the responses.
        before: a run by its id or name, a filter, or ``first`` or None for each turn's first parse.
        after: likewise.
        within: an additional filter for both sides if they are runs.

    Returns:
        Each group's change, with a test adjusted for the number of groups.

    Raises:
        UsageError: a run is unknown, or one side has no response that meant to act.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     run = al.reparse(ledger, parser="gembrain-standard").run_id
        ...     print(al.failure_changes(ledger, None, run).changes[0].kind)
        new
    """
    first, second = (
        each if isinstance(each, Filter) else replace(within, run_id=run_or_first(ledger, each))
        for each in (before, after)
    )
    if first == second:
        raise UsageError("Both sides are the same: name two runs, or two filters.")
    turns, sessions = shared_turns(ledger, first, second)
    found = list(
        _paired(ledger, first, second, turns, sessions) if turns else _unpaired(ledger, first, second)
    )
    adjusted = holm([change.p_value for change in found], [change.p_least for change in found])
    changes = [replace(change, p_holm=p) for change, p in zip(found, adjusted, strict=True)]
    return FailureChanges(
        changes=tuple(sorted(changes, key=_most_certain)),
        test=PAIRED_TEST if turns else UNPAIRED_TEST,
        paired=turns or None,
    )


def _paired(
    ledger: Ledger, first: Filter, second: Filter, turns: int, sessions: int
) -> Iterator[FailureChange]:
    before, after = _turns_by_group(ledger, first, second), _turns_by_group(ledger, second, first)
    for key in {**before, **after}:
        was, now = before.get(key, {}), after.get(key, {})
        shifts = Counter(now[turn] for turn in now.keys() - was.keys())
        shifts.subtract(Counter(was[turn] for turn in was.keys() - now.keys()))
        shifting = Counter(shift for shift in shifts.values() if shift)
        p_value = session_test(shifting)
        yield FailureChange(
            key=key,
            kind=_kind(len(was), len(now), len(was), len(now)),
            turns_before=len(was),
            turns_after=len(now),
            before=Rate(len(set(was.values())), sessions),
            after=Rate(len(set(now.values())), sessions),
            p_value=p_value,
            p_holm=p_value,
            of_turns_before=turns,
            of_turns_after=turns,
            p_least=least_by_flipping(shifting),
        )


def _turns_by_group(ledger: Ledger, within: Filter, other: Filter) -> dict[FailureKey, dict[str, str]]:
    """Return the turns with each group's failures, and their sessions, for turns that both sides parsed."""
    turns: dict[FailureKey, dict[str, str]] = defaultdict(dict)
    for each in failures_at(ledger, within, also_read_by=other):
        if each.stage != "acting":
            turns[key_of(each)][each.turn_id] = each.session_id
    return turns


def _unpaired(ledger: Ledger, first: Filter, second: Filter) -> Iterator[FailureChange]:
    before, after = _side(ledger, first, "first"), _side(ledger, second, "second")
    keys = list({**before.groups, **after.groups})
    if not keys:
        return
    for key, p_value in zip(keys, _tests(before, after, keys), strict=True):
        was, now = before.groups.get(key, {}), after.groups.get(key, {})
        turns, turns_now = sum(was.values()), sum(now.values())
        yield FailureChange(
            key=key,
            kind=_kind(turns, turns_now, turns / before.turns, turns_now / after.turns),
            turns_before=turns,
            turns_after=turns_now,
            before=Rate(len(was), before.sessions_of(key)),
            after=Rate(len(now), after.sessions_of(key)),
            p_value=p_value,
            p_holm=p_value,
            of_turns_before=before.turns,
            of_turns_after=after.turns,
            p_least=smallest_p_value(len(before.sizes), len(after.sizes), len(was) + len(now)),
        )


@dataclass(frozen=True, slots=True)
class _Side:
    """The responses of one filter."""

    sizes: dict[str, int]
    groups: dict[FailureKey, dict[str, int]]
    looked_through: int

    @property
    def turns(self) -> int:
        return sum(self.sizes.values())

    def sessions_of(self, key: FailureKey) -> int:
        """Return the number of sessions in which a group could occur."""
        return self.looked_through if key.is_loop else len(self.sizes)


def _side(ledger: Ledger, within: Filter, which: str) -> _Side:
    sizes = intended_by_session(ledger, within)
    if not sizes:
        raise UsageError(f"The {which} of the two has read no response that meant to act.")
    groups = failing_turns(ledger, key_of, within)
    found = loops(ledger, within)
    in_loops: dict[tuple[FailureKey, str], set[int]] = defaultdict(set)
    for loop in found.loops:
        in_loops[key_of_loop(loop), loop.session_id].update(range(loop.first_turn, loop.last_turn + 1))
    for (key, session_id), turns in in_loops.items():
        # A loop may include turns that the filter excludes, or that did not mean to act.
        groups.setdefault(key, {})[session_id] = min(len(turns), sizes.setdefault(session_id, len(turns)))
    return _Side(sizes, groups, found.sessions)


def _tests(before: _Side, after: _Side, keys: Sequence[FailureKey]) -> list[float]:
    """Return each group's p-value: by permuting both sides' sessions, or by the score test if there are many."""
    if is_dealt(len(before.sizes), len(after.sizes)):
        sizes = [*before.sizes.values(), *after.sizes.values()]
        first = {session: place for place, session in enumerate(before.sizes)}
        second = {session: place for place, session in enumerate(after.sizes, start=len(first))}
        hits = [
            {first[each]: turns for each, turns in before.groups.get(key, {}).items()}
            | {second[each]: turns for each, turns in after.groups.get(key, {}).items()}
            for key in keys
        ]
        return permutation_tests(sizes, len(first), hits)
    rates = [
        [
            clustered((side.groups.get(key, {}).get(each, 0), size) for each, size in side.sizes.items())
            for side in (before, after)
        ]
        for key in keys
    ]
    tested = [score_test(one, other) for one, other in rates]
    return [1.0 if p_value is None else p_value for p_value in tested]


def _kind(was: int, now: int, before: float, after: float) -> ChangeKind:
    if not was or not now:
        return "new" if now else "gone"
    if before == after:
        return "same"
    return "grown" if after > before else "shrunk"


def _most_certain(change: FailureChange) -> tuple[object, ...]:
    turns = max(change.turns_before, change.turns_after)
    return (change.p_holm, change.p_value, -turns, tuple(map(str, change.key)))
