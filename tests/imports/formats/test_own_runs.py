"""Runs of real agents against a scripted model server: what it sent is the truth, and what the agent wrote of it is read.

The recordings are in ``tests/imports/recordings/AGENT/SCENARIO``, with what was sent in ``truth.json``; paths are neutral, and the agents'
own instructions are left out. Versions: ``docs/sources.md``.
"""

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports import import_path
from actionledger.imports.sources.base import LeftOut, Refusal
from actionledger.imports.sources.registry import recognised, sample_of, source_named
from actionledger.imports.sources.wordings import judged, with_end_told
from actionledger.ledger import open_ledger

RECORDINGS = Path(__file__).parents[1] / "recordings"
RUNS = sorted(path.parent for path in RECORDINGS.glob("*/*/truth.json"))

WITHOUT_TOKENS = {"droid"}
"""The agents that write no tokens of a response."""

WITHOUT_THOUGHTS = {"continue_cli"}
"""The agents that write no thoughts."""

PASSED_OVER = {"qwen_code/compact": {("call_0002", "run_shell_command")}}
"""Calls that an agent has passed over, and written nowhere: it was asked for a summary, and called a tool."""

GROWING = (
    "continue_cli/resume",
    "copilot/subagent",
    "droid/resume",
    "kimi_code/errors",
    "qwen_code/resume",
    "qwen_code/subagent_bg",
)
"""The runs that are imported while they grow."""

CAME_OF = {
    "copilot/edits": {
        "failed no_match": 1,
        "failed not_found": 1,
        "failed schema_error": 4,
        "failed unknown_action": 1,
        "failed several_matches": 1,
    },
    "copilot/exit3": {"failed command_failed": 1},
    "copilot/resume": {"succeeded": 1, "failed command_failed": 1},
    "copilot/subagent": {"succeeded": 1, "failed command_failed": 1},
    "copilot/timeout": {"succeeded": 1, "denied command_refused": 1, "failed command_failed": 1},
    "continue_cli/errors": {
        "failed unknown_action": 1,
        "failed schema_error": 1,
        "failed not_found": 1,
        "failed not_read": 1,
        "succeeded": 2,  # one of them ended with 4, of which nothing is written where standard error is empty
    },
    "continue_cli/exit3": {"failed command_failed": 1},
    "continue_cli/good": {"succeeded": 1},
    "continue_cli/resume": {"succeeded": 3},
    "droid/errors": {
        "failed unknown_action": 1,
        "failed schema_error": 1,
        "failed not_found": 1,
        "failed no_match": 1,
        "succeeded": 1,
        "failed command_failed": 1,
    },
    "droid/good": {"succeeded": 1},
    "droid/resume": {"succeeded": 1, "failed command_failed": 1},
    "kimi_code/errors": {
        "failed unknown_action": 1,
        "failed schema_error": 1,
        "failed not_found": 1,
        "failed no_match": 1,
        "succeeded": 1,
        "failed command_failed": 1,
    },
    "kimi_code/good": {"succeeded": 1},
    "kimi_code/resume": {"succeeded": 2, "failed command_failed": 1},
    "kimi_code/subagent": {"succeeded": 1, "failed command_failed": 1},
    "qwen_code/compact": {"succeeded": 1},
    "qwen_code/cut": {"succeeded": 1},
    "qwen_code/empty": {},
    "qwen_code/good": {"succeeded": 1},
    "qwen_code/malformed": {},
    "qwen_code/resume": {"succeeded": 2, "failed command_failed": 1},
    "qwen_code/subagent_bg": {"succeeded": 1, "failed command_failed": 1},
    "qwen_code/timeout": {"denied command_refused": 1, "timed_out timeout": 1},
}
"""What came of the calls of a run, counted."""


def name_of(run):
    return f"{run.parent.name}/{run.name}"


