"""The documents' 13 edge cases and 8 architecture issues, each as a session meets it."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import actionledger as al
from actionledger.core.errors import SandboxError
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus, Outcome
from actionledger.profiles.assistant import assistant_profile
from actionledger.runtime.agent import converse
from actionledger.runtime.models import ScriptedModel
from actionledger.runtime.sandbox import Limits, Sandbox, choose

FENCE = "`" * 3


def fenced(text: str, label: str = "actions") -> str:
    return f"{FENCE}{label}\n{text}\n{FENCE}"


def block(*actions: dict[str, Any]) -> str:
    return fenced(json.dumps({"actions": actions}))


def task(content: str, **fields: Any) -> dict[str, Any]:
    return {"type": "create_task", "content": content} | fields


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    try:
        chosen = choose()
    except SandboxError as error:
        pytest.skip(str(error))
    yield chosen
    chosen.close()


@pytest.fixture
def session() -> Iterator[al.Runtime]:
    with al.Runtime("assistant") as runtime:
        yield runtime


@pytest.fixture
def code(sandbox: Sandbox) -> Iterator[Callable[[str], al.Observation]]:
    """Runs one code, which has as long as it may take on a busy machine."""
    profile = assistant_profile("patient", code=Limits(seconds=120), sandbox=sandbox)
    with al.Runtime(profile) as runtime:
        yield partial(_run, runtime)


def _run(runtime: al.Runtime, text: str) -> al.Observation:
    return runtime.handle(block({"type": "execute_code", "code": text})).observations[0]


def contents(turn: al.Turn) -> list[str]:
    """The contents of the tasks that a turn created."""
    return [each.result["content"] for each in turn.observations if each.status is ExecutionStatus.SUCCEEDED]


# Text-based actions


def test_text_1_a_missing_closing_fence(session):
    """The action is read, and the repair is named."""
    turn = session.handle(f'{FENCE}actions\n{{"actions": [{json.dumps(task("test"))}]}}\n// Missing closing')
    assert contents(turn) == ["test"]
    assert turn.result.outcome is Outcome.REPAIRED


def test_text_2_multiple_blocks(session):
    """All of them are merged, in their order; what stands between them is the reply."""
    turn = session.handle(f"{block(task('task 1'))}\n\nSome text.\n\n{block(task('task 2'))}")
    assert contents(turn) == ["task 1", "task 2"]
    assert turn.result.narrative == "Some text."


def test_text_3_invalid_json(session):
    """The document's own comma and comment are mended, and both are said."""
    turn = session.handle(
        fenced('{"actions": [{"type": "create_task",\n "content": "test",  // Trailing comma\n}]}')
    )
    assert contents(turn) == ["test"]
    assert {"comment", "trailing_comma"} <= {repair.kind.value for repair in turn.result.repairs}


def test_text_4_a_wrong_block_name(session):
    """``action`` is plainly meant; it is said that the label was wrong."""
    turn = session.handle(fenced(json.dumps({"actions": [task("test")]}), "action"))
    assert contents(turn) == ["test"]
    assert [repair.kind.value for repair in turn.result.repairs] == ["mislabelled_fence"]


def test_text_5_a_missing_required_field(session):
    """The model is told the field, the format and an example; the action beside it is run."""
    turn = session.handle(block({"type": "create_task"}, task("good")))
    assert contents(turn) == ["good"]
    assert turn.result.actions[0].status is ActionStatus.INVALID
    for words in ("content", "required", '"type": "create_task"'):
        assert words in turn.feedback


def test_text_6_actions_outside_a_block(session):
    """JSON in the text is no action: nothing is run."""
    turn = session.handle('{"type": "create_task", "content": "test"}')
    assert turn.observations == ()
    assert turn.result.actions == ()


def test_text_7_nested_code_blocks(session):
    """A fence within a string closes nothing."""
    text = f"{FENCE}python\nprint('test')\n{FENCE}"
    turn = session.handle(block(task(text)))
    assert contents(turn) == [text]
    assert turn.result.outcome is Outcome.CLEAN


