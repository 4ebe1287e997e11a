"""Execute or queue: recorded like any other action, and saved whole or not at all."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actionledger.core.errors import LedgerError, SourceError, UnknownNameError, UsageError
from actionledger.core.vocabulary import ExecutionStatus
from actionledger.profiles.orchestrator.request_queue import FILE, OrchestratorStore, RequestQueue
from actionledger.profiles.orchestrator.sessions import LayerSessions
from actionledger.profiles.orchestrator.state import (
    FILE as STATE_FILE,
    CascadeState,
    Due,
    LayerMessage,
    LayerTurn,
    Received,
)
from actionledger.runtime.session.decisions import pending_approvals

MODELS = {"2ic": "big", "eng-lead": "middle", "team-lead": "small"}
ISSUES = {"action": "create_issues", "issues": [{"title": "x", "body": "", "labels": ["a"]}]}
PLAN = {"action": "update_plan", "plan": "First the index."}
ORCHESTRATION = "0a0a0a0a-0000-4000-8000-000000000000"


@pytest.fixture
def sessions(ledger, tmp_path) -> Iterator[LayerSessions]:
    made = LayerSessions(ledger, ORCHESTRATION, tmp_path / "work", MODELS, task="search")
    yield made
    made.close()


@pytest.mark.parametrize(
    ("action", "layer", "status"),
    [
        (PLAN, "2ic", ExecutionStatus.SUCCEEDED),
        (PLAN, "team-lead", ExecutionStatus.PENDING),
        (ISSUES, "team-lead", ExecutionStatus.SUCCEEDED),
        (ISSUES, "2ic", ExecutionStatus.PENDING),
    ],
)
def test_a_layer_executes_what_it_may_and_queues_the_rest(sessions, ledger, action, layer, status):
    """What is queued waits for a person, by the layer's session."""
    assert sessions.execute_or_queue(action, layer).status is status
    waiting = pending_approvals(ledger)
    assert [sessions.layer_of(each.session_id) for each in waiting] == (
        [layer] if status is ExecutionStatus.PENDING else []
    )


@pytest.mark.parametrize(
    ("layer", "message"), [("2ic", "the arguments given"), ("team-lead", "would wait for approval")]
)
def test_a_dry_run_does_and_queues_nothing(sessions, ledger, tmp_path, layer, message):
    """It says which of the two it would be."""
    observation = sessions.execute_or_queue(PLAN, layer, dry_run=True)
    assert observation.status is ExecutionStatus.DRY_RUN
    assert message in observation.message
    assert pending_approvals(ledger) == []
    assert not (tmp_path / "work" / FILE).exists()


def test_every_session_says_what_it_belongs_to(sessions, ledger):
    """A question to the ledger finds all sessions of an orchestration, and whose they are."""
    for layer in ("2ic", "team-lead"):
        sessions.execute_or_queue(PLAN, layer)
    found = ledger.sql(
        "SELECT metadata->>'orchestration', metadata->>'layer' FROM sessions ORDER BY 2"
    ).fetchall()
    assert found == [(ORCHESTRATION, "2ic"), (ORCHESTRATION, "team-lead")]


def test_every_layer_has_its_model_in_the_record(sessions, ledger):
    """So a statistic by model is right where layers have different ones."""
    sessions.execute_or_queue(PLAN, "2ic")
    sessions.execute_or_queue(ISSUES, "team-lead")
    rows = ledger.sql("SELECT model, profile, task FROM sessions ORDER BY model").fetchall()
    assert rows == [("big", "orchestrator", "search"), ("small", "orchestrator", "search")]


def test_who_wrote_the_plan_is_kept(sessions, tmp_path):
    """The handler knows its layer."""
    sessions.execute_or_queue(PLAN, "2ic")
    store = OrchestratorStore(tmp_path / "work" / FILE)
    assert [plan.layer for plan in RequestQueue(store).plans()] == ["2ic"]
    store.close()


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ({"action": "update_plan"}, "plan: A required field is missing"),
        ({"action": "upd_plan", "plan": "x"}, "No action goes by that name"),
        ({"plan": "x"}, "has its name as 'action'"),
        ({"action": 5}, "has its name as 'action'"),
    ],
)
def test_what_is_no_valid_action_is_refused(sessions, action, message):
    """The caller made the mistake, and hears which."""
    with pytest.raises(UsageError, match=message):
        sessions.execute_or_queue(action, "2ic")


