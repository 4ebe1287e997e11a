"""Work that looks like repetition, under the profiles themselves: all of it is done."""

import json
from typing import Any

import pytest

import actionledger as al
from actionledger.core.vocabulary import ExecutionStatus, Reason


def actions(*items: dict[str, Any]) -> str:
    return f"```actions\n{json.dumps({'actions': items})}\n```"


def statuses(*turns: al.Turn) -> list[ExecutionStatus]:
    return [each.status for turn in turns for each in turn.observations]


@pytest.fixture
def assistant(tmp_path):
    """A session of the assistant."""
    with al.Runtime("assistant", workspace=tmp_path, auto=True) as runtime:
        yield runtime


def test_ten_tasks_over_two_turns_and_nine_deletions(assistant):
    tasks = [{"type": "create_task", "content": f"Call supplier {n}"} for n in range(1, 11)]
    first, second = assistant.handle(actions(*tasks[:5])), assistant.handle(actions(*tasks[5:]))
    assert statuses(first, second) == [ExecutionStatus.SUCCEEDED] * 10
    deleted = [assistant.handle(actions({"type": "delete_task", "task_id": n})) for n in range(1, 10)]
    assert statuses(*deleted) == [ExecutionStatus.SUCCEEDED] * 9
    assert not any(turn.stopped or "repeating" in turn.feedback for turn in (first, second, *deleted))


def test_the_same_task_again_is_not_made_again(assistant):
    """Whatever number the new one would have, and whatever id the action gives itself."""
    turns = [
        assistant.handle(actions({"type": "create_task", "id": f"t{n}", "content": "Call Ada"}))
        for n in range(1, 5)
    ]
    assert statuses(*turns) == [ExecutionStatus.SUCCEEDED] * 3 + [ExecutionStatus.SKIPPED]
    assert turns[-1].observations[0].reason is Reason.REPETITION
    assert turns[-1].stopped


def test_ten_files_that_are_alike(tmp_path):
    """And reading one of them again after each change."""
    with al.Runtime("coder", workspace=tmp_path, auto=True) as coder:
        turns = [
            coder.handle(
                f"<create_file><path>part_{n}.py</path><content>x = 1\n</content></create_file>"
                f"\n<create_file><path>log.txt</path><content>{n} parts\n</content></create_file>"
                "\n<read_file><path>log.txt</path></read_file>"
            )
            for n in range(1, 11)
        ]
    assert not any(turn.stopped for turn in turns)
    assert len(list(tmp_path.glob("part_*.py"))) == 10


@pytest.mark.parametrize("profile", al.profile_names())
def test_names_are_read_in_any_capitals(profile):
    """Where that is all that differs, an action is the one that is meant, under each catalogue."""
    catalogue = al.profile(profile).catalogue
    for name in catalogue.names:
        assert catalogue.known_name(name.upper()) == name
        assert catalogue.known_name(name.title()) == name
        assert catalogue.known_name(name + "x") == name + "x"


def test_a_policy_holds_for_a_name_in_any_capitals(tmp_path):
    """What is decided on and run is the action that is meant."""
    with al.Runtime("assistant", workspace=tmp_path) as runtime:
        turn = runtime.handle(actions({"type": "CREATE_TASK", "content": "x"}))
        plain = runtime.handle(actions({"type": "create_task", "content": "y"}))
        asked = runtime.handle(actions({"type": "Delete_Task", "task_id": 1}))
        plainly = runtime.handle(actions({"type": "delete_task", "task_id": 2}))
    assert turn.result.actions[0].name == "CREATE_TASK"
    assert turn.observations[0].name == "create_task"
    assert statuses(turn) == statuses(plain)
    assert statuses(asked) == statuses(plainly)
