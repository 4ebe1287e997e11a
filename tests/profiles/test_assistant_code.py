"""The assistant's ``execute_code``: the object gb with the documented methods and shapes, and what a failure leaves."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.core.errors import SandboxError, UsageError
from actionledger.core.values import Observation
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.profiles.assistant import ASSISTANT, CODE_LIMITS, assistant_profile
from actionledger.runtime.execution.limits import STANDARD_LIMITS, Limits as ExecutionLimits, RateLimit
from actionledger.runtime.sandbox import Limits, Sandbox, choose

KEYS = {"success", "stdout", "stderr", "result", "error", "execution_time"}
Run = Callable[[str], Observation]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox for all tests here: it is probed once."""
    try:
        chosen = choose()
    except SandboxError as error:
        pytest.skip(str(error))
    yield chosen
    chosen.close()


@pytest.fixture
def profile(sandbox: Sandbox) -> al.Profile:
    """The assistant, with as long for code as it may take on a busy machine, and no rates."""
    return assistant_profile("patient", code=Limits(seconds=120), sandbox=sandbox, limits=STANDARD_LIMITS)


@pytest.fixture
def session(profile: al.Profile, tmp_path: Path) -> Iterator[al.Runtime]:
    """A session of that profile."""
    with al.Runtime(profile, workspace=tmp_path / "work") as runtime:
        yield runtime


def block(*actions: dict[str, Any]) -> str:
    return f"```actions\n{json.dumps({'actions': actions})}\n```"


@pytest.fixture
def run(session: al.Runtime) -> Run:
    """Runs one code; gives its observation."""

    def act(code: str) -> Observation:
        (observation,) = session.handle(block({"type": "execute_code", "code": code})).observations
        return observation

    return act


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    return [shape(item) for item in value] if isinstance(value, list) else type(value)


TASK = {"id": int, "content": str, "notes": str, "status": str}
SHAPES = {
    "gb.create_task('a', notes='n', status='paused')": {
        "id": int, "task_id": int, "content": str, "status": str, "created_at": str,
    },
    "gb.update_task(1, content='b')": {
        "id": int, "task_id": int, "content": str, "status": str, "updated_at": str,
    },
    "gb.list_tasks(status='paused', limit=5)": {"tasks": [TASK]},
    "gb.search_tasks('b', limit=5)": {"tasks": [TASK]},
    "gb.get_task(1)": TASK,
    "gb.delete_task(1)": {"success": bool, "task_id": int},
    "gb.create_memory('a', 'n')": {"id": int, "memory_id": int, "content": str, "created_at": str},
    "gb.update_memory(1, None, 'm')": {"id": int, "memory_id": int, "content": str, "updated_at": str},
    "gb.list_memories()": {"memories": [{"id": int, "content": str, "notes": str}]},
    "gb.search_memories('a')": {"memories": [{"id": int, "content": str, "notes": str}]},
    "gb.get_memory(1)": {"id": int, "content": str, "notes": str},
    "gb.delete_memory(1)": {"success": bool, "memory_id": int},
    "gb.create_goal('a', 'n', 'ongoing')": {
        "id": int, "goal_id": int, "content": str, "status": str, "created_at": str,
    },
    "gb.update_goal(1, status='completed')": {
        "id": int, "goal_id": int, "content": str, "status": str, "updated_at": str,
    },
    "gb.list_goals()": {"goals": [{"id": int, "content": str, "status": str}]},
    "gb.search_goals('a')": {"goals": [{"id": int, "content": str, "status": str}]},
    "gb.get_goal(1)": {"id": int, "content": str, "notes": str, "status": str},
    "gb.delete_goal(1)": {"success": bool, "goal_id": int},
    "gb.datavault_store('abc', filetype='json')": {
        "id": int, "datavault_id": int, "filetype": str, "content_length": int, "created_at": str,
    },
    "gb.datavault_get(1)": {"id": int, "content": str, "filetype": str, "notes": str},
    "gb.datavault_update(1, notes='x')": {
        "id": int, "datavault_id": int, "filetype": str, "updated_at": str,
    },
    "gb.datavault_list(filetype='json')": {
        "items": [{"id": int, "filetype": str, "notes": str, "content_length": int}]
    },
    "gb.datavault_search('b')": {"items": [{"id": int, "filetype": str, "notes": str, "content_length": int}]},
    "gb.datavault_delete(1)": {"success": bool, "datavault_id": int},
}  # fmt: skip
"""Each call of the document with the shape that it promises, in an order in which all of them work."""


