"""Values in another type than the schema's, and fields that nobody knows."""

from typing import ClassVar, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from actionledger.actions.catalogue import Action, Arguments, Catalogue
from actionledger.actions.tools import ToolCatalogue
from actionledger.actions.validation import check_action
from actionledger.core.values import Conversion, RawAction, Span
from actionledger.core.vocabulary import ActionStatus, Reason


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Literal["inner"]
    count: int = 0
    labels: list[str] = Field(default=[])


class Work(Action):
    """Do some work."""

    example: ClassVar[Arguments] = {"number": 1}
    type: Literal["work"]
    number: int
    share: float = 0.0
    done: bool = False
    name: str = ""
    task_id: str = ""
    depends_on: list[str] = Field(default=[])
    sizes: list[int] = Field(default=[])
    level: int | None = None
    either: int | list[int] = 0
    inner: Inner | None = None
    inners: list[Inner] = Field(default=[])
    free: dict[str, int] = Field(default={})
    stage: Literal[1, 2] = 1
    grade: Literal["1", "2", "True"] = "1"
    smoking: Literal["true", "False", "dontcare"] | None = None
    told: Literal["true", "True"] = "true"
    version: Literal["2"] = "2"
    edition: Literal[2] = 2
    sure: Literal[True] = True
    limited: int = Field(default=1, le=10)


MODELS = Catalogue(name="works", actions=(Work,))
TOOLS = ToolCatalogue.of(MODELS.tools())
BOTH = pytest.mark.parametrize("catalogue", [MODELS, TOOLS], ids=["models", "tools"])


def checked(catalogue, **arguments):
    return check_action(RawAction("work", {"number": 1} | arguments, Span(0, 9), "test", 0), catalogue)


@BOTH
@pytest.mark.parametrize(
    ("field", "before", "after", "said"),
    [
        ("number", "3", 3, ("number", '"3"', "3")),
        ("version", 2, "2", ("version", "2", '"2"')),
        ("edition", "2", 2, ("edition", '"2"', "2")),
        ("sure", "true", True, ("sure", '"true"', "true")),
        ("number", "3.0", 3, ("number", '"3.0"', "3")),
        ("number", "-12", -12, ("number", '"-12"', "-12")),
        ("grade", 2, "2", ("grade", "2", '"2"')),
        ("grade", True, "True", ("grade", "true", '"True"')),
        ("smoking", True, "true", ("smoking", "true", '"true"')),
        ("smoking", False, "False", ("smoking", "false", '"False"')),
        ("smoking", "false", "False", ("smoking", '"false"', '"False"')),
        ("share", "0.5", 0.5, ("share", '"0.5"', "0.5")),
        ("share", "2", 2, ("share", '"2"', "2")),
        ("done", "true", True, ("done", '"true"', "true")),
        ("done", "False", False, ("done", '"False"', "false")),
        ("task_id", 7, "7", ("task_id", "7", '"7"')),
        ("depends_on", "a", ["a"], ("depends_on", '"a"', '["a"]')),
        ("depends_on", 3, ["3"], ("depends_on", "3", '["3"]')),
        ("depends_on", [3, "a"], ["3", "a"], ("depends_on.0", "3", '"3"')),
        ("sizes", "4", [4], ("sizes", '"4"', "[4]")),
        ("sizes", ["4", 5], [4, 5], ("sizes.0", '"4"', "4")),
        ("level", "5", 5, ("level", '"5"', "5")),
        ("stage", "2", 2, ("stage", '"2"', "2")),
        ("inners", [{"kind": "inner", "count": "2"}], None, ("inners.0.count", '"2"', "2")),
        ("inner", {"kind": "inner", "count": "2"}, None, ("inner.count", '"2"', "2")),
    ],
)
def test_what_loses_nothing_is_converted(catalogue, field, before, after, said):
    """The action may run, and what was written in place of what is recorded."""
    call = checked(catalogue, **{field: before})
    assert (call.status, call.reason, call.errors) == (ActionStatus.COERCED, None, ())
    assert call.conversions == (Conversion(*said),)
    if after is not None:
        assert call.arguments[field] == after
        assert type(call.arguments[field]) is type(after)
    if catalogue is MODELS and after is not None:
        assert getattr(call.action, field) == after


