"""Gemini CLI's chats: documents and lines, what came of a call in the same message, and what grew."""

import json

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason, Relation
from actionledger.imports.formats.gemini_cli import SOURCE, read
from actionledger.imports.sources.base import LeftOut, Refusal
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.imports.sources.wordings import judged

HEAD = {"sessionId": "s1", "projectHash": "ab", "startTime": "2026-01-10T02:08:26.108Z"}
ASK = {"id": "u1", "type": "user", "content": [{"text": "Look"}]}


def call(output, status="success", name="run_shell_command", key="output"):
    result = [{"functionResponse": {"id": "c1", "name": name, "response": {key: output}}}]
    return {"id": "c1", "name": name, "args": {"command": "ls"}, "result": result, "status": status}


def turn(name="g1", **fields):
    tokens = {"input": 9, "output": 3, "cached": 4, "thoughts": 2, "tool": 1, "total": 15}
    return {"id": name, "type": "gemini", "content": "", "model": "gemini-9", "tokens": tokens} | fields


@pytest.fixture
def chat(tmp_path):
    """Writes a chat, as a document and as lines, and returns what is read of it."""

    def of(*messages, lines=False):
        path = tmp_path / ("session-1.jsonl" if lines else "session-1.json")
        entries = [HEAD, *messages] if lines else [HEAD | {"messages": list(messages)}]
        path.write_text("".join(json.dumps(each) + "\n" for each in entries))
        assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [
            ("gemini_cli", 1)
        ]
        return list(read(path))

    return of


def session(items):
    (found,) = (item for item in items if isinstance(item, RecordedSession))
    return found


@pytest.mark.parametrize("lines", [False, True])
def test_a_message_is_a_turn_with_its_calls_and_what_came_of_them(chat, lines):
    """Thoughts and what a tool put into the prompt are tokens of it."""
    found = session(chat(ASK, turn(toolCalls=[call("a.txt")]), turn("g2", content="One."), lines=lines))
    first, second = found.turns
    assert (first.prompt, first.capture, first.calls[0].arguments) == (
        "Look",
        Capture.CALLS,
        {"command": "ls"},
    )
    assert (first.results[0].output, first.results[0].is_error) == ("a.txt", False)
    assert (first.usage.input_tokens, first.usage.output_tokens, first.usage.cached_tokens) == (10, 5, 4)
    assert (second.text, second.model, found.external_id) == ("One.", "gemini-9", "s1")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (call("Command: ls\nExit Code: 2\nSignal: 0"), Reason.COMMAND_FAILED),
        (call("Command: ls\nExit Code: 0\nSignal: 0"), None),
        (call("File not found: a", "error", "read_file", "error"), Reason.NOT_FOUND),
        (call("Failed to edit, could not find the string to replace.", "error", "replace"), Reason.NO_MATCH),
        (call("[Operation Cancelled] Reason: x", "cancelled", key="error"), Reason.REJECTED),
    ],
)
def test_what_came_of_a_call_is_judged_by_its_status_its_exit_and_its_words(chat, given, reason):
    """A command that ended badly has the status of a success in the file."""
    (result,) = session(chat(ASK, turn(toolCalls=[given]))).turns[0].results
    assert judged(result, SOURCE.wordings).reason is reason


def test_each_of_parallel_calls_has_its_own_result(chat):
    """Where the client writes a history anew, each call of a message has what came of all of them."""
    told = [call(f"Output: {n}\nExit Code: {n}")["result"][0] for n in (1, 2)]
    for n, each in enumerate(told, 1):
        each["functionResponse"]["id"] = f"c{n}"
    calls = [call("") | {"id": f"c{n}", "result": told} for n in (1, 2)]
    (turn_,) = session(chat(ASK, turn(toolCalls=calls))).turns
    assert [(each.call_id, each.exit_status) for each in turn_.results] == [("c1", 1), ("c2", 2)]


def test_a_call_that_is_still_running_has_no_result(chat):
    """It may come when the file has grown."""
    running = {"id": "c1", "name": "ls", "args": {}, "status": "executing"}
    assert session(chat(ASK, turn(toolCalls=[running]))).turns[0].results == ()
    stopped = running | {"status": "cancelled"}
    (result,) = session(chat(ASK, turn(toolCalls=[stopped]))).turns[0].results
    assert result.status is ExecutionStatus.DENIED


