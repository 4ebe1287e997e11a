"""How often the interval of a rate holds the true share, how wide it is, and what the test of two rates finds.

python tests/benchmarks/intervals.py [--draws 1000] [--all] [--ledger LEDGER]

Sessions are drawn from populations of many kinds, some of them hard, where few sessions are very bad or long sessions are worse. The constants
of ``rates`` were chosen among some sixty variants on ``LENGTHS`` and ``HARD``, with other seeds. ``OTHER_LENGTHS`` and ``OTHER_KINDS`` were drawn
only after that: what they say was not chosen for. With a ledger, its sessions' own lengths are drawn, too.
Every number has a fixed seed, and every interval is ``Rate.interval``; to see another version's, let ``PYTHONPATH`` name it. Widths stand beside
those of the former rule, which added two half sessions.
"""

import argparse
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import actionledger as al
from actionledger.core.rates import Z_95, Clustering, Rate, clustered, student
from actionledger.replay import statistics

Counts: TypeAlias = NDArray[np.int64]
Shares: TypeAlias = NDArray[np.float64]
Shape: TypeAlias = tuple[int, int]
Lengths: TypeAlias = Callable[[np.random.Generator, Shape], Counts]

LENGTHS: dict[str, Lengths] = {
    "eight": lambda chance, shape: np.full(shape, 8),
    "short": lambda chance, shape: chance.choice([1, 2, 3, 4, 5], shape, p=[0.05, 0.15, 0.15, 0.35, 0.3]),
    "geometric": lambda chance, shape: chance.geometric(1 / 19, shape),
    "long": lambda chance, shape: 1 + chance.negative_binomial(1.6, 1.6 / (1.6 + 66), shape),
    "heavy": lambda chance, shape: np.ceil(chance.lognormal(2, 1, shape)).astype(np.int64),
    "mixed": lambda chance, shape: chance.choice([2, 60], shape, p=[0.7, 0.3]),
}
"""How long sessions are; short ones have 3.7 things on average, geometric ones 19, long ones 67."""

OTHER_LENGTHS: dict[str, Lengths] = {
    "poisson": lambda chance, shape: 1 + chance.poisson(11, shape),
    "uniform": lambda chance, shape: chance.integers(1, 41, shape),
    "weibull": lambda chance, shape: np.ceil(14 * chance.weibull(0.7, shape)).astype(np.int64),
    "zeta": lambda chance, shape: np.minimum(400, chance.zipf(1.7, shape)),
    "giants": lambda chance, shape: np.where(chance.random(shape) < 0.08, 150, 6),
}
"""Lengths that no constant was chosen on; of the last two a few sessions hold most of the things."""

SESSIONS = (5, 10, 15, 20, 33, 60, 100, 300)
SHARES = (0.01, 0.02, 0.08, 0.3, 0.6, 0.95, 0.99, 1.0)
ALIKE = (0.0, 0.05, 0.1, 0.2, 0.3)
VERY_ALIKE = (0.4, 0.6)


@dataclass(frozen=True, slots=True)
class Cell:
    """What came of drawing one population many times.

    Args:
        covered: how often the interval held the true share, of those that were shown.
        width: how wide it was on average.
        shown: how often there was one.
        former: how wide the former rule's was on average, whether or not it would have been shown.
    """

    lengths: str
    what: str
    sessions: int
    share: float
    covered: float
    width: float
    shown: float
    former: float


def beta_binomial(chance: np.random.Generator, shape: Shape, share: float, alike: float) -> Shares:
    """Return sessions' own shares of a mean and a correlation."""
    if alike == 0 or share in {0.0, 1.0}:
        return np.full(shape, share)
    weight = (1 - alike) / alike
    return chance.beta(share * weight, (1 - share) * weight, shape)


def few_bad(chance: np.random.Generator, counts: Counts) -> Shares:
    """One session in twenty fails at 60 %, the others at half a per cent."""
    return np.where(chance.random(counts.shape) < 0.05, 0.6, 0.005)


def few_lost(chance: np.random.Generator, counts: Counts) -> Shares:
    """One session in ten fails throughout, the others hardly ever."""
    return np.where(chance.random(counts.shape) < 0.1, 0.97, 0.01)


