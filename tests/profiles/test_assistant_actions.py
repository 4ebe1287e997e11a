"""The assistant's 25 actions: what each requires, what it takes besides, and the stated defaults."""

import pytest

from actionledger.core.vocabulary import ActionStatus, Reason
from actionledger.profiles.assistant.actions import CATALOGUE

CREATE = {"content": "x"}
STATUSES = ("pending", "ongoing", "paused", "completed")

ACTIONS = {
    "create_task": (CREATE, {"notes": "", "status": "pending"}),
    "update_task": ({"task_id": 1}, {"content": None, "notes": None, "status": None}),
    "delete_task": ({"task_id": 1}, {}),
    "get_task": ({"task_id": 1}, {}),
    "list_tasks": ({}, {"status": None, "limit": 50}),
    "search_tasks": ({"query": "x"}, {"limit": 20}),
    "create_memory": (CREATE, {"notes": ""}),
    "update_memory": ({"memory_id": 1}, {"content": None, "notes": None}),
    "delete_memory": ({"memory_id": 1}, {}),
    "get_memory": ({"memory_id": 1}, {}),
    "list_memories": ({}, {"limit": 50}),
    "search_memories": ({"query": "x"}, {"limit": 20}),
    "create_goal": (CREATE, {"notes": "", "status": "pending"}),
    "update_goal": ({"goal_id": 1}, {"content": None, "notes": None, "status": None}),
    "delete_goal": ({"goal_id": 1}, {}),
    "get_goal": ({"goal_id": 1}, {}),
    "list_goals": ({}, {"status": None, "limit": 50}),
    "search_goals": ({"query": "x"}, {"limit": 20}),
    "datavault_store": (CREATE, {"filetype": "text", "notes": ""}),
    "datavault_get": ({"item_id": 1}, {}),
    "datavault_update": ({"item_id": 1}, {"content": None, "filetype": None, "notes": None}),
    "datavault_delete": ({"item_id": 1}, {}),
    "datavault_list": ({}, {"filetype": None, "limit": 50}),
    "datavault_search": ({"query": "x"}, {"limit": 20}),
    "execute_code": ({"code": "x"}, {}),
}
"""Each action with the least that it takes and what it has then besides."""

SHARED = {"id": None, "depends_on": []}

REQUIRED = [(name, field) for name, (arguments, _) in ACTIONS.items() for field in arguments]


def test_the_catalogue_holds_just_the_documented_actions():
    """There are 25 actions, in the document's order."""
    assert CATALOGUE.names == tuple(ACTIONS)
    assert len(CATALOGUE.names) == 25


@pytest.mark.parametrize("name", ACTIONS)
def test_required_fields_are_enough_and_the_rest_has_the_stated_defaults(checked, name):
    """The least arguments are valid, and every other field has its documented default."""
    arguments, defaults = ACTIONS[name]
    call = checked(CATALOGUE, name, arguments)
    assert call.status is ActionStatus.VALID
    assert call.action.model_dump() == {"type": name} | arguments | defaults | SHARED


@pytest.mark.parametrize(("name", "field"), REQUIRED)
def test_a_required_field_is_missed(checked, name, field):
    """Without a required field the action is invalid, and the field is named."""
    arguments = {key: value for key, value in ACTIONS[name][0].items() if key != field}
    call = checked(CATALOGUE, name, arguments)
    assert [(error.code, error.path) for error in call.errors] == [(Reason.MISSING_FIELD, field)]


@pytest.mark.parametrize(("name", "field"), REQUIRED)
def test_a_required_field_cannot_be_empty_or_null(checked, name, field):
    """An empty text or the number 0 is as good as nothing."""
    least = ACTIONS[name][0]
    empty, reason = ("", Reason.BAD_LENGTH) if least[field] == "x" else (0, Reason.OUT_OF_RANGE)
    assert checked(CATALOGUE, name, least | {field: empty}).reason is reason
    assert checked(CATALOGUE, name, least | {field: None}).reason is Reason.WRONG_TYPE


@pytest.mark.parametrize("name", [name for name, (_, defaults) in ACTIONS.items() if "status" in defaults])
def test_the_four_statuses_are_allowed_and_no_other(checked, name):
    """A status is one of four words; a near miss is told which it may have meant."""
    least = ACTIONS[name][0]
    for status in STATUSES:
        assert checked(CATALOGUE, name, least | {"status": status}).action.status == status
    call = checked(CATALOGUE, name, least | {"status": "complete"})
    assert (call.reason, call.errors[0].path) == (Reason.VALUE_NOT_ALLOWED, "status")
    assert "pending, ongoing, paused, completed" in call.errors[0].expected
    assert "did you mean 'completed'?" in call.errors[0].expected


@pytest.mark.parametrize("name", [name for name, (_, defaults) in ACTIONS.items() if "limit" in defaults])
@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        (1, None),
        (1000, None),
        (0, Reason.OUT_OF_RANGE),
        (1001, Reason.OUT_OF_RANGE),
        ("5", None),
        ("five", Reason.WRONG_TYPE),
    ],
)
def test_a_limit_is_from_1_to_1000(checked, name, limit, reason):
    """A list or search returns at least one result and at most a thousand."""
    assert checked(CATALOGUE, name, ACTIONS[name][0] | {"limit": limit}).reason is reason


def test_an_update_empties_no_text(checked):
    """What isn't given stays; an empty text is a mistake, as where it is stored."""
    for field in ("content", "filetype"):
        call = checked(CATALOGUE, "datavault_update", {"item_id": 1, field: ""})
        assert (call.reason, call.errors[0].path) == (Reason.BAD_LENGTH, field)


@pytest.mark.parametrize("name", ["create_task", "create_memory", "create_goal", "datavault_store"])
def test_notes_may_be_null(checked, name):
    """The document declares notes optional: null is no mistake."""
    assert checked(CATALOGUE, name, CREATE | {"notes": None}).action.notes is None


@pytest.mark.parametrize("name", ACTIONS)
def test_every_action_may_have_an_id_and_dependencies(checked, name):
    """An action can be named and can wait for others."""
    arguments = ACTIONS[name][0] | {"id": "action_2", "depends_on": ["action_1"]}
    call = checked(CATALOGUE, name, arguments)
    assert (call.action.id, call.action.depends_on) == ("action_2", ["action_1"])


def test_code_is_not_searched_for_forbidden_words(checked):
    """The sandbox confines code; a list of words would refuse harmless code and let the other through."""
    assert checked(CATALOGUE, "execute_code", {"code": "eval('1')"}).status is ActionStatus.VALID


def test_defaults_are_not_shared_between_actions(checked):
    """What one action's dependencies become is no matter of the next one's."""
    first, second = (checked(CATALOGUE, "list_tasks", {}).action for _ in range(2))
    assert first.depends_on is not second.depends_on
