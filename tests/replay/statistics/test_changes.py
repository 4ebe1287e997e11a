"""Where a rate over time changed."""

import numpy as np
import pytest

from actionledger.core.rates import Clustering, Rate, clustered
from actionledger.replay.statistics import change_points


def period(chance: np.random.Generator, share: float, sessions: int = 30, turns: int = 6) -> Rate:
    """Return a period's rate: sessions that lean to their own sides."""
    leaning = chance.beta(share * 8, (1 - share) * 8, sessions)
    read = chance.binomial(turns, leaning)
    clustering = Clustering(sessions, sessions * turns**2, int((read**2).sum()), int((read * turns).sum()))
    return Rate(int(read.sum()), sessions * turns, clustering)


@pytest.mark.parametrize("seed", range(5))
def test_a_step_is_found_where_it_is(seed):
    """Half as many fail from the ninth period on."""
    chance = np.random.default_rng(seed)
    found = change_points([period(chance, 0.6 if at < 8 else 0.85) for at in range(16)])
    assert [point.index for point in found] in ([7], [8], [9])
    [point] = found
    low, high = point.difference
    assert 0 < low < 0.25 < high + 0.1
    assert point.before.count == point.index * 180


def test_two_steps_are_two():
    chance = np.random.default_rng(7)
    shares = [0.9] * 8 + [0.5] * 8 + [0.9] * 8
    found = change_points([period(chance, share) for share in shares])
    assert [abs(point.index - true) <= 1 for point, true in zip(found, (8, 16), strict=True)] == [True, True]


def test_chance_alone_is_seldom_a_change():
    """Of 200 rows of periods without one, at most one in twenty is divided, and a few more by chance."""
    chance = np.random.default_rng(3)
    divided = sum(bool(change_points([period(chance, 0.7) for _ in range(12)])) for _ in range(200))
    assert divided <= 18


def test_too_little_is_no_change():
    """No period, one, periods without a session, and sessions too few."""
    assert change_points([]) == []
    assert change_points([Rate(3, 4)]) == []
    assert change_points([Rate(0, 0), Rate(0, 0)]) == []
    few = Clustering(2, 20_000, 20_000, 20_000)
    none = Clustering(2, 20_000, 0, 0)
    assert change_points([Rate(200, 200, few), Rate(0, 200, none)]) == []


def test_the_last_and_the_first_boundary_are_looked_at():
    """A step after the first period, and one before the last."""
    high, low = Rate(990, 1_000), Rate(500, 1_000)
    assert [point.index for point in change_points([low, high, high])] == [1]
    assert [point.index for point in change_points([high, high, low])] == [2]


def spans_of(
    chance: np.random.Generator, share: float
) -> tuple[list[Rate], list[dict[int, tuple[int, int]]]]:
    """Return twelve periods of sessions each of which goes on in three of them, and those sessions."""
    periods: list[list[tuple[int, int]]] = [[] for _ in range(12)]
    spanning = []
    for begin in range(12):
        for own in chance.beta(share * 2, (1 - share) * 2, 20):
            places = range(begin, min(12, begin + 3))
            session = {at: (count, int(chance.binomial(count, own))) for at in places for count in [5]}
            for at, (count, hits) in session.items():
                periods[at].append((hits, count))
            spanning.append(session)
    return [clustered(each) for each in periods], spanning


def test_a_session_that_goes_on_counts_once():
    """Taken for three, its turns would divide rows of periods that are all alike."""
    chance = np.random.default_rng(5)
    rows = [spans_of(chance, 0.7) for _ in range(150)]
    once = sum(bool(change_points(periods, spanning=spanning)) for periods, spanning in rows)
    apart = sum(bool(change_points(periods)) for periods, _ in rows)
    assert once <= 9 < apart


def test_the_sides_of_a_change_hold_each_session_once():
    """The sums are those of counting the sessions of a side."""
    chance = np.random.default_rng(6)
    periods, spanning = spans_of(chance, 0.2)
    later, going_on = spans_of(chance, 0.9)
    going_on = [{at + 12: each for at, each in session.items()} for session in going_on]
    [point] = change_points([*periods, *later], spanning=[*spanning, *going_on])
    assert point.index == 12
    for rate, sessions in ((point.before, spanning), (point.after, going_on)):
        whole = clustered(
            (sum(hits for _, hits in session.values()), sum(count for count, _ in session.values()))
            for session in sessions
        )
        assert (rate, rate.clustering) == (whole, whole.clustering)
