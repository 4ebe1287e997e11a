"""Kimi Code's wire: steps that failed or were killed, forks, and turns of many steps."""

import json

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports.formats.kimi_code import read
from actionledger.imports.sources.base import LeftOut

USAGE = {"inputOther": 7, "output": 5, "inputCacheRead": 3, "inputCacheCreation": 0}
BEGUN = {"type": "metadata", "protocol_version": "1.5"}
TOOK = {"type": "usage.record", "usageScope": "turn", "usage": USAGE, "time": 1}


def event(kind, step, **fields):
    named = {"uuid": step} if kind.startswith("step") else {"stepUuid": step}
    return {"type": "context.append_loop_event", "event": {"type": kind, **named, **fields}, "time": 1}


def text(step):
    return event("content.part", step, part={"type": "text", "text": f"I do {step}."})


@pytest.fixture
def wire(tmp_path):
    """Writes a session's wire and state, and returns what is read of it."""

    def of(*lines, **state):
        folder = tmp_path / "wd/session_1"
        path = folder / "agents/main/wire.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line) + "\n" for line in (BEGUN, *lines)))
        (folder / "state.json").write_text(json.dumps(state))
        return list(read(path))

    return of


def sessions(items):
    return [item for item in items if isinstance(item, RecordedSession)]


def turns(items):
    return [turn for session in sessions(items) for turn in session.turns]


def test_a_step_that_failed_without_an_answer_is_no_turn(wire):
    items = wire(text("a"), event("step.end", "a", usage=USAGE), event("step.end", "b", finishReason="error"))
    assert [turn.text for turn in turns(items)] == ["I do a."]
    assert LeftOutReason.NO_RESPONSE in {each.reason for each in items if isinstance(each, LeftOut)}


def test_a_step_that_was_killed_has_the_tokens_that_were_noted_before(wire):
    first, second = turns(
        wire(event("step.begin", "a"), TOOK, text("a"), event("step.begin", "b"), text("b"))
    )
    assert (first.usage.input_tokens, first.usage.output_tokens, first.usage.cached_tokens) == (10, 5, 3)
    assert second.usage.output_tokens is None


def test_a_fork_names_its_origin(wire):
    (session,) = sessions(wire(text("a"), forkedFrom="session_0"))
    assert (session.parent, session.relation) == ("session_0", Relation.FORK)


def test_calls_of_a_long_turn_are_as_they_were_written_though_these_come_at_its_end(wire):
    steps = [f"step-{number}" for number in range(120)]
    made = [event("tool.call", step, toolCallId=step, name="Bash", args={}) for step in steps]
    ends = [event("step.end", step, usage=USAGE, messageId=step) for step in steps]
    written = [
        {"type": "agent.message.appended", "message": {"message": {"toolCalls": [{"id": step, "arguments": '{"a'}]}, "meta": {"messageId": step}}}
        for step in steps
    ]  # fmt: skip
    found = turns(wire(*[each for pair in zip(made, ends, strict=True) for each in pair], *written))
    assert {turn.capture for turn in found} == {Capture.ARGUMENTS}
    assert [turn.calls[0].arguments for turn in found] == ['{"a'] * 120
