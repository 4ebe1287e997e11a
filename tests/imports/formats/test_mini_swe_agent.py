"""Trajectories of mini-swe-agent: raw responses with one command of version 1, a provider's calls of version 2."""

import json

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason
from actionledger.imports.formats.mini_swe_agent import SOURCE, read, recognise
from actionledger.imports.paths import import_path
from actionledger.imports.sources.base import LeftOut, Refusal, Sample
from actionledger.imports.sources.wordings import judged

ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Mend it."}]


def ran(command: str, fence: str = "bash") -> dict:
    return {"role": "assistant", "content": f"THOUGHT: I look.\n\n```{fence}\n{command}\n```"}


def prose(text: str) -> dict:
    return {"role": "assistant", "content": text}


def told(text: str, **extra) -> dict:
    return {"role": "user", "content": text} | ({"extra": extra} if extra else {})


REFUSED = [prose("It is mended."), told("Please always provide EXACTLY ONE action, found 0 actions.")]
ENDED = [prose("It is mended.")]


@pytest.fixture
def items(tmp_path):
    """Return what is read of a trajectory."""

    def read_one(whole: object) -> list:
        path = tmp_path / "repo-1.traj.json"
        path.write_text(json.dumps(whole))
        return list(read(path))

    return read_one


def session(items) -> RecordedSession:
    (found,) = (each for each in items if isinstance(each, RecordedSession))
    return found


def test_a_list_of_messages_is_a_session_of_raw_responses(items):
    """What answers a command is its result, with the exit status that it begins with."""
    answers = [told("<returncode>2</returncode>\n<output>\nno\n</output>"), told("diff")]
    found = session(items([*ASKED, ran("ls"), answers[0], ran("git diff", "mswea_bash_command"), answers[1]]))
    first, last = found.turns
    assert (first.capture, first.prompt) == (Capture.TEXT, "Be brief.\n\nMend it.")
    assert [(call.name, call.arguments) for call in first.calls] == [("bash", "ls")]
    assert first.results[0].exit_status == 2
    assert judged(first.results[0]).reason is Reason.COMMAND_FAILED
    assert (last.results[0].output, last.results[0].exit_status) == ("diff", None)


@pytest.mark.parametrize(
    "text", ["No command.", "```bash\nls\n```\n```bash\npwd\n```", "```bash\nof the wrong label\n```"]
)
def test_a_response_in_the_wrong_form_has_no_call(text, items):
    """What it is told is no result."""
    wrong = {"role": "assistant", "content": text}
    note = told("Please always provide EXACTLY ONE action in triple backticks, found 0 actions.")
    found = session(items([*ASKED, wrong, note, ran("ls"), told("ok")]))
    assert [(len(turn.calls), len(turn.results)) for turn in found.turns] == [(0, 0), (1, 1)]
    assert found.turns[0].feedback == note["content"]


def test_a_response_that_only_its_answer_holds_is_a_turn(items):
    """Version 2 keeps what was in the wrong form in the note alone."""
    note = told("Format error", interrupt_type="FormatError", model_response="No command.")
    found = session(items({"messages": [*ASKED, note, ran("ls"), told("ok")], "info": {}}))
    assert [turn.text[:11] for turn in found.turns] == ["No command.", "THOUGHT: I "]


