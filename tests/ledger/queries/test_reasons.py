"""Why things fail, counted by hand."""

from dataclasses import replace
from pathlib import Path

from actionledger.core.ids import derived_id
from actionledger.core.rates import Rate
from actionledger.core.vocabulary import ActionStatus, Outcome, Reason, RunKind
from actionledger.ledger import open_ledger, queries

from .conftest import MISSING, Book, call

ONE = derived_id("session", "one")


def test_names_every_stage_with_its_share_of_the_intents(world: queries.Queryable) -> None:
    """Each reason of the small world occurs in one of the seven turns that meant to act."""
    found = queries.reasons(world)
    assert {(failure.stage, failure.code, failure.action) for failure in found} == {
        ("reading", Reason.MALFORMED_JSON, ""),
        ("reading", Reason.UNCLOSED_TAG, ""),
        ("reading", Reason.NO_ACTION_FOUND, ""),
        ("checking", Reason.MISSING_FIELD, "create_file"),
        ("checking", Reason.UNKNOWN_ACTION, "fly"),
        ("acting", Reason.HANDLER_ERROR, "create_file"),
        ("acting", Reason.TIMEOUT, "wait"),
        ("acting", Reason.NOT_APPROVED, "create_file"),
        ("acting", Reason.NEVER_FINISHED, "note"),
    }
    assert {failure.turns for failure in found} == {Rate(1, 7)}


def test_gives_an_example_with_its_particulars(world: queries.Queryable) -> None:
    """A reason leads to a turn and says what was the matter there."""
    found = {failure.code: failure for failure in queries.reasons(world)}
    broken = found[Reason.MALFORMED_JSON]
    assert (broken.session_id, broken.turn_index, broken.detail) == (ONE, 2, "The object never ends.")
    assert found[Reason.MISSING_FIELD].detail == "path: expected a path"
    assert found[Reason.HANDLER_ERROR].detail == "no"


def test_limit_keeps_the_most_frequent(world: queries.Queryable) -> None:
    """The limit is on all stages together."""
    assert len(queries.reasons(world, limit=4)) == 4


def test_counts_turns_of_long_sessions_and_of_turns_that_were_read_twice(tmp_path: Path) -> None:
    """Turns are counted by their places where a session has few of them, and by what they are where that tells too little."""
    book = Book()
    book.run("live", RunKind.LIVE)
    book.run("more", RunKind.IMPORT)
    sizes = {"short": 3, "twice": 4, "brim": 63, "long": 130}
    for name, size in sizes.items():
        book.session(name)
        for index in range(size):
            book.turn(name, index, "x")
            for run in ("live", "more") if name == "twice" and index == 1 else ("live",):
                failing = (
                    {"outcome": Outcome.FAILED, "reason": Reason.TRUNCATED}
                    if index % 2
                    else {"outcome": Outcome.CLEAN}
                )
                book.read(name, index, run=run, **failing)
    with open_ledger(tmp_path / "sizes.duckdb", in_background=False) as ledger:
        for event in book.events:
            ledger.record(event)
        [found] = queries.reasons(ledger)
    failed = [size // 2 for size in sizes.values()]
    of = [
        sum(column)
        for column in zip(
            *((n * n, x * x, n * x) for n, x in zip(sizes.values(), failed, strict=True)), strict=True
        )
    ]
    assert (found.count, found.turns.successes, found.turns.count) == (
        sum(failed) + 1,
        sum(failed),
        sum(sizes.values()),
    )
    assert (
        found.turns.clustering.sizes,
        found.turns.clustering.totals,
        found.turns.clustering.products,
    ) == tuple(of)


def test_the_example_is_the_first_thing_that_went_wrong_in_its_response(tmp_path: Path) -> None:
    """Where one response has the same failure twice, the first action's words are shown."""
    book = Book()
    book.run("live", RunKind.LIVE)
    book.session("one")
    book.turn("one", 0, "x")
    later, first = (replace(MISSING, path=path) for path in ("a later one", "the first one"))
    actions = (
        call("fly", ActionStatus.INVALID, later, index=1),
        call("fly", ActionStatus.INVALID, first, index=0),
    )
    book.read("one", 0, Outcome.CLEAN, actions=actions)
    with open_ledger(tmp_path / "twice.duckdb", in_background=False) as ledger:
        for event in book.events:
            ledger.record(event)
        [found] = queries.reasons(ledger)
    assert (found.count, found.detail) == (2, "the first one: expected a path")