def long_worse(chance: np.random.Generator, counts: Counts) -> Shares:
    """The longer a session, the more of it fails."""
    return np.minimum(0.66, 0.004 * counts) * chance.uniform(0.5, 1.5, counts.shape)


def long_better(chance: np.random.Generator, counts: Counts) -> Shares:
    """A session that fails is over soon."""
    return np.minimum(0.9, 1.0 / (1 + counts)) * chance.uniform(0.5, 1.0, counts.shape)


def logistic(deviation: float, middle: float) -> Callable[[np.random.Generator, Counts], Shares]:
    """Return a kind of sessions whose log-odds are normal."""
    return lambda chance, counts: 1 / (1 + np.exp(-middle - deviation * chance.standard_normal(counts.shape)))


def three_kinds(chance: np.random.Generator, counts: Counts) -> Shares:
    """Most sessions hardly fail, some at 5 %, one in ten at 40 %."""
    return chance.choice([0.001, 0.05, 0.4], counts.shape, p=[0.6, 0.3, 0.1])


def bad_days(chance: np.random.Generator, counts: Counts) -> Shares:
    """Three sessions in ten fail at a quarter, the others at 2 %."""
    return np.where(chance.random(counts.shape) < 0.3, 0.25, 0.02)


def late_faults(chance: np.random.Generator, counts: Counts) -> Shares:
    """Only sessions of more than 25 things fail more than at 1 %."""
    return np.where(counts > 25, 0.2, 0.01)


CONTRASTS = (
    (20, 20, 0.02, 0.08, 0.1),
    (40, 40, 0.02, 0.08, 0.1),
    (20, 20, 0.02, 0.02, 0.1),
    (20, 20, 0.1, 0.1, 0.1),
    (20, 20, 0.5, 0.5, 0.3),
    (15, 60, 0.1, 0.1, 0.1),
)
HARD = {each.__name__: each for each in (few_bad, few_lost, long_worse, long_better)}
OTHER_KINDS = {
    "log_odds_rare": logistic(1.5, -4.5),
    "log_odds_tenth": logistic(1.0, -2.2),
    "log_odds_most": logistic(2.0, 2.5),
} | {each.__name__: each for each in (three_kinds, bad_days, late_faults)}


def rates(counts: Counts, hits: Counts) -> Iterator[Rate]:
    """Yield the rate of each row of sessions."""
    sums = ((counts**2).sum(1), (hits**2).sum(1), (counts * hits).sum(1), hits.sum(1), counts.sum(1))
    for sizes, totals, products, score, count in zip(*(each.tolist() for each in sums), strict=True):
        yield Rate(score, count, Clustering(counts.shape[1], sizes, totals, products))


def cell(lengths: str, what: str, counts: Counts, hits: Counts, share: float) -> Cell:
    """Return how often the intervals of drawn sessions hold a share, and how wide they are."""
    ends = [ends for rate in rates(counts, hits) if (ends := rate.interval) is not None]
    inside = sum(low - 1e-9 <= share <= high + 1e-9 for low, high in ends)
    width = sum(high - low for low, high in ends)
    found = max(1, len(ends))
    return Cell(
        lengths,
        what,
        counts.shape[1],
        share,
        inside / found,
        width / found,
        len(ends) / len(counts),
        former_width(counts, hits),
    )


def former_width(counts: Counts, hits: Counts) -> float:
    """Return how wide the former rule's intervals are on average: its design effect had two half sessions more, a hit and a miss."""
    sessions, count, score = counts.shape[1], counts.sum(1), hits.sum(1)
    sizes, totals, products = (counts**2).sum(1), (hits**2).sum(1), (counts * hits).sum(1)
    size = sizes / count
    whole = count + size
    share = (score + size / 2) / whole
    among = totals - 2 * share * products + share**2 * sizes + size**2 * ((1 - share) ** 2 + share**2) / 2
    effect = among * (sessions + 1) / sessions / (whole * share * (1 - share) * whole / (whole - 1))
    wider = np.array([student(each - 1) for each in count.tolist()]) / student(sessions - 1)
    effective = count / np.maximum(1, effect) * wider**2
    spread, own = Z_95**2 / effective, score / count
    middle, margin = (
        own + spread / 2,
        Z_95 * np.sqrt(own * (1 - own) / effective + spread / (4 * effective)),
    )
    low = np.where(score == 0, 0, (middle - margin) / (1 + spread))
    high = np.where(score == count, 1, (middle + margin) / (1 + spread))
    return float((high - low).mean())


