"""What the exports of a session write is read in again by our own sources: what comes back equal, and what docs/exports.md says is lost."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from effort import is_soak

import actionledger as al
from actionledger.exports import atif, otlp
from actionledger.exports.tracks import track
from actionledger.ledger import queries

ROOT = Path(__file__).parents[2]

SESSIONS = "SELECT external_id, count(*) AS turns FROM session_starts JOIN turns USING (session_id) GROUP BY ALL ORDER BY ALL"
TURNS = (
    "SELECT external_id, row_number() OVER (PARTITION BY session_id ORDER BY turn_index) AS place, turns.prompt, input_tokens, "
    "output_tokens, cached_tokens, cost_usd, occurred_at FROM turns JOIN session_starts USING (session_id) ORDER BY ALL"
)
CALLS = (
    "SELECT external_id, name, arguments::VARCHAR, status FROM actions JOIN session_starts USING (session_id) "
    "WHERE status <> 'illustration' ORDER BY ALL"
)
RESULTS = (
    "SELECT name, status, reason, exit_status, duration_ms, result::VARCHAR, is_inferred FROM executions "
    "WHERE call_id IS NOT NULL ORDER BY ALL"
)
TEXTS = "SELECT external_id, text FROM turns JOIN session_starts USING (session_id) WHERE capture = 'text' ORDER BY ALL"


def rows(ledger: al.Ledger, query: str) -> list[Any]:
    return ledger.sql(query).fetchall()


@pytest.fixture(scope="module", params=["otlp", "atif"])
def both(request: pytest.FixtureRequest, recorded: al.Ledger, tmp_path_factory: pytest.TempPathFactory):
    """Return a ledger, and one of what is exported of it."""
    folder = tmp_path_factory.mktemp("out")
    for [session] in rows(recorded, "SELECT session_id::VARCHAR FROM sessions"):
        one = track(recorded, session)
        value = otlp.traces([one]) if request.param == "otlp" else atif.trajectory(one)
        (folder / f"{session}.trajectory.json").write_text(json.dumps(value), encoding="utf-8")
    again_path = tmp_path_factory.mktemp("again") / "again.duckdb"
    with al.open_ledger(again_path, in_background=False) as again:
        report = al.import_path(folder, again)
        assert set(report.files) == {"otel" if request.param == "otlp" else "atif"}
        assert (report.refusals, report.differing) == ([], [])
        yield request.param, recorded, again


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.mktemp("first") / "first.duckdb"
    with al.open_ledger(path, in_background=False) as ledger:
        al.import_path(ROOT / "data" / "agents", ledger)
        yield ledger


def test_sessions_turns_calls_results_and_tokens_come_back(both: Any):
    """Of recordings of agents, each value the same; a status is never guessed anew from words."""
    _, before, after = both
    for query in (SESSIONS, TURNS, CALLS, RESULTS):
        there = rows(before, query)
        assert there
        assert rows(after, query) == there


def test_what_is_lost_is_what_is_said(both: Any):
    """Argument strings as they were written: all of them in ATIF, those of calls that take a text in both."""
    form, before, after = both
    capture = "SELECT capture, count(*) FROM turns GROUP BY ALL ORDER BY ALL"
    assert rows(before, capture) == [("arguments", 8), ("calls", 18)]
    assert rows(after, capture) == ([("arguments", 5), ("calls", 21)] if form == "otlp" else [("calls", 26)])
    names = "SELECT count(*) FROM turns WHERE message_id IN (SELECT unnest($names))"
    messages = [name for [name] in rows(before, "SELECT message_id FROM turns")]
    assert after.sql(names, {"names": messages}).fetchall() == [(0,)]
    assert rows(after, "SELECT count(*) FROM tools") == [(0,)]


def test_spans_that_come_as_they_end_are_one_session(recorded: al.Ledger, tmp_path: Path):
    """The last of them is the session's own: until then each request's says which one it is of."""
    [[session]] = rows(
        recorded, "SELECT session_id::VARCHAR FROM turns GROUP BY ALL ORDER BY count(*) DESC LIMIT 1"
    )
    [whole] = otlp.traces([track(recorded, session)])["resourceSpans"]
    root, *spans = whole["scopeSpans"][0]["spans"]
    log = tmp_path / "spans.jsonl"
    with al.open_ledger(tmp_path / "grown.duckdb", in_background=False) as grown:
        for held in (spans[:3], [*spans, root]):
            lines = [{"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]} for span in held]
            log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            al.import_path(log, grown)
        asked = "SELECT count(*) FROM turns WHERE session_id = (SELECT session_id FROM sessions)"
        [[count]] = rows(recorded, f"SELECT count(*) FROM turns WHERE session_id = '{session}'")
        assert rows(grown, asked) == [(count,)]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory):
    """A ledger of some of the sample sessions, of every kind."""
    folder = tmp_path_factory.mktemp("samples")
    lines = (ROOT / "data" / "sessions.jsonl").read_text(encoding="utf-8").splitlines()
    names = list(dict.fromkeys(json.loads(line)["session"] for line in lines))
    chosen = set(names[:: 15 if is_soak() else 50])
    kept = [line for line in lines if json.loads(line)["session"] in chosen]
    (folder / "sessions.jsonl").write_text("\n".join(kept), encoding="utf-8")
    with al.open_ledger(folder / "samples.duckdb", in_background=False) as ledger:
        al.import_path(folder / "sessions.jsonl", ledger)
        ledger.ingest()
        yield ledger


@pytest.mark.scaled
@pytest.mark.parametrize("form", ["otlp", "atif"])
def test_raw_responses_come_back_character_by_character(form: str, samples: al.Ledger, tmp_path: Path):
    """Of the samples, whose calls stand in their texts."""
    folder = tmp_path / "out"
    folder.mkdir()
    for [session] in rows(samples, "SELECT session_id::VARCHAR FROM sessions"):
        one = track(samples, session)
        value = otlp.traces([one]) if form == "otlp" else atif.trajectory(one)
        (folder / f"{session}.trajectory.json").write_text(json.dumps(value), encoding="utf-8")
    with al.open_ledger(tmp_path / "again.duckdb", in_background=False) as again:
        assert al.import_path(folder, again).refusals == []
        there = rows(samples, TEXTS)
        assert rows(again, TEXTS) == there
        assert len(there) > 40


def test_a_long_session_is_read_in_pieces(recorded: al.Ledger, monkeypatch: pytest.MonkeyPatch):
    """No more turns are held than are asked for at once, and each is what it is by itself."""
    asked = "SELECT session_id::VARCHAR FROM turns GROUP BY ALL ORDER BY count(*) DESC LIMIT 1"
    [[session]] = rows(recorded, asked)
    whole = track(recorded, session)
    part = replace(whole, indexes=whole.indexes[:3])
    monkeypatch.setattr("actionledger.exports.tracks._AT_ONCE", 2)
    assert list(part.turns()) == [queries.turn(recorded, session, index) for index in part.indexes]
    assert queries.turn_details(recorded, session, (whole.indexes[-1] + 1, 10**6)) == []


@pytest.mark.parametrize("form", ["otlp", "atif"])
def test_what_a_session_is_about_and_came_to_comes_back(form: str, tmp_path: Path):
    """The first prompt is taken for it in recordings of others."""
    turns = (al.RecordedTurn(0, "Done.", prompt="You are a helpful assistant."),)
    ending: dict[str, Any] = {
        "success": False,
        "reason": "gave up",
        "scores": {"reward": -0.25, "steps": 3.0},
        "labels": ("hard", "x,y"),
    }
    told = al.RecordedSession("s1", None, "m", "sums", turns, **ending)
    with al.open_ledger(tmp_path / "first.duckdb", in_background=False) as before:
        al.import_sessions(before, [told])
        [[session]] = rows(before, "SELECT session_id::VARCHAR FROM sessions")
        asked = "SELECT task, success, reason, scores, labels FROM sessions"
        there = rows(before, asked)
        file = tmp_path / "s.trajectory.json"
        one = track(before, session)
        value = otlp.traces([one]) if form == "otlp" else atif.trajectory(one)
        file.write_text(json.dumps(value), encoding="utf-8")
    with al.open_ledger(tmp_path / "again.duckdb", in_background=False) as after:
        al.import_path(file, after)
        assert rows(after, asked) == there
