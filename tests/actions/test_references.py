"""References: what is one and what merely looks alike, and what stands in their place."""

from typing import Any, ClassVar, Literal

import pytest
from pydantic import Field

from actionledger.actions.catalogue import Action, Arguments, Catalogue
from actionledger.actions.references import MAX_FILLED, filled, references_in, spelled_out
from actionledger.actions.validation import check
from actionledger.core.errors import ActionError
from actionledger.core.values import RawAction, Reading, Reference, Span
from actionledger.core.vocabulary import ActionStatus, Outcome, Reason

IDS = {"project", "my task"}
RESULT: dict[str, Any] = {"project_id": 7, "name": "Tea", "items": [{"id": 3}, {"id": None}], "a.b": 1}


def fill(arguments: dict[str, Any]) -> dict[str, Any]:
    return filled(arguments, lambda name: RESULT, IDS)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("${project.project_id}", [("project", "project_id")]),
        ("Task ${project.name} of ${project.items.0.id}", [("project", "name"), ("project", "items.0.id")]),
        ("${my task.id}", [("my task", "id")]),
        ("${action_12.id}", [("action_12", "id")]),
        ("${HOME}", []),
        ("${other.id}", []),
        ("${action_0.id}", []),
        ("${action_x.id}", []),
        ("$project.id", []),
        ("${project}", []),
        ("${project.}", []),
        ("${ project.id }", []),
        ("${project.a\n}", []),
        ("${${project.id}", [("project", "id")]),
        ("echo ${PATH} # ${action_1.path}", [("action_1", "path")]),
    ],
)
def test_what_is_a_reference(text, found):
    """Only what names an action of the response, or one by its number, and a value of its result."""
    assert [(each.action, each.path) for each in references_in({"content": text}, IDS)] == found


def test_references_are_found_wherever_they_stand():
    """In lists and objects, each with its place; never in the fields that name actions."""
    arguments = {
        "a": ["x", {"b": "${project.id}"}],
        "id": "${project.id}",
        "depends_on": ["${project.id}"],
    }
    assert references_in(arguments, IDS) == (Reference("a.1.b", "project", "id"),)


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ({"project_id_from": "project.project_id"}, {"project_id": "${project.project_id}"}),
        ({"project_id_from": "anything.id"}, {"project_id": "${anything.id}"}),
        ({"project_id_from": "no path"}, {"project_id_from": "no path"}),
        ({"project_id_from": 7}, {"project_id_from": 7}),
        ({"branch_from": "project.name"}, {"branch_from": "project.name"}),
        ({"taken_from": "project.name"}, {"taken_from": "project.name"}),
        (
            {"project_id_from": "project.id", "project_id": 1},
            {"project_id_from": "project.id", "project_id": 1},
        ),
    ],
)
def test_a_field_may_say_from_where_it_is_taken(arguments, written):
    """If the model has the field and not one of the longer name, and the field isn't given as well."""
    assert spelled_out(arguments, {"project_id", "taken_from", "taken"}) == written


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("${project.project_id}", 7),
        ("${project.items}", RESULT["items"]),
        ("${project.items.1.id}", None),
        ("number ${project.project_id}, ${project.name}", "number 7, Tea"),
        ("all: ${project.items}", 'all: [{"id":3},{"id":null}]'),
        ("${HOME}/${project.name}", "${HOME}/Tea"),
        (["${project.name}", 5, {"x": "${project.project_id}"}], ["Tea", 5, {"x": 7}]),
    ],
)
def test_a_reference_is_replaced_by_its_value(value, result):
    """Alone it keeps its type; within a text it becomes text."""
    assert fill({"content": value}) == {"content": result}


@pytest.mark.parametrize(
    ("path", "offered"),
    [
        ("nothing", "the fields project_id, name, items"),
        ("items.2.id", "a list of 2 items"),
        ("items.-1", "a list of 2 items"),
        ("items.²", "a list of 2 items"),
        ("name.first", "no fields"),
        ("__class__", "the fields"),
    ],
)
def test_a_path_that_leads_nowhere_says_what_there_is(path, offered):
    """The model learns what it can refer to instead."""
    with pytest.raises(ActionError, match=offered) as caught:
        fill({"content": f"${{project.{path}}}"})
    assert caught.value.reason is Reason.UNRESOLVED_REFERENCE


def test_what_a_result_says_is_never_taken_for_a_reference():
    """A text that came from a result is put in as it is."""
    hostile = {"text": "${project.secret}", "secret": "s"}
    assert filled({"content": "${project.text}!"}, lambda name: hostile, IDS) == {
        "content": "${project.secret}!"
    }