# Code-based actions


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("gb.create_task('test'  // Missing closing parenthesis", "SyntaxError", 1),
        ("result = gb.create_task('test')\nprint(result['nonexistent_field'])", "KeyError", 2),
        ("print(undefined_var)", "NameError", 1),
    ],
    ids=["1-syntax", "2-runtime", "3-undefined"],
)
def test_code_1_to_3_errors(code, text, kind, line):
    """``success`` is false, ``error`` begins with the exception, and the line is named."""
    observation = code(text)
    assert observation.status is ExecutionStatus.FAILED
    assert observation.result["success"] is False
    assert observation.result["error"].startswith(f"{kind}: ")
    assert f"line {line}" in observation.message


def test_so_many_of_each_in_any_minute():
    """The document's numbers."""
    rates = al.profile("assistant").limits.rates
    assert {name: (rate.count, rate.seconds) for name, rate in rates} == {
        "create_task": (100, 60),
        "create_memory": (50, 60),
        "create_goal": (20, 60),
        "datavault_store": (50, 60),
        "execute_code": (10, 60),
    }


def test_code_4_infinite_loops(sandbox):
    """They are ended, and counted as timed out."""
    with al.Runtime(assistant_profile("quick", code=Limits(seconds=0.5), sandbox=sandbox)) as runtime:
        observation = _run(runtime, "while True:\n    pass")
    assert observation.status is ExecutionStatus.TIMED_OUT
    assert observation.result["error"].startswith("TimeoutError: ")


def test_code_5_methods_return_objects(code):
    """The result of a deletion has the field that the document's scripts look for."""
    observation = code("made = gb.create_task('x')\ngb.delete_task(made['task_id']).get('success')")
    assert observation.result["result"] is True


def test_code_6_invalid_status_values(code):
    """The document's words, and then what is allowed."""
    error = code('gb.create_task("test", status="invalid_status")').result["error"]
    assert error.startswith("ValueError: invalid_status is not a valid TaskStatus")


# Architecture issues


def test_issue_1_several_blocks_and_a_limit(session):
    """Five blocks are read as the plan says; the sixth is not lost in silence."""
    turn = session.handle("\n".join(block(task(f"task {number}")) for number in range(1, 7)))
    assert contents(turn) == [f"task {number}" for number in range(1, 6)]
    assert "block_limit" in {issue.code.value for issue in turn.issues}


@pytest.mark.parametrize(
    ("action", "field"),
    [
        (task(""), "content"),
        (task("x", status="almost"), "status"),
        ({"type": "update_task", "task_id": 0}, "task_id"),
        ({"type": "update_task", "task_id": "one"}, "task_id"),
        (task("x", contents="high"), "contents"),
    ],
)
def test_issue_2_actions_are_checked_before_anything_runs(session, action, field):
    """By their models: types, ranges, unknown fields; the error names the field."""
    turn = session.handle(block(action))
    assert turn.observations == ()
    assert turn.result.actions[0].status is ActionStatus.INVALID
    assert field in turn.feedback


def test_issue_3_backticks_never_break_the_reading(session):
    texts = [f"a {FENCE} b", f"{FENCE}\n", "`", f"x\n{FENCE}actions\ny\n{FENCE}"]
    assert contents(session.handle(block(*map(task, texts)))) == texts


def test_issue_4_dependencies_and_results_of_others(session):
    """The order follows from them, a value comes from a result, and a failure stops what depends on it."""
    turn = session.handle(
        block(
            {
                "type": "update_task",
                "task_id": "${made.task_id}",
                "status": "ongoing",
                "depends_on": ["made"],
            },
            task("first", id="made"),
            {"type": "delete_task", "task_id": 99, "id": "gone"},
            task("never", depends_on=["gone"]),
        )
    )
    by_place = {each.action_index: each for each in turn.observations}
    assert by_place[0].result["status"] == "ongoing"
    assert by_place[3].status is ExecutionStatus.SKIPPED


