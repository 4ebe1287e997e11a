"""What the exports of a session write is read in again by our own sources: what comes back equal, and what docs/exports.md says is lost."""

import json
from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from effort import is_soak

import actionledger as al
from actionledger.core.vocabulary import CostOrigin
from actionledger.imports.prices import Price
from actionledger.ledger import queries
from actionledger.report.exports import otlp, parts
from actionledger.report.exports.parts import track

ROOT = Path(__file__).parents[3]

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
        value = otlp.traces([one]) if request.param == "otlp" else parts.trajectory(one)
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
        value = otlp.traces([one]) if form == "otlp" else parts.trajectory(one)
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
    monkeypatch.setattr("actionledger.report.exports.parts._AT_ONCE", 2)
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
        value = otlp.traces([one]) if form == "otlp" else parts.trajectory(one)
        file.write_text(json.dumps(value), encoding="utf-8")
    with al.open_ledger(tmp_path / "again.duckdb", in_background=False) as after:
        al.import_path(file, after)
        assert rows(after, asked) == there


EVERY_FIELD = al.Usage(
    input_tokens=900,
    output_tokens=80,
    cached_tokens=600,
    cache_write_tokens=200,
    reasoning_tokens=30,
    cost_usd=0.0125,
    latency_ms=1234.5,
    time_to_first_token_ms=321.25,
    finish_reason="tool_use",
)
LOST = {"turn_id", "session_id", "told", "text_is_exact", "index"}
"""What of a response is another's by its nature: its ids, its place among the steps, and what the next turn was shown."""


@pytest.mark.parametrize("form", ["otlp", "atif"])
def test_every_field_of_a_turn_comes_back(form: str, tmp_path: Path):
    """Each turn's own model among them: a session may go on with another."""
    call = al.RecordedCall("c1", "Read", {"path": "a"})
    first = al.RecordedTurn(
        0,
        "Looking.",
        prompt="Look.",
        occurred_at=datetime(2026, 3, 2, 9, 0, 0, 123456),
        capture=al.Capture.CALLS,
        calls=(call,),
        results=(al.RecordedResult("c1", "ok", is_error=False),),
        usage=EVERY_FIELD,
        reasoning="I had better look.",
        model="claude-sonnet-4-5",
    )
    second = replace(
        first, index=1, text="Done.", prompt="And?", calls=(), results=(), model="gpt-5", usage=al.Usage()
    )
    told = al.RecordedSession("s1", None, "claude-sonnet-4-5", "", (first, second))
    again = read_again(told, form, tmp_path)
    assert all(getattr(EVERY_FIELD, each.name) for each in fields(EVERY_FIELD) if each.name != "billed")
    before, after = again
    names = [each.name for each in fields(queries.Response) if each.name not in LOST]
    for one, other in zip(before, after, strict=True):
        assert {name: getattr(other, name) for name in names} == {name: getattr(one, name) for name in names}
    assert [each.model for each in after] == ["claude-sonnet-4-5", "gpt-5"]


@pytest.mark.parametrize("form", ["otlp", "atif"])
def test_a_computed_cost_does_not_come_back_as_recorded(form: str, tmp_path: Path):
    """It is written with where it comes from, and computed anew where it is read."""
    usage = al.Usage(input_tokens=1_000_000, output_tokens=1)
    told = al.RecordedSession("s1", None, "m", "", (al.RecordedTurn(0, "Done.", usage=usage),))
    prices = al.Prices((Price(model="m", input=2.0, output=0.0),))
    [before], [after] = read_again(told, form, tmp_path, prices)
    assert (before.cost_usd, before.cost_origin) == (2.0, CostOrigin.PRICES)
    assert (after.cost_usd, after.cost_origin) == (None, None)


def read_again(
    told: al.RecordedSession, form: str, folder: Path, prices: al.Prices | None = None
) -> tuple[list[queries.Response], list[queries.Response]]:
    """Return the responses of a session, and those of its export."""
    found = []
    with al.open_ledger(folder / "first.duckdb", in_background=False) as before:
        al.import_sessions(before, [told], prices=prices)
        [[session]] = rows(before, "SELECT session_id::VARCHAR FROM sessions")
        one = track(before, session)
        value = otlp.traces([one]) if form == "otlp" else parts.trajectory(one)
        (folder / "s.trajectory.json").write_text(json.dumps(value), encoding="utf-8")
        found.append(queries.conversation(before, session))
    with al.open_ledger(folder / "again.duckdb", in_background=False) as after:
        assert al.import_path(folder / "s.trajectory.json", after).refusals == []
        [[session]] = rows(after, "SELECT session_id::VARCHAR FROM sessions")
        found.append(queries.conversation(after, session))
    return found[0], found[1]
