"""What other intervals of a rate would give: how often each holds the true share, and how wide it is.

    python tests/benchmarks/interval_frontier.py [--draws 2000] [--ledger LEDGER]...

The cells are those of ``intervals.py``, from the same seeds. A width is that of the former rule, which added two half sessions, taken for 1.
First come the rates of the ledgers themselves, of 33 sessions and more, with the widths of the rule and of the former one.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from intervals import (
    ALIKE,
    HARD,
    LENGTHS,
    SESSIONS,
    SHARES,
    Ends,
    Lengths,
    Shares,
    Sums,
    beta_binomial,
    effective,
    former,
    recorded,
    student,
    variance,
    wilson,
)
from scipy.stats import beta

import actionledger as al


def shown(s: Sums) -> Shares:
    """Return the design effect that the data show, by Taylor linearisation; 0 where all things are alike."""
    share, count = s.hits / s.things, s.things
    within, among = share * (1 - share) * count, variance(s, share)
    with np.errstate(all="ignore"):
        effect = among / within * s.sessions / (s.sessions - 1) * (count - 1) / count
    return np.where((within > 1e-9) & (among > 1e-9 * count), effect, 0)


def shrunk(s: Sums, alike: float) -> Shares:
    """Return the effective counts with what is usual weighing two sessions, and four more telling of the variance."""
    size, effect, plain = s.sizes / s.things, shown(s), student(s.things - 1)
    rare = s.hits * 2 <= s.things
    few = np.where(rare, s.hits, s.things - s.hits)
    squares = np.where(rare, s.totals, s.sizes - 2 * s.products + s.totals)
    bearing = few**2 / np.maximum(squares, 1)
    drawn = np.maximum(1, (bearing * effect + 2 * (1 + alike * (size - 1))) / (bearing + 2))
    drawn = drawn * (student(np.minimum(s.sessions - 1, np.maximum(1, bearing + 4))) / plain) ** 2
    most = np.maximum(size, effect) * (student(s.sessions - 1) / plain) ** 2
    return s.things / np.maximum(1, np.minimum(drawn, most))


def plainly(s: Sums) -> Shares:
    """Return the effective counts by the design effect that the data show alone."""
    widened = (student(s.sessions - 1) / student(s.things - 1)) ** 2
    return np.minimum(s.things, s.things / (np.maximum(1, shown(s)) * widened))


def korn_graubard(s: Sums) -> Ends:
    """Return the exact interval at these counts."""
    count = plainly(s)
    hits = s.hits / s.things * count
    low = beta.ppf(0.025, np.maximum(hits, 1e-9), count - hits + 1)
    high = beta.ppf(0.975, hits + 1, np.maximum(count - hits, 1e-9))
    return np.where(s.hits == 0, 0, low), np.where(s.hits == s.things, 1, high)


CANDIDATES: dict[str, Callable[[Sums], Ends]] = {
    "the rule": lambda s: wilson(s, effective(s)),
    "usual 0.2, of 2 sessions": lambda s: wilson(s, shrunk(s, 0.2)),
    "usual 0.1, of 2 sessions": lambda s: wilson(s, shrunk(s, 0.1)),
    "Korn and Graubard": korn_graubard,
    "Wilson, what data show": lambda s: wilson(s, plainly(s)),
}
KNOWING = "correlation known"


def cells(kinds: dict[str, Lengths], draws: int) -> Iterator[tuple[str, bool, int, float, float, Sums]]:
    """Yield lengths' name, whether it is beta-binomial, sessions, the true share, the correlation and what was drawn."""
    for name, lengths in kinds.items():
        for many in SESSIONS:
            for alike in ALIKE:
                for share in SHARES:
                    seed = [sum(map(ord, name)), many, round(100 * alike), round(1000 * share), 77]
                    chance = np.random.default_rng(seed)
                    counts = lengths(chance, (draws, many))
                    hits = chance.binomial(counts, beta_binomial(chance, counts.shape, share, alike))
                    yield name, True, many, share, alike, Sums.of(counts, hits)
        for own_of in HARD:
            chance = np.random.default_rng([sum(map(ord, name)), sum(map(ord, own_of.__name__))])
            every = lengths(chance, (4000, 200))
            share = float((every * own_of(chance, every)).sum() / every.sum())
            for many in SESSIONS:
                counts = lengths(chance, (draws, many))
                hits = chance.binomial(counts, own_of(chance, counts))
                yield name, False, many, share, 0.0, Sums.of(counts, hits)


