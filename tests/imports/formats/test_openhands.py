"""Recordings of OpenHands: events of one answer are a turn, whatever they look like in its versions."""

import json

import pytest
from given_items import left_out, sessions

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason
from actionledger.imports.formats.openhands import SOURCE, read
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged

ASKED = {"id": 0, "source": "user", "action": "message", "args": {"content": "Mend it."}}


def made(call: str, *calls: str, answer: str = "r1") -> dict:
    parts = [
        {"id": each, "type": "function", "function": {"name": "run", "arguments": f'{{"of": "{each}"}}'}}
        for each in calls or (call,)
    ]
    message = {"role": "assistant", "content": "I look.", "tool_calls": parts}
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    response = {"id": answer, "model": "m", "choices": [{"message": message}], "usage": usage}
    return {"tool_call_metadata": {"tool_call_id": call, "model_response": response}}


def acted(number: int, **fields) -> dict:
    return {
        "id": number,
        "source": "agent",
        "action": "run",
        "args": {"command": "ls", "thought": "Hm."},
    } | fields


def observed(number: int, cause: int | None = None, content: str = "ok", **fields) -> dict:
    known = {} if cause is None else {"cause": cause}
    return {"id": number, "source": "agent", "observation": "run", "content": content} | known | fields


@pytest.fixture
def items(tmp_path):
    """Return what is read of a document, or of lines."""

    def read_all(whole: object, *lines: object) -> list:
        path = tmp_path / ("output.jsonl" if lines or isinstance(whole, dict) else "trajectory.json")
        path.write_text("".join(json.dumps(each) + "\n" for each in (whole, *lines)))
        assert recognised(sample_of(path))[0].source is SOURCE
        return list(read(path))

    return read_all


def test_actions_of_one_answer_are_one_turn(items):
    """With the arguments as written, the tokens once, and each observation at its call."""
    both = ("a", "b")
    (session,) = sessions(
        items(
            [
                {
                    "id": 9,
                    "action": "system",
                    "args": {"content": "Be brief.", "tools": [{"type": "function"}]},
                },
                ASKED,
                acted(1, **made("a", *both)),
                acted(3, **made("b", *both)),
                observed(5, 3, "two", extras={"metadata": {"exit_code": 1}}),
                observed(6, 1, "one", extras={"metadata": {"exit_code": -1}}),
            ]
        )
    )
    (turn,) = session.turns
    assert (turn.external_id, turn.text, turn.capture, turn.model) == (
        "r1",
        "I look.",
        Capture.ARGUMENTS,
        "m",
    )
    assert [call.arguments for call in turn.calls] == ['{"of": "a"}', '{"of": "b"}']
    assert [(each.call_id, each.output, each.exit_status) for each in turn.results] == [
        ("b", "two", 1),
        ("a", "one", None),
    ]
    assert (turn.usage.input_tokens, turn.usage.output_tokens) == (7, 3)
    assert (turn.prompt, turn.tools, session.task) == (
        "Be brief.\n\nMend it.",
        '[{"type":"function"}]',
        "Mend it.",
    )


def test_older_actions_are_what_they_were_parsed_to(items):
    """Without identifiers an observation is of the action before it; pairs are the same."""
    history = [
        {"action": "message", "content": "Mend it.", "wait_for_response": False},
        {
            "action": "run",
            "command": "ls",
            "thought": "I look.",
            "keep_prompt": True,
            "is_confirmed": "confirmed",
        },
        {"observation": "run", "content": "no", "command": "ls", "exit_code": 2},
        {"action": "message", "content": "What now?", "wait_for_response": True},
    ]
    line = {
        "instance_id": "repo-1",
        "history": history,
        "metrics": {"accumulated_cost": 0.5},
        "success": True,
    }
    (plain,) = sessions(items(line))
    (paired,) = sessions(items(line | {"history": [history[:1], history[1:3], history[3:]]}))
    assert plain.turns == paired.turns
    assert [(turn.text, turn.capture) for turn in plain.turns] == [
        ("I look.", Capture.CALLS),
        ("What now?", Capture.CALLS),
    ]
    assert plain.turns[0].calls[0].arguments == {"command": "ls"}
    assert plain.turns[0].results[0].exit_status == 2
    assert (plain.success, plain.metadata["cost_usd"]) == (True, 0.5)


