"""Turns read by other processes: the same as in this one, in order and once, whatever kills or holds up one of them."""

import os
import sys
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from effort import soaked

import actionledger as al
from actionledger.core.errors import ActionLedgerError, UsageError
from actionledger.core.recording import RunKey
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Reason, RunKind
from actionledger.imports import Importer
from actionledger.ledger import open_ledger
from actionledger.ledger.queries import rereading
from actionledger.ledger.queries.recorded import Known
from actionledger.ledger.queries.rereading import Batch, RecordedResponse
from actionledger.profiles.custom import ActionSet, custom_profile
from actionledger.reading.parsers import parser_named
from actionledger.replay import placement
from actionledger.replay.placement import placed
from actionledger.replay.processes import Command, Processes
from actionledger.replay.runners import Reading
from actionledger.runtime.execution.registry import PROFILES

READINGS = """
SELECT session_id, turn_index, parser_name, catalogue, outcome, reason, dialect, block_count, action_count, valid_count
FROM parse_attempts WHERE run_id = ? ORDER BY session_id, turn_index"""

DEADLY = """
import os, sys, json, signal, time
from actionledger.replay.worker import Limit
setup = json.loads(sys.stdin.readline())
limit = Limit(setup["seconds"])
print("{}", flush=True)
for line in sys.stdin:
    for response in json.loads(line)["responses"]:
        text = response["text"]
        limit.begin()
        if text == "kill": os.kill(os.getpid(), signal.SIGKILL)
        while text == "hang": pass
        if text == "exit": sys.exit(3)
        if text == "once" and not os.path.exists(setup["mark"]):
            open(setup["mark"], "w").close()
            os._exit(1)
        limit.end()
        print(json.dumps(text), flush=True)
"""
"""Answers with the text that it read, and dies of some."""


def response(number: int, text: str) -> RecordedResponse:
    at = datetime(2026, 1, 1)
    return RecordedResponse(f"t{number}", "s", number, "none", "m", "t", at, None, text)


def batches_of(*texts: str, size: int) -> Iterator[Batch]:
    for start in range(0, len(texts), size):
        found = [response(start + place, text) for place, text in enumerate(texts[start : start + size])]
        yield Batch(tuple(found), {})


def deadly(count: int, mark: object = "") -> Processes:
    setup = {"seconds": 0.5, "mark": str(mark)}
    return Processes(
        Command((sys.executable, "-c", DEADLY), setup),
        count,
        convert=lambda response, line: Reading(b"%s %s" % (response.text.encode(), line.strip())),
        fail=lambda response, reason, detail: Reading(response.text.encode(), failed=reason),
    )


@pytest.mark.parametrize("count", soaked([1, 2, 3], [2]))
def test_what_kills_or_hangs_a_process_is_found_and_the_rest_is_read(count):
    """Every answer stands in its text's place, whatever was cut off around it."""
    texts = ["a", "kill", "b", "c", "hang", "exit", "d", "kill", "e", "f"]
    found = [reading for answer in deadly(count).run(batches_of(*texts, size=4)) for reading in answer]
    reasons = {
        "kill": Reason.READER_DIED,
        "exit": Reason.READER_DIED,
        "hang": Reason.READING_TIMED_OUT,
    }
    assert [reading.failed for reading in found] == [reasons.get(text) for text in texts]
    said = [text if text in reasons else f'{text} "{text}"' for text in texts]
    assert [(reading.line or b"").decode() for reading in found] == said


def test_a_text_that_was_only_there_when_its_process_died_is_read(tmp_path):
    """It is tried once more, alone; the mark says that the first process did die at it."""
    [answer] = deadly(1, tmp_path / "mark").run(batches_of("a", "once", "b", size=3))
    assert [reading.failed for reading in answer] == [None, None, None]
    assert (tmp_path / "mark").exists()


def test_what_cannot_be_started_is_said_and_no_text_is_blamed():
    """Its last words are in the sentence."""
    runner = Processes(
        Command((sys.executable, "-c", "raise SystemExit('no such parser')"), {}),
        2,
        convert=lambda response, line: Reading(line),
        fail=lambda response, reason, detail: pytest.fail("blamed"),
    )
    with pytest.raises(ActionLedgerError, match="can't be started: no such parser"):
        list(runner.run(batches_of("a", size=1)))


def test_only_so_many_batches_are_taken_ahead():
    """Memory is bounded by what is taken and not recorded yet."""
    taken: list[int] = []

    def counted() -> Iterator[Batch]:
        for number, batch in enumerate(batches_of(*"abcdefghijklmnopqrst", size=1)):
            taken.append(number)
            yield batch

    runner = deadly(2).run(counted())
    next(runner)
    assert len(taken) <= 2 * 3 + 1
    assert len(list(runner)) == 19
    assert len(taken) == 20


def test_ended_early_no_process_stays():
    """Whoever closes the runner closes what it has started."""
    processes = deadly(2)
    runner = processes.run(batches_of("a", "hang", "b", "c", size=1))
    next(runner)
    ids = [worker._process.pid for worker in processes._pool.workers]
    runner.close()
    for process in ids:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.parametrize("parser", soaked(["assistant", "auto", "gembrain-standard"], ["auto"]))
