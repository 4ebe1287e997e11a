"""How much of what other runtimes tried has succeeded, over time."""

from datetime import datetime
from pathlib import Path

from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture
from actionledger.imports import import_sessions
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries import Filter
from actionledger.ledger.queries.funnel import funnel
from actionledger.ledger.queries.trend import elsewhere_over_time


def tried(name: str, day: int | None, errors: list[bool]) -> RecordedSession:
    at = None if day is None else datetime(2026, 3, day, 12)
    calls = [RecordedCall(f"{name}{number}", "edit", "{}") for number in range(len(errors))]
    results = [
        RecordedResult(call.call_id, "x", is_error=bad) for call, bad in zip(calls, errors, strict=True)
    ]
    turn = RecordedTurn(
        0, "", occurred_at=at, capture=Capture.CALLS, calls=tuple(calls), results=tuple(results)
    )
    return RecordedSession(name, None, "m", "", (turn,))


def test_each_period_has_what_was_tried_in_it(tmp_path: Path) -> None:
    """Its sums are the funnel's; what carries no time is told apart, and a filter narrows it."""
    sessions = [
        tried("a", 2, [True, False, False]), tried("b", 2, [False]), tried("c", 12, [True]), tried("d", None, [False]),
    ]  # fmt: skip
    with open_ledger(tmp_path / "x.duckdb") as ledger:
        import_sessions(ledger, sessions, source="chatlog")
    with open_ledger(tmp_path / "x.duckdb", read_only=True) as ledger:
        assert queries.success_over_time(ledger).periods == ()
        for unit in ("day", "week"):
            found = elsewhere_over_time(ledger, unit=unit)
            counts = [(each.success.successes, each.success.count) for each in found.periods]
            assert (counts, found.undated) == ([(3, 4), (0, 1)], 1)
            whole = funnel(ledger).recorded_execution
            assert (whole.successes, whole.count) == (4, 6)
        narrowed = elsewhere_over_time(ledger, Filter(until=datetime(2026, 3, 3)))
        assert [each.start for each in narrowed.periods] == [datetime(2026, 3, 2)]