def regular(
    draws: int,
    correlations: tuple[float, ...] = ALIKE,
    sessions: tuple[int, ...] = SESSIONS,
    kinds: dict[str, Lengths] = LENGTHS,
    shares: tuple[float, ...] = SHARES,
) -> Iterator[Cell]:
    """Yield the cells of beta-binomial sessions."""
    for place, (name, lengths) in enumerate(kinds.items()):
        for alike in correlations:
            for many in sessions:
                for share in shares:
                    chance = np.random.default_rng([place, int(100 * alike), many, int(1000 * share)])
                    counts = lengths(chance, (draws, many))
                    own = beta_binomial(chance, counts.shape, share, alike)
                    yield cell(name, f"alike {alike}", counts, chance.binomial(counts, own), share)


def hard(
    draws: int,
    sessions: tuple[int, ...] = SESSIONS,
    kinds: dict[str, Lengths] = LENGTHS,
    populations: dict[str, Callable[[np.random.Generator, Counts], Shares]] = HARD,
) -> Iterator[Cell]:
    """Yield the cells of sessions that are no beta-binomial."""
    for place, (name, lengths) in enumerate(kinds.items()):
        for kind, (what, own_of) in enumerate(populations.items()):
            chance = np.random.default_rng([place, kind, 7])
            every = lengths(chance, (2000, 200))
            share = float((every * own_of(chance, every)).sum() / every.sum())
            for many in sessions:
                counts = lengths(chance, (draws, many))
                hits = chance.binomial(counts, own_of(chance, counts))
                yield cell(name, what, counts, hits, share)


def summary(cells: list[Cell], title: str) -> None:
    """Print what cells came to, by how many sessions they have."""
    print(
        f"\n{title}\n{'sessions':>9}{'cells':>7}{'lowest':>9}{'mean':>7}{'< 92 %':>8}{'> 98 %':>8}{'width':>8}{'former':>8}"
    )
    for many in (*SESSIONS, 0):
        these = [
            each
            for each in cells
            if each.shown > 0.1 and (each.sessions == many or (not many and each.sessions >= 10))
        ]
        covered = [each.covered for each in these]
        if not these:
            continue
        label = str(many) if many else "from 10"
        print(
            f"{label:>9}{len(these):7}{min(covered):9.1%}{np.mean(covered):7.1%}{sum(each < 0.92 for each in covered):8}"
            f"{np.mean([each > 0.98 for each in covered]):8.0%}{np.mean([each.width for each in these]):8.1%}"
            f"{sum(each.width for each in these) / sum(each.former for each in these):8.2f}"
        )


def widths(cells: list[Cell]) -> None:
    """Print how wide intervals are beside the former rule's, by how long sessions are, with 33 sessions and more."""
    print(
        "\nwidth from 33 sessions on, beside the former rule's: together, cell by cell, the widest cell from 10 on"
    )
    for name in {each.lengths: None for each in cells}:
        these = [each for each in cells if each.lengths == name and each.sessions >= 33]
        every = [each for each in cells if each.lengths == name and each.sessions >= 10]
        together = sum(each.width for each in these) / sum(each.former for each in these)
        each_alone = np.mean([each.width / each.former for each in these])
        print(
            f"{name:>14}{together:7.2f}{each_alone:7.2f}{max(each.width / each.former for each in every):7.2f}"
        )


def recorded(ledger: str) -> dict[str, Lengths]:
    """Return the lengths of a ledger's own sessions: their turns, what they executed, and the five tools that most sessions used."""
    with al.open_ledger(ledger) as opened:
        turns = opened.sql("SELECT count(*) FROM turns GROUP BY session_id").fetchall()
        done = opened.sql("SELECT name, session_id, count(*) FROM executions GROUP BY ALL").fetchall()
    by_session: dict[str, int] = {}
    by_tool: dict[str, list[int]] = {}
    for name, session, count in done:
        by_session[session] = by_session.get(session, 0) + count
        by_tool.setdefault(name, []).append(count)
    most = sorted(by_tool, key=lambda name: -len(by_tool[name]))[:5]
    found = {"turns": [count for (count,) in turns], "executions": list(by_session.values())}
    found |= {name: by_tool[name] for name in most}
    return {
        name: functools.partial(_drawn, np.array(counts)) for name, counts in found.items() if len(counts) > 9
    }