def test_a_whole_float_is_an_integer_of_a_model():
    """JSON Schema takes it for one anyway."""
    call = checked(MODELS, number=3.0)
    assert (call.status, call.action.number) == (ActionStatus.COERCED, 3)
    assert call.conversions == (Conversion("number", "3.0", "3"),)


@BOTH
@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(
            ("number", value)
            for value in [3.5, "3.5", "3 apples", "", " 3", "+3", "03", "0x3", "1e400", True, None]
        ),
        *(("number", value) for value in [[3], {"value": 3}, "[3]", "three", "٣", "9" * 200, "1e300"]),
        *(("share", value) for value in ["NaN", "Infinity", "50%", "1,5", "half", True]),
        *(("done", value) for value in ["yes", "on", "1", 1, 0, "TRUE", [True]]),
        *(("name", value) for value in [5, 1.5, True, ["x"], {"x": 1}]),
        *(("task_id", value) for value in [1.5, True, ["1"]]),
        *(("depends_on", value) for value in ["a, b", "", "a;b", "a\nb", '["a"]', {"a": 1}, None, [["a"]]]),
        *(("sizes", value) for value in ["x", "1,2", [[1]]]),
        *(("grade", value) for value in [3, False, 2.0, ["2"], "02"]),
        *(("smoking", value) for value in [1, 0, "FALSE", ["true"]]),
        ("told", True),
        ("either", "5"),
        ("inner", '{"kind": "inner"}'),
        ("inner", {"kind": "other", "count": "2"}),
        ("inner", {"kind": "inner", "labels": "x"}),
        ("inners", {"kind": "inner"}),
        ("free", {"a": "1"}),
        ("limited", "11"),
    ],
)
def test_what_loses_something_or_may_mean_two_things_is_refused(catalogue, field, value):
    """The model hears of it in the words of the schema."""
    call = checked(catalogue, **{field: value})
    assert call.status is ActionStatus.INVALID
    assert call.errors[0].path.startswith(field)
    assert (call.conversions, call.notes, call.action) == ((), (), None)


@BOTH
def test_a_field_that_nobody_knows_is_left_out_with_a_note(catalogue):
    """The action runs without it, at any depth."""
    call = checked(catalogue, zzz={"x": 1}, inner={"kind": "inner", "zzz": 1})
    assert (call.status, call.errors) == (ActionStatus.COERCED, ())
    assert call.arguments == {"number": 1, "inner": {"kind": "inner"}}
    assert [(note.code, note.span) for note in call.notes] == [(Reason.UNKNOWN_FIELD, Span(0, 9))] * 2
    assert "'zzz' of 'work' was left out; expected one of: number" in call.notes[0].detail
    assert "'inner.zzz'" in call.notes[1].detail


@BOTH
@pytest.mark.parametrize("name", ["numbr", "Number", "dependsOn", "task"])
def test_a_field_near_a_known_one_is_refused(catalogue, name):
    """It was meant to be that, and what it says must not be lost."""
    call = checked(catalogue, **{name: 1})
    assert (call.status, call.reason) == (ActionStatus.INVALID, Reason.UNKNOWN_FIELD)
    assert "did you mean" in call.errors[0].expected


@BOTH
@pytest.mark.parametrize(
    "name", ["dry_run", "dryRun", "dry-run", "what_if", "PREVIEW", "draft", "requires_approval"]
)
def test_a_field_that_holds_an_action_back_is_not_left_out(catalogue, name):
    """Without it the action would do what was only to be tried."""
    call = checked(catalogue, **{name: True})
    assert (call.status, call.reason) == (ActionStatus.INVALID, Reason.UNKNOWN_FIELD)
    assert checked(catalogue, **{name: False}).status is ActionStatus.COERCED


@BOTH
def test_a_mode_that_holds_an_action_back_is_not_left_out(catalogue):
    call = checked(catalogue, mode="dry_run")
    assert (call.status, call.reason) == (ActionStatus.INVALID, Reason.UNKNOWN_FIELD)
    assert checked(catalogue, mode="fast").status is ActionStatus.COERCED


