"""How often the interval of a rate holds the true share, how wide it is, and what the test of two rates finds.

    python tests/benchmarks/intervals.py [--draws 2000] [--ledger LEDGER]...

Sessions are drawn from populations that no constant of ``rates`` was chosen on; with ledgers, their sessions' own lengths are drawn, too. Every
number has a fixed seed. The interval and the test are computed once more here, for thousands of drawings at once, from docs/statistics.md;
before anything is counted they are held against the package's own. Two other widths stand beside the interval's: that of the former rule,
which added two half sessions, and that of one which knows how alike the things of a session are, and has not to find out (it says nothing where they are alike in another way).
"""

import argparse
import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

import actionledger as al
from actionledger.core.rates import Z_95, clustered
from actionledger.replay.statistics import difference_test

Counts: TypeAlias = NDArray[np.int64]
Shares: TypeAlias = NDArray[np.float64]
Ends: TypeAlias = tuple[Shares, Shares]
Shape: TypeAlias = tuple[int, int]
Lengths: TypeAlias = Callable[[np.random.Generator, Shape], Counts]

LENGTHS: dict[str, Lengths] = {
    "short": lambda chance, shape: chance.choice([1, 2, 3, 4, 5], shape, p=[0.05, 0.15, 0.15, 0.35, 0.3]),
    "thirty each": lambda chance, shape: np.full(shape, 30),
    "gamma": lambda chance, shape: 1 + np.floor(chance.gamma(0.8, 25, shape)).astype(np.int64),
    "five or forty": lambda chance, shape: chance.choice([5, 40], shape),
    "log series": lambda chance, shape: chance.logseries(0.93, shape),
}
"""How long sessions are."""

GIANTS: dict[str, Lengths] = {
    "some long, few giants": lambda chance, shape: chance.choice([1, 10, 200], shape, p=[0.6, 0.35, 0.05]),
    "power law": lambda chance, shape: np.minimum(300, chance.zipf(1.55, shape)),
    "log-normal": lambda chance, shape: (
        np.ceil(chance.lognormal(1.2, 1.6, shape)).clip(1, 900).astype(np.int64)
    ),
}
"""Lengths where a few sessions hold most of the things."""

SESSIONS = (5, 10, 14, 25, 33, 60, 100, 300)
SHARES = (0.004, 0.013, 0.033, 0.07, 0.15, 0.4, 0.7, 0.9, 0.97, 0.996)
ALIKE = (0.0, 0.03, 0.08, 0.15, 0.25, 0.3)
VERY_ALIKE = (0.4, 0.6)


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


HARD = (few_bad, few_lost, long_worse, long_better)


class Cell(NamedTuple):
    """What one population came to: how often the interval held the true share, and three widths on average."""

    lengths: str
    what: str
    sessions: int
    share: float
    covered: float
    width: float
    former: float
    knowing: float


class Sums(NamedTuple):
    """What the rule takes of sessions: a row for each drawing."""

    sessions: int
    things: Shares
    hits: Shares
    sizes: Shares
    totals: Shares
    products: Shares

    @classmethod
    def of(cls, counts: Counts, hits: Counts) -> "Sums":
        n, y = counts.astype(float), hits.astype(float)
        return cls(n.shape[1], n.sum(1), y.sum(1), (n * n).sum(1), (y * y).sum(1), (n * y).sum(1))


def student(freedom: Shares | float) -> Shares:
    """Return the 97.5 % quantile of Student's distribution, as M. Abramowitz and I. A. Stegun have it."""
    f, z = np.asarray(freedom, float), Z_95**2
    terms = (
        (z + 1) / 4,
        ((5 * z + 16) * z + 3) / 96,
        (((3 * z + 19) * z + 17) * z - 15) / 384,
        ((((79 * z + 776) * z + 1482) * z - 1920) * z - 945) / 92160,
    )
    return Z_95 * (1 + sum(term / f**power for power, term in enumerate(terms, start=1)))


def variance(s: Sums, share: Shares) -> Shares:
    """Return the variance of the sum of hits among sessions, by Taylor linearisation."""
    return np.maximum(0, s.totals - 2 * share * s.products + share**2 * s.sizes)