def test_every_method_returns_the_documented_shape(run):
    """Just the stated keys with values of the stated types; the document's calls work by place and by name."""
    calls = ", ".join(SHAPES)
    observation = run(f"[{calls}]")
    assert observation.status is ExecutionStatus.SUCCEEDED, observation.message
    for call, answer in zip(SHAPES, observation.result["result"], strict=True):
        assert shape(answer) == SHAPES[call], call


def test_the_result_has_the_six_keys_and_nothing_else(run):
    """Of the stated types; what was logged stands in stderr."""
    result = run("import sys\nprint('out')\nprint('err', file=sys.stderr)\ngb.log('seen')\n6 * 7").result
    assert set(result) == KEYS
    assert result["success"] is True
    assert (result["stdout"], result["result"], result["error"]) == ("out\n", 42, "")
    assert result["stderr"] == "err\ngb.log: seen\n"
    assert isinstance(result["execution_time"], float)


def test_the_documents_example_works(run):
    """Tasks from a list, a summary in the datavault, a line printed."""
    observation = run(
        "import json\n"
        "created = []\n"
        "for content in ['Review PR #123', 'Update documentation', 'Fix bug in authentication']:\n"
        "    result = gb.create_task(content, notes='Auto-generated')\n"
        "    created.append(result['task_id'])\n"
        "    gb.log(f\"Created task: {result['task_id']}\")\n"
        "summary = json.dumps({'created_tasks': created, 'total': len(created)})\n"
        "gb.datavault_store(summary, filetype='json', notes='Task creation summary')\n"
        "print(f'Created {len(created)} tasks')\n"
    )
    assert observation.result["stdout"] == "Created 3 tasks\n"
    assert observation.result["stderr"].count("gb.log: Created task: ") == 3


def test_code_and_actions_share_one_store(session):
    """What an action made the code sees, and the other way round, within one response."""
    turn = session.handle(
        block(
            {"type": "create_task", "content": "by an action"},
            {
                "type": "execute_code",
                "code": "gb.create_task(gb.list_tasks()['tasks'][0]['content'] + ', and by code')",
            },
            {"type": "list_tasks"},
        )
    )
    contents = [task["content"] for task in turn.observations[2].result["tasks"]]
    assert contents == ["by an action", "by an action, and by code"]


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        ("gb.create_task('t', status='invalid_status')", "ValueError", "invalid_status is not a valid TaskStatus"),
        ("gb.update_goal(1, status='done')", "ValueError", "done is not a valid GoalStatus"),
        ("gb.list_tasks('open')", "ValueError", "open is not a valid TaskStatus"),
        ("gb.update_task(7, content='x')", "LookupError", "Task 7 not found"),
        ("gb.get_memory(7)", "LookupError", "Memory 7 not found"),
        ("gb.datavault_get(7)", "LookupError", "Datavault item 7 not found"),
        ("gb.create_task()", "TypeError", "gb.create_task(content, notes='', status='pending'): missing"),
        ("gb.create_task('t', priority=1)", "TypeError", "'priority'"),
        ("gb.create_task(5)", "TypeError", "gb.create_task: content: "),
        ("gb.list_tasks(limit=0)", "ValueError", "gb.list_tasks: limit: "),
        ("gb.create_task('')", "ValueError", "gb.create_task: content: "),
        ("gb.drop_tables()", "AttributeError", "gb has no method 'drop_tables'"),
    ],
)  # fmt: skip
def test_a_wrong_call_raises_in_the_code_and_says_what_is_allowed(run, call, kind, words):
    """It is a built-in exception that the code can catch, in the document's words where it has some."""
    code = f"gb.create_goal('g')\ntry:\n    {call}\nexcept {kind} as error:\n    print(error)"
    observation = run(code)
    assert observation.status is ExecutionStatus.SUCCEEDED, observation.message
    assert words in observation.result["stdout"]


