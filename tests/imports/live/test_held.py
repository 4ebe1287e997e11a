"""Spans that are held outlive their process: each is recorded once, wherever it was killed, and a session that is forgotten leaves none."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from effort import soaked
from forked_python import ForkedPython
from spans_of_agents import agent, batch, chat, text

import actionledger as al
from actionledger.imports.live.spans import SpanBatch, SpanRecording
from actionledger.imports.shapes.spans import spans_of
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.spool import LineSpool, SpooledLine, erase_spooled
from actionledger.ledger.upkeep.health import examine
from actionledger.ledger.upkeep.health.report import Check, Level

SPANS = [*agent(1), *agent(2, "both"), *agent(3, "both")]
PARTS = 3

RECEIVE = """
import json, os, signal, sys
from pathlib import Path
import actionledger as al
from actionledger.imports.live.spans import SpanBatch, SpanRecording
from actionledger.imports.sessions import SourcesImporter
from actionledger.ledger import Ledger
from actionledger.ledger.storage.spool import LineSpool
from actionledger.imports.shapes.spans import spans_of

left, is_told_between, parts = int(sys.argv[1]), sys.argv[2] == "between", json.loads(Path("parts.json").read_text())

def step():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def stepped(owner, name):
    whole = getattr(owner, name)
    def with_steps(*arguments, **more):
        step()
        done = whole(*arguments, **more)
        step()
        return done
    setattr(owner, name, with_steps)

for owner, name in ((LineSpool, "add"), (LineSpool, "done"), (SourcesImporter, "take"), (Ledger, "flush")):
    stepped(owner, name)
with al.open_ledger("l.duckdb", in_background=False) as ledger:
    recording = SpanRecording(ledger, f"here {os.getpid()}")
    for number in map(int, sys.argv[3:]):
        spans = list(spans_of(parts[number]))
        recording.offer_spooled(SpanBatch(lambda spans=spans: spans, 1000, len(spans)), "full")
        print(number, flush=True)
        if is_told_between:
            recording.drain(60)
    recording.close()
print(left, file=sys.stderr)
"""
ROWS = """
SELECT source, external_id, message_id, turn_index, text, prompt, call_count, input_tokens, output_tokens, latency_ms, occurred_at
FROM turns JOIN session_starts USING (session_id) ORDER BY ALL"""
RESULTS = "SELECT call_id, name, status, reason, result, duration_ms FROM executions ORDER BY ALL"
REQUESTS = "SELECT text, call_count FROM turns ORDER BY ALL"
ANSWERED = "SELECT call_id, name, status, reason, result FROM executions ORDER BY ALL"
COUNTED = "SELECT count(*), count(DISTINCT message_id) FROM turns"


def rows(path: Path, *, is_told_whole: bool) -> list[Any]:
    with al.open_ledger(path, read_only=True) as ledger:
        if is_told_whole:
            return ledger.sql(ROWS).fetchall() + ledger.sql(RESULTS).fetchall()
        return ledger.sql(REQUESTS).fetchall() + ledger.sql(ANSWERED).fetchall()


def receive(forked: ForkedPython, folder: Path, step: int, how: str, parts: list[int]) -> list[int]:
    """Receive some parts and be killed at a step; return those that were answered."""
    done = forked.run(RECEIVE, folder, step, how, *parts)
    assert done.returncode in {0, -9}, done.stderr
    return [int(number) for number in done.stdout.split()]


@pytest.mark.parametrize("how", ["at the end", "between"])
@pytest.mark.parametrize("step", soaked(range(1, 40), always=[6, 13]))
def test_a_span_is_recorded_once_wherever_its_process_is_killed(
    step: int, how: str, tmp_path: Path, forked: ForkedPython
):
    """What was answered is there, what wasn't is sent again: the same rows as where nobody was killed, at the same places.

    Where traces are told before all of them is there, it is chance which of the two spans that tell one request is told; each request and
    each result is there once all the same.
    """
    parts = json.dumps([batch(*SPANS[start::PARTS]) for start in range(PARTS)])
    folders = [tmp_path / "killed", tmp_path / "whole"]
    for folder in folders:
        folder.mkdir()
        (folder / "parts.json").write_text(parts)
    answered = receive(forked, folders[0], step, how, list(range(PARTS)))
    receive(forked, folders[0], 0, how, [part for part in range(PARTS) if part not in answered])
    receive(forked, folders[1], 0, how, list(range(PARTS)))
    killed, whole = (rows(folder / "l.duckdb", is_told_whole=how == "at the end") for folder in folders)
    assert killed == whole
    assert list(LedgerFiles.at(folders[0] / "l.duckdb").held.iterdir()) == []


def offered(recording: SpanRecording, *spans: dict[str, Any]) -> None:
    listed = list(spans_of(batch(*spans)))
    assert recording.offer_spooled(SpanBatch(lambda: listed, 100, len(listed)), "full")


def dies(recording: SpanRecording) -> None:
    """Let go of a recording's locks, as the kernel does when its process is killed."""
    for writer in recording._reader._lines._writers:
        writer.lock.start_over()


