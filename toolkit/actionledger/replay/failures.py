"""What goes wrong in the same way, in groups, with what it made the sessions spend until an action got through."""

from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import refuse_no_ledger
from actionledger.ledger.queries.failure_sums import failure_sums
from actionledger.ledger.queries.failures import failures_at, meant_in
from actionledger.ledger.queries.filters import EVERYTHING, Filter, refuse_no_filter
from actionledger.ledger.queries.reasons import answered
from actionledger.ledger.queries.trend import Unit, refuse_no_period
from actionledger.ledger.queries.usage import price_sources
from actionledger.replay.grouping.circles import key_of_loop, loop_groups, turns_of_loops
from actionledger.replay.grouping.gathering import EXAMPLES
from actionledger.replay.grouping.groups import FailureExample, FailureGroup, FailureKey, group_of, key_of
from actionledger.replay.grouping.report import FailureReport
from actionledger.replay.loops import LoopReport, loops


def failures(
    ledger: Ledger, within: Filter = EVERYTHING, *, unit: Unit = "week", with_loops: bool = True
) -> FailureReport:
    r"""Group the failures in the responses that a filter picks, over reading, checking and execution, loops among them.

    Args:
        ledger: where they are recorded.
        within: which responses.
        unit: how long a period is: ``day`` or ``week``.
        with_loops: whether sessions are looked through for loops, which takes longer than all else where much was executed.

    Returns:
        The groups, the one first that made sessions spend the most turns; what a session spent is counted until an action got
        through in it, or to its end.

    Raises:
        UsageError: ``ledger`` is no open one, ``within`` no filter, or ``unit`` neither of them.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "get_task", "task_id": 7}]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     report = al.failures(ledger)
        >>> [(group.key.stage, str(group.key.code), group.count) for group in report.groups]
        [('acting', 'not_found', 1)]
    """
    refuse_no_ledger(ledger)
    refuse_no_filter(within)
    refuse_no_period(unit)
    whole, *by_period = meant_in(ledger, within, unit)
    sums, spent = failure_sums(ledger, key_of, within, unit, examples=EXAMPLES)
    found = loops(ledger, within) if with_loops else LoopReport((), 0, 0)
    groups = [
        *(group_of(key, each, whole.sessions) for key, each in sums.items()),
        *loop_groups(ledger, found, within, unit),
    ]
    return FailureReport(
        groups=tuple(sorted(groups, key=_costliest)),
        spent=spent,
        turns=whole.turns,
        sessions=whole.sessions,
        periods={each.period: each for each in by_period if each.period is not None},
        unit=unit,
        loops=found,
        price_sources=price_sources(ledger) if any(group.spent.by_prices for group in groups) else (),
        answered=answered(ledger, within),
    )


def group_turns(ledger: Ledger, key: FailureKey, within: Filter = EVERYTHING) -> tuple[FailureExample, ...]:
    """Return every turn of a group, each with its first failure; of loops the turns that they go on for.

    Args:
        ledger: where they are recorded.
        key: the group's.
        within: which responses.
    """
    if key.is_loop:
        return turns_of_loops(loop for loop in loops(ledger, within).loops if key_of_loop(loop) == key)
    found: dict[str, FailureExample] = {}
    for each in failures_at(ledger, within):
        if each.turn_id not in found and key_of(each) == key:
            found[each.turn_id] = FailureExample(
                each.session_id, each.turn_index, each.attempt_id, each.span, each.detail
            )
    return tuple(found.values())


def _costliest(group: FailureGroup) -> tuple[object, ...]:
    return (-group.spent.turns, -group.lost, -group.count, tuple(map(str, group.key)))
