"""The front door."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from actionledger.core.errors import EventTooLargeError, LedgerError
from actionledger.ledger import IngestReport, open_ledger
from actionledger.ledger.storage import encoding
from actionledger.ledger.storage.connections import store
from actionledger.ledger.storage.files import LedgerFiles


def count(ledger) -> int:
    return ledger.sql("SELECT count(*) FROM events").fetchone()[0]


def test_closing_hands_everything_over(path, make) -> None:
    """After closing, the published copy is complete and no segment is left; closing again does nothing."""
    with open_ledger(path) as ledger:
        ledger.record(make.note())
    ledger.close()
    assert list(LedgerFiles.at(path).segments.iterdir()) == []
    with open_ledger(path, read_only=True) as reader:
        assert count(reader) == 1


def test_a_closed_ledger_says_so(ledger, make) -> None:
    """Nothing is taken by a ledger that could not keep it."""
    ledger.close()
    for use in (
        lambda: ledger.record(make.note()),
        ledger.flush,
        ledger.ingest,
        lambda: ledger.sql("SELECT 1"),
    ):
        with pytest.raises(LedgerError, match="is closed; open it again"):
            use()


def test_a_ledger_for_reading_takes_nothing(ledger, make) -> None:
    """Recording and ingesting are refused in words; flushing and closing have nothing to do."""
    with open_ledger(ledger.path, read_only=True) as reader:
        assert reader.read_only
        for use in (lambda: reader.record(make.note()), reader.ingest):
            with pytest.raises(LedgerError, match="was opened for reading only"):
                use()
        reader.flush()


def test_an_event_that_is_too_large_changes_nothing(ledger, make, monkeypatch) -> None:
    """It is refused when it is recorded; what was recorded before and after is kept."""
    monkeypatch.setattr(encoding, "LINE_LIMIT", 1000)
    ledger.record(make.note("small"))
    with pytest.raises(EventTooLargeError):
        ledger.record(make.note("x" * 1000))
    ledger.record(make.note("small"))
    assert count(ledger) == 2


def test_a_text_comes_back_as_it_was(ledger, make) -> None:
    """What a model wrote is what the database holds, from the segment and from the published copy."""
    texts = ["nul \x00", "漢字", "😀", "half \ud800", "a\r\nb\r", "\x85\u2028", "'; DROP TABLE x"]
    events = [make.response(text) for text in texts]
    for event in events:
        ledger.record(event)
    for _ in range(2):
        stored = ledger.sql("SELECT text, text_is_exact FROM turns ORDER BY turn_id").fetchall()
        assert stored == [(text.replace("\ud800", "\ufffd"), "\ud800" not in text) for text in texts]
        ledger.ingest()


def test_threads_share_a_ledger(ledger, make) -> None:
    """Threads that record, flush, ingest and ask at once lose nothing."""

    def work(number: int) -> None:
        for step in range(25):
            ledger.record(make.note(f"{number} {step}"))
            if step % 10 == 0:
                ledger.flush()
        if number % 2:
            ledger.ingest()
        assert count(ledger) >= 25

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))
    assert count(ledger) == 200


@pytest.mark.filterwarnings("ignore:.* is multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_child_goes_on_with_the_ledger(ledger, make) -> None:
    """A child records, asks and closes; what the parent had buffered is recorded once."""
    ledger.record(make.note("parent, taken in"))
    assert count(ledger) == 1
    ledger.record(make.note("parent, buffered"))
    child = os.fork()
    if child == 0:
        ledger.record(make.note("child"))
        seen = count(ledger)
        ledger.close()
        os._exit(0 if seen == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert count(ledger) == 3


FORK = """
import os, sys
from actionledger.ledger import open_ledger
ledger = open_ledger(sys.argv[1])
ledger.sql("SELECT sum(range) FROM range(1000000)").fetchall()
if os.fork() == 0:
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.wait()[1]))
ledger.close()
"""


def test_a_forked_child_ends_in_peace(path, forked, tmp_path) -> None:
    """A child that inherited a connection and never used it ends as it meant to."""
    done = forked.run(FORK, tmp_path, path, is_taken_down=True)
    assert done.stdout == "7\n", done.stderr


FORGET = """
import sys
from datetime import datetime
from actionledger.core.events import SystemNoted
from actionledger.core.ids import new_id
from actionledger.ledger import open_ledger
ledger = open_ledger(sys.argv[1])
ledger.record(SystemNoted(event_id=new_id(), recorded_at=datetime(2026, 5, 4), run_id=new_id(), code="x", message=""))
"""


def test_a_ledger_that_nobody_closed_loses_nothing(path, ledger, forked, tmp_path) -> None:
    """A program that ends without closing its ledger has written its buffer."""
    assert forked.run(FORGET, tmp_path, path, is_taken_down=True).returncode == 0
    assert count(ledger) == 1


def test_the_report_of_an_ingest_says_what_was_done(ledger, make) -> None:
    """Everything an ingest met is in its report."""
    event = make.note()
    for recorded in (event, event, make.note(session_id="mine")):
        ledger.record(recorded)
    assert ledger.ingest() == IngestReport(
        events=1, duplicates=1, quarantined=1, was_busy=False, published=True
    )


def test_no_progress_is_drawn_into_an_answer(tmp_path):
    """DuckDB 2 draws a bar into the standard output after two seconds, also where no terminal is; what is held in memory is bounded."""
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        drawn = ledger.sql("SELECT current_setting('enable_progress_bar')").fetchone()
    with store(tmp_path / "store.duckdb") as connection:
        held = connection.execute("SELECT current_setting('memory_limit')").fetchone()
    assert drawn == (False,)
    assert held == ("91.5 MiB",)