def test_what_is_held_is_its_owners_and_holds_no_secret(ledger: al.Ledger):
    """A file of mode 0600 in a folder of 0700, with the secret masked."""
    recording = SpanRecording(ledger, "here")
    said = text("assistant", "The key is sk-ant-api03-" + "Ab3" * 30 + "AA.")
    offered(recording, chat(1, [text("user", "Which?")], said, trace=9, parent=5))
    [file] = LedgerFiles.at(ledger.path).held.glob("*.jsonl")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert "Ab3Ab3" not in file.read_text()
    assert "Which?" in file.read_text()
    recording.close()
    assert list(file.parent.iterdir()) == []


def test_forgetting_reaches_what_is_held(ledger: al.Ledger):
    """Of two traces that are held, the one of the session that is forgotten is gone from the file, and not told later."""
    first = SpanRecording(ledger, "first")
    offered(
        first,
        chat(1, [text("user", "One?")], text("assistant", "One."), trace=1, parent=0, **{"session.id": "a"}),
    )
    first.close()
    held = SpanRecording(ledger, "held")
    for trace, name in ((2, "a"), (3, "b")):
        shown, said = text("user", f"More of {name}?"), text("assistant", f"More {name}.")
        offered(held, chat(1, [shown], said, trace=trace, parent=5, **{"session.id": name}))
    dies(held)
    [session_id] = [row[0] for row in ledger.sql("SELECT session_id::VARCHAR FROM sessions").fetchall()]
    ledger.forget([session_id])
    [file] = LedgerFiles.at(ledger.path).held.glob("*.jsonl")
    assert "of a" not in file.read_text()
    assert "of b" in file.read_text()
    SpanRecording(ledger, "after").close()
    assert ledger.sql("SELECT text FROM turns").fetchall() == [("More b.",)]


def test_the_doctor_says_what_a_killed_receiver_has_held(ledger: al.Ledger):
    """Nothing, then what a live one holds, then what a dead one has left."""

    def said() -> tuple[Level, str]:
        [finding] = [each for each in examine(ledger.path).findings if each.check is Check.HELD]
        return finding.level, finding.sentence

    assert said() == (Level.FINE, "No spans wait to be recorded.")
    recording = SpanRecording(ledger, "here")
    offered(recording, *agent(1)[1:2])
    assert said()[0] is Level.FINE
    assert "by a receiver that runs" in said()[1]
    dies(recording)
    assert said()[0] is Level.NOTE
    assert "was killed" in said()[1]


def test_lines_go_when_none_of_a_file_is_needed(tmp_path: Path):
    """The oldest first, and one that breaks off or was blanked is none."""
    folder = tmp_path / "l.duckdb.d" / "held"
    lines = LineSpool(folder)
    first = lines.add([SpooledLine("g", ("s",), 1), SpooledLine("h", ("t",), 2)])
    assert first is not None
    lines.done([first])
    with first.path.open("ab") as file:
        file.write(b'{"group": "cut')
    assert erase_spooled(folder, ["t"]) == 1
    lines._writers[0].lock.start_over()
    after = LineSpool(folder)
    [(found, file)] = after.left_behind()
    assert found == [SpooledLine("g", ("s",), 1)]
    after.done([file])
    assert list(folder.iterdir()) == []


def test_a_folder_that_cant_be_written_to_changes_nothing(ledger: al.Ledger):
    """The spans are held in memory alone, and recorded."""
    LedgerFiles.at(ledger.path).held.write_text("a file")
    recording = SpanRecording(ledger, "here")
    offered(recording, *SPANS)
    recording.close()
    assert ledger.sql(COUNTED).fetchone() == (9, 9)
