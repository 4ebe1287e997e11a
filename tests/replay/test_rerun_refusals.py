"""A session that can't be run again is refused before its turns are read: a ledger may hold a hundred thousand of them."""

import pytest

import actionledger as al
from actionledger.replay import rerun_course


def test_no_turn_is_read_of_a_session_that_another_runtime_has_run(tmp_path, monkeypatch):
    """What it was is known by its record."""
    monkeypatch.setattr(rerun_course, "turn", lambda *_: pytest.fail("a turn was read"))
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        ledger.record_turn(session="theirs", text="<execute>1 + 1</execute>", profile="mint")
        assert al.rerun(ledger, "theirs").refusals == {"not_ours": 1}
