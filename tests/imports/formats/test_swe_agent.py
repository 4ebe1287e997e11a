"""Trajectories of SWE-agent: a step is a turn, whether it was written or made by a provider's interface."""

import json

import pytest
from given_items import left_out, sessions

from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, Relation
from actionledger.imports import import_sessions
from actionledger.imports.formats.swe_agent import SOURCE, read, recognise
from actionledger.imports.sources.base import Refusal, Sample
from actionledger.imports.sources.wordings import judged


def step(thought: str, action: str, observation: str = "ok", response: str | None = None) -> dict:
    written = f"{thought}\n<command>\n{action}\n</command>" if response is None else response
    return {
        "action": action,
        "observation": observation,
        "response": written,
        "thought": thought,
        "execution_time": 0.5,
    }


def said(thought: str, action: str, call: str = "", arguments: str = "{}") -> dict:
    message = {"role": "assistant", "content": thought, "thought": thought, "action": action}
    function = {"name": "bash", "arguments": arguments}
    return message | (
        {"tool_calls": [{"id": call, "type": "function", "function": function}]} if call else {}
    )


def trajectory(*steps: dict, history: tuple = (), **fields) -> dict:
    problem = {"id": "repo-1", "text": "It is wrong.\nMend it."}
    config = {"problem_statement": problem, "agent": {"model": {"name": "m"}}}
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Mend it."}]
    whole = {
        "environment": "main",
        "trajectory": list(steps),
        "history": [*asked, *history],
        "info": {"exit_status": "submitted", "model_stats": {"tokens_sent": 5, "instance_cost": 0.5}},
        "replay_config": config,
    }
    return whole | fields


@pytest.fixture
def items(tmp_path):
    """Return what is read of a trajectory."""

    def read_one(whole: object) -> list:
        path = tmp_path / "repo-1.traj"
        path.write_text(json.dumps(whole))
        return list(read(path))

    return read_one


def test_a_written_step_is_its_raw_response(items):
    """With the command that the runtime read of it, and what came of that."""
    (session,) = sessions(items(trajectory(step("I look.", "ls", "a.py"), history=(said("I look.", "ls"),))))
    (turn,) = session.turns
    assert (turn.text, turn.capture) == ("I look.\n<command>\nls\n</command>", Capture.TEXT)
    assert [(call.name, call.arguments, call.kind) for call in turn.calls] == [("bash", "ls", "text")]
    assert [(each.output, each.duration_ms) for each in turn.results] == [("a.py", 500)]
    assert (session.task, session.model, session.reason) == ("It is wrong.", "m", "submitted")
    assert session.metadata["cost_usd"] == 0.5
    assert turn.prompt == "Be brief.\n\nMend it."
    assert session.success is None


def test_calls_of_an_interface_stand_in_the_history(items, ledger):
    """A try in the wrong form is no message of it, and the same identifier comes again in a replay."""
    steps = [
        step("I look.", "ls", "a.py", "I look."),
        step("I forget.", "", "", "I forget."),
        step("I see.", "cat a.py", "x = 1", "I see. "),
    ]
    history = (said("I look.", "ls", "c1", '{"command":"ls"}'), said("I SEE.", "cat a.py", "c1"))
    whole = trajectory(*steps, history=history)
    (session,) = sessions(items(whole))
    assert [turn.capture for turn in session.turns] == [Capture.ARGUMENTS, Capture.CALLS, Capture.ARGUMENTS]
    assert [[call.arguments for call in turn.calls] for turn in session.turns] == [
        ['{"command":"ls"}'],
        [],
        ["{}"],
    ]
    report = import_sessions(ledger, items(whole), source=SOURCE.name)
    assert (report.turns, report.calls, report.results) == (3, 2, 2)
    # Its runtime demands an action, and asked again.
    came_of = ledger.sql("SELECT outcome, reason FROM parse_attempts ORDER BY turn_index").fetchall()
    assert came_of == [("clean", None), ("failed", "no_action_found"), ("clean", None)]


def test_what_ended_a_run_and_what_was_shown_first_is_no_turn(items):
    """The runtime writes a step of its own; a demonstration stands in the history as if it were the model's."""
    end = {
        "action": "",
        "observation": "Exit due to cost limit",
        "response": "",
        "thought": "Exit due to cost limit",
    }
    demo = said("Like this.", "ls", "d1") | {"is_demo": True}
    found = items(trajectory(step("I look.", "ls"), end, history=(demo, said("I look.", "ls", "c1"))))
    assert [[call.call_id for call in turn.calls] for turn in sessions(found)[0].turns] == [["c1"]]
    assert left_out(found) == {
        (LeftOutReason.MADE_BY_CLIENT, "step"): 1,
        (LeftOutReason.INJECTED_CONTEXT, "demonstration"): 1,
    }


def test_each_attempt_is_a_session(items):
    """The one that was chosen stands in the file twice."""
    first, second = trajectory(step("a", "ls")), trajectory(step("b", "pwd"))
    found = items(second | {"attempts": [first, second]})
    one, other = sessions(found)
    assert (one.parent, other.parent, other.relation) == ("", one.external_id, Relation.FORK)
    assert left_out(found) == {(LeftOutReason.REPEATED_HISTORY, "trajectory"): 1}


def test_two_runs_of_a_problem_are_two_sessions_and_a_longer_file_is_the_same(items):
    """They are told apart by what they begin with."""
    (one,) = sessions(items(trajectory(step("a", "ls"))))
    (longer,) = sessions(items(trajectory(step("a", "ls"), step("b", "pwd"))))
    (other,) = sessions(items(trajectory(step("c", "ls"))))
    assert one.external_id == longer.external_id != other.external_id
    assert one.external_id.startswith("repo-1-")


@pytest.mark.parametrize(
    ("observation", "reason"),
    [
        ("Your proposed edit has introduced new syntax error(s). Please read", Reason.CODE_ERROR),
        ("Your edit was not applied (file not modified): Text 'x' not found", Reason.NO_MATCH),
        ("Your edit was not applied (file not modified): Found 2 occurrences", Reason.SEVERAL_MATCHES),
        ("Interactive operation 'vim' is not supported by this environment", Reason.COMMAND_REFUSED),
        ("File a.py not found", Reason.NOT_FOUND),
        ("x\nTraceback (most recent call last):\n", Reason.CODE_ERROR),
        ("def f():\n    raise ValueError", None),
    ],
)
def test_what_failed_is_said_by_its_words(observation, reason, items):
    (session,) = sessions(items(trajectory(step("a", "x", observation))))
    found = judged(session.turns[0].results[0], SOURCE.wordings)
    assert (found.reason, found.is_inferred) == (reason, True)


def test_what_is_none_is_refused(items):
    assert [type(each) for each in items([1])] == [Refusal]
    assert recognise(Sample(None, b"", (trajectory(),))) == 1
    assert recognise(Sample(None, b"", ({"trajectory": [], "info": {}},))) == 0
