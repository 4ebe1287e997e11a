"""What is too large for the record is refused in one word or cut, and the session goes on."""

import json
from dataclasses import replace

import pytest

import actionledger as al
from actionledger.core.recording import RESPONSE_CHARACTERS, turns
from actionledger.core.vocabulary import ExecutionStatus, Outcome, Reason
from actionledger.ledger.queries.funnel import funnel
from actionledger.ledger.storage import encoding
from actionledger.profiles import profile_named
from actionledger.runtime.execution.limits import Limits

FILE = "<create_file><path>x</path><content>hello</content></create_file>"


@pytest.fixture
def runtime(ledger, tmp_path):
    with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "w", auto=True) as opened:
        yield opened


@pytest.mark.parametrize("unit", ['"\n', "\x01", "😀", "<create_file>"])
def test_fifty_megabytes_are_refused_and_the_session_goes_on(runtime, ledger, unit) -> None:
    """The size is in the ledger, the model hears of it, and the refused response is no turn."""
    text = unit * (50_000_000 // len(unit))
    turn = runtime.handle(text)
    assert (turn.result.outcome, turn.observations) == (Outcome.FAILED, ())
    assert [issue.code for issue in turn.issues] == [Reason.RESPONSE_TOO_LARGE]
    assert f"{len(text):,} characters; at most {RESPONSE_CHARACTERS:,}" in turn.feedback
    after = runtime.handle(FILE)
    assert [each.status for each in after.observations] == [ExecutionStatus.SUCCEEDED]
    assert after.turn_id != turn.turn_id
    assert ledger.sql("SELECT turn_index, text FROM turns").fetchall() == [(0, FILE)]
    [(detail,)] = ledger.sql(
        "SELECT detail::VARCHAR FROM events WHERE code = 'response_too_large'"
    ).fetchall()
    assert json.loads(detail) == {"characters": len(text), "limit": RESPONSE_CHARACTERS, "turn_index": 0}


@pytest.mark.soak
@pytest.mark.parametrize("mark", ["\x01", "😀"])
def test_the_longest_response_is_recorded_whatever_its_characters(ledger, tmp_path, mark) -> None:
    """Escaped once in its own event, and twice in that of its actions."""
    around = "<create_file><path>x</path><content></content></create_file>"
    content = mark * (RESPONSE_CHARACTERS - len(around))
    with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "w", dry_run=True) as runtime:
        turn = runtime.handle(around.replace("<content>", f"<content>{content}"))
        assert len(turn.result.text) == RESPONSE_CHARACTERS
        assert turn.result.actions
    assert ledger.sql("SELECT characters FROM turns").fetchall() == [(RESPONSE_CHARACTERS,)]
    assert ledger.sql("SELECT count(*) FROM quarantine").fetchone() == (0,)


def test_more_actions_than_a_ledger_takes_are_refused_together(ledger, tmp_path, monkeypatch) -> None:
    """None of them runs; the response itself is kept, and counts as failed."""
    monkeypatch.setattr(encoding, "LINE_LIMIT", 30_000)
    with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "w", auto=True) as runtime:
        turn = runtime.handle(FILE * 300)
        assert turn.observations == ()
        assert "Not read: The response is larger than what a ledger takes" in turn.feedback
        assert "It has 300 actions" in turn.feedback
        assert runtime.handle(FILE).observations[0].status is ExecutionStatus.SUCCEEDED
    counted = funnel(ledger)
    assert counted.outcomes == {Outcome.FAILED: 1, Outcome.CLEAN: 1}
    assert ledger.sql("SELECT reason FROM parse_attempts ORDER BY turn_index").fetchall() == [
        ("response_too_large",),
        (None,),
    ]


def test_prompts_and_feedback_that_are_too_large_are_cut(ledger, tmp_path, monkeypatch) -> None:
    """What was said of the turn is kept as far as it goes, and a cut says so."""
    monkeypatch.setattr(encoding, "LINE_LIMIT", 150_000)
    monkeypatch.setattr(turns, "KEPT_CHARACTERS", 1000)
    profile = replace(profile_named("coder"), limits=Limits(feedback=200_000, result=200_000))
    (tmp_path / "w").mkdir()
    (tmp_path / "w/long").write_text("long\n" * 4_000)
    with al.Runtime(profile, ledger=ledger, workspace=tmp_path / "w", auto=True) as runtime:
        turn = runtime.handle(
            "".join(f"<read_file><path>{'./' * deep}long</path></read_file>" for deep in range(9)),
            prompt="p" * 200_000,
        )
    [(prompt, feedback)] = ledger.sql("SELECT prompt, feedback FROM turns").fetchall()
    assert prompt == "p" * 1000 + " … (cut: 1,000 of 200,000 characters are kept)"
    assert feedback == f"{turn.feedback[:1000]} … (cut: 1,000 of {len(turn.feedback):,} characters are kept)"


def test_a_cut_leaves_no_half_of_a_secret(ledger, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(encoding, "LINE_LIMIT", 150_000)
    monkeypatch.setattr(turns, "KEPT_CHARACTERS", 1000)
    key = "ghp_" + "a1B2" * 9
    with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "w") as runtime:
        runtime.handle("Hello.", prompt="p" * 979 + " " + key + " " + "p" * 200_000)
    [(prompt,)] = ledger.sql("SELECT prompt FROM turns").fetchall()
    assert prompt[980:1000] == "*" * 20