def test_what_is_no_response_is_counted(items):
    """States, what the runtime looked up, what was cut from the history, what a person ran."""
    found = items(
        [
            ASKED,
            {
                "id": 1,
                "source": "environment",
                "observation": "agent_state_changed",
                "content": "",
                "extras": {},
            },
            {"id": 2, "source": "user", "action": "recall", "args": {}},
            {"id": 3, "source": "agent", "action": "condensation", "args": {}},
            acted(4, source="user"),
            observed(5, 77),
            acted(6, **made("a")),
            observed(7, 6, "No.", observation="user_rejected"),
        ]
    )
    assert left_out(found) == {
        (LeftOutReason.BOOKKEEPING, "agent_state_changed"): 1,
        (LeftOutReason.INJECTED_CONTEXT, "recall"): 1,
        (LeftOutReason.COMPACTED, "condensation"): 1,
        (LeftOutReason.MADE_BY_CLIENT, "run"): 1,
        (LeftOutReason.NO_CALL, "run"): 1,
    }
    (result,) = sessions(found)[0].turns[0].results
    assert judged(result, SOURCE.wordings)[:2] == (ExecutionStatus.DENIED, Reason.REJECTED)


def test_a_growing_stream_is_the_same_session(items):
    """It is known by what it begins with."""
    begin = [ASKED, acted(1, **made("a")), observed(2, 1)]
    (one,) = sessions(items(begin))
    (longer,) = sessions(items([*begin, acted(3, **made("b", answer="r2"))]))
    (other,) = sessions(items([ASKED | {"args": {"content": "Break it."}}, *begin[1:]]))
    assert one.external_id == longer.external_id != other.external_id


V1 = {"timestamp": "2026-02-05T11:24:47.142819", "source": "agent"}


def v1_action(call: str, answer: str, **fields) -> dict:
    tool = {"id": call, "name": "terminal", "arguments": '{"command":"ls"}'}
    whole = {"id": f"e-{call}", "kind": "ActionEvent", "tool_call_id": call, "tool_call": tool}
    return V1 | whole | {"tool_name": "terminal", "llm_response_id": answer, "thought": []} | fields


def v1_seen(call: str, **fields) -> dict:
    seen = {"content": [{"type": "text", "text": "ok"}], "is_error": False, "exit_code": 0} | fields
    return V1 | {"id": f"o-{call}", "kind": "ObservationEvent", "tool_call_id": call, "observation": seen}


def v1_said(source: str, text: str, **fields) -> dict:
    message = {"content": [{"type": "text", "text": text}]}
    return V1 | {"id": f"m-{text}", "kind": "MessageEvent", "source": source, "llm_message": message} | fields


def test_a_conversation_that_a_stream_holds_twice_is_there_once(items):
    """Each event by its identifier: a text, a thought, a prompt."""
    events = [v1_said("user", "Look."), v1_said("agent", "I look."), v1_action("a", "r1"), v1_seen("a")]
    (once,) = sessions(items(*events))
    found = items(*events, *events)
    assert [(each.text, each.prompt, each.calls) for each in sessions(found)[0].turns] == [
        (each.text, each.prompt, each.calls) for each in once.turns
    ]
    assert left_out(found) == {(LeftOutReason.DUPLICATE, "event"): 2}


