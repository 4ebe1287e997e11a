"""What an orchestration is saved as: whole or not at all, and read back as it was."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actionledger.core.errors import LedgerError, SourceError
from actionledger.profiles.orchestrator.state import (
    FILE,
    CascadeState,
    Due,
    LayerMessage,
    LayerTurn,
    Received,
)

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
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_a_save_that_fails_leaves_the_old_state(tmp_path, monkeypatch):
    """Neither half a state nor a temporary file is left behind."""
    STATE.save(tmp_path)

    def fail(_self, _target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(LedgerError, match="No space left"):
        STATE.changed(received=None).save(tmp_path)
    assert CascadeState.load(tmp_path) == STATE
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


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
        (tmp_path / FILE).write_bytes(content)
    with pytest.raises(SourceError, match=word):
        CascadeState.load(tmp_path)