def files_of(run):
    """The session files of a run; what lies beside them is read with them."""
    kind = "*.json" if run.parent.name == "continue_cli" else "*.jsonl"
    return [path for path in sorted(run.rglob(kind)) if path.name != "truth.json"]


@cache
def items_of(run):
    """What is read of a run; a message that is copied into a fork counts once."""
    source = source_named(run.parent.name)
    return tuple(item for path in files_of(run) for item in source.read(path, None))


def turns_of(run):
    found = {}
    for item in items_of(run):
        if isinstance(item, RecordedSession):
            for turn in item.turns:
                found.setdefault(turn.external_id, turn)
    return list(found.values())


@pytest.mark.parametrize("run", RUNS, ids=name_of)
def test_a_run_is_known_for_what_it_is(run):
    """Each file by its content, and for sure; no other format takes it for its own as surely."""
    for path in files_of(run):
        surest, *others = recognised(sample_of(path))
        assert (surest.source.name, surest.sureness) == (run.parent.name, 1.0)
        assert all(other.sureness < 1 for other in others)


@pytest.mark.parametrize("run", RUNS, ids=name_of)
def test_a_run_holds_what_the_model_sent(run):
    """Every response with its tokens once, with its calls, its words and its thoughts; nothing is unknown or refused."""
    sent, turns = json.loads((run / "truth.json").read_text()), turns_of(run)
    output = Counter(each["output"] for each in sent if each["output"] is not None)
    read = Counter(turn.usage.output_tokens for turn in turns if turn.usage.output_tokens is not None)
    assert read == output or (run.parent.name in WITHOUT_TOKENS and not read)
    calls = Counter(tuple(call) for each in sent for call in each["calls"] if each["output"] is not None)
    calls -= Counter(PASSED_OVER.get(name_of(run), ()))
    assert Counter((call.call_id, call.name) for turn in turns for call in turn.calls) == calls
    told = {each["text"] for each in sent if each["output"] is not None}
    assert told <= {turn.text for turn in turns}
    thoughts = {each["thinking"] for each in sent if each["output"]} - {""}
    assert thoughts <= {turn.reasoning for turn in turns} or run.parent.name in WITHOUT_THOUGHTS
    unknown = [
        item
        for item in items_of(run)
        if isinstance(item, LeftOut) and item.reason is LeftOutReason.UNKNOWN_KIND
    ]
    assert not unknown
    assert not [item for item in items_of(run) if isinstance(item, Refusal)]


@pytest.mark.parametrize("run", RUNS, ids=name_of)
def test_what_came_of_its_calls(run):
    """A failure is a failure, whatever its flag says."""
    wordings = source_named(run.parent.name).wordings
    found = Counter(
        f"{came.status} {came.reason or ''}".strip()
        for turn in turns_of(run)
        for came in (judged(with_end_told(result), wordings) for result in turn.results)
    )
    assert found == CAME_OF[name_of(run)]


@pytest.mark.parametrize("run", [RECORDINGS / name for name in GROWING], ids=name_of)
def test_a_run_that_is_imported_while_it_grows_is_the_same(run, tmp_path):
    """Half of each file, then all of it, then all of it again: what a ledger holds is as if it had been read once."""
    held = []
    for name, parts in (("once", (1,)), ("grown", (0.5, 1, 1))):
        with open_ledger(tmp_path / f"{name}.duckdb") as ledger:
            for part in parts:
                copy = tmp_path / name
                for path in files_of(run):
                    target = copy / path.relative_to(run)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    lines = path.read_text().splitlines(keepends=True)
                    is_document = path.suffix == ".json"
                    target.write_text(
                        "".join(lines if is_document else lines[: max(1, round(len(lines) * part))])
                    )
                import_path([copy], ledger)
            turns = ledger.sql("SELECT text, output_tokens, call_count FROM turns ORDER BY ALL").fetchall()
            ran = ledger.sql("SELECT status, reason FROM executions ORDER BY ALL").fetchall()
            held.append((turns, ran))
    assert held[0] == held[1]
