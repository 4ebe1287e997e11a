"""Where parse success changed, and what was new then, counted by hand."""

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

import actionledger as al
from actionledger.ledger import Ledger
from actionledger.ledger.queries.trend import arrivals

GOOD = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'
BAD = '```actions\n{"actions" [\n```'
MONDAY = datetime(2026, 3, 2, 9)


def sessions() -> Iterator[al.RecordedSession]:
    """Ten days of 20 sessions: half fail, from the sixth day on a tenth; a new model from there, a new source on the eighth."""
    for day in range(10):
        for nth in range(20):
            share = 2 if day < 5 else 10
            at = MONDAY + timedelta(days=day, minutes=nth)
            turn = al.RecordedTurn(0, BAD if nth % share == 0 else GOOD, occurred_at=at)
            model = "small" if day < 5 else "large"
            source = "trials" if day < 7 else "field"
            yield al.RecordedSession(f"{day}.{nth}", "assistant", model, "", (turn,), source=source)
    yield al.RecordedSession("undated", "assistant", "never", "", (al.RecordedTurn(0, BAD),), source="trials")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    with al.open_ledger(tmp_path_factory.mktemp("days") / "days.duckdb") as opened:
        al.import_sessions(opened, sessions())
        yield opened


def test_a_change_is_named(ledger):
    """One, on the sixth day, with the model that was new that day and not the source of two days later."""
    [change] = al.changes(ledger)
    assert change.start == datetime(2026, 3, 7)
    assert (change.before, change.after) == (al.Rate(50, 100), al.Rate(90, 100))
    assert change.p_value < 0.001
    low, high = change.difference
    assert 0.2 < low < 0.4 < high < 0.6
    assert [(each.what, each.label, each.responses) for each in change.new] == [("model", "large", 100)]


def test_by_week_and_within_a_filter(ledger):
    """Both weeks are told apart; of one model alone nothing changes."""
    [change] = al.changes(ledger, unit="week")
    assert change.start == datetime(2026, 3, 9)
    assert al.changes(ledger, al.Filter(models=("large",))) == ()


def test_what_was_new_when(ledger):
    """Each by its first response; the undated model was never seen to come."""
    found = {(each.what, each.label): each.first_at for each in arrivals(ledger)}
    assert found["model", "small"] == MONDAY
    assert found["model", "large"] == MONDAY + timedelta(days=5)
    assert found["source", "field"] == MONDAY + timedelta(days=7)
    assert ("model", "never") not in found
    assert {what for what, _ in found} == {"model", "profile", "parser", "source"}


def test_other_instructions_are_new(tmp_path):
    """Where sessions were recorded with them, by the beginning of their hash; the same ones again are not."""
    told = {0: "Be brief.", 1: "Be brief.", 2: "Be thorough.", 3: None}
    items = [
        al.RecordedSession(
            f"s{day}",
            "assistant",
            "m",
            "",
            (al.RecordedTurn(0, GOOD, occurred_at=MONDAY + timedelta(days=day)),),
            metadata={"system": system} if system else {},
        )
        for day, system in told.items()
    ]
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, items)
        found = [
            (each.label, each.first_at, each.responses) for each in arrivals(ledger) if each.what == "prompt"
        ]
    hashes = [
        hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:12]
        for text in ("Be brief.", "Be thorough.")
    ]
    assert found == [(hashes[0], MONDAY, 2), (hashes[1], MONDAY + timedelta(days=2), 1)]