def test_an_unknown_layer_is_refused(sessions):
    """The message names those that take part."""
    with pytest.raises(UnknownNameError, match="Did you mean 'team-lead'"):
        sessions.execute_or_queue(PLAN, "teamlead")


def test_a_response_is_taken_once_for_its_place(sessions, ledger, tmp_path, said):
    """Taken again, it gives the same observations and files nothing anew."""
    first = sessions.take("team-lead", said(ISSUES), "prompt", index=0)
    again = sessions.take("team-lead", said(ISSUES), "prompt", index=0)
    assert again.turn_id == first.turn_id
    assert [each.result for each in again.observations] == [{"numbers": [1]}]
    assert sessions.next_turn("team-lead") == 1


def test_nobody_else_works_on_a_session_meanwhile(sessions, ledger, tmp_path: Path):
    """A second one of the same orchestration is kept out."""
    sessions.session("2ic")
    other = LayerSessions(ledger, ORCHESTRATION, tmp_path / "work", MODELS)
    with pytest.raises(LedgerError, match="open elsewhere"):
        other.session("2ic")


MESSAGE = LayerMessage(
    id="m1",
    from_layer="2ic",
    to="eng-lead",
    content="Index first. 🙂",
    actions=({"action": "update_plan", "plan": "Index first"},),
    timestamp=datetime(2026, 5, 4, 12, tzinfo=UTC),
    cost_usd=0.25,
    duration_ms=1200.5,
)
STATE = CascadeState(
    id="s",
    directive="Search",
    layers=("2ic", "eng-lead"),
    dry_run=False,
    messages=(MESSAGE,),
    exchanges=(LayerTurn(layer="2ic", prompt="p", response="r"),),
    due=Due(layer="eng-lead", prompt="q", waits_for=(3,)),
    received=Received(response="half", turn_index=0, cost_usd=None, duration_ms=1.0),
)


def test_a_message_has_the_documents_names():
    """In JSON it is written as the document writes it."""
    assert json.loads(MESSAGE.model_dump_json()) == {
        "id": "m1",
        "from": "2ic",
        "to": "eng-lead",
        "content": "Index first. 🙂",
        "actions": [{"action": "update_plan", "plan": "Index first"}],
        "timestamp": "2026-05-04T12:00:00Z",
        "costUsd": 0.25,
        "durationMs": 1200.5,
    }


def test_what_is_saved_is_loaded(tmp_path):
    """All of it, and only its owner may read it."""
    STATE.save(tmp_path)
    assert CascadeState.load(tmp_path) == STATE
    assert (tmp_path / STATE_FILE).stat().st_mode & 0o077 == 0


def test_a_save_that_fails_leaves_the_old_state(tmp_path, monkeypatch):
    """Neither half a state nor a temporary file is left behind."""
    STATE.save(tmp_path)

    def fail(_self, _target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(LedgerError, match="No space left"):
        STATE.changed(received=None).save(tmp_path)
    assert CascadeState.load(tmp_path) == STATE
    assert [path.name for path in tmp_path.iterdir()] == [STATE_FILE]


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (None, "No such file"),
        (b"", "the file"),
        (b"{", "the file"),
        (b"\xff", "the file"),
        (b'{"version": 2}', "version"),
        (STATE.model_dump_json().replace('"to"', '"too"').encode(), "messages.0"),
    ],
)
def test_what_is_no_state_is_refused(tmp_path, content, word):
    """With the file and the place in it."""
    if content is not None:
        (tmp_path / STATE_FILE).write_bytes(content)
    with pytest.raises(SourceError, match=word):
        CascadeState.load(tmp_path)
