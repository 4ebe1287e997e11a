"""Sessions and turns as rows: the same as the dashboard's pages list, with all that is recorded of them."""

import json
from datetime import date, datetime, timedelta, timezone

import pytest

from actionledger.core.errors import UsageError
from actionledger.ledger import Ledger, queries
from actionledger.ledger.listings import sessions, turns
from actionledger.ledger.queries import Filter, Mark
from actionledger.replay.comparison import compare
from actionledger.replay.failures import failures


def test_the_sessions_are_those_of_the_page(world: Ledger) -> None:
    """In its order, with each of its numbers; how many were read whole stands beside of how many."""
    for order in ("newest", "oldest", "longest", "worst"):
        listed = queries.sessions(world, order=order, limit=None)
        found = list(sessions(world, order=order))
        assert [row["session_id"] for row in found] == [row.session_id for row in listed]
        for row, there in zip(found, listed, strict=True):
            assert (row["read_whole"], row["meant_to_act"]) == (there.parsed.successes, there.parsed.count)
            assert (row["turns"], row["failed"], row["success"]) == (there.turns, there.failed, there.success)


def test_a_query_alone_narrows_as_its_page_does(world: Ledger) -> None:
    """As one stands in a link, and as a side of a comparison is named; what is no filter is never taken for everything."""
    for listed in (sessions, turns):
        asked = list(listed(world, "model=large"))
        assert asked == list(listed(world, f"{listed.__name__}?model=large"))
        assert 0 < len(asked) < len(list(listed(world)))
        for nothing in ("models=large", "large"):
            with pytest.raises(
                UsageError, match=r"'models', which is none of|neither an address nor a filter"
            ):
                listed(world, nothing)


def test_the_turns_are_those_of_the_page(world: Ledger) -> None:
    """In its order, each with its reasons, its whole text and its times."""
    for within, mark in (
        (Filter(), Mark()),
        (Filter(models=("large",)), Mark(stage="acting")),
        (Filter(text="FILE"), Mark(outcomes=("clean", "partial"))),
    ):
        listed = queries.turns_behind(world, within, mark, limit=None)
        found = list(turns(world, within, mark))
        assert [(row["session_id"], row["turn_index"]) for row in found] == [
            (row.session_id, row.turn_index) for row in listed
        ]
        assert [row["reasons"] for row in found] == [list(map(str, row.reasons)) for row in listed]
    texts = {text for (text,) in world.sql("SELECT text FROM turns WHERE text <> 'never read'").fetchall()}
    assert {row["text"] for row in turns(world)} == texts


@pytest.mark.parametrize("frame", ["df", "pl", "arrow"])
def test_they_are_frames_with_the_same_columns(world: Ledger, frame: str) -> None:
    """One row each, also where there is none, with types that don't hang on what is in it."""
    if frame != "df":
        pytest.importorskip("polars")
    for found, none in (
        (sessions(world), sessions(world, Filter(text="nowhere"))),
        (turns(world), turns(world, mark=Mark(code="truncated"))),
    ):
        some, nothing = getattr(found, frame)(), getattr(none, frame)()
        assert list(some.columns if frame != "arrow" else some.column_names) == list(found.columns)
        assert (len(some), len(nothing)) == (len(found), 0)
        assert len(set(found.columns)) == len(found.columns)


def test_an_address_picks_what_its_page_shows(world: Ledger) -> None:
    """Filters, what turns have in common, and a search; the answer's own address picks the same again."""
    base = "http://localhost:8501/"
    found = turns(world, f"{base}turns?model=large&outcome=clean&since=2026-03-03&page=3")
    assert [(row["external_id"], row["turn_index"]) for row in found] == [("two", 1)]
    assert turns(world, base + found.address).fetchall() == found.fetchall()
    listed = sessions(world, f"{base}sessions?search=confirm&order=oldest+first")
    assert listed.address == "sessions?search=confirm"
    assert len(sessions(world, "sessions?failing=1")) == len(sessions(world, Filter(is_failing=True))) == 3
    assert sessions(world).address == "sessions"
    assert turns(world, Filter(since=datetime(2026, 3, 2, 12))).address == ""


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda world: turns(world, "compare?by=runs&before_run=x"), "'before_run'"),
        (lambda world: sessions(world, order="best"), "'best' is not an order"),
        (lambda world: turns(world, mark="failed"), "'failed' is not an al.Mark"),
        (lambda world: turns(world, "http://[::1/turns"), "is not an address"),
        (lambda world: sessions("team.duckdb"), "'team.duckdb' is not an open ledger"),
        (lambda world: turns(None), "None is not an open ledger"),
        (lambda world: failures("team.duckdb"), "is not an open ledger"),
        (lambda world: compare("team.duckdb", Filter(), Filter(models=("a",))), "is not an open ledger"),
        (lambda world: failures(world, "turns?model=large"), "given as a Filter"),
        (lambda world: failures(world, unit="year"), "'year' is not a period"),
    ],
)
def test_what_would_be_passed_over_is_refused(world: Ledger, ask, said: str) -> None:
    """An address that narrows by something else, and what contradicts it."""
    with pytest.raises(UsageError, match=said):
        ask(world)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Filter(models="large"), r"models=\('large',\)"),
        (lambda: Filter(sources="mint"), "sources takes several"),
        (lambda: Filter(since="2026-03-01"), "since takes a datetime"),
        (lambda: Filter(until=date(2026, 3, 1)), "until takes a datetime"),
        (lambda: Mark(outcomes="failed"), r"outcomes=\('failed',\)"),
        (lambda: Mark(outcomes=("fail",)), "'fail' is not a valid outcome"),
        (lambda: Mark(executions=("done",)), "'done' is not a valid execution"),
    ],
)
def test_what_would_find_nothing_is_refused(make, said: str) -> None:
    """A text where several are meant, a day where a time is, a word that no turn has."""
    with pytest.raises(UsageError, match=said):
        make()


def test_a_time_with_a_zone_is_that_time() -> None:
    """Whatever the zone of the machine is."""
    at = datetime(2026, 3, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    assert Filter(since=at) == Filter(since=datetime(2026, 3, 1))


def test_what_is_hostile_stays_a_value(world: Ledger) -> None:
    """Nothing of an address is SQL."""
    for text in ("'; DROP TABLE turns; --", "%", '"', "\\"):
        assert len(turns(world, f"turns?model={json.dumps(text)}")) == 0
    assert len(turns(world)) == 10
