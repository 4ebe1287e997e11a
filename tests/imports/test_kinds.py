"""What a program hands over that a field is not for is refused by a sentence, and nothing of it is recorded."""

from datetime import datetime
from typing import Any

import pytest

import actionledger as al
from actionledger.core.errors import UsageError

SESSION: dict[str, Any] = {"external_id": "s", "profile": None, "model": "m", "task": "t", "turns": ()}
TURN: dict[str, Any] = {"index": 0, "text": "hi", "capture": al.Capture.CALLS}


def session(**given: Any) -> al.RecordedSession:
    return al.RecordedSession(**SESSION | given)


def turn(**given: Any) -> al.RecordedSession:
    return session(turns=(al.RecordedTurn(**TURN | given),))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (session(external_id=5), "RecordedSession.external_id takes str, not 5 of the type int"),
        (session(turns="abc"), "RecordedSession.turns takes"),
        (session(turns=({"text": "hi"},)), "RecordedSession.turns takes"),
        (session(model=None), "RecordedSession.model takes str, not None"),
        (session(scores={"a": "b"}), "RecordedSession.scores takes"),
        (session(labels="abc"), "RecordedSession.labels takes"),
        (session(relation="brother"), "RecordedSession.relation takes"),
        (session(started_at="2026"), "RecordedSession.started_at takes"),
        (turn(index=0.5), "RecordedTurn.index takes int, not 0.5 of the type float"),
        (turn(index=True), "RecordedTurn.index takes int, not True of the type bool"),
        (turn(text=b"hi"), "RecordedTurn.text takes str, not b'hi' of the type bytes"),
        (turn(capture="whole"), "RecordedTurn.capture takes Capture, not 'whole'"),
        (turn(usage={"input_tokens": 5}), "RecordedTurn.usage takes Usage"),
        (turn(usage=al.Usage(input_tokens="5")), "Usage.input_tokens takes"),  # type: ignore[arg-type]
        (turn(calls=(al.RecordedCall("c", None, {}),)), "RecordedCall.name takes str"),  # type: ignore[arg-type]
        (turn(results=(al.RecordedResult("c", duration_ms="long"),)), "RecordedResult.duration_ms takes"),  # type: ignore[arg-type]
        ("s", "import_sessions takes a RecordedSession, a LeftOut or a Refusal"),
    ],
)
def test_a_value_of_another_kind_is_refused(tmp_path, given, said):
    """It ended in an error of Python's, or in the table of what can't be read while it was counted as taken in."""
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        with pytest.raises(UsageError, match=said):
            al.import_sessions(ledger, [session(external_id="before"), given])
        assert ledger.sql("SELECT external_id FROM session_starts").fetchall() == [("before",)]
        assert ledger.sql("SELECT count(*) FROM quarantine").fetchall() == [(0,)]


def test_what_fits_is_taken_in(tmp_path):
    """A list in the place of a tuple, a whole number in that of a score, a word in that of one of a list of words."""
    calls = [al.RecordedCall("c", "look", {"at": [1, None]})]
    results = [al.RecordedResult("c", {"a": 1}, duration_ms=3, finished_at=datetime(2026, 1, 2))]
    given = session(
        turns=[al.RecordedTurn(0, "hi", capture=al.Capture.CALLS, calls=calls, results=results)],  # type: ignore[arg-type]
        scores={"a": 1},
        labels=["x"],
    )
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        report = al.import_sessions(ledger, [given])
        assert (report.turns, report.calls, report.results) == (1, 1, 1)
        assert ledger.sql("SELECT count(*) FROM quarantine").fetchall() == [(0,)]
