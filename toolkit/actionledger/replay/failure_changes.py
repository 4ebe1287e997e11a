"""Groups of failures before and after: which are new, gone, grown or shrunk, and whether that is more than chance."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from actionledger.errors import UsageError
from actionledger.ledger import Ledger
from actionledger.ledger.queries.failures import failures_at, shared_turns
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.naming import Called, run_or_first
from actionledger.rates import Rate
from actionledger.replay.failures import failures
from actionledger.replay.grouping.groups import FailureGroup, FailureKey, key_of
from actionledger.replay.statistics import fisher, holm, session_test

ChangeKind: TypeAlias = Literal["new", "gone", "grown", "shrunk", "same"]
"""What became of a group: it was not there before, is not there after, or a larger, a smaller or the same share has it."""

PAIRED_TEST = "sign-flip test over sessions, on the turns that both have read"
UNPAIRED_TEST = "exact test of Fisher over sessions"


@dataclass(frozen=True, slots=True)
class FailureChange:
    """What became of a group of failures.

    Args:
        key: what its failures have in common.
        kind: what became of it.
        turns_before, turns_after: in how many turns it was, and is.
        before, after: sessions with it, of those looked at.
        p_value: how likely chance alone makes such a difference.
        p_holm: the same, adjusted by Holm's procedure for all the groups that are looked at together.
    """

    key: FailureKey
    kind: ChangeKind
    turns_before: int
    turns_after: int
    before: Rate
    after: Rate
    p_value: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class FailureChanges:
    r"""Groups of failures before and after.

    Args:
        changes: each group's, the most certain first, then those with the most turns.
        test: by which test.
        paired: how many turns both have read, and are compared on; None where the two have different turns.

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

    def __repr__(self) -> str:
        from actionledger.display.failures import changes_line  # noqa: PLC0415 - only where it is looked at

        return changes_line(self)

    def __str__(self) -> str:
        from actionledger.display.failures import changes_text  # noqa: PLC0415

        return changes_text(self)

    def _repr_html_(self) -> str:
        from actionledger.display.failures import changes_html  # noqa: PLC0415

        return changes_html(self)


def failure_changes(
    ledger: Ledger, before: Called | Filter | None, after: Called | Filter | None, within: Filter = EVERYTHING
) -> FailureChanges:
    r"""Compare the groups of failures of two runs, or of two filters such as two weeks.

    Where the two have read the same turns, these are compared turn by turn, over reading and checking: only the first reading of a
    turn was ever executed. Else the shares of sessions are compared, over everything, loops included.

    Args:
        ledger: where they are recorded.
        before: a run by its id or name, a filter, or ``first`` or None for the first readings.
        after: likewise.
        within: what narrows both of them down where they are runs.

    Returns:
        What became of each group, with an exact test, adjusted for how many groups there are.

    Raises:
        UsageError: no run goes by a name, or one of them has read nothing that meant to act.

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
    found = list(_paired(ledger, first, second, sessions) if turns else _unpaired(ledger, first, second))
    adjusted = holm([change.p_value for change in found])
    changes = [replace(change, p_holm=p) for change, p in zip(found, adjusted, strict=True)]
    return FailureChanges(
        changes=tuple(sorted(changes, key=_most_certain)),
        test=PAIRED_TEST if turns else UNPAIRED_TEST,
        paired=turns or None,
    )


def _paired(ledger: Ledger, first: Filter, second: Filter, sessions: int) -> Iterator[FailureChange]:
    before, after = _turns_by_group(ledger, first, second), _turns_by_group(ledger, second, first)
    for key in {**before, **after}:
        was, now = before.get(key, {}), after.get(key, {})
        shifts = Counter(now[turn] for turn in now.keys() - was.keys())
        shifts.subtract(Counter(was[turn] for turn in was.keys() - now.keys()))
        p_value = session_test(Counter(shift for shift in shifts.values() if shift))
        yield FailureChange(
            key=key,
            kind=_kind(len(was), len(now), len(was), len(now)),
            turns_before=len(was),
            turns_after=len(now),
            before=Rate(len(set(was.values())), sessions),
            after=Rate(len(set(now.values())), sessions),
            p_value=p_value,
            p_holm=p_value,
        )


def _turns_by_group(ledger: Ledger, within: Filter, other: Filter) -> dict[FailureKey, dict[str, str]]:
    """Return which turns have each group's failures, with their sessions, where both have read the turn."""
    turns: dict[FailureKey, dict[str, str]] = defaultdict(dict)
    for each in failures_at(ledger, within, also_read_by=other):
        if each.stage != "acting":
            turns[key_of(each)][each.turn_id] = each.session_id
    return turns


def _unpaired(ledger: Ledger, first: Filter, second: Filter) -> Iterator[FailureChange]:
    reports = failures(ledger, first), failures(ledger, second)
    for which, report in zip(("first", "second"), reports, strict=True):
        if not report.turns:
            raise UsageError(f"The {which} of the two has read no response that meant to act.")
    before, after = ({group.key: group for group in report.groups} for report in reports)
    for key in {**before, **after}:
        was, now = (
            _rate(key, groups, report.sessions)
            for groups, report in zip((before, after), reports, strict=True)
        )
        p_value = fisher(was.successes, was.count, now.successes, now.count)
        yield FailureChange(
            key=key,
            kind=_kind(was.successes, now.successes, was.value or 0.0, now.value or 0.0),
            turns_before=before[key].turns if key in before else 0,
            turns_after=after[key].turns if key in after else 0,
            before=was,
            after=now,
            p_value=p_value,
            p_holm=p_value,
        )


def _rate(key: FailureKey, groups: dict[FailureKey, FailureGroup], sessions: int) -> Rate:
    return groups[key].sessions if key in groups else Rate(0, sessions)


def _kind(was: int, now: int, before: float, after: float) -> ChangeKind:
    if not was or not now:
        return "new" if now else "gone"
    if before == after:
        return "same"
    return "grown" if after > before else "shrunk"


def _most_certain(change: FailureChange) -> tuple[object, ...]:
    turns = max(change.turns_before, change.turns_after)
    return (change.p_holm, change.p_value, -turns, tuple(map(str, change.key)))