def test_a_status_that_is_none_names_those_there_are(run):
    """The message of the document, then what would be right."""
    observation = run("gb.create_task('test', status='invalid_status')")
    assert observation.status is ExecutionStatus.FAILED
    assert "ValueError: invalid_status is not a valid TaskStatus" in observation.message
    assert all(word in observation.message for word in ("pending", "ongoing", "paused", "completed"))


def test_deleting_what_is_not_there_says_so(run):
    """The documented field ``success`` is what tells; nothing is raised."""
    assert run("gb.delete_task(7)").result["result"] == {"success": False, "task_id": 7}


def test_a_text_that_looks_like_a_reference_is_a_text(run):
    """References are for actions; a script's arguments are kept as they are."""
    run("gb.create_memory('$' + '{action_1.task_id}')")
    assert run("gb.get_memory(1)").result["result"]["content"] == "${action_1.task_id}"


@pytest.mark.parametrize(
    ("code", "status", "reason", "words"),
    [
        ("x = 1\ngb.create_task('test'", "failed", "code_error", ("SyntaxError", "line 2")),
        ("r = gb.create_task('t')\nprint('made')\nr['nope']", "failed", "code_error", ("KeyError", "nope", "line 3")),
        ("print(undefined_var)", "failed", "code_error", ("NameError", "undefined_var", "line 1")),
        ("import os\nos._exit(3)", "failed", "code_error", ("Crashed",)),
        ("x = [0] * 10**9", "failed", "code_limit", ("MemoryError",)),
        ("'x' * 2_000_000", "failed", "code_limit", ("LimitExceeded",)),
        ("open('/etc/passwd').read()", "failed", "code_error", ("PermissionError", "no files")),
        (
            "[c for c in (1).__class__.__base__.__subclasses__() if c.__name__ == 'Popen'][0](['ls'])",
            "failed", "code_error", ("line 1",),
        ),
        ("import subprocess\nsubprocess.run(['ls'])", "failed", "code_error", ("line 1", "No module named 'subprocess'")),
    ],
)  # fmt: skip
def test_what_goes_wrong_has_a_status_a_reason_and_the_six_keys(session, code, status, reason, words):
    """The model is told the error with its line; the record keeps the result all the same."""
    assert_failed(session, code, ExecutionStatus(status), Reason(reason), *words)


def test_what_takes_too_long_has_them_as_well(sandbox, tmp_path):
    """Half a second is enough for what has no end."""
    quick = assistant_profile("quick", code=Limits(seconds=0.5), sandbox=sandbox, limits=STANDARD_LIMITS)
    with al.Runtime(quick, workspace=tmp_path / "work") as session:
        words = ("TimeoutError", "0.5 s")
        assert_failed(session, "while True:\n    pass", ExecutionStatus.TIMED_OUT, Reason.TIMEOUT, *words)


def assert_failed(
    session: al.Runtime, code: str, status: ExecutionStatus, reason: Reason, *words: str
) -> None:
    turn = session.handle(block({"type": "execute_code", "code": code}))
    (observation,) = turn.observations
    assert (observation.status, observation.reason) == (status, reason)
    assert set(observation.result) == KEYS
    assert observation.result["success"] is False
    assert observation.result["error"]
    assert all(word in turn.feedback for word in words), turn.feedback


def test_what_a_failed_script_did_stays_done_and_is_said(session):
    """So the next script doesn't do it again; what was printed is told, too."""
    code = "gb.create_task('a')\ngb.delete_task(1)\ngb.create_memory('m')\nprint('half', 'way')\n1 / 0"
    turn = session.handle(block({"type": "execute_code", "code": code}, {"type": "list_memories"}))
    assert "create_task 1, delete_task 1, create_memory 1" in turn.feedback
    assert "stays done" in turn.feedback
    assert '"half way\\n"' in turn.feedback
    assert turn.observations[1].result["memories"][0]["content"] == "m"


def test_long_output_is_cut_and_the_record_still_has_the_six_keys(run):
    """Whatever the script prints: the keys are there, and each cut says so."""
    code = (
        "import sys\nprint('\\x01' * 200_000)\nprint('é\\n' * 100_000, file=sys.stderr)\nlist(range(50_000))"
    )
    result = run(code).result
    assert set(result) == KEYS
    assert "[cut: " in result["stdout"]
    assert "[cut: " in result["stderr"]
    assert result["result"]["truncated"] is True