_OWN = (
    "SELECT 'tried: all', session_id, status <> 'succeeded' FROM executions",
    "SELECT 'tried: ' || name, session_id, status <> 'succeeded' FROM executions",
    "SELECT 'reason: ' || r, session_id, r = reason FROM (SELECT DISTINCT reason AS r FROM executions WHERE r <> ''), executions",
    "SELECT 'parsed: ' || model, session_id, outcome IN ('clean', 'repaired') FROM parse_attempts WHERE capture <> 'calls'",
)


def own_rates(places: list[str]) -> None:
    """Print the rates that ledgers have over 33 sessions and more, and how wide the interval of each is by both rules."""
    for place, asked in product(places, _OWN):
        with al.open_ledger(place, read_only=True) as ledger:
            rows = ledger.sql(asked).fetchall()
        sessions: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for name, session, hit in rows:
            sessions[name][str(session)].append(int(hit or 0))
        for name, found in sorted(sessions.items()):
            counts = np.array([[len(each) for each in found.values()]])
            s = Sums.of(counts, np.array([[sum(each) for each in found.values()]]))
            if s.sessions < 33 or not (s.hits[0] and s.things[0] ** 2 >= 5 * s.sizes[0]):
                continue
            (low,), (high,) = wilson(s, effective(s))
            (was_low,), (was_high,) = wilson(s, former(s))
            print(
                f"{name:45} {s.hits[0]:6.0f} of {s.things[0]:6.0f} in {s.sessions:4}: {low:.1%} to {high:.1%}, "
                f"was {was_low:.1%} to {was_high:.1%}: {(high - low) / (was_high - was_low):.2f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--ledger", action="append", default=[], help="draw the lengths of its sessions, too")
    given = parser.parse_args()
    own_rates(given.ledger)
    covered: defaultdict[tuple[str, int, bool], list[float]] = defaultdict(list)
    widths: defaultdict[tuple[str, int, str], list[float]] = defaultdict(list)
    for name, is_regular, many, share, alike, s in cells(LENGTHS | recorded(given.ledger), given.draws):
        is_shown = s.things**2 >= 5 * s.sizes
        if is_shown.mean() < 0.1:
            continue
        before = wilson(s, former(s))
        found = {each: ends(s) for each, ends in CANDIDATES.items()}
        if is_regular:
            found[KNOWING] = wilson(s, s.things / (1 + alike * (s.sizes / s.things - 1)))
        for each, (low, high) in found.items():
            holds = (low - 1e-9 <= share) & (share <= high + 1e-9)
            covered[each, many, is_regular].append(float(holds[is_shown].mean()))
            if is_regular:
                ratio = (high - low)[is_shown].mean() / (before[1] - before[0])[is_shown].mean()
                widths[each, many, name.split(" (")[0]].append(float(ratio))
    kinds = [name.split(" (")[0] for name in recorded(given.ledger)] or list(LENGTHS)
    for each in (*CANDIDATES, KNOWING):
        print(
            f"\n{each}\n sessions  lowest   mean  > 98 %  hard: lowest  width (widest) of {', '.join(kinds)}"
        )
        for many in SESSIONS:
            regular, hard = np.array(covered[each, many, True]), np.array(covered[each, many, False])
            ratios = [np.array(widths[each, many, name]) for name in kinds if widths[each, many, name]]
            least = f"{hard.min():14.1%}" if hard.size else f"{'':14}"
            print(
                f"{many:9}{regular.min():8.1%}{regular.mean():7.1%}{(regular > 0.98).mean():8.0%}{least}  ",
                *(f"{ratio.mean():.2f} ({ratio.max():.2f})" for ratio in ratios),
            )


if __name__ == "__main__":
    main()