def test_a_message_that_comes_again_has_grown(chat):
    """Of lines the last state counts, once; what a rewind undoes has happened all the same."""
    items = chat(
        ASK,
        turn(),
        turn(toolCalls=[call("a.txt")]),
        {"$set": {"lastUpdated": "2026-01-10T02:09:26.108Z"}},
        {"$rewindTo": "u1"},
        ASK | {"id": "u2", "content": "Again"},
        turn("g2", content="One."),
        {"type": "info", "content": "x"},
        {"type": "other"},
        lines=True,
    )
    found = session(items)
    assert [(each.external_id, len(each.calls), each.feedback) for each in found.turns] == [
        ("g1", 1, "Again"),
        ("g2", 0, None),
    ]
    assert {(item.reason, item.detail): item.count for item in items if isinstance(item, LeftOut)} == {
        (LeftOutReason.BOOKKEEPING, "$set"): 1,
        (LeftOutReason.BOOKKEEPING, "$rewindTo"): 1,
        (LeftOutReason.BOOKKEEPING, "info"): 1,
        (LeftOutReason.UNKNOWN_KIND, "other"): 1,
    }


def test_a_file_without_its_beginning_is_refused(tmp_path):
    """Nothing says whose it is."""
    path = tmp_path / "session-1.jsonl"
    path.write_text(json.dumps(turn()))
    assert any(isinstance(item, Refusal) for item in read(path))


@pytest.mark.corpus
def test_chats_of_others_are_read_whole(corpus, counted):
    """As many turns, calls and tokens as their messages say."""
    paths = corpus("agents/gemini-cli/*.json")
    messages = [
        each
        for path in paths
        for each in json.loads(path.read_text())["messages"]
        if each["type"] == "gemini"
    ]
    found = counted(SOURCE.name, *paths)
    assert (found["sessions"], found["turns"], found["refused"]) == (2, len(messages), 0)
    assert found["calls"] == found["results"] == sum(len(each.get("toolCalls", [])) for each in messages)
    assert found["tokens"] == sum(each["tokens"]["output"] + each["tokens"]["thoughts"] for each in messages)


@pytest.mark.parametrize(
    ("output", "status", "reason"),
    [
        ("Output: x\nSignal: 9\nProcess Group PGID: 3", ExecutionStatus.FAILED, Reason.COMMAND_FAILED),
        ("Output: x\nSignal: (none)", ExecutionStatus.SUCCEEDED, None),
        ("Output: Exit Code: 4\nExit Code: 0", ExecutionStatus.SUCCEEDED, None),
        (
            "Command injection detected: command substitution. It was blocked.",
            ExecutionStatus.DENIED,
            Reason.COMMAND_REFUSED,
        ),
        (
            "Command was automatically cancelled because it exceeded the timeout of 5 minutes",
            ExecutionStatus.TIMED_OUT,
            Reason.TIMEOUT,
        ),
        (
            "Command was cancelled by user before it could complete.",
            ExecutionStatus.INTERRUPTED,
            Reason.STOPPED,
        ),
    ],
)
def test_a_shell_says_in_words_what_its_status_leaves_out(chat, output, status, reason):
    """It is a success whatever came of the command: killed, blocked or stopped."""
    (found,) = session(chat(ASK, turn(toolCalls=[call(output)]))).turns
    assert judged(found.results[0], SOURCE.wordings)[:2] == (status, reason)


@pytest.mark.parametrize(
    ("args", "kept"), [('{"command": "ls', '{"command": "ls'), (["ls"], '["ls"]'), (None, {})]
)
def test_arguments_that_are_no_object_are_as_they_were_written(chat, args, kept):
    """They were refused, and reading refuses them too."""
    refused = call("Value of params must be an object", "error", key="error") | {"args": args}
    (found,) = session(chat(ASK, turn(toolCalls=[refused]))).turns
    assert found.calls[0].arguments == kept
    assert judged(found.results[0], SOURCE.wordings) == (ExecutionStatus.FAILED, Reason.SCHEMA_ERROR, False)


