"""Raw actions against a catalogue: the statuses, and that nothing a model writes raises."""

import json

import pytest
from effort import examples
from hypothesis import HealthCheck, given, settings, strategies as st

from actionledger.actions.validation import check, check_action
from actionledger.core.values import Block, FieldError, Reading, Repair, Span
from actionledger.core.vocabulary import ActionStatus, BlockStatus, Outcome, Reason, RepairKind

NOTE = {"text": "hello", "number": 1}


def repair(start, end):
    return Repair(RepairKind.TRAILING_COMMA, Span(start, end), ",", "")


def test_a_right_action_is_valid(raw, catalogue):
    """What the model accepts is valid and comes with the model, defaults filled in."""
    call = check_action(raw("note", NOTE), catalogue)
    assert (call.status, call.reason, call.errors) == (ActionStatus.VALID, None, ())
    assert call.action.limit == 10
    assert call.arguments == NOTE


def test_a_call_keeps_what_the_raw_action_says(raw, catalogue):
    """Place, dialect and call id are taken over, whatever comes of the check."""
    made = raw("note", NOTE, span=Span(3, 9), dialect="hermes", block=2, call_id="c1")
    call = check_action(made, catalogue)
    assert (call.name, call.span, call.dialect, call.block, call.call_id) == (
        "note",
        (3, 9),
        "hermes",
        2,
        "c1",
    )


def test_a_wrong_action_is_invalid_with_the_first_reason(raw, catalogue):
    """The call's reason is its first error's."""
    call = check_action(raw("note", {"number": 0, "zz": 1}), catalogue)
    assert call.status is ActionStatus.INVALID
    assert call.action is None
    assert [error.code for error in call.errors] == [
        Reason.MISSING_FIELD,
        Reason.OUT_OF_RANGE,
        Reason.UNKNOWN_FIELD,
    ]
    assert call.reason is Reason.MISSING_FIELD


@pytest.mark.parametrize(
    ("name", "expected"),
    [("notes", "a known action (did you mean 'note'?)"), ("zzz", "one of: note, drop")],
)
def test_an_unknown_name_is_told_the_near_ones_or_all(raw, catalogue, name, expected):
    """A name that nothing goes by is answered with what there is."""
    call = check_action(raw(name, NOTE), catalogue)
    assert (call.status, call.reason) == (ActionStatus.UNKNOWN, Reason.UNKNOWN_ACTION)
    assert call.errors == (FieldError(Reason.UNKNOWN_ACTION, "", f'"{name}"', expected),)


def test_without_a_catalogue_a_named_action_is_not_checked(raw):
    """There is nothing to check against, and no model: nobody can say that it is valid, and it may run."""
    call = check_action(raw("anything", {"a": 1}), None)
    assert (call.status, call.action, call.errors) == (ActionStatus.NOT_CHECKED, None, ())
    assert call.status.is_runnable
    assert call.status.is_plannable


def test_an_unnamed_action_is_invalid(raw, catalogue):
    """An action that doesn't say which it is is invalid, with a catalogue or without."""
    for known in (None, catalogue):
        call = check_action(raw("", NOTE), known)
        assert (call.status, call.reason) == (ActionStatus.INVALID, Reason.MISSING_NAME)
        assert [error.code for error in call.errors] == [Reason.MISSING_NAME]


def test_an_illustration_is_not_checked(raw, catalogue):
    """What is shown and not meant has no errors, whatever it holds."""
    call = check_action(raw("nope", {"zz": 1}, illustration=Reason.EXAMPLE), catalogue)
    assert (call.status, call.reason, call.errors) == (ActionStatus.ILLUSTRATION, Reason.EXAMPLE, ())


def test_an_argument_cannot_choose_another_action(raw, catalogue):
    """An argument by the discriminator's name is compared with the name and never takes its place."""
    call = check_action(raw("note", NOTE | {"type": "drop"}), catalogue)
    assert (call.status, call.reason) == (ActionStatus.INVALID, Reason.VALUE_NOT_ALLOWED)
    assert call.errors[0].path == "type"
    same = check_action(raw("note", NOTE | {"type": "note"}), catalogue)
    assert same.status is ActionStatus.VALID


STRINGS = {"text": "5", "number": "5"}


def test_strings_are_coerced_where_the_dialect_writes_nothing_else(raw, catalogue):
    """A tag can only write "5": it may mean 5, and the call says that it was taken so."""
    call = check_action(raw("note", STRINGS | {"urgent": "true"}, strings_only=True), catalogue)
    assert (call.status, call.reason, call.errors) == (ActionStatus.COERCED, None, ())
    assert (call.action.text, call.action.number, call.action.urgent) == ("5", 5, True)
    assert call.arguments["number"] == "5"


def test_in_json_nothing_is_coerced_that_may_mean_two_things(raw, catalogue):
    """JSON can write true: there "yes" is a mistake, though a tag may say it."""
    arguments = NOTE | {"urgent": "yes"}
    assert check_action(raw("note", arguments), catalogue).reason is Reason.WRONG_TYPE
    assert check_action(raw("note", arguments, strings_only=True), catalogue).status is ActionStatus.COERCED


def test_strings_that_need_no_coercion_are_valid(raw, catalogue):
    """A tag dialect's call is coerced only if something had to be."""
    call = check_action(raw("drop", {"from": "5"}, strings_only=True), catalogue)
    assert call.status is ActionStatus.VALID


def test_an_array_in_a_tag_is_its_json_text(raw, catalogue):
    """A tag has no other way to write an array; a text that is none stays a mistake."""
    parts = json.dumps([{"title": "x", "labels": ["a"]}])
    call = check_action(raw("note", NOTE | {"parts": parts}, strings_only=True), catalogue)
    assert call.status is ActionStatus.COERCED
    assert call.action.parts[0].labels == ["a"]


