"""Files of spans that grow, and several of them: each response, call and result is there once, whatever names their conversation."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from spans_of_agents import agent, batch

import actionledger as al
from actionledger.imports.formats import otel
from actionledger.imports.live.traces import TraceBuffer
from actionledger.imports.sessions import SourcesImporter
from actionledger.imports.shapes.spans import spans_of


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