def _drawn(lengths: Counts, chance: np.random.Generator, shape: Shape) -> Counts:
    return chance.choice(lengths, shape)


def contrasts(draws: int, kinds: dict[str, Lengths]) -> None:
    """Print how often two sides of different sessions are told apart, and how often the interval of the difference holds the true one."""
    test = getattr(statistics, "difference_test", statistics.score_test)
    print(
        "\ntwo sides: lengths, sessions, shares, correlation; told apart, interval holds it, the two contradict each other"
    )
    for name, lengths in kinds.items():
        for many, then, share, other, alike in CONTRASTS:
            chance = np.random.default_rng([many, then, int(100 * share), int(100 * other)])
            told = held = apart = shown = 0
            for _ in range(draws):
                rates = []
                for sessions, each in ((many, share), (then, other)):
                    counts = lengths(chance, (1, sessions))
                    hits = chance.binomial(counts, beta_binomial(chance, counts.shape, each, alike))
                    rates.append(clustered(zip(hits[0].tolist(), counts[0].tolist(), strict=True)))
                p_value, ends = test(*rates), statistics.unpaired_difference(*rates)
                if p_value is None or ends is None:
                    continue
                shown += 1
                told += p_value < 0.05 and not ends[0] <= 0 <= ends[1]
                held += ends[0] <= other - share <= ends[1]
                apart += (p_value < 0.05) is (ends[0] <= 0 <= ends[1])
            found = max(1, shown)
            print(
                f"{name:>10} {many:3} {then:3}  {share:.2f} {other:.2f}  {alike:.1f}{told / draws:8.1%}{held / found:8.1%}{apart / found:8.1%}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--all", action="store_true", help="every cell")
    parser.add_argument("--ledger", help="draw the lengths of its sessions, too")
    asked = parser.parse_args()
    plain, odd = list(regular(asked.draws)), list(hard(asked.draws))
    summary(plain, "beta-binomial, correlation up to 0.3")
    summary(list(regular(asked.draws, VERY_ALIKE)), "beta-binomial, correlation 0.4 and 0.6")
    summary(odd, "hard")
    widths(plain)
    shares = (0.003, 0.015, 0.05, 0.2, 0.5, 0.85, 0.985)
    other = list(regular(asked.draws, kinds=OTHER_LENGTHS, shares=shares))
    strange = list(hard(asked.draws, kinds=LENGTHS | OTHER_LENGTHS, populations=OTHER_KINDS))
    summary([each for each in other if each.lengths not in {"zeta", "giants"}], "other lengths")
    summary([each for each in other if each.lengths in {"zeta", "giants"}], "lengths with a few giants")
    summary([each for each in strange if each.lengths not in {"zeta", "giants"}], "other kinds of sessions")
    summary([each for each in strange if each.lengths in {"zeta", "giants"}], "the same with a few giants")
    own = recorded(asked.ledger) if asked.ledger else {}
    if own:
        found = list(regular(asked.draws, kinds=own, shares=shares))
        summary(found, "recorded lengths")
        widths(found)
        other += found
    plain, odd = [*plain, *other], [*odd, *strange]
    lowest = sorted(
        (each for each in [*plain, *odd] if each.sessions >= 10 and each.shown > 0.1),
        key=lambda each: each.covered,
    )
    for each in [*plain, *odd] if asked.all else lowest[:25]:
        print(
            f"{each.lengths:>10} {each.what:<12}{each.sessions:5}{each.share:8.3f}{each.covered:8.1%}{each.width:8.1%}{each.shown:6.0%}"
        )
    contrasts(
        asked.draws // 4,
        {
            name: (LENGTHS | own)[name]
            for name in ("short", "geometric", "long", "executions", "Read")
            if name in LENGTHS | own
        },
    )


if __name__ == "__main__":
    main()