def test_a_conversations_folder_is_one_session(tmp_path):
    """Its state says what each response took; its events lie beside it in the order of their numbers."""
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "cache_read_tokens": 2, "response_id": "r1"}
    metrics = {"token_usages": [usage], "response_latencies": [{"response_id": "r1", "latency": 1.5}]}
    state = {
        "id": "c1", "agent": {"llm": {"model": "m"}}, "workspace": {}, "execution_status": "finished",
        "stats": {"usage_to_metrics": {"agent": metrics}},
    }  # fmt: skip
    prompt = {
        "id": "p",
        "kind": "SystemPromptEvent",
        "system_prompt": {"text": "Be brief."},
        "tools": [{"title": "terminal"}],
    }
    events = [
        prompt, v1_said("user", "Mend it."),
        v1_action("a", "r1", thought=[{"text": "I look."}], reasoning_content="Hm."),
        v1_action("b", "r1"), v1_seen("b"), v1_seen("a", exit_code=1),
        v1_said("agent", "Done.", llm_response_id="r2"),
        V1 | {"id": "u", "kind": "ConversationStateUpdateEvent"},
    ]  # fmt: skip
    (tmp_path / "events").mkdir()
    for number, event in enumerate(events):
        (tmp_path / f"events/event-{number:05}-x.json").write_text(json.dumps(event))
    path = tmp_path / "base_state.json"
    path.write_text(json.dumps(state))
    assert recognised(sample_of(path))[0].source is SOURCE
    found = list(read(path))
    (session,) = sessions(found)
    look, done = session.turns
    assert (session.external_id, session.model, session.reason) == ("c1", "m", "finished")
    assert (look.external_id, look.text) == ("r1", "I look.")
    assert (look.prompt, done.text) == ("Be brief.\n\nMend it.", "Done.")
    assert [(each.call_id, each.exit_status) for each in look.results] == [("b", 0), ("a", 1)]
    assert (look.usage.input_tokens, look.usage.cached_tokens, look.usage.latency_ms) == (9, 2, 1500)
    assert (look.reasoning, done.reasoning) == ("Hm.", "")
    assert left_out(found) == {(LeftOutReason.BOOKKEEPING, "ConversationStateUpdateEvent"): 1}


@pytest.mark.parametrize(
    ("event", "status", "reason"),
    [
        (
            {"kind": "AgentErrorEvent", "observation": None, "error": "Tool 'x' not found. Available: ['y']"},
            "failed",
            Reason.UNKNOWN_ACTION,
        ),
        (
            {"kind": "AgentErrorEvent", "observation": None, "error": "Error validating args {}"},
            "failed",
            Reason.SCHEMA_ERROR,
        ),
        ({"kind": "UserRejectObservation", "rejection_reason": "No."}, "denied", Reason.REJECTED),
        ({"observation": {"timeout": True, "content": "x"}}, "timed_out", Reason.TIMEOUT),
    ],
)
def test_what_did_not_succeed_has_its_reason(event, status, reason, items):
    """By its kind, its fields and its words, in that order."""
    (session,) = sessions(items(v1_action("a", "r1"), v1_seen("a") | event))
    found = judged(session.turns[0].results[0], SOURCE.wordings)
    assert (found.status, found.reason, found.is_inferred) == (ExecutionStatus(status), reason, False)


def test_a_thought_that_stands_in_the_text_too_is_told_once(items):
    """Some models write it there."""
    action = v1_action("a", "r1", thought=[{"text": "<think>Hm.</think>"}], reasoning_content="Hm.")
    (session,) = sessions(items(action, v1_seen("a")))
    assert session.turns[0].text == "<think>Hm.</think>"


def test_a_state_without_its_events_says_so(tmp_path):
    """And an event that is cut is refused, with the rest read."""
    path = tmp_path / "base_state.json"
    path.write_text(json.dumps({"id": "c1", "agent": {}, "workspace": {}, "execution_status": "idle"}))
    assert ["no event beside" in each.reason for each in read(path) if isinstance(each, Refusal)] == [True]
    (tmp_path / "events").mkdir()
    (tmp_path / "events/event-00000-x.json").write_text("{cut")
    (tmp_path / "events/event-00001-x.json").write_text(json.dumps(v1_said("agent", "Done.")))
    found = list(read(path))
    assert [type(each) for each in found] == [Refusal, RecordedSession]
    assert len(found[1].turns) == 1


def test_an_event_of_a_folder_is_read_with_those_beside_it(tmp_path):
    """So that a folder whose files are all taken in gives each event once."""
    (tmp_path / "c1/events").mkdir(parents=True)
    files = [tmp_path / f"c1/events/event-0000{number}-x.json" for number in (0, 1)]
    for number, file in enumerate(files):
        file.write_text(json.dumps(v1_said("agent", f"Done {number}.")))
    (session,) = list(read(files[0]))
    assert (session.external_id, len(session.turns)) == ("c1", 2)
    assert left_out(list(read(files[1]))) == {(LeftOutReason.DUPLICATE, "event"): 1}
    state = {"id": "c1", "agent": {}, "workspace": {}, "execution_status": "idle"}
    (tmp_path / "c1/base_state.json").write_text(json.dumps(state))
    assert left_out(list(read(files[0]))) == {(LeftOutReason.DUPLICATE, "event"): 1}
    assert len(sessions(list(read(tmp_path / "c1/base_state.json")))[0].turns) == 2
