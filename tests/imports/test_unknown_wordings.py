"""Errors in words that no table knows, by runtime and version."""

from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture
from actionledger.imports import import_sessions
from actionledger.imports.unknown_wordings import unknown_wordings
from actionledger.ledger import open_ledger

WORDS = ("The flux is out of phase.", "The flux is out of phase.", "view_image failed: no", "Exit code 3")


def test_errors_that_no_wording_fits_are_counted(tmp_path):
    """What a row knows as an error and no more is known."""
    calls = tuple(RecordedCall(f"c{n}", "run", {}) for n, _ in enumerate(WORDS))
    results = tuple(RecordedResult(f"c{n}", said, is_error=True) for n, said in enumerate(WORDS))
    turn = RecordedTurn(0, "", external_id="t", capture=Capture.CALLS, calls=calls, results=results)
    session = RecordedSession("s", None, "m", "", (turn,), source="codex", metadata={"cli_version": "0.171"})
    with open_ledger(tmp_path / "x.duckdb") as ledger:
        import_sessions(ledger, [session])
        (found,) = unknown_wordings(ledger)
    assert (found.source, found.version, found.count) == ("codex", "0.171", 2)
    assert found.words == "2 errors of codex 0.171 match no known wording"
