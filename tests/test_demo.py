"""The demo: sample sessions are read, checked and run, each in a folder of its own."""

import gc
import json
import tempfile
from pathlib import Path

import pytest

from actionledger import demo
from actionledger.core.errors import SourceError
from actionledger.core.recordings import RecordedSession
from actionledger.demo import sample_sessions, take_samples
from actionledger.imports.sources.base import Refusal
from actionledger.profiles import PROFILES

CREATE = "<create_file><path>x</path><content>one</content></create_file>"
READ = "<read_file><path>x</path></read_file>"
LINES = (
    {"session": "a", "profile": "coder", "text": CREATE, "at": "2026-09-01T12:00:00Z"},
    {"session": "a", "profile": "coder", "text": READ, "feedback": "of a stricter system"},
    {"session": "b", "profile": "coder", "text": READ},
    {"session": "c", "text": '```actions\n{"actions": [{"type": "create_task", "content": "x"},]}\n```'},
    {"session": "d", "text": "Good morning.", "success": True},
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A small file of sessions, with one line that can't be read."""
    path = tmp_path / "sessions.jsonl"
    path.write_text("\n".join(["{oops", *map(json.dumps, LINES)]))
    return path


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that temporary folders are made in."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


EXECUTIONS = """
SELECT external_id, turn_index, name, status, executions.reason
FROM executions JOIN sessions ON executions.session_id = sessions.session_id ORDER BY 1, 2"""


def test_the_sessions_are_read_checked_and_run(ledger, data):
    """Each session has a folder of its own: what one makes the other doesn't see."""
    report = take_samples(ledger, sample_sessions(data))
    assert (report.sessions, report.turns, report.known) == (4, 5, 0)
    assert [refusal.line for refusal in report.refusals] == [1]
    assert ledger.sql(EXECUTIONS).fetchall() == [
        ("a", 0, "create_file", "succeeded", None),
        ("a", 1, "read_file", "succeeded", None),
        ("b", 0, "read_file", "failed", "not_found"),
        ("c", 0, "create_task", "succeeded", None),
    ]


def test_the_feedback_is_that_of_this_run(ledger, data):
    """The model is told what came of it here, not what the recording says."""
    take_samples(ledger, sample_sessions(data))
    feedback = ledger.sql("SELECT feedback FROM turns WHERE turn_index = 1").fetchall()
    assert feedback == [("Action 1 (read_file) succeeded: x, 1 line:\n```\none\n```",)]


def test_nothing_is_left_behind(ledger, data, folders):
    """The folders that the actions may touch are temporary, and gone in the end."""
    take_samples(ledger, sample_sessions(data))
    gc.collect()  # what somebody has forgotten goes when rubbish is looked for
    assert list(folders.iterdir()) == []


def test_twice_doubles_nothing_and_runs_nothing(ledger, data):
    """The second time every turn is known, and the ledger says so to whoever opens it next."""
    take_samples(ledger, sample_sessions(data))
    counts = "SELECT kind, count(*) FROM events WHERE code IS NULL GROUP BY ALL ORDER BY ALL"
    before = ledger.sql(counts).fetchall()
    report = take_samples(ledger, sample_sessions(data))
    assert (report.sessions, report.turns, report.known) == (0, 0, 5)
    assert ledger.sql(counts).fetchall() == before


def test_the_sample_sessions_come_with_the_package():
    """All of them can be read, and every profile but the one for others' recordings is among them."""
    items = list(sample_sessions())
    assert not [item for item in items if isinstance(item, Refusal)]
    sessions = [item for item in items if isinstance(item, RecordedSession)]
    assert len(sessions) == 600
    assert {session.profile for session in sessions} == set(PROFILES) - {"mint"}


def test_missing_sample_sessions_are_said(monkeypatch, tmp_path):
    """A package without its data says what to do."""
    monkeypatch.setattr(demo, "files", lambda _package: tmp_path)
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "a" / "b" / "demo.py"))
    with pytest.raises(SourceError, match="reinstall"):
        sample_sessions()