def test_references_cannot_blow_up_an_action():
    """A large value referred to many times is refused before it takes up memory."""
    with pytest.raises(ActionError, match="1,000,000") as caught:
        filled({"content": ["${project.x}"] * 100}, lambda name: {"x": "y" * (MAX_FILLED // 50)}, IDS)
    assert caught.value.reason is Reason.TOO_LARGE


class Plant(Action):
    """Plant something."""

    example: ClassVar[Arguments] = {"bed": 1, "what": "beans"}
    type: Literal["plant"]
    id: str | None = None
    depends_on: list[str] = Field(default=[])
    bed: int = Field(gt=0)
    what: str = Field(min_length=2)
    tags: list[str] = Field(default=[])


def checked(*written: dict[str, Any], references: bool = True, name: str = "plant", **given: Any):
    """Check actions that stand in one response."""
    actions = tuple(RawAction(name, each, Span(0, 1), "actions", 0, **given) for each in written)
    reading = Reading("", Outcome.CLEAN, (), actions, (), "", "p")
    return check(reading, Catalogue("garden", (Plant,), references=references))


def test_an_action_with_references_is_valid_without_a_model():
    """Its other fields are checked; what stands for a value isn't."""
    (call,) = checked({"bed": "${action_1.bed}", "what": "beans", "tags": ["a", "${action_1.tag}"]})
    assert (call.status, call.action, call.errors) == (ActionStatus.VALID, None, ())
    assert {reference.field for reference in call.references} == {"bed", "tags.1"}


def test_the_other_spelling_is_the_same():
    """``bed_from`` stands for the field ``bed``; the arguments stay as they were written."""
    (call,) = checked({"bed_from": "action_1.bed", "what": "beans"})
    assert call.references == (Reference("bed", "action_1", "bed"),)
    assert call.arguments == {"bed_from": "action_1.bed", "what": "beans"}


@pytest.mark.parametrize(
    ("arguments", "path", "reason"),
    [
        ({"bed": "${action_1.bed}"}, "what", Reason.MISSING_FIELD),
        ({"bed": "${action_1.bed}", "what": "x"}, "what", Reason.BAD_LENGTH),
        ({"bed": "${action_1.bed}", "what": "beans", "whatt": 1}, "whatt", Reason.UNKNOWN_FIELD),
        ({"bed": "${HOME}", "what": "beans"}, "bed", Reason.WRONG_TYPE),
        ({"bed_from": "action_1", "what": "beans"}, "bed", Reason.MISSING_FIELD),
    ],
)
def test_what_is_wrong_beside_a_reference_is_refused(arguments, path, reason):
    """A reference excuses only the field that it stands in."""
    (call,) = checked(arguments)
    assert call.status is ActionStatus.INVALID
    assert (path, reason) in {(error.path, error.code) for error in call.errors}


def test_a_catalogue_without_references_has_none():
    """There the same text is a wrong number."""
    (call,) = checked({"bed": "${action_1.bed}", "what": "beans"}, references=False)
    assert (call.status, call.references) == (ActionStatus.INVALID, ())


def test_a_given_id_makes_a_reference_of_a_text():
    """The same text is a script's variable where no action has that id."""
    text = {"bed": 1, "what": "${env.home}"}
    assert checked(text)[0].action.what == "${env.home}"
    assert checked({"bed": 1, "what": "beans", "id": "env"}, text)[1].references


REFERRED = {"bed": "${action_1.bed}", "what": "beans"}


@pytest.mark.parametrize(
    ("arguments", "given", "status"),
    [
        (REFERRED, {}, ActionStatus.VALID),
        (REFERRED, {"strings_only": True}, ActionStatus.COERCED),
        (REFERRED, {"name": "Plant"}, ActionStatus.COERCED),
        ({"bed": "1", "what": "${action_1.what}"}, {}, ActionStatus.COERCED),
        ({"bed": "1", "what": "${action_1.what}"}, {"strings_only": True}, ActionStatus.COERCED),
        (REFERRED | {"tags": '["a"]'}, {"strings_only": True}, ActionStatus.COERCED),
        (REFERRED | {"tags": "${action_1.tags}"}, {}, ActionStatus.VALID),
        ({"bed_from": "action_1.bed", "what": "beans"}, {"strings_only": True}, ActionStatus.COERCED),
    ],
)
def test_what_was_coerced_beside_a_reference_says_so(arguments, given, status):
    """As it would without one: texts where the format has nothing else, another spelling, another type."""
    (call,) = checked(arguments, **given)
    assert (call.status, call.errors) == (status, ())
    assert call.references
