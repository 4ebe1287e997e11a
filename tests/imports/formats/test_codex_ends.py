"""How calls of Codex's ended: in the events of two generations, and of what its scripts run."""

import json

import pytest

from actionledger import agreement, import_path, open_ledger
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import ExecutionStatus as Status, Reason
from actionledger.imports.formats.codex import SOURCE, read
from actionledger.imports.sources.wordings import judged

AT = "2026-11-02T10:00:00Z"
DONE = {"type": "input_text", "text": "Script completed\nWall time 0.1 seconds\nOutput:\n"}


def line(kind: str, **payload) -> dict:
    return {"timestamp": AT, "type": kind, "payload": payload}


def call(name: str, tool: str = "exec_command", arguments: str = "{}") -> dict:
    return line("response_item", type="function_call", name=tool, arguments=arguments, call_id=name)


def script(name: str, text: str = "text(1)") -> dict:
    return line("response_item", type="custom_tool_call", name="exec", input=text, call_id=name)


def output(name: str, said: object) -> dict:
    return line("response_item", type="function_call_output", call_id=name, output=said)


def item(kind: str, name: str, status: str = "completed", **fields) -> dict:
    return line(
        "event_msg", type="item_completed", item={"type": kind, "id": name, "status": status, **fields}
    )


def command(name: str, exit_code: int = 0, said: str = "x", **fields) -> dict:
    status = "failed" if exit_code else "completed"
    more = {"exit_code": exit_code, "command": ["bash", "-lc", said], "aggregated_output": said}
    return item("CommandExecution", name, status, **more, **fields)


@pytest.fixture
def rollout(tmp_path):
    """Return a rollout of lines."""

    def written(*lines: dict) -> object:
        path = tmp_path / "rollout-1.jsonl"
        head = line("session_meta", id="s1", timestamp=AT, cli_version="0.171.0")
        path.write_text("".join(json.dumps(each) + "\n" for each in (head, *lines)))
        return path

    return written


@pytest.fixture
def results(rollout):
    """Return what came of the calls of lines."""

    def found(*lines: dict) -> list:
        pieces = [each for each in read(rollout(*lines)) if isinstance(each, RecordedSession)]
        return [result for each in pieces for turn in each.turns for result in turn.results]

    return found


def came_of(result) -> tuple:
    found = judged(result, SOURCE.wordings)
    return found.status, found.reason, found.is_inferred


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (command("a", 3), (Status.FAILED, Reason.COMMAND_FAILED, False)),
        (command("a", 124), (Status.TIMED_OUT, Reason.TIMEOUT, False)),
        (command("a"), (Status.SUCCEEDED, None, False)),
        (item("FileChange", "a", "failed", stderr="no"), (Status.FAILED, Reason.TOOL_ERROR, False)),
        (item("FileChange", "a", "declined"), (Status.DENIED, Reason.NOT_APPROVED, False)),
        (
            item("McpToolCall", "a", "failed", error={"message": "no server"}),
            (Status.FAILED, Reason.TOOL_ERROR, False),
        ),
        (
            item("McpToolCall", "a", result={"content": [], "isError": True}),
            (Status.FAILED, Reason.TOOL_ERROR, False),
        ),
        (item("CollabAgentToolCall", "a", tool="wait"), (Status.SUCCEEDED, None, False)),
        (
            line("event_msg", type="mcp_tool_call_end", call_id="a", result={"Err": "no server"}),
            (Status.FAILED, Reason.TOOL_ERROR, False),
        ),
        (
            line("event_msg", type="mcp_tool_call_end", call_id="a", result={"Ok": {"is_error": True}}),
            (Status.FAILED, Reason.TOOL_ERROR, False),
        ),
        (
            line("event_msg", type="mcp_tool_call_end", call_id="a", result={"Ok": {"content": []}}),
            (Status.SUCCEEDED, None, False),
        ),
    ],
)
def test_an_event_says_how_a_call_ended(results, end, expected):
    """Of either generation, whatever the model was shown."""
    (result,) = results(call("a"), end, output("a", "Wall time: 0.1 seconds\nOutput:\nwell"))
    assert came_of(result) == expected
    assert result.within == ()


def test_what_a_script_runs_is_its_own_and_the_scripts(results):
    """A script has failed where something has that it ran, and each of these is told by itself."""
    (result,) = results(
        script("a"),
        command("exec-1", 0, "ls"),
        item("McpToolCall", "exec-2", "failed", server="mail", tool="list", arguments={"in": 1}),
        output("a", [DONE, {"type": "input_text", "text": "well"}]),
    )
    assert came_of(result) == (Status.FAILED, Reason.TOOL_ERROR, False)
    (first, its), (second, other) = result.within
    assert (first.name, first.arguments) == ("exec_command", {"command": ["bash", "-lc", "ls"]})
    assert (second.name, second.arguments) == ("mcp__mail__list", {"in": 1})
    assert (came_of(its)[0], came_of(other)[0]) == (Status.SUCCEEDED, Status.FAILED)


