"""The list of sessions, and one of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from actionledger.core.ids import derived_id
from actionledger.core.rates import Rate
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports import import_sessions
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries import Filter

ONE = derived_id("session", "one")
TWO = derived_id("session", "two")
LIVE = derived_id("run", "live")
AGAIN_ONLY = Filter(run_id=derived_id("run", "again"))


def test_row_counts_what_its_turns_hold(world: queries.Queryable) -> None:
    """The numbers of a row are those of the session's first readings."""
    rows = {row.external_id: row for row in queries.sessions(world)}
    one = rows["one"]
    assert (one.session_id, one.turns, one.parsed) == (ONE, 4, Rate(2, 3))
    assert (one.actions, one.checked, one.valid, one.failed, one.success) == (3, 3, 3, 2, None)
    assert (rows["two"].success, rows["two"].reason) == (False, "gave up")
    assert (rows["three"].turns, rows["three"].failed) == (3, 1)
    two, three = rows["two"], rows["three"]
    assert [(row.actions, row.checked, row.valid) for row in (two, three)] == [(3, 3, 1), (1, 0, 0)]


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("newest", ["two", "one", "three"]),
        ("oldest", ["one", "two", "three"]),
        ("worst", ["three", "two", "one"]),
    ],
)
def test_order(world: queries.Queryable, order: queries.Order, names: list[str]) -> None:
    """A session without a start comes last; the worst first is by parse success, then by failures."""
    assert [row.external_id for row in queries.sessions(world, order=order)] == names


@pytest.mark.parametrize(
    ("search", "names"),
    [
        ("DONE.", {"one"}),
        ("漢字", {"one"}),
        ("thre", {"three"}),
        ("100%", {"three"}),
        ("%", {"three"}),
        ("", {"one", "two", "three"}),
    ],
)
def test_search_is_a_plain_substring(world: queries.Queryable, search: str, names: set[str]) -> None:
    """Responses and external ids are searched in any case, and no character is a wildcard."""
    assert {row.external_id for row in queries.sessions(world, Filter(text=search))} == names
    assert queries.count_sessions(world, Filter(text=search)) == len(names)


def test_filter_by_run_keeps_sessions_that_it_read(world: queries.Queryable) -> None:
    """A re-reading's sessions are those of its turns, with its rates."""
    rows = {row.external_id: row.parsed for row in queries.sessions(world, AGAIN_ONLY)}
    assert rows == {"one": Rate(3, 3), "two": Rate(0, 1)}


def test_only_failing_leaves_out_what_went_well(world: queries.Queryable) -> None:
    """On Monday session one's executions failed; re-read, all of it is fine."""
    assert queries.count_sessions(world, Filter(is_failing=True)) == 3
    rows = queries.sessions(world, replace(AGAIN_ONLY, is_failing=True))
    assert [row.external_id for row in rows] == ["two"]


def test_pages_are_the_whole_list_once(world: queries.Queryable) -> None:
    """Limit and offset neither double nor drop a session."""
    pages = [queries.sessions(world, limit=1, offset=offset) for offset in range(4)]
    assert [row for page in pages for row in page] == queries.sessions(world)


def test_one_session_by_id(world: queries.Queryable) -> None:
    """A session is found by its id; anything else finds nothing."""
    found = queries.session(world, TWO)
    assert found is not None
    assert (found.external_id, found.turns, found.reason) == ("two", 4, "gave up")
    assert queries.session(world, LIVE) is None
    assert queries.session(world, "'; --") is None


@pytest.mark.parametrize(
    "within",
    [
        Filter(),
        Filter(text="e"),
        Filter(outcomes=("clean",)),
        Filter(is_failing=True),
        Filter(text="e", is_failing=True),
    ],
)
def test_a_page_with_its_count_is_the_page_and_the_count(world: queries.Queryable, within: Filter) -> None:
    """What picks sessions is looked for once, and gives what two looks gave; behind the last one there is nothing."""
    count = queries.count_sessions(world, within)
    for offset in range(count):
        found = queries.sessions_page(world, within, limit=1, offset=offset)
        [row] = queries.sessions(world, within, limit=1, offset=offset)
        assert (found.count, found.sessions[0].session_id) == (count, row.session_id)
    assert queries.sessions_page(world, within, limit=1, offset=9).sessions == []


def test_a_session_that_goes_on_with_another_model_is_one_of_both(tmp_path: Path) -> None:
    """Either can be picked, and its row says how many of its turns that one wrote."""
    turns = tuple(RecordedTurn(place, "On it.", model=model) for place, model in enumerate(("", "large", "")))
    with open_ledger(tmp_path / "two.duckdb") as ledger:
        import_sessions(
            ledger,
            [
                RecordedSession("switched", None, "small", "", turns),
                RecordedSession("none", None, "small", "", ()),
            ],
            source="chatlog",
        )
        assert queries.dimensions(ledger).models == ("large", "small")
        found = {
            model: {
                (row.external_id, row.turns, row.matching)
                for row in queries.sessions(ledger, Filter(models=(model,)))
            }
            for model in ("small", "large")
        }
        counts = [queries.count_sessions(ledger, Filter(models=(model,))) for model in found]
    assert found == {"small": {("switched", 3, 2), ("none", 0, 0)}, "large": {("switched", 3, 1)}}
    assert counts == [2, 1]