def halved(s: Sums) -> Shares:
    """Return the design effect with two half sessions more, a hit and a miss."""
    size = s.sizes / s.things
    whole = s.things + size
    share = (s.hits + size / 2) / whole
    among = variance(s, share) + size**2 * ((1 - share) ** 2 + share**2) / 2
    return among * (s.sessions + 1) / s.sessions / (whole * share * (1 - share) * whole / (whole - 1))


def effective(s: Sums) -> Shares:
    """Return the effective counts."""
    n, size, kish = s.things, s.sizes / s.things, s.things**2 / s.sizes
    share, plain = s.hits / n, student(n - 1)
    within, among = share * (1 - share) * n, variance(s, share)
    is_mixed = (within > 1e-9) & (among > 1e-9 * n) & (kish > 1)
    with np.errstate(all="ignore"):
        shown = np.where(is_mixed, among / within * kish / (kish - 1) * (n - 1) / n, 0)
        rarer = [
            np.nan_to_num(few**2 / squares)
            for few, squares in ((s.hits, s.totals), (n - s.hits, s.sizes - 2 * s.products + s.totals))
        ]
    bearing = np.where(s.hits * 2 == n, np.minimum(*rarer), np.where(s.hits * 2 < n, rarer[0], rarer[1]))
    uneven = np.maximum(1, s.sessions / kish / 3)
    usual = 1 + np.minimum(0.35, np.maximum(0.24 * uneven, 4 / kish)) * (size - 1)
    effect = np.maximum(1, (bearing * shown + 3 * uneven * usual) / (bearing + 3 * uneven))
    effect = effect * (student(np.minimum(kish - 1, bearing + 12)) / plain) ** 2
    effect = np.minimum(effect, np.maximum(size, shown) * (student(kish - 1) / plain) ** 2)
    return n / np.maximum(1, np.minimum(effect, halved(s) * (student(s.sessions - 1) / plain) ** 2))


def former(s: Sums) -> Shares:
    """Return the effective counts of the former rule."""
    return s.things / np.maximum(1, halved(s)) * (student(s.things - 1) / student(s.sessions - 1)) ** 2


def wilson(s: Sums, count: Shares) -> Ends:
    """Return E. B. Wilson's interval."""
    share, spread = s.hits / s.things, Z_95**2 / count
    margin = Z_95 * np.sqrt(share * (1 - share) / count + spread / (4 * count))
    low, high = (np.clip((share + spread / 2 + each) / (1 + spread), 0, 1) for each in (-margin, margin))
    return np.where(s.hits == 0, 0, low), np.where(s.hits == s.things, 1, high)


def beta_binomial(chance: np.random.Generator, shape: Shape, share: float, alike: float) -> Shares:
    """Return sessions' own shares of a mean and a correlation."""
    if alike == 0:
        return np.full(shape, share)
    weight = (1 - alike) / alike
    return chance.beta(share * weight, (1 - share) * weight, shape)


def cell(
    what: tuple[str, str], counts: Counts, hits: Counts, share: float, alike: float = 0.0
) -> Cell | None:
    """Return what drawn sessions of some lengths and kind came to; None where hardly any of them has an interval."""
    s = Sums.of(counts, hits)
    shown = s.things**2 >= 5 * s.sizes
    if shown.mean() < 0.1:
        return None
    low, high = wilson(s, effective(s))
    known = s.things / (1 + alike * (s.sizes / s.things - 1))
    widths = [
        float((ends[1] - ends[0])[shown].mean())
        for ends in ((low, high), wilson(s, former(s)), wilson(s, known))
    ]
    covered = ((low - 1e-9 <= share) & (share <= high + 1e-9))[shown].mean()
    return Cell(*what, counts.shape[1], share, float(covered), *widths)


