"""What came of calls of Claude Code's, by the marks of 2.1.332: who refused, what was interrupted, and what no line says."""

import json

import pytest

from actionledger.core.recordings import RecordedResult, RecordedSession
from actionledger.core.vocabulary import ExecutionStatus as Status, LeftOutReason, Reason
from actionledger.imports.formats.claude_code import SOURCE, read
from actionledger.imports.sources.wordings import judged


def line(kind: str, uuid: str, **fields) -> dict:
    place = {"sessionId": "s1", "uuid": uuid, "parentUuid": None, "timestamp": "2026-11-17T11:20:24.073Z"}
    return {"type": kind, **place, "version": "2.1.332", **fields}


def said(message: str, *blocks: dict, uuid: str = "u") -> dict:
    body = {"id": message, "model": "m-1", "role": "assistant", "content": list(blocks)}
    return line(
        "assistant", uuid + message, message=body | {"stop_reason": "tool_use", "usage": {"output_tokens": 7}}
    )


def call(name: str, **arguments) -> dict:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": arguments}


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def answered(name: str, output: str, *, is_error: bool = False, **fields) -> dict:
    block = {"type": "tool_result", "tool_use_id": name, "content": output, "is_error": is_error}
    return line("user", f"r{name}", message={"role": "user", "content": [block]}, **fields)


def asked(words: str, uuid: str = "p", **fields) -> dict:
    return line("user", uuid, message={"role": "user", "content": words}, **fields)


@pytest.fixture
def items(tmp_path):
    """Return what is read of lines."""

    def read_all(*lines: dict) -> list:
        path = tmp_path / "session.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in lines))
        return list(read(path))

    return read_all


def turns(items: list) -> list:
    return [turn for each in items if isinstance(each, RecordedSession) for turn in each.turns]


def refused(source: str) -> dict:
    return {"decision": "reject", "source": source}


@pytest.mark.parametrize(
    ("output", "fields", "expected"),
    [
        (
            "Permission to use Bash has been denied.",
            {"toolDenialKind": "permission-rule"},
            (Status.DENIED, Reason.NOT_APPROVED),
        ),
        (
            "x needs approval.",
            {"toolDenialKind": "user-rejected", "permissionDecision": refused("config")},
            (Status.DENIED, Reason.NOT_APPROVED),
        ),
        (
            "no",
            {"toolDenialKind": "user-rejected", "permissionDecision": refused("user_reject")},
            (Status.DENIED, Reason.REJECTED),
        ),
        ("no", {"toolDenialKind": "user-rejected"}, (Status.DENIED, Reason.REJECTED)),
        (
            "no pushes",
            {"toolDenialKind": "permission-rule", "permissionDecision": refused("hook")},
            (Status.DENIED, Reason.NOT_APPROVED),
        ),
        (
            "[Tool call interrupted: the session ended",
            {"toolDenialKind": "interrupted"},
            (Status.INTERRUPTED, Reason.STOPPED),
        ),
        ("[Tool call interrupted: the session ended", {}, (Status.INTERRUPTED, Reason.STOPPED)),
        (
            "<tool_use_error>Error: No such tool available: Go</tool_use_error>",
            {},
            (Status.FAILED, Reason.UNKNOWN_ACTION),
        ),
    ],
)
def test_who_refused_a_call_is_told_by_its_line(items, output, fields, expected):
    """A person only where one was asked."""
    (turn,) = turns(items(said("m", call("a")), answered("a", output, is_error=True, **fields)))
    assert judged(turn.results[0], SOURCE.wordings)[:2] == expected


def test_a_call_that_is_stopped_where_nobody_is_asked_was_not_refused(items):
    """The client words it as if a person had refused it, whose settings let every call run."""
    told = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    came = answered("a", told, is_error=True, toolDenialKind="user-rejected")
    (turn,) = turns(items(asked("Go.", permissionMode="bypassPermissions"), said("m", call("a")), came))
    assert judged(turn.results[0], SOURCE.wordings)[:2] == (Status.INTERRUPTED, Reason.STOPPED)


def test_what_was_accepted_and_failed_was_not_refused(items):
    """The line says who has decided, and what."""
    fields = {"permissionDecision": {"decision": "accept", "source": "config"}}
    (turn,) = turns(items(said("m", call("a")), answered("a", "Exit code 3", is_error=True, **fields)))
    assert judged(turn.results[0], SOURCE.wordings) == (Status.FAILED, Reason.COMMAND_FAILED, False)


