"""The samples of other runtimes' recordings: what their generator writes, and what each of them is there to show."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.vocabulary import Reason, Relation
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.ledger import queries

DATA = Path(__file__).parents[2] / "data"
FILES = sorted((DATA / "agents").rglob("*.jsonl"))


def test_they_are_what_the_generator_writes(tmp_path: Path) -> None:
    """Byte for byte."""
    command = [sys.executable, "-B", str(DATA / "agents.py"), "--folder", str(tmp_path)]
    subprocess.run(command, check=True)
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    assert written == {path.relative_to(DATA / "agents"): path.read_bytes() for path in FILES}


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory):
    """A ledger that all of them were taken into."""
    with al.open_ledger(tmp_path_factory.mktemp("agents") / "l.duckdb") as opened:
        for path in FILES:
            source = recognised(sample_of(path))[0].source
            al.import_sessions(opened, source.read(path, None), source=source.name, origin=path)
        yield opened


def test_each_call_and_result_is_there_once(ledger) -> None:
    """As many as the lines have, counted by their identifiers."""
    text = "".join(path.read_text(encoding="utf-8") for path in FILES)
    lines = [json.loads(line) for line in text.splitlines()]
    blocks = [block for line in lines if "message" in line for block in _blocks(line["message"]["content"])]
    calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    items = [line["payload"] for line in lines if line["type"] == "response_item"]
    calls |= {item["call_id"] for item in items if item["type"] in {"function_call", "custom_tool_call"}}
    assert len(calls) == 24
    for table in ("actions", "executions"):
        [(count, distinct)] = ledger.sql(f"SELECT count(*), count(DISTINCT call_id) FROM {table}").fetchall()
        assert (count, distinct) == (24, 24)


def _blocks(content: object) -> list[dict]:
    return content if isinstance(content, list) else []


def test_they_fail_as_agents_of_today_do(ledger) -> None:
    """Exit codes, edits that miss, stale files, refusals, a circle; a sub-agent under its parent."""
    found = Counter({cost.code: cost.count for cost in queries.failure_costs(ledger)[1:]})
    assert found == {
        Reason.COMMAND_FAILED: 7,
        Reason.NO_MATCH: 3,
        Reason.REJECTED: 2,
        Reason.CHANGED_SINCE: 1,
        Reason.NOT_READ: 1,
    }
    [loop] = al.loops(ledger).loops
    assert (loop.name, loop.count, loop.first_turn, loop.last_turn) == ("Bash", 4, 7, 10)
    rows = queries.sessions(ledger)
    place = [row.external_id for row in rows].index("retry-backoff")
    assert (rows[place + 1].depth, rows[place + 1].relation) == (1, Relation.SUBAGENT)


def test_sessions_of_other_runtimes_are_looked_through_for_loops(tmp_path: Path) -> None:
    """A response without a call is no gap in them; a call of which no result is recorded is."""
    call = [al.RecordedCall(f"c{number}", "ls", {}) for number in range(5)]
    calls = al.Capture.CALLS
    turns = [
        al.RecordedTurn(
            number,
            "x",
            capture=calls,
            calls=(call[number],),
            results=(al.RecordedResult(f"c{number}", "same"),),
        )
        for number in range(4)
    ]
    with al.open_ledger(tmp_path / "l.duckdb") as opened:
        said = al.RecordedTurn(4, "I see.", capture=calls)
        al.import_sessions(opened, [al.RecordedSession("s", None, "m", "", (*turns, said))])
        assert (al.loops(opened).sessions, len(al.loops(opened).loops)) == (1, 1)
        open_call = al.RecordedTurn(5, "", capture=calls, calls=(call[4],))
        al.import_sessions(opened, [al.RecordedSession("s", None, "m", "", (open_call,))])
        assert (al.loops(opened).sessions, al.loops(opened).not_recorded) == (0, 1)