def regular(
    draws: int, kinds: dict[str, Lengths], correlations: tuple[float, ...] = ALIKE
) -> Iterator[Cell | None]:
    """Yield the cells of beta-binomial sessions."""
    for name, lengths in kinds.items():
        for many in SESSIONS:
            for alike in correlations:
                for share in SHARES:
                    seed = [sum(map(ord, name)), many, round(100 * alike), round(1000 * share), 77]
                    chance = np.random.default_rng(seed)
                    counts = lengths(chance, (draws, many))
                    hits = chance.binomial(counts, beta_binomial(chance, counts.shape, share, alike))
                    yield cell((name, f"alike {alike}"), counts, hits, share, alike)


def hard(draws: int, kinds: dict[str, Lengths]) -> Iterator[Cell | None]:
    """Yield the cells of sessions that are no beta-binomial."""
    for name, lengths in kinds.items():
        for own_of in HARD:
            chance = np.random.default_rng([sum(map(ord, name)), sum(map(ord, own_of.__name__))])
            every = lengths(chance, (4000, 200))
            share = float((every * own_of(chance, every)).sum() / every.sum())
            for many in SESSIONS:
                counts = lengths(chance, (draws, many))
                hits = chance.binomial(counts, own_of(chance, counts))
                yield cell((name, own_of.__name__), counts, hits, share)


def dealt(counts: Counts, hits: Counts, first: int, chance: np.random.Generator, deals: int = 1999) -> Shares:
    """Return the p-values of the studentised permutation test of sessions, a row each."""
    n, y = counts.astype(float), hits.astype(float)
    sessions = n.shape[1]
    places = chance.random((deals, sessions)).argsort(1) < first
    sides = np.concatenate([np.arange(sessions)[None] < first, places]).astype(float)
    shares, variances = [], []
    for side, many in ((sides, first), (1 - sides, sessions - first)):
        things, hit = n @ side.T, y @ side.T
        share = hit / things
        among = (y * y) @ side.T - 2 * share * ((n * y) @ side.T) + share**2 * ((n * n) @ side.T)
        shares.append(share)
        variances.append(np.maximum(0, among) / things**2 * many / (many - 1))
    apart, spread = (shares[0] - shares[1]) ** 2, variances[0] + variances[1]
    with np.errstate(all="ignore"):
        far = np.where(apart < 1e-18, 0, np.where(spread > 1e-18, apart / spread, np.inf))
    return np.asarray((far >= far[:, :1] - 1e-9).sum(1) / (deals + 1))


CONTRASTS = (
    (20, 20, 0.02, 0.08, 0.1),
    (40, 40, 0.02, 0.08, 0.1),
    *((20, 20, share, share, alike) for share in (0.02, 0.1, 0.5, 0.98) for alike in (0.02, 0.1, 0.3)),
    (15, 60, 0.1, 0.1, 0.1),
)


