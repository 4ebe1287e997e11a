"""What a host has to claim, since another one may take in the same just now, and what only it can have."""

from pathlib import Path

import pytest

from actionledger.imports import import_path
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.lake import loading
from actionledger.runtime.session.runtime import Runtime

SAMPLES = Path(__file__).parents[3] / "data" / "sessions.jsonl"


@pytest.fixture
def claims(monkeypatch) -> list[object]:
    """What was claimed."""
    usual, found = loading.claim, []
    monkeypatch.setattr(loading, "claim", lambda connection: found.append(connection) or usual(connection))
    return found


def test_live_sessions_of_hosts_claim_nothing(lake, claims) -> None:
    """Their identifiers are derived, but from what only this host has; a parser is claimed once, by the first."""
    with open_ledger(lake("a"), in_background=False) as a, open_ledger(lake("b"), in_background=False) as b:
        for ledger in (a, b):
            with Runtime("assistant", ledger=ledger) as runtime:
                runtime.handle("First.")
            ledger.ingest()
        assert len(claims) == 1
        for ledger in (a, b):
            with Runtime("assistant", ledger=ledger) as runtime:
                for text in ("Hello.", "Again."):
                    runtime.handle(text)
                    ledger.ingest()
        assert len(claims) == 1
        assert len(a.sql("FROM turns")) == 6


def test_a_session_of_another_ingester_of_the_host_is_asked_for(lake, claims) -> None:
    """What began before this process opened the lake is found in it."""
    with (
        open_ledger(lake("a"), in_background=False) as ledger,
        Runtime("assistant", ledger=ledger) as runtime,
    ):
        runtime.handle("First.")
        ledger.ingest()
        del claims[:]
        runtime.handle("Second.")
        ledger.flush()
        with open_ledger(lake("a"), in_background=False) as other:
            assert other.ingest().events
        assert not claims


def test_what_another_host_may_have_is_claimed(lake, claims, tmp_path) -> None:
    """Recordings, turns of a session with a name, and a live session that is gone on with."""
    with open_ledger(lake("a"), in_background=False) as ledger:
        (tmp_path / "work").mkdir()
        with Runtime("assistant", workspace=tmp_path / "work", ledger=ledger) as runtime:
            runtime.handle("First.")
        ledger.ingest()
        [(session,)] = ledger.sql("SELECT session_id::VARCHAR FROM session_starts").fetchall()

        def is_claimed() -> bool:
            del claims[:]
            ledger.ingest()
            return bool(claims)

        ledger.record_turn("s1", "Hello.")
        assert is_claimed()
        with Runtime.reopen(ledger, session) as runtime:
            runtime.handle("Second.")
        assert is_claimed()
    del claims[:]
    import_path(SAMPLES, lake("a"))
    assert claims
