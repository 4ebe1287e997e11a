"""The first page of a search from the latest responses is the first page of the search, or none."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from actionledger.core.vocabulary import Outcome, RunKind
from actionledger.ledger import Ledger, open_ledger, queries
from actionledger.ledger.queries import Filter, recent
from actionledger.ledger.queries.recent import latest_turns

from .conftest import MONDAY, Book, call

TURNS, LATEST, PAGE = 60, 12, 3


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """Turns of one minute after the other, two of them in the same one, those of every seventh without a time, all read twice."""
    book = Book()
    book.run("live", RunKind.LIVE)
    book.run("again", RunKind.REPARSE, parent="live")
    for model in ("small", "large"):
        book.session(model, model=model)
        for index in range(TURNS):
            at = None if index % 7 == 0 else MONDAY + timedelta(minutes=index // 2)
            words = [
                "all",
                *(["third"] if index % 3 == 0 else []),
                *(["early"] if index < TURNS // 2 else []),
            ]
            book.turn(model, index, " ".join(words), at)
            done = call("note", arguments={"text": "argued", "at": [model, index]}) if index % 2 else None
            for run in ("live", "again"):
                book.read(model, index, Outcome.CLEAN, run, actions=(done,) if done else ())
    with open_ledger(tmp_path_factory.mktemp("latest") / "latest.duckdb", in_background=False) as ledger:
        for event in book.events:
            ledger.record(event)
        ledger.flush()
        yield ledger


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dozen responses are many."""
    monkeypatch.setattr(recent, "LATEST", LATEST)


@pytest.mark.parametrize(
    "within",
    [
        Filter(text="all"),
        Filter(text="THIRD"),
        Filter(text="argued"),
        Filter(text="large"),
        Filter(text="all", models=("small",)),
        Filter(text="all", until=MONDAY + timedelta(minutes=25)),
        Filter(text="argued", since=MONDAY + timedelta(minutes=5)),
        Filter(text="all", outcomes=("clean",)),
    ],
)
def test_what_is_frequent_is_found_among_the_latest(dated: Ledger, within: Filter) -> None:
    """The same turns in the same order as where every text is looked into."""
    assert latest_turns(dated, within, limit=PAGE) == queries.turns_page(dated, within, limit=PAGE).turns


@pytest.mark.parametrize(
    "within",
    [
        Filter(text="early"),  # stands in none of the latest
        Filter(text="nowhere"),
        Filter(text="all", models=("nobody's",)),
        Filter(text="all", until=MONDAY + timedelta(minutes=6)),  # fewer responses than are looked into
    ],
)
def test_of_anything_else_there_is_no_such_page(dated: Ledger, within: Filter) -> None:
    """Whoever asks has to look into every text."""
    assert latest_turns(dated, within, limit=PAGE) is None


def test_responses_of_one_time_are_not_looked_into_twice(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The latest are all of them there."""
    book = Book()
    book.run("live", RunKind.LIVE)
    book.session("one")
    for index in range(TURNS):
        book.turn("one", index, "all", datetime.fromisoformat("2026-03-02"))
        book.read("one", index, Outcome.NO_ACTION)
    monkeypatch.setattr(recent, "turns_page", lambda *_, **__: pytest.fail("They are looked into."))
    with open_ledger(tmp_path_factory.mktemp("same") / "same.duckdb", in_background=False) as ledger:
        for event in book.events:
            ledger.record(event)
        ledger.flush()
        assert latest_turns(ledger, Filter(text="all"), limit=PAGE) is None
