"""The assistant's actions as a model asks for them: in a block, through a session, with the documented results."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.core.values import Observation
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.runtime.execution.limits import STANDARD_LIMITS

KINDS = ("task", "memory", "goal")
PLURAL = {"task": "tasks", "memory": "memories", "goal": "goals", "item": "items"}
ACTIONS = {
    kind: (
        f"create_{kind}",
        f"update_{kind}",
        f"delete_{kind}",
        f"get_{kind}",
        f"list_{PLURAL[kind]}",
        f"search_{PLURAL[kind]}",
    )
    for kind in KINDS
} | {"item": tuple(f"datavault_{verb}" for verb in ("store", "update", "delete", "get", "list", "search"))}
ALL = tuple(ACTIONS)
CREATE, UPDATE, DELETE, GET, LIST, SEARCH = range(6)

Run = Callable[..., Observation]


@pytest.fixture
def run() -> Iterator[Run]:
    """Runs one action in a session of the test's own: takes its name and its fields."""
    unlimited = replace(al.profile("assistant"), limits=STANDARD_LIMITS)
    with al.Runtime(unlimited) as runtime:

        def act(name: str, **fields: Any) -> Observation:
            action = json.dumps({"type": name} | fields)
            turn = runtime.handle(f'I shall.\n\n```actions\n{{"actions": [{action}]}}\n```')
            (observation,) = turn.observations
            return observation

        yield act


@pytest.fixture
def done(run: Run) -> Callable[..., Any]:
    """Runs one action that must succeed; gives its result."""

    def act(name: str, **fields: Any) -> Any:
        observation = run(name, **fields)
        assert observation.status is ExecutionStatus.SUCCEEDED, observation.message
        return observation.result

    return act


def shape(value: Any) -> Any:
    """Return a result with its values replaced by their types."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return type(value)


def number_of(kind: str) -> str:
    return "datavault_id" if kind == "item" else f"{kind}_id"


MADE = {
    "task": {"id": int, "task_id": int, "content": str, "status": str, "created_at": str},
    "memory": {"id": int, "memory_id": int, "content": str, "created_at": str},
    "goal": {"id": int, "goal_id": int, "content": str, "status": str, "created_at": str},
    "item": {"id": int, "datavault_id": int, "filetype": str, "content_length": int, "created_at": str},
}
CHANGED = {
    "task": {"id": int, "task_id": int, "content": str, "status": str, "updated_at": str},
    "memory": {"id": int, "memory_id": int, "content": str, "updated_at": str},
    "goal": {"id": int, "goal_id": int, "content": str, "status": str, "updated_at": str},
    "item": {"id": int, "datavault_id": int, "filetype": str, "updated_at": str},
}
LISTED = {
    "task": {"id": int, "content": str, "notes": str, "status": str},
    "memory": {"id": int, "content": str, "notes": str},
    "goal": {"id": int, "content": str, "status": str},
    "item": {"id": int, "filetype": str, "notes": str, "content_length": int},
}
SHOWN = {
    "task": {"id": int, "content": str, "notes": str, "status": str},
    "memory": {"id": int, "content": str, "notes": str},
    "goal": {"id": int, "content": str, "notes": str, "status": str},
    "item": {"id": int, "content": str, "filetype": str, "notes": str},
}


@pytest.mark.parametrize("kind", ALL)
def test_the_results_have_the_documented_shapes(done, kind):
    """Each of the six actions returns just the stated fields, of the stated types."""
    names, number = ACTIONS[kind], {f"{kind}_id": 1}
    assert shape(done(names[CREATE], content="water the plants")) == MADE[kind]
    assert shape(done(names[UPDATE], **number, notes="twice")) == CHANGED[kind]
    assert shape(done(names[GET], **number)) == SHOWN[kind]
    assert shape(done(names[LIST])) == {PLURAL[kind]: [LISTED[kind]]}
    assert shape(done(names[SEARCH], query="plants")) == {PLURAL[kind]: [LISTED[kind]]}
    assert done(names[DELETE], **number) == {"success": True, number_of(kind): 1}


@pytest.mark.parametrize("kind", ALL)
def test_what_is_created_is_there(done, kind):
    """Content and notes come back as they were given; records are numbered from 1 for each kind."""
    create, get = ACTIONS[kind][CREATE], ACTIONS[kind][GET]
    texts = ["plain", "line\nbreak and \0 and 🙂", "'; DROP TABLE tasks; --", "`" * 3 + "python"]
    for number, text in enumerate(texts, start=1):
        made = done(create, content=text, notes=text[::-1])
        assert made["id"] == made[number_of(kind)] == number
        shown = done(get, **{f"{kind}_id": number})
        assert (shown["content"], shown["notes"]) == (text, text[::-1])


def test_times_are_utc(done):
    """A time says its zone."""
    made = done("create_task", content="x")["created_at"]
    assert datetime.fromisoformat(made).utcoffset().total_seconds() == 0


@pytest.mark.parametrize("kind", ALL)
def test_notes_may_be_left_out_or_null(done, kind):
    """Both mean that there are none."""
    done(ACTIONS[kind][CREATE], content="x")
    done(ACTIONS[kind][CREATE], content="x", notes=None)
    assert [done(ACTIONS[kind][GET], **{f"{kind}_id": number})["notes"] for number in (1, 2)] == ["", ""]


@pytest.mark.parametrize("kind", ["task", "goal"])
def test_the_status_is_pending_unless_given(done, kind):
    """The documented default holds."""
    assert done(f"create_{kind}", content="x")["status"] == "pending"
    assert done(f"create_{kind}", content="x", status="paused")["status"] == "paused"


def test_the_file_type_is_text_unless_given(done):
    """The documented default holds; the length counts characters."""
    assert done("datavault_store", content="é🙂")["content_length"] == 2
    assert done("datavault_store", content="{}", filetype="json")["filetype"] == "json"
    assert done("datavault_get", item_id=1)["filetype"] == "text"


@pytest.mark.parametrize("kind", ALL)
def test_an_update_changes_what_is_given_and_leaves_the_rest(done, kind):
    """A field that isn't given, or is null, stays; an empty note is a value."""
    names, number = ACTIONS[kind], {f"{kind}_id": 1}
    done(names[CREATE], content="first", notes="kept")
    done(names[UPDATE], **number, content="second", notes=None)
    shown = done(names[GET], **number)
    assert (shown["content"], shown["notes"]) == ("second", "kept")
    done(names[UPDATE], **number, notes="")
    shown = done(names[GET], **number)
    assert (shown["content"], shown["notes"]) == ("second", "")


