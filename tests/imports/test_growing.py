"""Files that grow: everything is there once, and what was left out counts as the file stands."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from effort import soaked
from spans_of_agents import agent, batch

import actionledger as al
from actionledger.imports import import_path
from actionledger.imports.formats import otel
from actionledger.imports.live.traces import TraceBuffer
from actionledger.imports.sessions import SourcesImporter
from actionledger.imports.shapes.spans import spans_of
from actionledger.ledger import open_ledger
from actionledger.ledger.queries import left_out, left_out_by_import

SAMPLES = Path(__file__).parents[2] / "data/agents"
MESSAGE = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "On it."}]}


def counted(path: Path) -> list[tuple[object, ...]]:
    """The table, summed plainly, and beside it what the queries say."""
    with open_ledger(path, read_only=True) as ledger:
        plain = ledger.sql(
            "SELECT path, reason, detail, sum(count) AS n FROM left_out GROUP BY ALL HAVING n <> 0 ORDER BY ALL"
        ).fetchall()
        assert sum(each.count for each in left_out(ledger)) == sum(row[3] for row in plain)
        assert sum(each.count for each in left_out_by_import(ledger)) == sum(row[3] for row in plain)
        return [tuple(row) for row in plain]


@pytest.mark.parametrize(
    "sample",
    soaked(
        ["claude-code/retry-backoff.jsonl", "codex/rollout-slow-report.jsonl"],
        ["codex/rollout-slow-report.jsonl"],
    ),
)
def test_growing_prefixes_are_counted_once(tmp_path, sample):
    """Taken in after every few lines, a file has left out what it has left out as a whole."""
    lines = (SAMPLES / sample).read_text().splitlines(keepends=True)
    # A result whose call nobody has recorded, and a kind of line that nobody knows, in both formats' spelling.
    lost = json.loads(lines[-1]) | {"type": "response_item"}
    lost["payload"] = {"type": "function_call_output", "call_id": "lost", "output": "?"}
    answer = json.loads(lines[-1]) | {"type": "user"}
    answer["message"] = {"content": [{"type": "tool_result", "tool_use_id": "lost", "content": "?"}]}
    strange = json.loads(lines[-1]) | {"type": "strange"}
    added = [json.dumps(each) + "\n" for each in (lost, answer, strange)]
    lines = [*lines[:3], *added, *lines[3:], *added]
    file, grown, whole = tmp_path / "a.jsonl", tmp_path / "grown.duckdb", tmp_path / "whole.duckdb"
    for end in sorted({*range(4, len(lines), 9), len(lines)}):
        file.write_text("".join(lines[:end]))
        import_path(file, grown)
    import_path(file, whole)
    assert counted(grown) == counted(whole)
    assert "no_call" in {row[1] for row in counted(whole)}


def test_what_a_file_holds_no_more_is_left_out_no_more(tmp_path):
    """Fewer, none, and then as many as at first; what another file holds stays."""
    head = {"timestamp": "2026-01-02T03:04:05Z", "type": "session_meta", "payload": {"id": "s"}}
    said = head | {"type": "response_item", "payload": MESSAGE}
    file, other, ledger = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "team.duckdb"
    for strange in (3, 1, 0, 3):
        rows = [head, said, *[head | {"type": "strange"}] * strange]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        other.write_text("".join(json.dumps(row) + "\n" for row in [*rows[:2], head | {"type": "odd"}]))
        import_path(tmp_path, ledger, format="codex")
        left = {
            (Path(path).name, detail): n
            for path, _, detail, n in counted(ledger)
            if detail in {"strange", "odd"}
        }
        assert left == ({("a.jsonl", "strange"): strange} if strange else {}) | {("b.jsonl", "odd"): 1}


def test_a_reading_that_breaks_off_takes_nothing_back(tmp_path):
    """What a file that could not be read to its end had left out before, it still has."""
    file, ledger = tmp_path / "a.jsonl.gz", tmp_path / "team.duckdb"
    head = {"timestamp": "2026-01-02T03:04:05Z", "type": "session_meta", "payload": {"id": "s"}}
    said = head | {"type": "response_item", "payload": MESSAGE}
    rows = [head, said, *[head | {"type": "strange", "payload": {"id": str(n)}} for n in range(99)]]
    whole = gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode())
    file.write_bytes(whole)
    import_path(file, ledger, format="codex")
    before = counted(ledger)
    file.write_bytes(whole[: len(whole) // 2])
    assert import_path(file, ledger, format="codex").refusals
    assert counted(ledger) == before
    assert before[0][3] == 99


@pytest.mark.parametrize("ages", [(3, 8), (8, 4)])
def test_each_response_is_one_turn_though_the_conversation_is_named_last(
    tmp_path: Path, ages: tuple[int, ...]
):
    """Spans are written as they end: the outermost one, which alone names it, is the last; files come at any age and in any order."""
    root, second, tool, below, seen, outer, inner, rest = agent(1, "talk")
    spans = [second, seen, below, tool, rest, inner, outer, root]
    with al.open_ledger(tmp_path / "grown.duckdb", in_background=False) as grown:
        for age in ages:
            log = tmp_path / f"{age}.jsonl"
            log.write_text("".join(json.dumps(batch(each)) + "\n" for each in spans[:age]), encoding="utf-8")
            al.import_sessions(grown, otel.read(log), source="otel")
        asked = "SELECT count(*), count(DISTINCT message_id), sum(output_tokens), sum(call_count) FROM turns"
        assert grown.sql(asked).fetchall() == [(3, 3, 2 + 5 + 7, 1)]
        assert grown.sql("SELECT count(*) FROM executions").fetchall() == [(1,)]
        mains = "SELECT count(*) FROM sessions WHERE parent_session_id IS NULL"
        assert grown.sql(mains).fetchall() == [(1,)]
        assert grown.sql("FROM sessions p ANTI JOIN turns t ON p.session_id = t.session_id").fetchall() == []


def test_a_turn_that_was_recorded_under_its_sessions_name_alone_stays_that_one(tmp_path: Path):
    """Ledgers of before know nothing of the name that a recording has first."""
    turn = al.RecordedTurn(0, "On it.", external_id="m1")
    whole = al.RecordedSession("talk", None, "m", "sums", (turn,), is_last=False)
    with al.open_ledger(tmp_path / "team.duckdb", in_background=False) as ledger:
        assert al.import_sessions(ledger, [whole]).turns == 1
        again = al.import_sessions(ledger, [replace(whole, begun_as="trace")])
        assert (again.turns, again.known, again.sessions) == (0, 1, 0)


def test_a_file_behind_a_receiver_that_named_the_trace_adds_nothing(tmp_path: Path):
    """What was told before the outermost span came has the trace's name; a file of all of it has the conversation's."""
    root, *spans = agent(1, "talk")
    log = tmp_path / "all.json"
    log.write_text(json.dumps(batch(root, *spans)), encoding="utf-8")
    with al.open_ledger(tmp_path / "live.duckdb", in_background=False) as live:
        importers, held = SourcesImporter(live), TraceBuffer("here", lambda _source, _session: 0)
        for came in (spans, [root]):
            for item in (*held.add(spans_of(batch(*came)), 100), *held.due(all_of_them=True)):
                importers.take(item, "otel")
        assert importers.finish().turns == 3
        assert al.import_sessions(live, otel.read(log), source="otel").turns == 0
        asked = "SELECT count(*), count(DISTINCT message_id) FROM turns"
        assert live.sql(asked).fetchall() == [(3, 3)]
