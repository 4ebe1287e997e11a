"""Agreement beyond chance between people who judge the same items: kappa and alpha, with intervals by resampling sessions."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import exp, sqrt
from random import Random
from typing import TypeAlias

from actionledger.core.rates import TOO_FEW

DRAWS = 2_000
"""Number of resamples."""

MINIMUM_DRAWN = 10
"""Minimum number of sessions, weighted by size, for resampling."""

_MANY = 50
"""From this mean on, a Poisson draw is approximated by a normal one."""


def resampled_difference(
    cells: Mapping[tuple[int, int], int], *, seed: int = 1, draws: int = DRAWS
) -> tuple[float, float] | None:
    """Return the 95 % interval of the difference between two rates over the same turns, by resampling sessions.

    The percentile bootstrap (B. Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of Statistics 7, 1979) with
    sessions as units. The number of draws of a session is Poisson (N. Chamandy and others, "Estimating Uncertainty for Massive Data
    Streams", Google 2012), so that equal sessions are drawn together, and half a million cost as much as a hundred.
    """
    turns = sum(size * sessions for (size, _), sessions in cells.items())
    squares = sum(size * size * sessions for (size, _), sessions in cells.items())
    if not turns or turns * turns < MINIMUM_DRAWN * squares:
        return None
    chance = Random(seed)  # noqa: S311 - must be repeatable, not secure
    ordered = sorted(cells.items())
    shares = sorted(share for _ in range(draws) if (share := _drawn(ordered, chance)) is not None)
    return shares[int(0.025 * len(shares))], shares[min(len(shares) - 1, int(0.975 * len(shares)))]


def _drawn(cells: list[tuple[tuple[int, int], int]], chance: Random) -> float | None:
    turns = score = 0
    for (size, scored), sessions in cells:
        times = poisson(sessions, chance)
        turns += size * times
        score += scored * times
    return score / turns if turns else None


def poisson(mean: int, chance: Random) -> int:
    """Return a Poisson draw: exact, or by the normal approximation if the mean is large."""
    if mean >= _MANY:
        return max(0, round(chance.gauss(mean, sqrt(mean))))
    limit, drawn, product = exp(-mean), 0, chance.random()
    while product > limit:
        product *= chance.random()
        drawn += 1
    return drawn


Sums: TypeAlias = Mapping[tuple[str, str], float]
"""The sums over items for a coefficient: by pairs of judgements, or by a count's name and a judgement."""

_LEAST_DRAWN = 0.9
"""Minimum share of resamples with a defined coefficient, for an interval."""


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """An item that several people judged."""

    session: str  # its session; items of one session may be correlated
    judgements: Mapping[str, str]  # each person's judgement, by name


@dataclass(frozen=True, slots=True)
class Coefficient:
    """An agreement coefficient, which measures agreement beyond chance.

    Args:
        name: the coefficient's name.
        value: 1 for full agreement, 0 for agreement by chance, negative below that. None if undefined: all judgements are equal, or
            no two people judged the same item.
        interval: its 95 % interval; None if too few sessions were judged, or resampling gives no interval.
    """

    name: str
    value: float | None
    interval: tuple[float, float] | None

    @property
    def shown_interval(self) -> str:
        """The interval, or the word for why it is missing; empty without a value."""
        if self.value is None:
            return ""
        if self.interval is None:
            return "no difference seen" if self.value == 1 else TOO_FEW
        low, high = self.interval
        return f"[{low:.2f}, {high:.2f}]"

    def __str__(self) -> str:
        return "inconclusive" if self.value is None else f"{self.value:.2f} {self.shown_interval}"


def cohen_kappa(things: Sequence[JudgedItem], one: str, other: str) -> Coefficient:
    """Return Cohen's kappa for two people, over the items that both judged.

    J. Cohen, "A Coefficient of Agreement for Nominal Scales", Educational and Psychological Measurement 20 (1960).
    """

    def sums(thing: JudgedItem) -> Sums:
        return {(thing.judgements[one], thing.judgements[other]): 1.0}

    both = [thing for thing in things if one in thing.judgements and other in thing.judgements]
    return _coefficient("Cohen's kappa", both, sums, _kappa_of_pairs)


def fleiss_kappa(things: Sequence[JudgedItem]) -> Coefficient:
    """Return Fleiss' kappa for any number of people, if every item has equally many judgements.

    J. L. Fleiss, "Measuring Nominal Scale Agreement Among Many Raters", Psychological Bulletin 76 (1971).
    """
    if len({len(thing.judgements) for thing in things}) > 1:
        raise ValueError("each thing needs as many judgements as the others")

    def sums(thing: JudgedItem) -> Sums:
        counts = Counter(thing.judgements.values())
        people = counts.total()
        alike = sum(count * (count - 1) for count in counts.values())
        shares: dict[tuple[str, str], float] = {(_OF, value): count for value, count in counts.items()}
        return shares | {_ALIKE: alike / (people * (people - 1)), _THINGS: 1.0}

    several = [thing for thing in things if len(thing.judgements) > 1]
    return _coefficient("Fleiss' kappa", several, sums, _kappa_of_shares)


def krippendorff_alpha(things: Sequence[JudgedItem]) -> Coefficient:
    """Return Krippendorff's alpha for nominal data: any number of people, with missing judgements allowed.

    K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C.
    """

    def sums(thing: JudgedItem) -> Sums:
        values = list(thing.judgements.values())
        found = Counter(permutations(values, 2))
        return {pair: count / (len(values) - 1) for pair, count in found.items()}

    several = [thing for thing in things if len(thing.judgements) > 1]
    return _coefficient("Krippendorff's alpha", several, sums, _alpha_of_pairs)


_OF = "of"
_ALIKE, _THINGS = ("alike", ""), ("things", "")


def _kappa_of_pairs(sums: Sums) -> float | None:
    total = sum(sums.values())
    if not total:
        return None
    seen = sum(count for (one, other), count in sums.items() if one == other) / total
    ones, others = _margins(sums)
    expected = sum(ones[value] * others[value] for value in ones) / (total * total)
    return None if expected >= 1 else (seen - expected) / (1 - expected)


def _alpha_of_pairs(sums: Sums) -> float | None:
    total = sum(sums.values())
    margins, _ = _margins(sums)
    different = total * total - sum(count * count for count in margins.values())
    if total <= 1 or different <= 0:
        return None
    seen = sum(count for (one, other), count in sums.items() if one != other)
    return 1 - (total - 1) * seen / different


def _kappa_of_shares(sums: Sums) -> float | None:
    things = sums.get(_THINGS, 0)
    counts = [count for (what, _), count in sums.items() if what == _OF]
    if not things:
        return None
    expected = sum(count * count for count in counts) / sum(counts) ** 2
    return None if expected >= 1 else (sums[_ALIKE] / things - expected) / (1 - expected)


def _margins(sums: Sums) -> tuple[dict[str, float], dict[str, float]]:
    ones: defaultdict[str, float] = defaultdict(float)
    others: defaultdict[str, float] = defaultdict(float)
    for (one, other), count in sums.items():
        ones[one] += count
        others[other] += count
    return ones, others


def _coefficient(
    name: str,
    things: Sequence[JudgedItem],
    sums: Callable[[JudgedItem], Sums],
    value_of: Callable[[Sums], float | None],
) -> Coefficient:
    by_session: defaultdict[str, list[Sums]] = defaultdict(list)
    for thing in things:
        by_session[thing.session].append(sums(thing))
    sessions = [_together((each, 1) for each in found) for found in by_session.values()]
    value = value_of(_together((each, 1) for each in sessions))
    squares = sum(len(found) ** 2 for found in by_session.values())
    is_enough = len(things) ** 2 >= MINIMUM_DRAWN * squares
    # If all agree, so does every resample: the interval would have no width and be no more than a guess.
    if value is None or value == 1 or not is_enough:
        return Coefficient(name, value, None)
    return Coefficient(name, value, _interval(sessions, value_of))


def _together(parts: Iterable[tuple[Sums, int]]) -> Sums:
    whole: defaultdict[tuple[str, str], float] = defaultdict(float)
    for sums, times in parts:
        for key, count in sums.items():
            whole[key] += times * count
    return whole


def _interval(
    sessions: Sequence[Sums], value_of: Callable[[Sums], float | None], *, seed: int = 1, draws: int = DRAWS
) -> tuple[float, float] | None:
    """Return the 95 % percentile interval of a coefficient by resampling sessions.

    The number of draws of a session is Poisson, as in ``resampled_difference``; equal sessions are drawn together.
    """
    cells = Counter(tuple(sorted(sums.items())) for sums in sessions)
    kinds = [(dict(cell), count) for cell, count in cells.items()]
    chance = Random(seed)  # noqa: S311 - must be repeatable, not secure
    drawn = (
        value_of(_together((sums, poisson(count, chance)) for sums, count in kinds)) for _ in range(draws)
    )
    values = sorted(value for value in drawn if value is not None)
    if len(values) < _LEAST_DRAWN * draws:
        return None
    return values[int(0.025 * len(values))], values[min(len(values) - 1, int(0.975 * len(values)))]