@pytest.mark.parametrize("kind", ["task", "goal"])
def test_a_status_is_changed(done, kind):
    """The result and the record have the new one."""
    done(f"create_{kind}", content="x")
    assert done(f"update_{kind}", **{f"{kind}_id": 1}, status="completed")["status"] == "completed"
    assert done(f"get_{kind}", **{f"{kind}_id": 1})["status"] == "completed"


def test_an_update_of_nothing_changes_nothing(done):
    """It succeeds and shows what is there."""
    done("create_task", content="x", notes="n")
    assert done("update_task", task_id=1)["content"] == "x"
    assert done("get_task", task_id=1)["notes"] == "n"


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("action", [UPDATE, DELETE, GET])
@pytest.mark.parametrize("number", [7, 2**63, 10**30])
def test_what_does_not_exist_is_not_found(run, kind, action, number):
    """However large the number is; the message names it."""
    run(ACTIONS[kind][CREATE], content="x")
    observation = run(ACTIONS[kind][action], **{f"{kind}_id": number})
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.NOT_FOUND)
    assert str(number) in observation.message


@pytest.mark.parametrize("kind", ALL)
def test_what_was_deleted_is_gone_and_its_number_is_not_given_again(run, done, kind):
    """A later record never takes the place of a deleted one that someone may still refer to."""
    names = ACTIONS[kind]
    for _ in range(2):
        done(names[CREATE], content="x")
    done(names[DELETE], **{f"{kind}_id": 2})
    assert run(names[GET], **{f"{kind}_id": 2}).reason is Reason.NOT_FOUND
    assert run(names[DELETE], **{f"{kind}_id": 2}).reason is Reason.NOT_FOUND
    assert done(names[CREATE], content="x")["id"] == 3


@pytest.mark.parametrize("kind", ALL)
def test_a_list_is_in_order_and_has_a_limit(done, kind):
    """The oldest come first; without a limit there are at most the documented 50."""
    names, plural = ACTIONS[kind], PLURAL[kind]
    assert done(names[LIST]) == {plural: []}
    for number in range(52):
        done(names[CREATE], content=f"x {number}")
    assert [record["id"] for record in done(names[LIST])[plural]] == list(range(1, 51))
    assert [record["id"] for record in done(names[LIST], limit=3)[plural]] == [1, 2, 3]
    assert len(done(names[SEARCH], query="x")[plural]) == 20
    assert len(done(names[SEARCH], query="x", limit=1000)[plural]) == 52


