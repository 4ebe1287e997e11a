"""Compare two or more models, agents, versions, prompts or weeks in a table, with intervals and pairwise tests."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, erfc, inf, isfinite, sqrt
from operator import mul
from random import Random
from typing import Literal, TypeAlias

from actionledger.core.rates import MINIMUM_SESSIONS, Rate, clustered, student
from actionledger.core.vocabulary import SessionOutcome
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.standings import Side, SideOfSession, sides_of_sessions
from actionledger.replay.statistics import difference_test, holm, unpaired_difference

Measured: TypeAlias = Literal["success", "finished", "parsed", "failures", "cost"]
"""The measures of a side."""

_DRAWS = 2_000
_MOST = 1_000
"""Maximum number of sessions for the permutation test; with more, the normal distribution is used."""
_SAMPLES = 999
_SAMPLED = 500
"""Maximum number of sessions for bootstrap samples; with more, the normal distribution is used."""


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a quantity over sessions."""

    values: tuple[float, ...]  # each session's value

    @property
    def value(self) -> float | None:
        """The mean; None without values."""
        return sum(self.values) / len(self.values) if self.values else None

    @property
    def error(self) -> float:
        """The standard error; 0 with fewer than two values."""
        count = len(self.values)
        if count < 2:
            return 0.0
        mean = sum(self.values) / count
        return sqrt(sum((value - mean) ** 2 for value in self.values) / (count - 1) / count)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval, cut off at 0; None with fewer than five sessions."""
        if self.value is None or len(self.values) < MINIMUM_SESSIONS:
            return None
        if not self.error:
            return self.value, self.value
        low, high = _quantiles(self)
        return max(0.0, self.value - high * self.error), self.value - low * self.error


@dataclass(frozen=True, slots=True)
class Standing:
    """One side of a table."""

    label: str  # the value that its responses share, such as a model's name; empty if not recorded
    sessions: int  # number of its sessions
    responses: int  # number of its responses
    success: Rate  # share of sessions that their source calls a success, among those with a verdict from it
    finished: Rate  # share of all sessions that finished
    parsed: Rate  # share of responses that were parsed, among those kept as raw text that meant to act
    # whether the same parsers as on most sides were used, so that parse rates are comparable
    is_comparable: bool
    failures: Rate  # share of attempted executions that failed
    cost: Mean  # dollars per session, over the sessions with a known cost


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides compared by one measure."""

    label: str  # the second side
    value: float  # its value, a share or dollars
    change: float  # the second minus the first
    # the change's 95 % interval, for a share consistent with `p_value` about 0; None if a side has too few sessions
    difference: tuple[float, float] | None
    # of the permutation test over sessions, adjusted for all pairs (Holm); None likewise
    p_value: float | None


def standings(ledger: Queryable, by: Side = "model", within: Filter = EVERYTHING) -> tuple[Standing, ...]:
    """Return one standing per side, the side with the most sessions first; weeks in chronological order."""
    sides: defaultdict[str, list[SideOfSession]] = defaultdict(list)
    for each in sides_of_sessions(ledger, by, within):
        sides[each.label].append(each)
    readers = {
        label: frozenset(id_ for each in found for id_ in each.readers) for label, found in sides.items()
    }
    known = Counter(found for found in readers.values() if found)
    usual = max(known, key=lambda found: known[found], default=frozenset())
    made = [_standing(label, found, is_comparable=readers[label] == usual) for label, found in sides.items()]
    if by == "week":
        return tuple(sorted(made, key=lambda each: each.label))
    return tuple(sorted(made, key=lambda each: (-each.sessions, each.label)))


def _standing(label: str, found: Sequence[SideOfSession], *, is_comparable: bool) -> Standing:
    said = [each.success for each in found if each.success is not None]
    return Standing(
        label=label,
        sessions=len(found),
        responses=sum(each.responses for each in found),
        success=clustered((int(success), 1) for success in said),
        finished=clustered((int(each.outcome is SessionOutcome.FINISHED), 1) for each in found),
        parsed=clustered((each.parsed, each.meant) for each in found if each.meant),
        is_comparable=is_comparable,
        failures=clustered((each.failed, each.tried) for each in found if each.tried),
        cost=Mean(tuple(each.cost_usd for each in found if each.cost_usd is not None)),
    )