def test_a_message_that_is_told_again_with_less_loses_nothing(chat):
    """A chat that was resumed has its history once more, without tokens, model and calls; these stand in the content, and of one that was killed nowhere else."""
    whole = turn(content="I look.", toolCalls=[call("a.txt")])
    within = {"functionCall": {"id": "c1", "name": "run_shell_command", "args": {"command": "ls"}}}
    again = {"id": "g1", "type": "gemini", "content": [{"text": "I look."}, within]}
    (first,) = session(chat(ASK, whole, lines=True)).turns
    (both,) = session(chat(ASK, whole, HEAD, {"$set": {"messages": [ASK, again]}}, lines=True)).turns
    assert both == first
    (killed,) = session(
        chat(ASK, turn(content="I look."), {"$set": {"messages": [ASK, again]}}, lines=True)
    ).turns
    assert (killed.calls[0].call_id, killed.results, killed.usage) == ("c1", (), first.usage)


def test_a_call_that_no_message_has_is_told_by_what_the_model_was_told_of_it(chat):
    """A sub-agent's of a tool that it may not use; one that a message has is there once."""
    names = {"c1": "run_shell_command", "c2": "teleport"}
    told = [
        {"functionResponse": {"id": name, "name": tool, "response": {"error": "Unauthorized tool call"}}}
        for name, tool in names.items()
    ]
    answer = ASK | {"id": "u2", "content": told}
    (first,) = session(chat(ASK, turn(content="I leave."), answer, turn(toolCalls=[call("x")]))).turns
    assert [(each.call_id, each.name, each.arguments) for each in first.calls] == [
        ("c1", "run_shell_command", {"command": "ls"}),
        ("c2", "teleport", {}),
    ]
    assert [(each.call_id, each.is_error) for each in first.results] == [("c1", False), ("c2", True)]


def test_what_the_client_says_for_the_model_behind_a_summary_is_no_turn(chat):
    """The call of an answer that came while the history was summed up stands there alone; it is the answer's."""
    own = {"id": "g9", "type": "gemini", "content": [{"text": "Got it. Thanks for the additional context!"}]}
    summed = {"$set": {"messages": [{"id": "u9", "type": "user", "content": [{"text": "A summary"}]}, own]}}
    mine = own | {"toolCalls": [call("Output: x\nExit Code: 3\nProcess Group PGID: 3")]}
    read = chat(ASK, turn(content="I go on."), summed, mine, mine, turn("g2", content="Done."), lines=True)
    first, second = session(read).turns
    assert (first.text, second.text) == ("I go on.", "Done.")
    assert ([each.call_id for each in first.calls], first.results[0].exit_status) == (["c1"], 3)
    assert first.usage.output_tokens == 5
    (alone,) = session(chat(ASK, summed, turn("g2", content="Done."), lines=True)).turns
    assert alone.text == "Done."


def test_a_result_in_the_history_is_no_unknown_entry(chat):
    """Newer clients repeat each result in the next prompt: the call has it already."""
    told = [
        call("x")["result"][0],
        {"functionResponse": {"id": "c9", "name": "ls", "response": {"output": ""}}},
        {"text": "Go on."},
    ]
    read = chat(ASK, turn(toolCalls=[call("x")]), ASK | {"id": "u2", "content": told})
    assert session(read).turns[0].feedback == "Go on."
    skipped = {each.reason: each.count for each in read if isinstance(each, LeftOut)}
    assert skipped == {LeftOutReason.DUPLICATE: 1, LeftOutReason.NO_CALL: 1}


@pytest.mark.parametrize(
    ("folder", "kind", "parent"), [("s0", "subagent", "s0"), ("chats", "subagent", ""), ("s0", "main", "")]
)
def test_a_sub_agent_s_chat_lies_in_a_folder_named_after_the_session_above_it(tmp_path, folder, kind, parent):
    """Nothing in the file names that one."""
    path = tmp_path / "chats" / folder / "s1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(
        "".join(json.dumps(each) + "\n" for each in (HEAD | {"kind": kind}, ASK, turn(content="One.")))
    )
    found = session(read(path))
    assert (found.external_id, found.parent, found.relation) == (
        "s1",
        parent,
        Relation.SUBAGENT if parent else None,
    )
