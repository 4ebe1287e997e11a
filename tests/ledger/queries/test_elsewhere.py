"""What other runtimes did over time, and what is in no number."""

from datetime import datetime
from pathlib import Path

import actionledger as al
from actionledger.core.events import TurnSuperseded
from actionledger.core.ids import new_id
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason, RunKind
from actionledger.imports import import_sessions
from actionledger.imports.sources.base import Refusal
from actionledger.ledger import Ledger, open_ledger, queries
from actionledger.ledger.queries import EVERYTHING, Filter
from actionledger.ledger.queries.funnel import funnel
from actionledger.ledger.queries.trend import elsewhere_over_time

from .conftest import Book


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


def with_everything(ledger: Ledger) -> None:
    """Fill a ledger with two of each: what imports left out and refused, a damaged line, what nothing read, what can't be audited, a superseded turn."""
    call = al.RecordedCall("c", "add", {"a": 1})
    turns = tuple(al.RecordedTurn(place, "", capture=Capture.CALLS, calls=(call,)) for place in range(2))
    al.import_sessions(
        ledger,
        [
            al.RecordedSession("s", None, "m", "", turns),
            al.LeftOut("f", LeftOutReason.DUPLICATE, "agent_message", 2),
            Refusal("f", 1, "The line is not JSON."),
            Refusal("g", 0, "It is a package."),
        ],
    )
    book = Book()
    book.run("live", RunKind.LIVE)
    book.session("one")
    for place in range(2):
        book.turn("one", place, "cut off")
    for _ in range(2):
        gone = {"session_id": book.sessions["one"].session_id, "turn_id": new_id(), "superseded_by": new_id()}
        book.events.append(TurnSuperseded(**book.head("live"), **gone))
    for event in book.events:
        ledger.record(event)
    ledger.flush()
    (segment, *_) = Path(f"{ledger.path}.d", "segments").iterdir()
    with segment.open("ab") as file:
        file.write(b'{"kind": "moon_landed"}\nnonsense\n')
    ledger.ingest()


def asked(ledger: Ledger, within: Filter = EVERYTHING) -> list[queries.Uncounted]:
    return queries.uncounted(
        ledger,
        never_read=queries.unread(ledger, within),
        not_recorded=queries.funnel(ledger, within).not_recorded,
        not_auditable=queries.funnel(ledger, within).not_auditable,
        is_narrowed=within != EVERYTHING,
    )


def test_each_is_as_many_as_its_statement_lists(tmp_path: Path) -> None:
    """Two of each, in a fixed order."""
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        with_everything(ledger)
        found = asked(ledger)
        assert {part.kind: part.words for part in found} == {
            "never_read": "2 responses never read",
            "not_auditable": "2 responses not auditable (in no rate of reading)",
            "left_out": "2 things skipped on import",
            "refused": "2 lines, files or turns refused by imports",
            "quarantined": "2 lines in quarantine",
            "superseded": "2 turns replaced by their complete version",
        }
        for part in found:
            counted = "sum(count)" if part.kind == "left_out" else "count(*)"
            assert ledger.sql(f"SELECT {counted} FROM ({part.listing})").fetchall() == [(2,)], part.kind
            assert part.count == 2
        narrowed = asked(ledger, Filter(models=("nobody",)))
        assert [part.words for part in narrowed][:2] == [
            "in the whole ledger 2 things skipped on import",
            "2 lines, files or turns refused by imports",
        ]


def test_what_there_is_none_of_is_not_named(empty: queries.Queryable) -> None:
    """Where all is counted, nothing is said."""
    assert queries.uncounted(empty) == []