def measure_of(standing: Standing, measure: Measured) -> Rate | Mean:
    """Return one measure of a side; a parse rate that is not comparable is returned as empty."""
    if measure == "parsed" and not standing.is_comparable:
        return Rate(0, 0)
    found: Rate | Mean = getattr(standing, measure)
    return found


def pairs(found: Sequence[Standing], label: str, measure: Measured) -> tuple[Pair, ...]:
    """Compare one side with each other side by one measure, with p-values adjusted for all of these pairs."""
    first = next((measure_of(each, measure) for each in found if each.label == label), None)
    if first is None or first.value is None:
        return ()
    others = {each.label: measure_of(each, measure) for each in found if each.label != label}
    there = {name: other for name, other in others.items() if other.value is not None}
    tested = {name: _test(first, other) for name, other in there.items()}
    known = {name: p_value for name, p_value in tested.items() if p_value is not None}
    adjusted = dict(zip(known, holm(list(known.values())), strict=True))
    return tuple(_pair(first, other, name, adjusted.get(name)) for name, other in there.items())


def _test(first: Rate | Mean, second: Rate | Mean) -> float | None:
    if isinstance(first, Rate) and isinstance(second, Rate):
        return difference_test(first, second)
    if isinstance(first, Mean) and isinstance(second, Mean) and first.interval and second.interval:
        return _mean_test(first, second)
    return None


def _pair(first: Rate | Mean, second: Rate | Mean, label: str, p_value: float | None) -> Pair:
    one, other = first.value or 0.0, second.value or 0.0
    difference = None
    if p_value is not None:
        if isinstance(first, Rate) and isinstance(second, Rate):
            difference = unpaired_difference(first, second, p_value)
        elif isinstance(first, Mean) and isinstance(second, Mean):
            difference = _apart(first, second)
    return Pair(label, other, other - one, difference, p_value)


def _quantiles(mean: Mean) -> tuple[float, float]:
    """Return the 95 % bounds of studentised means (bootstrap-t; Efron and Tibshirani, An Introduction to the Bootstrap, 1993, 12.5).

    Costs are skewed by a few expensive sessions: Student's interval would miss the mean of twenty sessions in a quarter of cases.
    """
    count, found = len(mean.values), list[float]()
    around = [value - (mean.value or 0.0) for value in mean.values]
    chance = Random(1)  # noqa: S311 - must be repeatable, not secure
    for _ in range(_SAMPLES if count <= _SAMPLED else 0):
        drawn = chance.choices(around, k=count)
        total, squares = sum(drawn), sum(map(mul, drawn, drawn))
        spread = squares - total * total / count
        is_alike = spread <= 1e-9 * squares  # the same value drawn every time has no error
        found.append(copysign(inf, total) if is_alike else total / sqrt(count / (count - 1) * spread))
    margin = student(count - 1)
    found = sorted(found) or [-inf, inf]
    low, high = (found[round(share * (len(found) - 1))] for share in (0.025, 0.975))
    return low if isfinite(low) else -margin, high if isfinite(high) else margin


def _apart(first: Mean, second: Mean) -> tuple[float, float]:
    """Return the 95 % interval of the second mean minus the first (B. L. Welch, "The Generalization of 'Student's' Problem", Biometrika 34, 1947)."""
    one, other = first.error**2, second.error**2
    change = (second.value or 0.0) - (first.value or 0.0)
    if not one + other:
        return change, change
    freedom = (one + other) ** 2 / (one**2 / (len(first.values) - 1) + other**2 / (len(second.values) - 1))
    margin = student(freedom) * sqrt(one + other)
    return change - margin, change + margin


def _mean_test(first: Mean, second: Mean) -> float:
    """Return the two-sided p-value for two means: by permuting sessions, or by the normal distribution if there are very many."""
    seen = _studentised(first.values, second.values)
    values = [*first.values, *second.values]
    if len(values) > _MOST:
        return erfc(abs(seen) / sqrt(2))
    chance, size = Random(1), len(first.values)  # noqa: S311 - must be repeatable, not secure
    hits = 0
    for _ in range(_DRAWS):
        chance.shuffle(values)
        hits += abs(_studentised(values[:size], values[size:])) >= abs(seen) - 1e-12
    return (hits + 1) / (_DRAWS + 1)


def _studentised(one: Sequence[float], other: Sequence[float]) -> float:
    first, second = Mean(tuple(one)), Mean(tuple(other))
    error = sqrt(first.error**2 + second.error**2)
    change = (second.value or 0.0) - (first.value or 0.0)
    return change / error if error else 0.0
