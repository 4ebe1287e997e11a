"""VS Code's chats: a document, and a log of its changes."""

import json

import pytest
from given_items import left_out

from actionledger.core.errors import SourceError
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason
from actionledger.imports.formats.vscode_chat import read
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.registry import recognised, sample_of


def made(name, call_id, arguments="{}"):
    return {"id": call_id, "name": name, "arguments": arguments}


def shown(call_id, **fields):
    return {"kind": "toolInvocationSerialized", "toolCallId": call_id, "toolId": "x", **fields}


REQUEST = {
    "requestId": "request_1",
    "timestamp": 1770000000000,
    "message": {"text": "Run the tests.", "parts": []},
    "modelId": "copilot/gpt-5.5",
    "response": [
        shown(
            "c1",
            toolSpecificData={"kind": "terminal", "terminalCommandState": {"exitCode": 1, "duration": 12}},
        ),
        shown("c2", isConfirmed={"type": 0}),
        shown("c3", resultDetails={"input": "{}", "isError": True, "output": []}),
        {"value": "Done."},
    ],
    "modelState": {"value": 1},
    "result": {
        "metadata": {
            "toolCallRounds": [
                {
                    "id": "round_1",
                    "response": "I run them.",
                    "thinking": {"id": "t", "text": ["Which", "ones?"]},
                    "timestamp": 1770000001000,
                    "toolCalls": [
                        made("run_in_terminal", "c1", '{"command": "pytest"}'),
                        made("run_in_terminal", "c2", '{"command": "rm a"}'),
                        made("mcp_lab_look", "c3"),
                        made("read_file", "c4", '{"filePath": "a'),
                    ],
                },
                {"id": "round_2", "response": "Done.", "toolCalls": []},
            ],
            "toolCallResults": {
                "c1": {"content": [{"$mid": 21, "value": "1 failed"}]},
                "c3": {
                    "content": [
                        {
                            "$mid": 23,
                            "value": {
                                "node": {
                                    "children": [{"type": 2, "text": "no"}, {"children": [{"text": " way"}]}]
                                }
                            },
                        }
                    ]
                },
            },
        }
    },
}
ASKED = {
    "requestId": "request_2",
    "timestamp": 1770000005000,
    "message": {"text": "Why?"},
    "modelId": "copilot/gpt-5.5",
    "responseId": "response_2",
    "response": [
        {"kind": "thinking", "value": "Hm."},
        {"value": "Beca"},
        shown("c9"),
        {"kind": "undoStop", "id": "u"},
    ],
    "modelState": {"value": 2},
}
CHAT = {
    "version": 3,
    "sessionId": "s-1",
    "creationDate": 1770000000000,
    "customTitle": "Tests",
    "responderUsername": "GitHub Copilot",
    "initialLocation": "panel",
    "requests": [REQUEST, ASKED],
}


def written(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def session(items):
    (found,) = [each for each in items if isinstance(each, RecordedSession)]
    return found


@pytest.fixture
def document(tmp_path):
    (tmp_path / "workspace.json").write_text('{"folder": "file:///home/ada/my%20app"}')
    return written(tmp_path / "chatSessions" / "s-1.json", CHAT)


def test_each_round_of_a_request_is_a_response(document):
    """With its calls as the model wrote them, what its model was told, and how the chat shows that a tool ended."""
    assert [(each.source.name, each.sureness) for each in recognised(sample_of(document))] == [
        ("vscode_chat", 1)
    ]
    items = list(read(document))
    found = session(items)
    one, two, three = found.turns
    assert (one.prompt, one.text, one.reasoning) == ("Run the tests.", "I run them.", "Which\n\nones?")
    assert [(call.name, call.arguments) for call in one.calls][-1] == ("read_file", '{"filePath": "a')
    ended, denied, refused = one.results
    assert (ended.output, ended.exit_status, ended.duration_ms) == ("1 failed", 1, 12)
    assert (denied.output, denied.status, denied.reason) == (None, ExecutionStatus.DENIED, Reason.REJECTED)
    assert (refused.output, refused.is_error) == ("no way", True)
    assert (two.text, two.capture, two.model, two.feedback) == ("Done.", Capture.ARGUMENTS, "gpt-5.5", "Why?")
    assert (three.text, three.reasoning, three.usage.finish_reason) == ("Beca", "Hm.", "cancelled")
    assert (found.details.title, found.details.project, found.details.aborted) == (
        "Tests",
        "/home/ada/my app",
        "cancelled",
    )
    assert left_out(items) == {
        (LeftOutReason.NO_CALL, "toolInvocationSerialized"): 1,
        (LeftOutReason.BOOKKEEPING, "undoStop"): 1,
    }


def test_a_log_is_the_document_that_its_lines_make(document, tmp_path):
    """They set, append, cut off and delete; a line that fits nowhere is refused, and the others count."""
    begun = {**CHAT, "requests": [], "customTitle": None}
    log = written(
        tmp_path / "chatSessions" / "s-1.jsonl",
        {"kind": 0, "v": begun},
        {"kind": 1, "k": ["customTitle"], "v": "Tests"},
        {"kind": 2, "k": ["requests"], "v": [{**REQUEST, "result": None}, {"requestId": "gone"}]},
        {"kind": 1, "k": ["requests", 0, "result"], "v": REQUEST["result"]},
        {"kind": 2, "k": ["requests"], "v": [ASKED], "i": 1},
        {"kind": 1, "k": ["requests", 7, "vote"], "v": 1},
        {"kind": 3, "k": ["hasPendingEdits"]},
    )
    assert [each.source.name for each in recognised(sample_of(log))] == ["vscode_chat"]
    items = list(read(log))
    assert session(items) == session(read(document))
    assert [(each.line, each.reason) for each in items if isinstance(each, Refusal)] == [
        (6, "The line changes a part of the chat that isn't there.")
    ]


def test_an_export_has_names_of_its_requests_alone(tmp_path):
    """Its session is named by the first one, so that two exports of one name are two sessions."""
    answer = {"kind": "markdownContent", "content": {"value": "Because."}}
    export = {
        "responderUsername": "GitHub Copilot",
        "initialLocation": "panel",
        "requests": [
            {"requestId": "request_7", "message": {"text": "Why?"}, "response": [answer], "isCanceled": True}
        ],
    }
    path = written(tmp_path / "chat.json", export)
    assert [each.source.name for each in recognised(sample_of(path))] == ["vscode_chat"]
    found = session(read(path))
    (turn,) = found.turns
    assert (found.external_id, turn.external_id, turn.text) == ("request_7", "request_7", "Because.")
    assert turn.usage.finish_reason == "cancelled"


def test_a_request_without_an_answer_is_counted(tmp_path):
    failed = {
        "message": "Hi",
        "response": [],
        "result": {"errorDetails": {"message": "Quota", "code": "quotaExceeded"}},
    }
    items = list(read(written(tmp_path / "a.json", {**CHAT, "requests": [failed]})))
    assert left_out(items) == {(LeftOutReason.NO_RESPONSE, "quotaExceeded"): 1}


@pytest.mark.parametrize("lines", [[{"a": 1}], [[]], [{"kind": 0, "v": 5}, {"kind": 1, "k": ["a"], "v": 1}]])
def test_what_is_no_chat_is_refused(tmp_path, lines):
    with pytest.raises(SourceError, match="holds no requests"):
        list(read(written(tmp_path / "a.jsonl", *lines)))