def test_processes_read_what_this_process_reads(filled, parser, monkeypatch):
    """Row by row, for each kind of text."""
    monkeypatch.setattr(rereading, "_BATCH_TURNS", 7)
    monkeypatch.setattr(rereading, "_PAGE_TURNS", 33)
    with open_ledger(filled()) as ledger:
        alone, together = (al.reparse(ledger, parser=parser, workers=count) for count in (1, 2))
        rows = [ledger.sql(READINGS, [report.run_id]).fetchall() for report in (alone, together)]
        assert len(rows[0]) == 120
        assert rows[0] == rows[1]
        assert (alone.counts, alone.comparison) == (together.counts, together.comparison)
        order = "SELECT session_id, turn_index FROM parse_attempts WHERE run_id = ? ORDER BY rowid"
        ledger.ingest()
        found = ledger.sql(order.replace("ORDER BY rowid", ""), [together.run_id]).fetchall()
        assert found == sorted(found), "recorded in the order of turns"


@pytest.mark.soak
def test_killed_from_outside_a_process_costs_nothing(filled, monkeypatch):
    """Each turn is read once, and none failed: no text was to blame."""
    monkeypatch.setattr(rereading, "_BATCH_TURNS", 5)
    killed: list[int] = []
    runners: list[Processes] = []

    class Watched(Processes):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            runners.append(self)

    monkeypatch.setattr(placement, "Processes", Watched)

    def kill_one(now: object) -> None:
        process = runners[0]._pool.workers[0]._process
        if len(killed) < 2 and process.pid not in killed:
            process.kill()
            killed.append(process.pid)

    with open_ledger(filled()) as ledger:
        report = al.reparse(ledger, parser="assistant", workers=2, on_progress=kill_one)
        once = "SELECT count(*), count(DISTINCT turn_id) FROM parse_attempts WHERE run_id = ?"
        assert ledger.sql(once, [report.run_id]).fetchall() == [(120, 120)]
    assert len(set(killed)) == 2
    assert report.failed == {}
    assert report.counts["lost"] == 0


def test_a_text_that_takes_too_long_is_recorded_as_failed(tmp_path):
    """With a reason of its own, and said by the report; the others are read."""
    slow = "".join(f'```actions\n{{"actions": [{{"type": "x{n}", }}]\n```\n' for n in range(2_500))
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        importer = Importer(ledger.record, source="jsonl", origin="log.jsonl", known=Known())
        turns = [RecordedTurn(n, text) for n, text in enumerate(("Hello.", slow, "Bye."))]
        importer.take(RecordedSession("s", None, "m", "t", tuple(turns)))
        importer.finish()
        report = al.reparse(ledger, parser="auto", workers=2, seconds_a_text=0.3)
        found = ledger.sql(
            "SELECT turn_index, reason FROM parse_attempts WHERE run_id = ? ORDER BY ALL", [report.run_id]
        ).fetchall()
    assert found == [(0, None), (1, "reading_timed_out"), (2, None)]
    assert report.failed == {Reason.READING_TIMED_OUT: 1}


def test_a_profile_that_only_this_process_knows_is_read_here(tmp_path, monkeypatch):
    """Its catalogue is nowhere else; what it refuses is refused."""
    actions = ActionSet("sums")

    @actions.action(example={"a": 1})
    def add(a: int) -> int:
        """Add one."""
        return a + 1

    monkeypatch.setattr(PROFILES, "_registered", dict(PROFILES._registered))
    PROFILES.register(custom_profile("only-here", actions=actions, dialects=["hermes"]))
    text = '<tool_call>{"name": "add", "arguments": {}}</tool_call>'
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        importer = Importer(ledger.record, source="jsonl", origin="log.jsonl", known=Known())
        importer.take(RecordedSession("s", "only-here", "m", "t", (RecordedTurn(0, text),)))
        importer.finish()
        report = al.reparse(ledger, parser=parser_named("auto"), workers=2)
        statuses = "SELECT DISTINCT run_kind, status FROM actions"
        assert set(ledger.sql(statuses).fetchall()) == {("import", "invalid"), ("reparse", "invalid")}
    assert report.counts["same"] == 1


@pytest.mark.parametrize("workers", soaked([1, 2], [2]))
def test_what_a_turn_was_offered_is_what_it_is_checked_against_again(tmp_path, workers):
    """The tools that were recorded with it, as at first: an argument that they refuse is refused again."""
    tools = '[{"name": "add", "parameters": {"properties": {"a": {"type": "integer"}}, "required": ["a"]}}]'
    texts = [
        '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>',
        '<tool_call>{"name": "add", "arguments": {"b": "x"}}</tool_call>',
    ]
    turns = tuple(RecordedTurn(n, text, tools=tools) for n, text in enumerate(texts))
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        importer = Importer(ledger.record, source="jsonl", origin="log.jsonl", known=Known())
        importer.take(RecordedSession("s", None, "m", "t", turns))
        importer.finish()
        report = al.reparse(ledger, parser="auto", workers=workers)
        rows = "SELECT turn_index, status, catalogue FROM actions WHERE run_kind = '{}' ORDER BY ALL"
        first, again = (ledger.sql(rows.format(kind)).fetchall() for kind in ("import", "reparse"))
    assert first == again == [(0, "valid", "tools"), (1, "invalid", "tools")]
    assert report.counts["same"] == 2


def test_a_few_turns_are_read_in_this_process():
    """To start others would take longer than they save."""
    run = RunKey(run_id="00000000-0000-4000-8000-000000000009", kind=RunKind.REPARSE)
    runner = placed(parser_named("auto"), workers=None, seconds=1, place="processes")
    assert type(runner(run, 10)).__name__ == "InThisProcess"


def test_no_workers_are_no_number(filled):
    """A slip, said before anything is read."""
    with open_ledger(filled(1, 1)) as ledger, pytest.raises(UsageError, match="workers is 0"):
        al.reparse(ledger, parser="auto", workers=0)
