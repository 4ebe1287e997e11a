"""Qwen Code's chats: what its transcripts say of a call, whose line is whose, and what the client has measured."""

import json

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import ExecutionStatus, LeftOutReason, Reason, Relation
from actionledger.imports.formats.qwen_code import SOURCE
from actionledger.imports.sources.base import LeftOut
from actionledger.imports.sources.wordings import judged


def line(kind, number, **fields):
    place = {
        "uuid": f"u{number}",
        "parentUuid": None,
        "sessionId": "s1",
        "timestamp": "2026-11-29T07:00:01.000Z",
    }
    return place | {"type": kind, "version": "0.24.4", "cwd": "/w"} | fields


def asked(number=0, text="Look", **fields):
    return line("user", number, message={"role": "user", "parts": [{"text": text}]}, **fields)


def said(number, *parts, **fields):
    return line("assistant", number, model="asked", message={"role": "model", "parts": list(parts)}, **fields)


def call(call_id="c1", name="run_shell_command"):
    return {"functionCall": {"id": call_id, "name": name, "args": {"command": "x"}}}


def came(number, response, **told):
    part = {"functionResponse": {"id": "c1", "name": "x", "response": response}}
    return line(
        "tool_result",
        number,
        message={"role": "user", "parts": [part]},
        toolCallResult={"callId": "c1"} | told,
    )


def measured(number, name, **fields):
    event = {"event.name": f"qwen-code.{name}", "prompt_id": "s1########0"} | fields
    return line("system", number, subtype="ui_telemetry", systemPayload={"uiEvent": event})


def sessions(items):
    return {item.external_id: item for item in items if isinstance(item, RecordedSession)}


@pytest.mark.parametrize(
    ("response", "told", "expected"),
    [
        (
            "x",
            {"status": "error", "errorType": "tool_not_registered"},
            (ExecutionStatus.FAILED, Reason.UNKNOWN_ACTION),
        ),
        (
            "x",
            {"status": "error", "errorType": "invalid_tool_params"},
            (ExecutionStatus.FAILED, Reason.SCHEMA_ERROR),
        ),
        (
            "File path must be within one of the workspace directories",
            {"status": "error", "errorType": "invalid_tool_params"},
            (ExecutionStatus.DENIED, Reason.PATH_REFUSED),
        ),
        (
            "x",
            {"status": "error", "errorType": "execution_denied"},
            (ExecutionStatus.DENIED, Reason.NOT_APPROVED),
        ),
        ("x", {"status": "error", "errorType": "brand_new"}, (ExecutionStatus.FAILED, Reason.TOOL_ERROR)),
        (
            "[Operation Cancelled] Reason: User did not allow tool call",
            {"status": "cancelled", "executionStatus": "not_started"},
            (ExecutionStatus.DENIED, Reason.REJECTED),
        ),
        (
            "[Operation Cancelled] Reason: User cancelled tool execution.",
            {"status": "cancelled", "executionStatus": "cancelled"},
            (ExecutionStatus.INTERRUPTED, Reason.STOPPED),
        ),
        ("x", {"status": "cancelled", "executionStatus": "success"}, (ExecutionStatus.SUCCEEDED, None)),
    ],
)
def test_what_came_of_a_call_is_what_its_fields_say(read_lines, response, told, expected):
    """Words say more only where a kind of error means several things."""
    items = read_lines(SOURCE, asked(), said(1, call()), came(2, {"error": response}, **told))
    (result,) = sessions(items)["s1"].turns[0].results
    assert judged(result, SOURCE.wordings)[:2] == expected


def test_a_person_who_refuses_is_told_by_what_was_measured(read_lines):
    """The result's own line doesn't say who it was."""
    items = read_lines(
        SOURCE,
        asked(),
        said(1, call()),
        measured(2, "tool_call", call_id="c1", decision="reject", duration_ms=7),
        came(3, {"error": "no"}, status="cancelled"),
    )
    (result,) = sessions(items)["s1"].turns[0].results
    assert (result.refused_by, result.duration_ms) == ("person", 7)


def test_a_title_and_a_parent_that_come_later_are_the_sessions(read_lines):
    """A session that another one has spawned is its child."""
    items = read_lines(
        SOURCE,
        asked(),
        line("system", 1, subtype="parent_session", systemPayload={"parentSessionId": "s0"}),
        said(2, {"text": "Done."}),
        line(
            "system",
            3,
            subtype="custom_title",
            systemPayload={"customTitle": "A look", "titleSource": "manual"},
        ),
    )
    found = sessions(items)["s1"]
    assert (found.parent, found.relation) == ("s0", Relation.SUBAGENT)
    assert (found.metadata["title"], found.metadata["title_source"]) == ("A look", "manual")


def test_thoughts_beside_the_output_are_a_part_of_it(read_lines):
    """Gemini's interface counts them apart, OpenAI's within; the sum tells."""
    beside = {
        "promptTokenCount": 10,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 3,
        "totalTokenCount": 18,
    }
    within = beside | {"totalTokenCount": 15}
    items = read_lines(
        SOURCE,
        asked(),
        said(1, {"text": "a"}, usageMetadata=beside),
        said(2, {"text": "b"}, usageMetadata=within),
    )
    assert [turn.usage.output_tokens for turn in sessions(items)["s1"].turns] == [8, 5]


def test_what_no_message_has_followed_is_counted(read_lines):
    """By the end of a file; and what belongs to no session, such as the request for a title."""
    items = read_lines(
        SOURCE,
        asked(),
        said(1, {"text": "Done."}),
        measured(2, "api_response", prompt_id="session-title-1", output_token_count=3),
        measured(3, "api_response", output_token_count=4),
        measured(4, "api_error", status_code=429),
    )
    left = {(item.reason, item.detail) for item in items if isinstance(item, LeftOut)}
    assert left == {
        (LeftOutReason.NO_SESSION, "session-title"),
        (LeftOutReason.NOT_RECORDED, "response"),
        (LeftOutReason.NO_RESPONSE, "api_error 429"),
    }


@pytest.mark.parametrize(
    ("beside", "model"),
    [('{"model": "asked-2"}', "asked-2"), ('{"model": 5}', ""), ("[1", ""), ("[]", ""), (None, "")],
)
def test_a_sub_agents_model_stands_in_the_file_beside_its_lines(tmp_path, beside, model):
    """It names none in them; a file that can't be read is none."""
    path = tmp_path / "agent-general-c1.jsonl"
    answer = line("assistant", 2, agentId="general-c1", isSidechain=True, message={"parts": [{"text": "x"}]})
    path.write_text("".join(json.dumps(each) + "\n" for each in (asked(agentId="general-c1"), answer)))
    if beside is not None:
        path.with_name("agent-general-c1.meta.json").write_text(beside)
    (found,) = sessions(SOURCE.read(path, None)).values()
    assert (found.parent, found.model) == ("s1", model)