def test_a_command_whose_time_was_over_goes_on_in_the_background(items):
    """It is no error there, and it did not succeed. One that was sent there comes to its end later."""
    known = {"interrupted": False, "backgroundTaskId": "b1", "timedOutAfterMs": 1500}
    (turn,) = turns(items(said("m", call("a")), answered("a", "begun", toolUseResult=known)))
    assert judged(turn.results[0], SOURCE.wordings)[:2] == (Status.TIMED_OUT, Reason.TIMEOUT)
    note = "<task-notification>\n<tool-use-id>a</tool-use-id>\n<status>{}</status>\n<summary>Background command {}</summary>"
    begun = answered("a", "running", toolUseResult={"backgroundTaskId": "b1"})
    for status, words, expected in (
        ("failed", "failed with exit code 3", (Status.FAILED, Reason.COMMAND_FAILED)),
        ("killed", "was stopped", (Status.INTERRUPTED, Reason.STOPPED)),
        ("completed", "completed (exit code 0)", (Status.SUCCEEDED, None)),
    ):
        (turn,) = turns(items(said("m", call("a")), begun, asked(note.format(status, words))))
        assert judged(turn.results[0], SOURCE.wordings)[:2] == expected


def test_arguments_that_could_not_be_parsed_are_as_they_were_written(items):
    """The whole text is kept beside its length; an argument of that name among others is one."""
    raw = {"__unparsedToolInput": {"raw": '{"command": "ls', "len": 15}}
    broken, odd = turns(items(said("m", call("a", **raw)), said("n", call("b", x=1, **raw))))
    assert broken.calls[0].arguments == '{"command": "ls'
    assert odd.calls[0].arguments == {"x": 1, **raw}


def test_requests_that_failed_are_counted_by_what_they_failed_with(items):
    errors = ({"status": 529}, {"connection": {"code": "ECONNRESET"}}, {"status": 529})
    lines = [line("system", f"e{n}", subtype="api_error", error=each) for n, each in enumerate(errors)]
    found = {(each.reason, each.detail): each.count for each in items(*lines, said("m", text("ok")))[1:]}
    assert found == {
        (LeftOutReason.NO_RESPONSE, "api_error 529"): 2,
        (LeftOutReason.NO_RESPONSE, "api_error ECONNRESET"): 1,
    }


def test_an_answer_that_was_cut_off_says_so(items):
    """Its line says that it has ended: the client's note behind it does not."""
    note = asked(
        "Your response above was cut off mid-stream. Resume directly from where it stops.", isMeta=True
    )
    cut, rest = turns(items(said("m", text("I be")), note, said("n", text("gan"))))
    assert (cut.usage.finish_reason, rest.usage.finish_reason) == ("error", "tool_use")


def test_an_empty_answer_has_no_line_but_a_note(items):
    """It is a turn, unless the answer before the note is there: one of thoughts alone."""
    note = "[Your previous response had no visible output. Please continue.]"
    thought = {"type": "thinking", "thinking": "Hm."}
    empty, done = turns(items(asked("Go."), asked(note, isMeta=True, uuid="n1"), said("m", text("Done."))))
    assert (empty.text, empty.prompt, empty.external_id, done.text) == ("", "Go.", "n1", "Done.")
    thinking, done = turns(
        items(asked("Go."), said("m", thought), asked(note, isMeta=True), said("n", text("Done.")))
    )
    assert (thinking.reasoning, done.text) == ("Hm.", "Done.")


def test_two_calls_of_one_identifier_are_two(items):
    """Both have run, and each has its result."""
    lines = (said("m", call("a", command="one"), uuid="u1"), said("m", call("a", command="two"), uuid="u2"))
    (turn,) = turns(items(*lines, answered("a", "1"), answered("a", "2")))
    assert [each.arguments["command"] for each in turn.calls] == ["one", "two"]
    assert [each.output for each in turn.results] == ["1", "2"]
    assert isinstance(turn.results[0], RecordedResult)


def attachment(uuid: str, kind: str, tool: str, name: str) -> dict:
    said = {"type": kind, "toolUseID": tool, "hookName": name, "hookEvent": name.partition(":")[0]}
    return line("attachment", uuid, attachment=said)


def test_hooks_stand_beside_the_call_that_they_ran_for(items) -> None:
    """Before its result and behind it; those of a session's beginning are its bookkeeping."""
    found = items(
        attachment("h0", "hook_success", "start", "SessionStart:startup"),
        asked("Go."),
        said("m1", call("t1", command="ls")),
        attachment("h1", "hook_success", "t1", "PreToolUse:Bash"),
        answered("t1", "ok", permissionDecision={"decision": "accept", "source": "hook"}),
        attachment("h2", "hook_non_blocking_error", "t1", "PostToolUse:Bash"),
        said("m2", text("Done.")),
    )
    (result,) = turns(found)[0].results
    assert result.permission is not None
    assert (result.permission.decision, result.permission.decided_by) == ("allowed", "hook")
    assert result.permission.hooks == ("PreToolUse:Bash succeeded", "PostToolUse:Bash failed")
    left_out = {
        (each.reason, each.detail): each.count for each in found if not isinstance(each, RecordedSession)
    }
    assert left_out == {(LeftOutReason.BOOKKEEPING, "attachment"): 1}
