"""The turns behind a number are as many as it says."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from actionledger.core.values import Block, Issue, Span
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RunKind
from actionledger.ledger import Ledger, open_ledger, queries
from actionledger.ledger.queries import Filter, Mark

from .conftest import Book, call


def test_of_a_reason_are_as_many_as_it_counts(world: queries.Queryable) -> None:
    """Every reason's number and the list that it opens agree."""
    for failure in queries.reasons(world):
        mark = Mark(stage=failure.stage, code=failure.code, action=failure.action or None)
        assert queries.count_turns_behind(world, mark=mark) == failure.turns.successes
        assert (failure.session_id, failure.turn_index) in {
            (turn.session_id, turn.turn_index) for turn in queries.turns_behind(world, mark=mark)
        }


def test_of_a_stage_are_all_that_failed_there(world: queries.Queryable) -> None:
    """Without a code, a stage means any failure in it."""
    counts = {
        stage: queries.count_turns_behind(world, mark=Mark(stage=stage))
        for stage in ("reading", "checking", "acting")
    }
    assert counts == {"reading": 3, "checking": 1, "acting": 3}


def test_of_outcomes_within_a_filter(world: queries.Queryable) -> None:
    """A mark and a filter narrow each other."""
    mark = Mark(outcomes=("clean", "repaired"))
    found = queries.turns_behind(world, Filter(models=("small",)), mark)
    assert [(turn.external_id, turn.turn_index, turn.outcome) for turn in found] == [
        ("one", 0, Outcome.CLEAN),
        ("one", 1, Outcome.REPAIRED),
    ]


def test_are_paged_and_the_undated_come_last(world: queries.Queryable) -> None:
    """Pages put together are the whole list, in order and once."""
    whole = queries.turns_behind(world)
    pages = [
        turn for offset in range(0, 12, 3) for turn in queries.turns_behind(world, limit=3, offset=offset)
    ]
    assert pages == whole
    assert len(whole) == queries.count_turns_behind(world) == 10
    assert {turn.external_id for turn in whole[-4:]} == {"two", "three"}


def test_snippet_begins_where_the_trouble_does(world: queries.Queryable) -> None:
    """The snippet is of the response, on one line, from shortly before the first issue."""
    [turn] = queries.turns_behind(world, mark=Mark(stage="reading", code="malformed_json"))
    assert turn.snippet == "😀 so: {"
    assert turn.reasons == (Reason.MALFORMED_JSON,)


def test_the_reason_that_was_asked_for_comes_first(world: queries.Queryable) -> None:
    """A turn with several reasons shows all of them, first the one that it was found by."""
    [refused] = queries.turns_behind(world, mark=Mark(stage="checking", code="unknown_action", action="fly"))
    assert refused.reasons == (Reason.UNKNOWN_ACTION, Reason.MISSING_FIELD)
    [withheld] = queries.turns_behind(world, mark=Mark(stage="acting", code="not_approved"))
    assert withheld.reasons == (Reason.NOT_APPROVED, Reason.UNCLOSED_TAG)
    first = {(turn.external_id, turn.turn_index): turn.reasons for turn in queries.turns_behind(world)}
    assert first["two", 0] == (Reason.UNCLOSED_TAG, Reason.NOT_APPROVED)
    assert first["two", 1] == (Reason.MISSING_FIELD, Reason.UNKNOWN_ACTION)


def test_by_dialect_and_by_text(world: queries.Queryable) -> None:
    """A dialect picks turns, and a search finds what is written in them or what their session is called."""
    counts = {
        name: queries.count_turns_behind(world, mark=Mark(dialects=(name,)))
        for name in ("xml_tags", "json_action", "none")
    }
    assert counts == {"xml_tags": 3, "json_action": 1, "none": 5}
    found = queries.turns_behind(world, Filter(text="READ_file"))
    assert [(turn.external_id, turn.turn_index) for turn in found] == [("two", 0), ("one", 0)]
    assert queries.count_turns_behind(world, Filter(text="one")) == 4
    assert queries.count_turns_behind(world, Filter(text="100%")) == 1


def test_without_a_limit_are_as_many_as_counted(world: queries.Queryable) -> None:
    """What is downloaded is all of what is counted."""
    assert len(queries.turns_behind(world, limit=None)) == queries.count_turns_behind(world)


def test_a_code_or_an_action_means_any_stage(world: queries.Queryable) -> None:
    """Without a stage, what went wrong is looked for in all of them."""
    counts = [
        queries.count_turns_behind(world, mark=mark)
        for mark in (Mark(code="malformed_json"), Mark(code="unknown_action"), Mark(action="create_file"))
    ]
    assert counts == [1, 1, 3]


@pytest.mark.parametrize(
    "within", [Filter(), Filter(text="e"), Filter(text="FILE", models=("small",)), Filter(text="nowhere")]
)
@pytest.mark.parametrize("mark", [Mark(), Mark(stage="acting")])
def test_a_page_with_its_count_is_the_page_and_the_count(
    world: queries.Queryable, within: Filter, mark: Mark
) -> None:
    """One look at the texts gives what two gave, at each place of the list."""
    count = queries.count_turns_behind(world, within, mark)
    for offset in range(0, count + 2, 2):
        found = queries.turns_page(world, within, mark, limit=2, offset=offset)
        assert found.count == count
        assert found.turns == queries.turns_behind(world, within, mark, limit=2, offset=offset)


def test_where_no_action_was_read_is_said_why(ledger: Ledger) -> None:
    """What was set aside, each reason once and in its order; of a response from which something was read, nothing of it."""
    aside = {
        (row.outcome, row.set_aside) for row in queries.turns_behind(ledger, mark=Mark(outcomes=ALL_OUTCOMES))
    }
    assert aside == {
        (Outcome.NO_ACTION, (Reason.CALL_IN_PROSE, Reason.EXAMPLE)),
        (Outcome.EMPTY, ()),
        (Outcome.CLEAN, ()),
    }


ALL_OUTCOMES = tuple(map(str, Outcome))


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A response that shows two examples and names a call, an empty one, and one that was read beside an example."""
    book = Book()
    book.run("live", RunKind.LIVE)
    book.session("s")
    shown = [
        Block(
            place, "xml_tags", BlockStatus.IGNORED, Span(at, at + 2), Span(at, at + 2), reason=Reason.EXAMPLE
        )
        for place, at in enumerate((4, 8))
    ]
    mentioned = Issue(Reason.CALL_IN_PROSE, Span(0, 2), "wait")
    for index, (outcome, found) in enumerate(
        (
            (Outcome.NO_ACTION, {"blocks": tuple(shown), "issues": (mentioned,)}),
            (Outcome.EMPTY, {}),
            (Outcome.CLEAN, {"blocks": tuple(shown), "actions": (call("wait"),)}),
        )
    ):
        book.turn("s", index, "" if outcome is Outcome.EMPTY else "Say it, and be done.")
        book.read("s", index, outcome, **found)
    with open_ledger(tmp_path / "aside.duckdb") as opened:
        for event in book.events:
            opened.record(event)
        opened.flush()
        yield opened
