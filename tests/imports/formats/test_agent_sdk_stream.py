"""The Claude Agent SDK's stream: blocks of one message are one turn, and what was refused has somebody who did."""

import json

import pytest
from given_items import sessions

from actionledger.core.vocabulary import LeftOutReason, Reason, Relation
from actionledger.imports.formats.agent_sdk_stream import SOURCE, read
from actionledger.imports.sources.base import LeftOut
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged

INIT = {
    "type": "system",
    "subtype": "init",
    "session_id": "s1",
    "model": "opus",
    "tools": ["Bash"],
    "cwd": "/w",
}
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "session_id": "s1",
    "total_cost_usd": 0.5,
    "usage": {"output_tokens": 40},
}


def said(*blocks, name="msg_1", parent=None):
    usage = {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 1}
    message = {"id": name, "model": "opus", "role": "assistant", "content": list(blocks), "usage": usage}
    return {"type": "assistant", "message": message, "parent_tool_use_id": parent, "session_id": "s1"}


def text(words):
    return {"type": "text", "text": words}


def call(name):
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "ls"}}


def came(name, words="a", parent=None, **fields):
    content = [{"type": "tool_result", "tool_use_id": name, "content": words, **fields}]
    return {
        "type": "user",
        "message": {"role": "user", "content": content},
        "parent_tool_use_id": parent,
        "session_id": "s1",
    }


@pytest.fixture
def items(tmp_path):
    """Writes a stream, as lines or with directions, and returns what is read of it."""

    def of(*messages, document=False):
        path = tmp_path / "stream.json"
        if document:
            path.write_text(
                json.dumps(
                    {"messages": [{"direction": "recv", "message": each} for each in messages]}, indent=1
                )
            )
        else:
            path.write_text("".join(json.dumps(each) + "\n" for each in messages))
        assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [
            ("agent_sdk_stream", 1)
        ]
        return list(read(path))

    return of


@pytest.mark.parametrize("document", [False, True])
def test_blocks_of_one_message_are_one_turn(items, document):
    """Its tokens count once; those that it wrote are not known, and the session's total is."""
    (session,) = sessions(
        items(
            INIT,
            said(text("I look.")),
            said(call("t1")),
            came("t1"),
            said(text("One."), name="msg_2"),
            RESULT,
            document=document,
        )
    )
    first, second = session.turns
    assert (first.text, [each.at for each in first.calls], second.text) == ("I look.", [7], "One.")
    assert (first.usage.input_tokens, first.usage.output_tokens) == (7, None)
    assert (session.external_id, session.success, session.reason) == ("s1", True, "success")
    assert session.metadata == {"cwd": "/w", "tools": ["Bash"], "cost_usd": 0.5, "output_tokens": 40}


def test_one_message_has_written_all_of_it(items):
    """Then the result's total is the turn's."""
    (session,) = sessions(items(INIT, said(text("Hi")), RESULT))
    assert session.turns[0].usage.output_tokens == 40


def test_stream_events_say_what_each_message_wrote(items):
    begun = {
        "type": "stream_event",
        "event": {"type": "message_start", "message": {"id": "msg_1"}},
        "session_id": "s1",
    }
    done = {
        "type": "stream_event",
        "event": {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use"},
            "usage": {"output_tokens": 30},
        },
        "session_id": "s1",
    }
    (session,) = sessions(items(INIT, begun, said(call("t1")), done, said(text("x"), name="msg_2"), RESULT))
    assert (session.turns[0].usage.output_tokens, session.turns[0].usage.finish_reason) == (30, "tool_use")


def test_what_a_person_or_a_hook_has_refused_is_denied(items):
    """Told by what the program asked and what it was answered, or by the result."""

    def asked(number, call_id, answer):
        request = {"subtype": "can_use_tool", "tool_use_id": call_id}
        yield {"type": "control_request", "request_id": number, "request": request}
        yield {"type": "control_response", "response": {"request_id": number, "response": answer}}

    denied = RESULT | {"permission_denials": [{"tool_use_id": "t3"}]}
    (session,) = sessions(
        items(
            INIT,
            said(call("t1"), call("t2"), call("t3"), call("t4")),
            *asked("r1", "t1", {"behavior": "deny"}),
            *asked("r2", "t2", {"hookSpecificOutput": {"permissionDecision": "deny"}}),
            *asked("r4", "t4", {"behavior": "allow"}),
            *(came(f"t{number}", "no", is_error=number < 4) for number in (1, 2, 3, 4)),
            denied,
        )
    )
    assert [each.refused_by for each in session.turns[0].results] == ["person", "hook", "policy", ""]
    assert [judged(each).reason for each in session.turns[0].results] == [
        Reason.REJECTED,
        Reason.NOT_APPROVED,
        Reason.NOT_APPROVED,
        None,
    ]


def test_who_let_a_call_run_stands_beside_its_result(items):
    told = {
        "id": "t1",
        "permission_decision": {"decision": "accept", "source": "config", "reason_type": "mode"},
    }
    (session,) = sessions(
        items(INIT, said(call("t1")), came("t1", "ok") | {"tool_result_meta": [told]}, RESULT)
    )
    permission = session.turns[0].results[0].permission
    assert permission is not None
    assert (permission.decision, permission.decided_by, permission.why) == ("allowed", "mode", "mode")


def test_a_sub_agent_is_a_child(items):
    """Named by the call that it is of."""
    found = sessions(
        items(INIT, said(call("t1")), said(text("Sub."), name="msg_9", parent="t1"), came("t1"), RESULT)
    )
    assert [(each.external_id, each.parent, each.relation) for each in found] == [
        ("s1", "", None),
        ("s1/t1", "s1", Relation.SUBAGENT),
    ]


def test_other_messages_are_counted(items):
    """Those of a kind that nobody knows too."""
    found = items(INIT, {"type": "rate_limit_event", "session_id": "s1"}, said(text("Hi")), RESULT)
    assert [(item.reason, item.detail) for item in found if isinstance(item, LeftOut)] == [
        (LeftOutReason.BOOKKEEPING, "rate_limit_event")
    ]


@pytest.mark.corpus
def test_a_stream_of_others_is_read_whole(corpus, counted):
    """As many messages, calls and results as it has."""
    (path,) = corpus("agents/claude-agent-sdk-stream/*.json")
    messages = [each["message"] for each in json.loads(path.read_text())["messages"]]
    answers = [each["message"] for each in messages if each["type"] == "assistant"]
    found = counted(SOURCE.name, path)
    assert (found["turns"], found["refused"]) == (len({each["id"] for each in answers}), 0)
    assert (
        found["calls"]
        == found["results"]
        == sum(part["type"] == "tool_use" for each in answers for part in each["content"])
    )


def test_arguments_that_could_not_be_parsed_are_as_they_were_written(items):
    """The client puts the text into the place of the object."""
    raw = {"__unparsedToolInput": {"raw": '{"command": "ls', "len": 15}}
    broken = call("c") | {"input": raw}
    (turn,) = sessions(items(INIT, said(broken), came("c", "no", is_error=True), RESULT))[0].turns
    assert turn.calls[0].arguments == '{"command": "ls'