def test_of_several_scripts_it_is_the_one_that_holds_the_command(results):
    """Its words tell; without them, the first that has no result."""
    scripts = script("a", 'run("make \\"all\\"")'), script("b", "run('ls')")
    ends = command("exec-1", 2, "ls"), command("exec-2", 0, 'make "all"'), output("a", [DONE])
    first, second = results(*scripts, *ends, output("b", [DONE]))
    assert [call.call_id for call, _ in first.within] == ["exec-2"]
    assert (came_of(first)[0], came_of(second)[0]) == (Status.SUCCEEDED, Status.FAILED)
    assert second.exit_status == 2


def test_two_calls_under_one_identifier_end_in_any_order(results):
    lines = (call("a"), call("a"), command("a", 4), command("a", 0))
    first, second = results(
        *lines,
        output("a", "Process exited with code 0\nOutput:\n1"),
        output("a", "Process exited with code 4\n"),
    )
    assert (came_of(first), came_of(second)) == (
        (Status.SUCCEEDED, None, False),
        (Status.FAILED, Reason.COMMAND_FAILED, False),
    )


def test_what_ends_behind_its_result_is_known_then(results):
    """A process by its number, a script by its cell; one that was killed was interrupted."""
    running = output("a", "Process running with session ID 17\nOutput:\n")
    assert came_of(results(call("a"), running, command("a", 3))[0])[:2] == (
        Status.FAILED,
        Reason.COMMAND_FAILED,
    )
    assert came_of(results(call("a"), running, command("a", -1))[0])[:2] == (
        Status.INTERRUPTED,
        Reason.STOPPED,
    )
    said = [DONE, {"type": "input_text", "text": '{"session_id":17,"output":""}'}]
    (killed,) = results(script("a"), output("a", said), command("exec-1", -1, process_id="17"))
    assert came_of(killed)[0] is came_of(killed.within[0][1])[0] is Status.INTERRUPTED
    waited = (
        script("a"),
        output("a", "Script running with cell ID 4\nOutput:\n"),
        call("b", "wait", '{"cell_id": "4"}'),
        command("exec-1", 5),
        output("b", [DONE]),
    )
    first, second = results(*waited)
    assert (came_of(first)[0], first.exit_status, came_of(second)[0]) == (Status.FAILED, 5, Status.SUCCEEDED)


def test_without_items_a_scripts_result_says_it(results):
    """What a tool of Codex's gave stands in the result in its own form; what a program printed is none."""
    ran = {"type": "input_text", "text": '{"chunk_id":"1","exit_code":3,"output":""}'}
    asked = {"type": "input_text", "text": '{"content":[],"isError":true}'}
    printed = {"type": "input_text", "text": '{"exit_code":3}'}
    found = [came_of(results(script("a"), output("a", [DONE, said]))[0])[0] for said in (ran, asked, printed)]
    assert found == [Status.FAILED, Status.FAILED, Status.SUCCEEDED]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("approval policy is Never; reject command — you cannot ask", (Status.DENIED, Reason.NOT_APPROVED)),
        (
            "Script failed\nWall time 0.0 seconds\nOutput:\n\nScript error:\nSyntaxError: x",
            (Status.FAILED, Reason.CODE_ERROR),
        ),
        (
            "Script failed\nWall time 0.0 seconds\nOutput:\n\nScript error:\napply_patch verification failed: Failed to find x",
            (Status.FAILED, Reason.NO_MATCH),
        ),
    ],
)
def test_words_say_it_where_no_event_does(results, said, expected):
    """A refusal, and the failures of scripts, of which the words stand behind a head."""
    assert came_of(results(call("a"), output("a", said))[0]) == (*expected, True)


def test_an_item_that_belongs_to_no_call_is_a_note(rollout):
    """Without a script, nothing has run it here."""
    items = list(read(rollout(call("a"), output("a", "x"), command("other", 3))))
    assert [each.detail for each in items[1:]] == ["item_completed"]


def test_inner_executions_stand_under_their_call(rollout, tmp_path):
    """They are executions of their own, the action's is its script's, and a second import doubles nothing."""
    path = rollout(script("a"), command("exec-1", 3), output("a", [DONE]))
    for _ in range(2):
        import_path(path, tmp_path / "x.duckdb")
    with open_ledger(tmp_path / "x.duckdb") as ledger:
        found = ledger.sql(
            "SELECT e.name, e.status, e.exit_status, e.call_id, e.trace_id, a.name FROM executions e "
            "LEFT JOIN actions a USING (action_id) ORDER BY e.action_index"
        ).fetchall()
        assert agreement(ledger).counts == {("not_checked", "taken"): 1}
    assert found == [
        ("exec", "failed", 3, "a", "a", "exec"),
        ("exec_command", "failed", 3, "exec-1", "a", None),
    ]