def test_a_tool_that_takes_more_keeps_it():
    """Nothing is left out where a schema allows further fields."""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": True}
    catalogue = ToolCatalogue.of([{"name": "f", "parameters": schema}])
    call = check_action(RawAction("f", {"n": "1", "more": "2"}, Span(0, 1), "test", 0), catalogue)
    assert (call.status, call.arguments) == (ActionStatus.COERCED, {"n": 1, "more": "2"})


@BOTH
def test_one_hopeless_field_leaves_all_as_it_was_written(catalogue):
    """A refused action says what is wrong with what stands there."""
    call = checked(catalogue, number="3", name=5)
    assert call.status is ActionStatus.INVALID
    assert call.arguments["number"] == "3"
    assert {error.path for error in call.errors} == {"number", "name"}


def test_the_name_of_an_action_is_never_converted():
    """Another discriminator in the arguments is refused."""
    call = checked(MODELS, type="job", number="3")
    assert (call.status, call.errors[0].path) == (ActionStatus.INVALID, "type")


@BOTH
def test_a_flood_of_conversions_is_told_by_its_fields(catalogue):
    """Hundreds of quoted numbers in one list are one slip."""
    call = checked(catalogue, sizes=[str(number) for number in range(500)])
    assert (call.status, len(call.arguments["sizes"])) == (ActionStatus.COERCED, 500)
    assert [each.path for each in call.conversions] == ["sizes"]


def test_what_stands_beside_a_reference_is_converted():
    """The reference stays to be filled in."""
    catalogue = Catalogue(name="works", actions=(Work,), references=True)
    arguments = {"number": "${action_1.n}", "share": "0.5", "depends_on": "a"}
    raw = RawAction("work", arguments, Span(0, 1), "test", 0)
    call = check_action(raw, catalogue, ids={"a"})
    assert (call.status, call.action, len(call.references)) == (ActionStatus.COERCED, None, 1)
    assert call.arguments == {"number": "${action_1.n}", "share": 0.5, "depends_on": ["a"]}


@BOTH
@pytest.mark.parametrize(
    ("field", "value"),
    [("version", 3), ("version", 2.0), ("edition", "3"), ("edition", True), ("sure", "false")],
)
def test_what_is_not_the_constant_is_refused(catalogue, field, value):
    call = checked(catalogue, **{field: value})
    assert call.status is ActionStatus.INVALID
    assert {error.path for error in call.errors} == {field}


def test_a_constant_needs_no_type_beside_it():
    schema = {"type": "object", "properties": {"version": {"const": "2"}, "level": {"const": 1.5}}}
    tools = ToolCatalogue.of([{"type": "function", "function": {"name": "f", "parameters": schema}}])
    call = check_action(RawAction("f", {"version": 2, "level": "1.5"}, Span(0, 9), "test", 0), tools)
    assert (call.status, call.arguments) == (ActionStatus.COERCED, {"version": "2", "level": 1.5})


@pytest.mark.parametrize(
    ("holder", "held"),
    [
        ("arguments", '{"number": 2}'),
        ("action_input", '{"number": 2}'),
        ("input", {"number": 2}),
        ("kwargs", {"number": 2}),
    ],
)
def test_fields_in_an_object_of_their_own_stand_beside_the_name(holder, held):
    """As an object, or as the text of one that OpenAI's interface has."""
    call = check_action(RawAction("work", {holder: held}, Span(0, 9), "test", 0), MODELS)
    assert (call.status, call.arguments) == (ActionStatus.COERCED, {"number": 2})
    assert [each.path for each in call.conversions] == [holder]


@pytest.mark.parametrize(
    "held",
    [
        '{"number": 2, "number": 3}',
        '{"number": 2',
        '{"numbers": 2}',
        '{"number": 2} ',
        "2",
        '[{"number": 2}]',
    ],
)
def test_a_text_that_may_be_another_object_is_refused(held):
    """Cut, with a key twice, with an unknown one, or no object; what stands around it is nothing where it is blank."""
    call = check_action(RawAction("work", {"arguments": held}, Span(0, 9), "test", 0), MODELS)
    assert call.status is (ActionStatus.COERCED if held.endswith(" ") else ActionStatus.INVALID)
