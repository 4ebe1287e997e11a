"""Compare two sets of recorded responses that share no turns: two models, two weeks, two prompts."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from actionledger.core.errors import UsageError
from actionledger.core.frames import Columns, Framed, compared
from actionledger.core.hooks import Shown
from actionledger.core.rates import NOT_AUDITABLE, Rate
from actionledger.core.text import counted
from actionledger.ledger.queries.agreement import recorded_verdicts
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.differences import results_by_task, shared_turns
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.funnel import Funnel, funnel, with_sessions
from actionledger.replay.statistics import (
    difference_test,
    holm,
    smallest_p_value,
    task_difference,
    task_test,
    unpaired_difference,
)

_RECORDED = {
    "recorded_success": "sessions that succeeded, as their recordings say",
    "harness_took": "responses in which the recordings' own harness took an action",
}
MEASURES = {
    "parse_success": "parsed, of those that meant to act",
    "strict_success": "the same without a repair",
    "validation": "actions that are valid",
    "execution": "executions that succeeded",
    "recorded_execution": "executions of other runtimes that succeeded",
    **_RECORDED,
}
"""The compared rates, from the funnel and from recordings, with their meanings."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One rate of both sides.

    Args:
        name: the rate, as a funnel names it, or `recorded_success` or `harness_took`.
        before, after: both sides' rates.
        difference: the 95 % interval of the second minus the first, -1 to 1, consistent with ``p_value`` about 0; None if either
            side has no interval.
        p_value: of the permutation test over sessions, adjusted for all measures of the contrast (Holm); None if either side has no interval.
    """

    name: str
    before: Rate
    after: Rate
    difference: tuple[float, float] | None
    p_value: float | None


@dataclass(frozen=True, slots=True)
class SharedTasks:
    """The results of both sides on the tasks that both were given.

    Args:
        tasks: number of tasks for which both have auditable responses that meant to act.
        only_before, only_after: number of tasks that only one side has.
        mean: the mean over the shared tasks of the second side's parse success minus the first's, -1 to 1.
        difference: its 95 % interval; None with fewer than ten tasks.
        p_value: of the sign-flip test over tasks.
    """

    tasks: int
    only_before: int
    only_after: int
    mean: float
    difference: tuple[float, float] | None
    p_value: float


@dataclass(frozen=True, slots=True)
class Contrast(Framed, Shown):
    r"""Two compared sets of responses that share no turns.

    Args:
        before, after: how far each side's responses got.
        measures: the rates of both; a rate without counts on either side is omitted.
        tasks: the comparison over shared tasks; None if they share none.
        not_auditable: number of each side's responses that meant to act and are in no parse rate, because only parsed calls were recorded.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     for model in ("first", "second"):
        ...         with al.Runtime("assistant", ledger=ledger, model=model, task="list") as runtime:
        ...             turn = runtime.handle(text)
        ...     models = al.compare(ledger, al.Filter(models=("first",)), al.Filter(models=("second",)))
        >>> models.tasks.tasks, models.tasks.mean, models.tasks.p_value
        (1, 0.0, 1.0)
    """

    before: Funnel
    after: Funnel
    measures: tuple[Measure, ...]
    tasks: SharedTasks | None
    not_auditable: tuple[int, int]

    def _columns(self) -> Columns:
        return compared(
            (each.name, each.before, each.after, each.difference, each.p_value) for each in self.measures
        )

    def __repr__(self) -> str:
        return f"<Contrast {self.before.responses:,} and {counted(self.after.responses, 'response')}, {counted(len(self.measures), 'measure')}>"


def contrast(ledger: Queryable, before: Filter, after: Filter) -> Contrast:
    """Compare two sets of responses that share no turns and so can't be compared turn by turn."""
    if shared := shared_turns(ledger, before, after):
        raise UsageError(
            f"{counted(shared, 'response')} would stand on both sides; name two models, sources or times that share none, or "
            "compare two runs over the same responses."
        )
    first, second = funnel(ledger, before), funnel(ledger, after)
    for side, found in ((before, first), (after, second)):
        if not found.responses:
            raise UsageError(
                f"No recorded response fits {side.words}; 'actionledger report' says what the ledger holds."
            )
    first, second = with_sessions(ledger, first, before), with_sessions(ledger, second, after)
    return Contrast(
        first,
        second,
        _measures(_rates(ledger, first, before), _rates(ledger, second, after)),
        _tasks(ledger, before, after),
        (first.not_auditable, second.not_auditable),
    )


def _rates(ledger: Queryable, found: Funnel, within: Filter) -> dict[str, Rate]:
    """Return one side's rates: its funnel, and the outcomes that its recordings state."""
    of_funnel = {name: getattr(found, name) for name in MEASURES if name not in _RECORDED}
    [*told] = recorded_verdicts(ledger, None, within)
    said = (told[0].succeeded, told[0].took) if told else (Rate(0, 0), Rate(0, 0))
    return of_funnel | dict(zip(_RECORDED, said, strict=True))


def _measures(first: Mapping[str, Rate], second: Mapping[str, Rate]) -> tuple[Measure, ...]:
    pairs = {name: (first[name], second[name]) for name in MEASURES}
    counted = {
        name: (one, other)
        for name, (one, other) in pairs.items()
        if one.count or other.count or NOT_AUDITABLE in {one.refusal, other.refusal}
    }
    tested = {name: difference_test(one, other) for name, (one, other) in counted.items()}
    # Without repairs two measures have the same numbers and count as one test.
    known = {counted[name]: p_value for name, p_value in tested.items() if p_value is not None}
    least = [_least(one, other) for one, other in known]
    adjusted = dict(zip(known, holm(list(known.values()), least), strict=True))
    found = [(name, one, other, adjusted.get((one, other))) for name, (one, other) in counted.items()]
    return tuple(
        Measure(name, one, other, unpaired_difference(one, other, p_value), p_value)
        for name, one, other, p_value in found
    )


def _least(one: Rate, other: Rate) -> float:
    """Return the smallest p-value possible for two rates, from the number of their sessions with the rarer outcome."""
    sides = [rate.clustering.cells if rate.clustering else None for rate in (one, other)]
    together = Counter[tuple[int, int]]()
    for cells in sides:
        if cells is None:
            return 0.0
        together.update(cells)
    is_rare = 2 * (one.successes + other.successes) <= one.count + other.count
    telling = sum(
        sessions for (count, hits), sessions in together.items() if (hits if is_rare else count - hits)
    )
    before, after = (sum(cells.values()) for cells in sides if cells is not None)
    return smallest_p_value(before, after, telling)


def _tasks(ledger: Queryable, before: Filter, after: Filter) -> SharedTasks | None:
    first = {each.task: each.share for each in results_by_task(ledger, before)}
    second = {each.task: each.share for each in results_by_task(ledger, after)}
    shared = sorted(first.keys() & second.keys())
    if not shared:
        return None
    differences = [second[task] - first[task] for task in shared]
    return SharedTasks(
        len(shared),
        len(first) - len(shared),
        len(second) - len(shared),
        sum(differences) / len(shared),
        task_difference(differences),
        task_test(differences),
    )