def test_a_response_whose_calls_were_refused_is_a_turn_with_its_calls_and_tokens(items):
    """Version 2.4 keeps the whole body of it in the note: none of its calls was run."""
    function = {"name": "bash", "arguments": '{"command": "ec'}
    message = {
        "role": "assistant",
        "content": "Bad.",
        "tool_calls": [{"id": "c2", "type": "function", "function": function}],
    }
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    raw = {"model": "m-1", "choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
    note = told("Tool call error: Unterminated string.", interrupt_type="FormatError", response=raw, cost=0.5)
    other = {
        "object": "response",
        "output": [{"type": "message", "role": "assistant", "content": "No call."}],
    }
    wrong = told("Tool call error: No tool calls found.", interrupt_type="FormatError", response=other)
    first, second = session(items({"messages": [*ASKED, note, wrong], "info": {}})).turns
    assert (first.text, first.model, first.usage.finish_reason) == ("Bad.", "m-1", "tool_calls")
    assert (first.usage.input_tokens, first.usage.output_tokens, first.usage.cost_usd) == (7, 3, 0.5)
    assert [call.arguments for call in first.calls] == ['{"command": "ec']
    assert [(each.call_id, each.is_error) for each in first.results] == [("c2", True)]
    assert (second.text, second.feedback) == ("No call.", wrong["content"])


def test_calls_of_an_interface_have_their_arguments_as_written(items):
    """With tokens, cost and time of the response, and the exit status that stands beside the result."""
    function = {"name": "bash", "arguments": '{"command": "ls"}'}
    raw = {"model": "m-1", "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
    said = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        "extra": {"response": raw, "cost": 0.25, "timestamp": 1760000000.5},
    }
    result = {"role": "tool", "tool_call_id": "c1", "content": "no", "extra": {"returncode": 1}}
    end = {"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}}
    info = {"exit_status": "Submitted", "mini_version": "2.0", "model_stats": {"instance_cost": 0.25}}
    whole = {"messages": [*ASKED, said, result, end], "info": info, "trajectory_format": "mini-swe-agent-1.1"}
    everything = items(whole | {"instance_id": "repo-1"})
    found = session(everything)
    (turn,) = found.turns
    assert (turn.capture, turn.calls[0].arguments) == (Capture.ARGUMENTS, '{"command": "ls"}')
    assert (turn.usage.input_tokens, turn.usage.output_tokens, turn.usage.cost_usd) == (7, 3, 0.25)
    assert (turn.results[0].exit_status, turn.model, str(turn.occurred_at)[:10]) == (1, "m-1", "2025-10-09")
    assert (found.reason, found.metadata["mini_version"]) == ("Submitted", "2.0")
    assert [(each.reason, each.detail) for each in everything if isinstance(each, LeftOut)] == [
        (LeftOutReason.BOOKKEEPING, "exit")
    ]


def test_responses_of_the_other_interface_are_read_too(items):
    """Version 2 may keep each as it came."""
    call = {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command":"ls"}'}
    said = {
        "object": "response",
        "id": "r1",
        "output": [call],
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    result = {"type": "function_call_output", "call_id": "c1", "output": "ok", "extra": {"returncode": 0}}
    (turn,) = session(items({"messages": [*ASKED, said, result]})).turns
    assert [(each.output, each.exit_status) for each in turn.results] == [("ok", 0)]
    assert turn.usage.output_tokens == 2


def test_a_command_that_took_too_long_says_so(items):
    note = "The last command <command>sleep 99</command> timed out and has been killed.\nThe output"
    (turn,) = session(items([*ASKED, ran("sleep 99"), told(note)])).turns
    found = judged(turn.results[0], SOURCE.wordings)
    assert (found.status, found.is_inferred) == (ExecutionStatus.TIMED_OUT, True)


def test_it_is_recognised_by_what_it_says_or_by_its_last_word(items):
    """Another list of messages is none, and what has no messages is refused."""
    marked = b'[{"role": "system", "content": "... ```mswea_bash_command"}]'
    assert recognise(Sample(None, marked)) == 1
    assert recognise(Sample(None, b'[{"role": "system", "content": "Be brief."}]')) == 0
    assert recognise(Sample(None, b'{"info": {}, "trajectory_format": "mini-swe-agent-1"}')) == 1
    assert [type(each) for each in items({"a": 1})] == [Refusal]


def test_a_raw_response_is_read_as_its_runtime_reads_it(tmp_path, ledger):
    """A command is an action with its result, though nobody recorded that a shell was offered."""
    path = tmp_path / "a.traj.json"
    path.write_text(
        json.dumps(
            [
                *ASKED,
                ran("ls"),
                told("<returncode>2</returncode>\nno"),
                ran("pwd"),
                told("/"),
                *REFUSED,
                *ENDED,
            ]
        )
    )
    import_path(path, ledger, format="mini_swe_agent")
    found = ledger.sql(
        "SELECT a.dialect, a.arguments->>'command', e.reason FROM actions a JOIN executions e USING (action_id) ORDER BY a.turn_index"
    )
    assert found.fetchall() == [("bash_fence", "ls", "command_failed"), ("bash_fence", "pwd", None)]
    # Of prose, the runtime's answer says whether it was a mistake.
    came_of = ledger.sql("SELECT outcome, reason FROM parse_attempts ORDER BY turn_index").fetchall()
    assert came_of[2:] == [("failed", "no_action_found"), ("no_action", None)]