def test_issue_5_the_two_formats_are_told_apart():
    """Each profile's model is told of its own format alone."""
    assert "labelled iteration" not in al.prompt("assistant")
    assert "labelled actions" not in al.prompt("assistant-iterative")
    step = fenced(json.dumps({"next_actions": [task("x")], "is_final": False}), "iteration")
    assert al.parse(step, profile="assistant-iterative").outcome is Outcome.CLEAN
    assert al.parse(block(task("x")), profile="assistant-iterative").outcome is Outcome.FAILED


@pytest.mark.parametrize("profile", ["assistant", "assistant-iterative"])
def test_issue_6_errors_reach_the_model(profile):
    """In the standard mode as in the iterative one, the next message says what failed and why."""
    missing = {"type": "get_task", "task_id": 7}
    steps = {
        "assistant": block(missing),
        "assistant-iterative": fenced(
            json.dumps({"next_actions": [missing], "is_final": False}), "iteration"
        ),
    }
    model = ScriptedModel([steps[profile]] * 2)
    with al.Runtime(profile) as session:
        converse(session, model, "Go.", max_turns=2)
    assert "There is no task with the number 7." in model.asked[1].messages[-1].content


@pytest.mark.parametrize(
    "text",
    [
        "[c for c in (1).__class__.__base__.__subclasses__() if c.__name__ == 'Popen'][0](['ls'])",
        "import os\nassert os.system('true') == 0",
        "huge = [0] * 10**9",
        "open('/etc/passwd')",
        "import socket\nsocket.socket()",
        "import subprocess\nsubprocess.run(['true'])",
        "open('/tmp/out', 'w')",
    ],
)
def test_issue_7_code_is_confined(code, text):
    """The plan's own bypasses and their like fail."""
    assert code(text).status is ExecutionStatus.FAILED


@pytest.mark.parametrize("profile", ["assistant", "assistant-iterative"])
@pytest.mark.parametrize("mark", ["\n", "\r\n", "\t", "\x01"])
def test_issue_8_control_characters_in_strings(profile, mark):
    """Mended in both modes, and named."""
    content = f"Line 1{mark}Line 2"
    raw = json.dumps(task("HERE")).replace("HERE", content)
    texts = {
        "assistant": fenced(f'{{"actions": [{raw}]}}'),
        "assistant-iterative": fenced(f'{{"next_actions": [{raw}], "is_final": false}}', "iteration"),
    }
    result = al.parse(texts[profile], profile=profile)
    assert [call.arguments["content"] for call in result.actions] == [content]
    assert {repair.kind.value for repair in result.repairs} == {"control_character"}


# What else the documents show or ask for


def test_code_runs_in_an_iteration(sandbox):
    """The document's own step: a task by an action, a memory by code, and fields beside them that change nothing."""
    profile = assistant_profile("steps", parser="assistant-iterative", sandbox=sandbox)
    step = {
        "iteration": 2,
        "reasoning": "I need to create tasks for the project...",
        "observations": ["User wants a project management setup"],
        "next_actions": [
            task("Set up project structure", notes="Step 1"),
            {"type": "execute_code", "code": "gb.create_memory('Project initialized', notes='milestone')"},
            {"type": "list_memories"},
        ],
        "insights_gained": ["Tasks should be sequential"],
        "is_final": False,
    }
    with al.Runtime(profile) as session:
        turn = session.handle(fenced(json.dumps(step), "iteration"))
    assert turn.result.outcome is Outcome.CLEAN
    assert [each.status for each in turn.observations] == [ExecutionStatus.SUCCEEDED] * 3
    (memory,) = turn.observations[2].result["memories"]
    assert (memory["content"], memory["notes"]) == ("Project initialized", "milestone")


def test_a_batch_of_more_than_a_hundred_actions(session):
    """Each is answered: as many tasks as a minute allows, the rest with the limit, and whatever has no limit."""
    turn = session.handle(block(*(task(f"task {number}") for number in range(104)), {"type": "list_tasks"}))
    statuses = [each.status for each in turn.observations]
    assert statuses[:104] == [ExecutionStatus.SUCCEEDED] * 100 + [ExecutionStatus.RATE_LIMITED] * 4
    assert turn.observations[100].message.startswith("Rate limit exceeded for create_task: 100 per 60 s")
    assert turn.observations[104].result["tasks"][0]["content"] == "task 0"