def test_a_cut_leaves_no_half_of_a_secret(run):
    key = "ghp_" + "a1B2" * 9
    failed = run(f"print({key!r} + ' ' + 'x' * 580)\nraise ValueError")
    assert "(the last" in failed.message
    assert "1B2" not in failed.message
    printed = run(f"print('y ' * 50_000 + {key!r} * 2_000)").result["stdout"]
    assert "[cut:" in printed
    assert "1B2" not in printed


def test_the_record_of_a_failed_script_holds_its_result(profile, tmp_path):
    """A reviewer sees what was printed before the error, from the ledger alone."""
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        with al.Runtime(profile, ledger=ledger) as runtime:
            runtime.handle(block({"type": "execute_code", "code": "print('so far')\n1 / 0"}))
        [(status, reason, result)] = ledger.sql("SELECT status, reason, result FROM executions").fetchall()
    assert (status, reason) == ("failed", "code_error")
    assert json.loads(result)["stdout"] == "so far\n"


def test_a_dry_run_shows_what_would_come_of_it_and_keeps_nothing(profile, tmp_path):
    """Actions and code work on one copy of the store, so that later ones see what earlier ones would have done."""
    with al.Runtime(profile, workspace=tmp_path) as runtime:
        runtime.handle(block({"type": "create_task", "content": "real"}))
    with al.Runtime(profile, workspace=tmp_path, dry_run=True) as runtime:
        turn = runtime.handle(
            block(
                {"type": "create_task", "content": "tried"},
                {"type": "execute_code", "code": "[task['content'] for task in gb.list_tasks()['tasks']]"},
                {"type": "execute_code", "code": "1 / 0"},
            )
        )
    assert {each.status for each in turn.observations} == {ExecutionStatus.DRY_RUN}
    assert turn.observations[0].result["task_id"] == 2
    assert turn.observations[1].result["result"] == ["real", "tried"]
    assert turn.observations[2].message.startswith("It would fail. ZeroDivisionError")
    with al.Runtime(profile, workspace=tmp_path) as runtime:
        listed = runtime.handle(block({"type": "list_tasks"})).observations[0].result
    assert [task["content"] for task in listed["tasks"]] == ["real"]


def test_a_dry_run_makes_no_store(profile, tmp_path):
    """An empty workspace stays empty."""
    with al.Runtime(profile, workspace=tmp_path, dry_run=True) as runtime:
        runtime.handle(block({"type": "create_task", "content": "tried"}))
    assert list(tmp_path.iterdir()) == []


def test_code_has_thirty_seconds_unless_told_otherwise():
    """The document's time-out is the default, and the executor's own lies beyond it."""
    assert CODE_LIMITS.seconds == 30
    assert ASSISTANT.execution_settings.of("execute_code").timeout > 30 + CODE_LIMITS.start_seconds


def test_code_has_half_a_gigabyte_unless_told_otherwise():
    """The plan's limit on memory is the default."""
    assert CODE_LIMITS.memory == 512 * 2**20


def test_without_a_sandbox_code_is_refused_and_never_run(monkeypatch, tmp_path):
    """The model is told to use actions; the record says for the operator what is missing."""

    def none(name: str) -> Sandbox:
        raise SandboxError("Model-written code can't be run here: no walls.")

    monkeypatch.setattr("actionledger.profiles.assistant.handlers.shared_sandbox", none)
    with al.Runtime("assistant", workspace=tmp_path) as runtime:
        turn = runtime.handle(
            block({"type": "execute_code", "code": "gb.create_task('x')"}, {"type": "list_tasks"})
        )
    refused, listed = turn.observations
    assert (refused.status, refused.reason) == (ExecutionStatus.FAILED, Reason.UNAVAILABLE)
    assert "no walls" in refused.result["stderr"]
    assert listed.result == {"tasks": []}


def test_limits_that_nothing_could_stay_within_are_refused():
    """Where they are given, not when the first code comes."""
    with pytest.raises(UsageError, match="seconds"):
        assistant_profile("none", code=Limits(seconds=0))


def test_sessions_share_a_sandbox(profile, tmp_path):
    """None of them closes it."""
    for _ in range(2):
        with al.Runtime(profile, workspace=tmp_path) as runtime:
            turn = runtime.handle(block({"type": "execute_code", "code": "1"}))
        assert turn.observations[0].result["result"] == 1