def told_apart(lengths: Lengths, contrast: tuple[int, int, float, float, float], draws: int) -> float:
    """Return how often two sides are told apart, of all drawings; where either has no interval they are not."""
    first, then, share, other, alike = contrast
    chance = np.random.default_rng([first, then, round(100 * share), round(100 * other), round(100 * alike)])
    told = 0
    for _ in range(max(1, draws // 50)):  # each fifty are dealt in the same ways
        sides = []
        for many, each in ((first, share), (then, other)):
            counts = lengths(chance, (50, many))
            sides.append((counts, chance.binomial(counts, beta_binomial(chance, counts.shape, each, alike))))
        shown = np.all([n.sum(1) ** 2 >= 5 * (n * n).sum(1) for n, _ in sides], axis=0)
        counts, hits = (np.concatenate(each, 1) for each in zip(*sides, strict=True))
        told += int(((dealt(counts, hits, first, chance) < 0.05) & shown).sum())
    return told / (50 * max(1, draws // 50))


def check() -> None:
    """Hold the rule and the test that are computed here against the package's."""
    chance = np.random.default_rng(5)
    for _ in range(300):
        counts = chance.integers(1, 40, (1, int(chance.integers(6, 60)))) * chance.choice([1, 1, 1, 30])
        counts = np.where(chance.random(counts.shape) < 0.8, -(-counts // 10), counts)
        hits = chance.binomial(counts, chance.beta(0.5, 0.5 + 5 * chance.random(), counts.shape))
        rate = clustered(zip(hits[0].tolist(), counts[0].tolist(), strict=True))
        s = Sums.of(counts, hits)
        own = (
            None if s.things[0] ** 2 < 5 * s.sizes[0] else [float(end[0]) for end in wilson(s, effective(s))]
        )
        assert own is None if rate.interval is None else np.allclose(own, rate.interval, atol=1e-12)
    furthest = 0.0
    for _ in range(40):
        counts = chance.integers(1, 40, (1, 40))
        hits = chance.binomial(counts, chance.beta(0.3, 2, counts.shape))
        pairs = list(zip(hits[0].tolist(), counts[0].tolist(), strict=True))
        p_value = difference_test(clustered(pairs[:20]), clustered(pairs[20:]))
        furthest = max(furthest, abs(p_value - float(dealt(counts, hits, 20, chance)[0])))
    print(
        f"The rule as the package has it: 300 of 300. The test: p-values of 40 differ by {furthest:.3f} at most."
    )


def recorded(ledgers: list[str]) -> dict[str, Lengths]:
    """Return the lengths of ledgers' own sessions: what they executed and their calls of Read where they have any, else their turns."""
    found: dict[str, Lengths] = {}
    for place in ledgers:
        with al.open_ledger(place, read_only=True) as ledger:
            done = ledger.sql("SELECT session_id, name FROM executions").df()
            turns = ledger.sql("SELECT session_id FROM turns").df()
        groups = (
            {"executions": done, "Read calls": done[done.name == "Read"]} if len(done) else {"turns": turns}
        )
        for name, rows in groups.items():
            lengths = rows.groupby("session_id").size().to_numpy()
            found[f"{name} (recorded)"] = functools.partial(_drawn, lengths)
    return found


def _drawn(lengths: Counts, chance: np.random.Generator, shape: Shape) -> Counts:
    return chance.choice(lengths, shape)


def summary(title: str, cells: list[Cell]) -> None:
    """Print what cells came to, by how many sessions they have; widths are the mean of cells' ratios."""
    print(f"\n{title}\n sessions  cells  lowest   mean  > 98 %  width/former  widest  knowing/former")
    for many in (*SESSIONS, 0):
        these = [each for each in cells if each.sessions == many or (not many and each.sessions >= 10)]
        if not these:
            continue
        covered = np.array([each.covered for each in these])
        ratios = np.array([each.width / each.former for each in these])
        least = np.mean([each.knowing / each.former for each in these])
        print(
            f"{many or 'from 10':>9}{len(these):7}{covered.min():8.1%}{covered.mean():7.1%}{(covered > 0.98).mean():8.0%}"
            f"{ratios.mean():14.2f}{ratios.max():8.2f}{least:18.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--ledger", action="append", default=[], help="draw the lengths of its sessions, too")
    given = parser.parse_args()
    check()
    kinds = LENGTHS | recorded(given.ledger)
    cells = [each for each in regular(given.draws, kinds) if each is not None]
    summary("beta-binomial, correlation up to 0.3", cells)
    for name in kinds:
        summary(name, [each for each in cells if each.lengths == name])
    very = [each for each in regular(given.draws, kinds, VERY_ALIKE) if each is not None]
    summary("beta-binomial, correlation 0.4 and 0.6", very)
    found = [each for each in hard(given.draws, kinds) if each is not None]
    for own_of in HARD:
        summary(f"{own_of.__doc__}", [each for each in found if each.what == own_of.__name__])
    giants = [each for each in regular(given.draws, GIANTS) if each is not None]
    summary("a few giants, beta-binomial", giants)
    summary(
        "a few giants, the populations above",
        [each for each in hard(given.draws, GIANTS) if each is not None],
    )
    for name, lengths in (kinds | GIANTS).items():
        print(f"\n{name}: sessions, shares, correlation, told apart")
        for contrast in CONTRASTS:
            print(
                *(f"{each:5}" for each in contrast),
                f"{told_apart(lengths, contrast, given.draws):7.1%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