@pytest.mark.parametrize("kind", ["task", "goal"])
def test_a_list_of_one_status(done, kind):
    """Only records of that status are listed, and the limit counts those."""
    for status in ("pending", "paused", "pending", "paused"):
        done(f"create_{kind}", content="x", status=status)
    listed = done(f"list_{PLURAL[kind]}", status="paused")[PLURAL[kind]]
    assert [record["id"] for record in listed] == [2, 4]
    assert len(done(f"list_{PLURAL[kind]}", status="paused", limit=1)[PLURAL[kind]]) == 1
    assert done(f"list_{PLURAL[kind]}", status="completed") == {PLURAL[kind]: []}


def test_a_list_of_one_file_type(done):
    """Only items of that type are listed, and never their content."""
    for filetype in ("json", "py", "json"):
        done("datavault_store", content="secret", filetype=filetype)
    listed = done("datavault_list", filetype="json")["items"]
    assert [item["id"] for item in listed] == [1, 3]
    assert "secret" not in json.dumps(listed)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("lisbon", [1, 2]),
        ("LISBON TIME", [1]),
        ("ÜBER", [3]),
        ("STRASSE", [3]),
        ("%", [4]),
        ("_", []),
        ("*", []),
        ("'", [4]),
        ("nowhere", []),
        (" ", [1, 3, 4]),
        ("needle", [5]),
    ],
)
def test_a_search_looks_into_content_and_notes(done, kind, query, found):
    """It finds a text wherever it stands, letter case aside in every alphabet; no character is a wildcard."""
    names = ACTIONS[kind]
    for content, notes in (
        ("Works in Lisbon time", ""),
        ("Friend", "Lisbon,2019"),
        ("Über die Straße", ""),
        ("50 % of 'all'", ""),
        ("hay\0NEEDLE", "hay"),
    ):
        done(names[CREATE], content=content, notes=notes)
    assert [record["id"] for record in done(names[SEARCH], query=query)[PLURAL[kind]]] == found


def test_kinds_are_kept_apart(done):
    """A task is no goal, though both are numbered from 1."""
    done("create_task", content="a task")
    done("create_goal", content="a goal")
    assert done("get_task", task_id=1)["content"] == "a task"
    assert done("list_memories") == {"memories": []}
    assert done("datavault_search", query="a") == {"items": []}


def test_several_actions_of_one_block_see_each_other(done):
    """They run in their order over one state."""
    with al.Runtime("assistant") as runtime:
        turn = runtime.handle(
            '```actions\n{"actions": [{"type": "create_task", "content": "x"}, {"type": "list_tasks"}]}\n```'
        )
    assert turn.observations[1].result == {
        "tasks": [{"id": 1, "content": "x", "status": "pending", "notes": ""}]
    }


def test_what_is_kept_outlives_the_session(tmp_path: Path):
    """Another session over the same workspace goes on with it."""
    block = '```actions\n{{"actions": [{}]}}\n```'
    with al.Runtime("assistant", workspace=tmp_path) as runtime:
        runtime.handle(block.format('{"type": "create_goal", "content": "stay"}'))
    with al.Runtime("assistant-iterative", workspace=tmp_path) as runtime:
        turn = runtime.handle(
            '```iteration\n{"iteration": 1, "next_actions": [{"type": "list_goals"}], "is_final": false}\n```'
        )
    assert turn.observations[0].result == {"goals": [{"id": 1, "content": "stay", "status": "pending"}]}


def test_two_sessions_may_share_a_workspace(tmp_path: Path):
    """What one writes the other sees, and neither is locked out."""
    block = '```actions\n{"actions": [{"type": "create_task", "content": "x"}]}\n```'
    with (
        al.Runtime("assistant", workspace=tmp_path) as one,
        al.Runtime("assistant", workspace=tmp_path) as other,
    ):
        numbers = [runtime.handle(block).observations[0].result["id"] for runtime in (one, other, one)]
    assert numbers == [1, 2, 3]


def test_a_dry_run_is_what_the_real_run_would_be():
    """Each action sees what those before it would have done, their results filled in."""
    text = """```actions
{"actions": [{"type": "create_task", "content": "a"},
 {"type": "update_task", "task_id": "${action_1.task_id}", "status": "completed"}, {"type": "list_tasks"}]}
```"""
    came = []
    for dry_run in (True, False):
        with al.Runtime("assistant", dry_run=dry_run) as session:
            results = [each.result for each in session.handle(text).observations]
        came.append([{key: value for key, value in each.items() if key[-3:] != "_at"} for each in results])
    assert came[0] == came[1]
    assert came[0][2]["tasks"][0]["status"] == "completed"