@pytest.fixture
def limited(sandbox: Sandbox, tmp_path: Path) -> Iterator[tuple[al.Runtime, al.Ledger]]:
    """A recorded session in which three tasks a minute may be made."""
    limits = ExecutionLimits(rates=(("create_task", RateLimit(3, 60)),))
    profile = assistant_profile("limited", code=Limits(seconds=120), sandbox=sandbox, limits=limits)
    with (
        al.open_ledger(tmp_path / "l.duckdb") as ledger,
        al.Runtime(profile, workspace=tmp_path / "work", ledger=ledger) as runtime,
    ):
        yield runtime, ledger


def test_rates_hold_in_code_as_they_do_for_actions(limited) -> None:
    """One task as an action, and of ten in code the two that are left; code can catch what it is told of the others."""
    runtime, ledger = limited
    code = (
        "said = []\n"
        "for number in range(10):\n"
        "    try:\n"
        "        gb.create_task('x')\n"
        "    except RuntimeError as error:\n"
        "        said.append(str(error))\n"
        "{'tasks': len(gb.list_tasks()['tasks']), 'refused': len(said), 'first': said[0]}\n"
    )
    turn = runtime.handle(
        block(
            {"type": "create_task", "content": "a"},
            {"type": "execute_code", "code": code},
            {"type": "create_task", "content": "b"},
        )
    )
    first, ran, last = turn.observations
    assert first.status is ExecutionStatus.SUCCEEDED
    assert ran.result["result"]["tasks"] == 3
    assert ran.result["result"]["refused"] == 8
    assert ran.result["result"]["first"].startswith(
        "Rate limit exceeded for create_task: 3 per 60 s; try again in"
    )
    assert last.status is ExecutionStatus.RATE_LIMITED
    [(message, detail)] = ledger.sql(
        "SELECT message, detail::VARCHAR FROM events WHERE code = 'called_in_code'"
    ).fetchall()
    noted = json.loads(detail)
    assert message == "The code called gb 11 times: 3 done, 8 rate limit."
    assert noted["counts"] == {"done": 3, "rate_limit": 8}
    assert [call["what"] for call in noted["calls"][:2]] == ["create_task 2", "create_task 3"]
    assert noted["execution_id"] == ran.execution_id


def test_code_that_does_not_catch_the_rate_ends_with_it(limited) -> None:
    """What it did before stays done, and is recorded."""
    runtime, _ = limited
    code = "for number in range(10):\n    gb.create_task('x')\n"
    (ran,) = runtime.handle(block({"type": "execute_code", "code": code})).observations
    assert (ran.status, ran.reason) == (ExecutionStatus.FAILED, Reason.CODE_ERROR)
    assert "RuntimeError: Rate limit exceeded for create_task" in ran.message
    assert "What it did before stays done: create_task 1, create_task 2, create_task 3." in ran.message


def test_the_record_of_calls_is_bounded(sandbox: Sandbox, tmp_path: Path) -> None:
    """Many calls are counted, the first ones named; every run has a record of its own."""
    profile = assistant_profile("patient", code=Limits(seconds=120), sandbox=sandbox, limits=STANDARD_LIMITS)
    with (
        al.open_ledger(tmp_path / "l.duckdb") as ledger,
        al.Runtime(profile, workspace=tmp_path / "other", ledger=ledger) as runtime,
    ):
        code = "for number in range(300):\n    gb.list_goals()\n"
        runtime.handle(block(*[{"type": "execute_code", "code": code}] * 2))
        found = ledger.sql(
            "SELECT detail->'counts'->>'done', json_array_length(detail->'calls') FROM events WHERE code = 'called_in_code'"
        ).fetchall()
    assert found == [("300", 200)] * 2


def test_code_in_a_fence_is_run_without_it():
    """As it stands it is no Python; that the fence was taken off is told."""
    action = {"type": "execute_code", "code": "```python\nprint(1 + 1)\n```"}
    with al.Runtime("assistant") as session:
        turn = session.handle(f"```actions\n{json.dumps({'actions': [action]})}\n```")
    assert turn.observations[0].result["stdout"] == "2\n"
    assert "fence" in turn.observations[0].result["stderr"]
