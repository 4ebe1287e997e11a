"""A page's address and what it picks are the same thing, in both directions."""

from datetime import datetime

import pytest
from hypothesis import given, strategies as st

from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id
from actionledger.core.vocabulary import Capture, ExecutionStatus, Origin, Outcome
from actionledger.ledger.queries import Filter, Mark
from actionledger.ledger.queries.addresses import query_of
from actionledger.ledger.queries.filters import filter_of, filter_parameters
from actionledger.ledger.queries.marks import mark_parameters

NAMES = st.lists(st.text(min_size=1).filter(lambda text: text.isprintable()), max_size=2).map(tuple)
DAYS = st.none() | st.dates(datetime(1990, 1, 1).date(), datetime(2090, 1, 1).date()).map(
    lambda day: datetime(day.year, day.month, day.day)
)


@given(profiles=NAMES, models=NAMES, tasks=NAMES, sources=NAMES, since=DAYS, until=DAYS)
def test_a_filter_comes_back_from_its_address(**parts):
    """Whatever the sessions are called; what else an address says is passed over."""
    within = Filter(run_id=derived_id("run", "a"), **parts, is_failing=True)
    assert (
        filter_of(f"http://localhost:8501/turns?{query_of(filter_parameters(within))}&page=2#end") == within
    )
    assert filter_of(f"?{within.query}") == within
    assert filter_of(within.query) == within


@given(
    code=st.sampled_from([None, "timeout"]),
    action=NAMES,
    outcomes=st.lists(st.sampled_from(list(map(str, Outcome))), unique=True).map(tuple),
    executions=st.lists(st.sampled_from(list(map(str, ExecutionStatus))), unique=True).map(tuple),
    origin=st.sampled_from([None, *Origin]),
    dialects=NAMES,
    captures=st.lists(st.sampled_from(list(map(str, Capture))), unique=True).map(tuple),
)
def test_a_mark_is_a_filter_in_its_address(action, **parts):
    """Every part of it."""
    mark = Mark(stage="acting", action=action[0] if action else None, **parts)
    assert filter_of(f"turns?{query_of(mark_parameters(mark))}") == mark.filter


@pytest.mark.parametrize(
    ("address", "model"),
    [
        ("model=a", "a"),
        (" model=a?b ", "a?b"),
        ("model=http%3A%2F%2Fx/y%3Dz", "http://x/y=z"),
        ("model=a&page=2#end", "a"),
        ("//localhost/turns?model=a", "a"),
    ],
)
def test_a_query_alone_is_an_address_as_well(address, model):
    """It was taken for a page's name, and everything was shown."""
    assert filter_of(address) == Filter(models=(model,))


@pytest.mark.parametrize(
    "address", ["", "?", "./", "turns", "/turns", "http://localhost:8501/", "http://x/base"]
)
def test_a_page_s_name_alone_picks_everything(address):
    assert filter_of(address) == Filter()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("small", "'small' is neither an address nor a filter"),
        ("turn", "'turn' is neither an address nor a filter"),
        ("since=yesterday", "since=yesterday"),
        ("turns?since=yesterday", "since=yesterday"),
        ("turns?since=2026-02-30", "since=2026-02-30"),
        ("turns?failing=no", "failing=no"),
        ("turns?run=first", "'first' is not a run's id"),
        ("turns?since=2026-01-01&since=2026-01-02", "'since' 2 times"),
    ],
)
def test_what_is_no_filter_is_refused_with_its_value(address, said):
    """Never taken for no filter at all."""
    with pytest.raises(UsageError, match=said):
        filter_of(address)


@pytest.mark.parametrize("query", ["outcome=nice", "stage=later", "code=none", "origin=us", "execution=x"])
def test_what_turns_can_t_have_is_refused(query):
    with pytest.raises(UsageError, match=r"choose from \w+|is not a valid Origin"):
        filter_of(f"turns?{query}")


def test_a_filter_that_ends_within_a_day_has_no_address():
    """A page would show other turns."""
    within = Filter(until=datetime(2026, 3, 2, 12))
    with pytest.raises(UsageError, match="until 2026-03-02 12:00"):
        within.query  # noqa: B018
    assert not within.is_of_days
