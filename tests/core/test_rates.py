"""Rates: the share, and the interval that says how much to believe it."""

import pytest
from scipy.stats import binomtest

from actionledger.core.rates import Clustering, Rate, shown_share, summed

COUNTS = [
    (0, 1),
    (1, 1),
    (1, 2),
    (0, 10),
    (10, 10),
    (3, 10),
    (47, 50),
    (1, 1000),
    (994, 1000),
    (2602, 498_391),
]


@pytest.mark.parametrize(("successes", "count"), COUNTS)
def test_the_interval_is_wilsons(successes, count):
    """It agrees with an independent implementation."""
    expected = binomtest(successes, count).proportion_ci(confidence_level=0.95, method="wilson")
    assert Rate(successes, count).interval == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_interval_of_a_published_example():
    """81 of 263, as in R. G. Newcombe's comparison of intervals (Statistics in Medicine 17, 1998): 0.2553 to 0.3662."""
    assert Rate(81, 263).interval == pytest.approx((0.2553, 0.3662), abs=5e-5)


@pytest.mark.parametrize(("successes", "count"), COUNTS)
def test_the_interval_holds_the_share_and_stays_a_share(successes, count):
    """It never leaves 0 to 1, not even by rounding."""
    rate = Rate(successes, count)
    low, high = rate.interval
    assert 0 <= low <= rate.value <= high <= 1
    assert low < high


@pytest.mark.parametrize("count", [1, 7, 1000, 10**7])
def test_the_interval_ends_at_none_and_at_all(count):
    """None of many still leaves room above, all of many room below."""
    assert Rate(0, count).interval[0] == 0
    assert Rate(count, count).interval[1] == 1
    assert 0 < Rate(0, count).interval[1] < 1
    assert 0 < Rate(count, count).interval[0] < 1


def test_more_counts_make_a_narrower_interval():
    """The same share is believed more the more it rests on."""
    widths = [high - low for low, high in (Rate(n // 2, n).interval for n in (2, 10, 100, 10_000))]
    assert widths == sorted(widths, reverse=True)


def test_nothing_counted_is_no_rate():
    """There is no share, and no interval."""
    assert (Rate(0, 0).value, Rate(0, 0).interval) == (None, None)


@pytest.mark.parametrize(("successes", "count"), [(2, 1), (-1, 1), (1, 0), (0, -1)])
def test_an_impossible_count_is_refused(successes, count):
    """More successes than tries is a mistake of the caller."""
    with pytest.raises(ValueError, match=f"{successes} of {count} is not a rate"):
        Rate(successes, count)


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (Rate(47, 50), "94.0% [83.8%, 97.9%] (47/50)"),
        (Rate(2602, 498_391), "0.5% [0.5%, 0.5%] (2,602/498,391)"),
        (Rate(0, 0), "– (0)"),
    ],
)
def test_a_rate_is_written_with_its_interval_and_its_count(rate, text):
    """A share alone is never shown."""
    assert str(rate) == text


def test_rates_are_summed_over_all_that_they_are_about():
    """What stands for itself counts as a session of one."""
    clustered = Rate(3, 4, Clustering(sessions=2, sizes=8, totals=5, products=6))
    together = summed([clustered, Rate(1, 2)])
    assert together == Rate(4, 6)
    assert together.clustering == Clustering(sessions=4, sizes=10, totals=6, products=7)
    assert summed([Rate(1, 2), Rate(3, 4)]).clustering is None
    assert summed([]) == Rate(0, 0)


def test_the_plain_interval_takes_each_thing_for_itself():
    """It is that of the same counts without sessions; the other is wider."""
    rate = Rate(60, 100, Clustering(sessions=20, sizes=500, totals=300, products=300))
    assert rate.plain_interval == Rate(60, 100).interval
    low, high = rate.interval
    plain_low, plain_high = rate.plain_interval
    assert low < plain_low < plain_high < high
    assert Rate(0, 0).plain_interval is None
    assert Rate(5, 9, Clustering(1, 81, 25, 45)).effective_count is None


def test_a_share_is_shown_as_all_or_nothing_only_where_it_is_that():
    """One of 20,985 that is missing is not 100.0 %, and one that is there is not 0.0 %."""
    shown = {
        (20_985, 20_985): "100.0%",
        (20_984, 20_985): "> 99.9%",
        (999, 1000): "99.9%",
        (1, 1000): "0.1%",
        (1, 20_985): "< 0.1%",
        (0, 20_985): "0.0%",
    }
    assert {counts: Rate(*counts).shown_value for counts in shown} == shown
    assert str(Rate(20_984, 20_985)).startswith("> 99.9% [")
    assert (shown_share(1.0), shown_share(0.0)) == ("100.0%", "0.0%")
    assert (Rate(0, 0).shown_value, Rate(0, 0, refusal="not auditable").shown_value) == ("–", "not auditable")