def test_an_array_in_a_tag_is_found_where_other_types_are_allowed_too(raw, catalogue):
    """A field that takes a number or an array takes the array from a tag as well."""
    call = check_action(raw("note", NOTE | {"either": '["a"]'}, strings_only=True), catalogue)
    assert (call.status, call.action.either) == (ActionStatus.COERCED, ["a"])


def test_an_unknown_field_is_shown_as_it_was_written(raw, catalogue):
    """Only a field that wants an array is decoded."""
    call = check_action(raw("note", NOTE | {"part": "[1]"}, strings_only=True), catalogue)
    assert [(error.code, error.value) for error in call.errors] == [(Reason.UNKNOWN_FIELD, '"[1]"')]


@pytest.mark.parametrize("text", ["x", "[1", "{", "[" * 10_000, "[NaN]", '["\ud800"]', "5"])
def test_a_text_that_is_no_json_array_is_a_wrong_type(raw, catalogue, text):
    """Decoding is tried and gives up in peace."""
    call = check_action(raw("note", NOTE | {"parts": text}, strings_only=True), catalogue)
    assert (call.status, call.reason) == (ActionStatus.INVALID, Reason.WRONG_TYPE)
    assert call.errors[0].path == "parts"


def test_errors_inside_a_decoded_array_have_its_paths(raw, catalogue):
    """Once an array is decoded, the errors are those of its items."""
    call = check_action(raw("note", NOTE | {"parts": '[{"title": "x"}]'}, strings_only=True), catalogue)
    assert [error.path for error in call.errors] == ["parts.0.labels"]


def test_only_what_coercion_could_not_mend_is_an_error(raw, catalogue):
    """A coerced field beside a hopeless one isn't blamed."""
    call = check_action(raw("note", STRINGS | {"limit": "many"}, strings_only=True), catalogue)
    assert call.errors == (FieldError(Reason.WRONG_TYPE, "limit", '"many"', "integer from 1 to 100"),)


def test_a_call_has_the_repairs_within_its_span(raw, catalogue):
    """Of its block's repairs an action has those from its start to its end, the ends included."""
    inside = (repair(10, 11), repair(12, 13), repair(20, 20))
    repairs = (repair(3, 4), repair(9, 11), *inside, repair(19, 22), repair(30, 31))
    repairs = tuple(sorted(repairs, key=lambda each: each.span))
    call = check_action(raw("note", NOTE, span=Span(10, 20)), catalogue, repairs)
    assert call.repairs == inside


def test_check_gives_each_action_the_repairs_of_its_own_block(raw, catalogue):
    """A reading's actions become calls in order, each with its own block's repairs."""
    blocks = tuple(
        Block(
            index, "actions", BlockStatus.REPAIRED, Span(0, 50), Span(0, 50), repairs=(repair(5, 6 + index),)
        )
        for index in range(2)
    )
    actions = (raw("note", NOTE, block=1), raw("nope", block=0), raw("drop", {"from": "x"}, block=7))
    reading = Reading("x" * 50, Outcome.REPAIRED, blocks, actions, (), "", "p")
    calls = check(reading, catalogue)
    assert [call.name for call in calls] == ["note", "nope", "drop"]
    assert [call.repairs for call in calls] == [(repair(5, 7),), (repair(5, 6),), ()]
    assert [call.status for call in check(reading, None)] == [ActionStatus.NOT_CHECKED] * 3


def test_an_array_nested_without_end_is_refused_in_peace(raw, catalogue):
    """A value deeper than any stack is an error like others."""
    deep = []
    for _ in range(50_000):
        deep = [deep]
    call = check_action(raw("note", {"text": deep, "number": 1, "parts": deep, "zz": deep}), catalogue)
    assert [error.path for error in call.errors] == ["text", "parts.0", "zz"]


def test_a_number_that_python_refuses_to_print_is_refused_in_peace(raw, catalogue):
    """An integer of thousands of digits is out of range or of the wrong type like any other."""
    call = check_action(raw("note", {"text": 10**5000, "number": 1, "limit": 10**5000}), catalogue)
    assert [error.code for error in call.errors] == [Reason.WRONG_TYPE, Reason.OUT_OF_RANGE]


ANY_TEXT = st.text(st.characters(), max_size=8)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT
FIELDS = st.sampled_from(
    [
        "type",
        "text",
        "number",
        "limit",
        "share",
        "colour",
        "parts",
        "either",
        "figure",
        "shape",
        "title",
        "labels",
    ]
)
JSON_VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELDS | ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


def as_text(value):
    try:
        return json.dumps(value, ensure_ascii=False)
    except ValueError:
        return ""


ARGUMENTS = st.dictionaries(FIELDS | ANY_TEXT, JSON_VALUES | JSON_VALUES.map(as_text), max_size=8)
NAMES = st.sampled_from(["note", "drop", "", "nte"]) | ANY_TEXT


@settings(max_examples=examples(400), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=NAMES, arguments=ARGUMENTS, strings_only=st.booleans())
def test_no_content_raises(raw, catalogue, name, arguments, strings_only):
    """Whatever the name and the arguments, a call comes back whose errors can be written and read."""
    call = check_action(raw(name, arguments, strings_only=strings_only), catalogue)
    assert call.status.is_runnable is (call.reason is None)
    assert call.status.is_runnable is (not call.errors)
    for error in call.errors:
        assert len(error.value) <= 200
        assert error.expected
        error.message.encode()
