"""How often the interval of a rate holds the true share, how wide it is, and what the test of two rates finds.

python tests/benchmarks/intervals.py [--draws 1000] [--all]

Sessions are drawn from populations of many kinds, some of them hard, where few sessions are very bad or long sessions are worse. One of the
constants of ``rates``, how much what is usual weighs, and counting sessions by Kish's formula were chosen among eight variants on these
lengths, with other seeds; the other constants were not. Every number comes of a fixed
seed, and every interval of ``Rate.interval``; to see another version's, let ``PYTHONPATH`` name it.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from actionledger.rates import Clustering, Rate, clustered
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
    """

    lengths: str
    what: str
    sessions: int
    share: float
    covered: float
    width: float
    shown: float


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


CONTRASTS = (
    (20, 20, 0.02, 0.08, 0.1),
    (40, 40, 0.02, 0.08, 0.1),
    (20, 20, 0.02, 0.02, 0.1),
    (20, 20, 0.1, 0.1, 0.1),
    (20, 20, 0.5, 0.5, 0.3),
    (15, 60, 0.1, 0.1, 0.1),
)
HARD = {each.__name__: each for each in (few_bad, few_lost, long_worse, long_better)}


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
    return Cell(lengths, what, counts.shape[1], share, inside / found, width / found, len(ends) / len(counts))


def regular(
    draws: int, correlations: tuple[float, ...] = ALIKE, sessions: tuple[int, ...] = SESSIONS
) -> Iterator[Cell]:
    """Yield the cells of beta-binomial sessions."""
    for place, (name, lengths) in enumerate(LENGTHS.items()):
        for alike in correlations:
            for many in sessions:
                for share in SHARES:
                    chance = np.random.default_rng([place, int(100 * alike), many, int(1000 * share)])
                    counts = lengths(chance, (draws, many))
                    own = beta_binomial(chance, counts.shape, share, alike)
                    yield cell(name, f"alike {alike}", counts, chance.binomial(counts, own), share)


def hard(draws: int, sessions: tuple[int, ...] = SESSIONS) -> Iterator[Cell]:
    """Yield the cells of sessions that are no beta-binomial."""
    for place, (name, lengths) in enumerate(LENGTHS.items()):
        for kind, (what, own_of) in enumerate(HARD.items()):
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
        f"\n{title}\n{'sessions':>9}{'cells':>7}{'lowest':>9}{'mean':>7}{'< 92 %':>8}{'> 98 %':>8}{'width':>8}"
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
        )


def contrasts(draws: int) -> None:
    """Print how often two sides of different sessions are told apart, and how often the interval of the difference holds the true one."""
    test = getattr(statistics, "difference_test", statistics.score_test)
    print(
        "\ntwo sides: lengths, sessions, shares, correlation; told apart, interval holds it, the two contradict each other"
    )
    for name in ("short", "geometric", "long"):
        for many, then, share, other, alike in CONTRASTS:
            chance = np.random.default_rng([many, then, int(100 * share), int(100 * other)])
            told = held = apart = shown = 0
            for _ in range(draws):
                rates = []
                for sessions, each in ((many, share), (then, other)):
                    counts = LENGTHS[name](chance, (1, sessions))
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
    asked = parser.parse_args()
    plain, odd = list(regular(asked.draws)), list(hard(asked.draws))
    summary(plain, "beta-binomial, correlation up to 0.3")
    summary(list(regular(asked.draws, VERY_ALIKE)), "beta-binomial, correlation 0.4 and 0.6")
    summary(odd, "hard")
    print("\nmean width by lengths, 33 sessions and more")
    for name in LENGTHS:
        print(
            f"{name:>10}{np.mean([each.width for each in plain if each.lengths == name and each.sessions >= 33]):8.2%}"
        )
    lowest = sorted(
        (each for each in [*plain, *odd] if each.sessions >= 10 and each.shown > 0.1),
        key=lambda each: each.covered,
    )
    for each in [*plain, *odd] if asked.all else lowest[:25]:
        print(
            f"{each.lengths:>10} {each.what:<12}{each.sessions:5}{each.share:8.3f}{each.covered:8.1%}{each.width:8.1%}{each.shown:6.0%}"
        )
    contrasts(asked.draws // 4)


if __name__ == "__main__":
    main()
