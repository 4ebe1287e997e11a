"""pydantic's errors as closed codes, paths, values and what is expected instead."""

from typing import get_args

import pytest
from pydantic import BaseModel, ValidationError, field_validator
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import ErrorType

from actionledger.actions.refusals import code_of, field_errors, json_text, one_of
from actionledger.core.values import FieldError
from actionledger.core.vocabulary import Reason

CODES_OF_CHECKING = {
    Reason.MISSING_FIELD,
    Reason.UNKNOWN_FIELD,
    Reason.WRONG_TYPE,
    Reason.VALUE_NOT_ALLOWED,
    Reason.OUT_OF_RANGE,
    Reason.BAD_LENGTH,
    Reason.BAD_FORMAT,
    Reason.TOO_DEEP,
}


@pytest.mark.parametrize("error_type", get_args(ErrorType))
def test_every_error_type_of_pydantic_has_a_code(error_type):
    """Whatever pydantic reports ends up in the closed list, and a type error as a wrong type."""
    assert code_of(error_type) in CODES_OF_CHECKING
    if error_type.endswith(("_type", "int_parsing", "bool_parsing", "float_parsing")):
        assert code_of(error_type) is Reason.WRONG_TYPE
    if error_type.endswith(("too_short", "too_long")):
        assert code_of(error_type) is Reason.BAD_LENGTH
    if error_type.startswith(("greater", "less")) or error_type.endswith(("_past", "_future")):
        assert code_of(error_type) is Reason.OUT_OF_RANGE


def test_an_unheard_of_error_type_is_a_bad_format():
    """A later pydantic or an own validator can't bring in a code that isn't on the list."""
    assert code_of("something_new") is Reason.BAD_FORMAT


def refusals(catalogue, **changes):
    """Return the field errors of a note that is right but for the changes."""
    model = catalogue.model("note")
    arguments = {"text": "x", "number": 1} | changes
    arguments = {name: value for name, value in arguments.items() if value is not ...}
    try:
        model.model_validate({"type": "note"} | arguments)
    except ValidationError as error:
        return field_errors(error, arguments, catalogue.argument_schema("note"))
    return ()


PART = "object with title, labels"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"text": ...}, (Reason.MISSING_FIELD, "text", "", "string of 1 to 5 characters")),
        ({"txt": "x"}, (Reason.UNKNOWN_FIELD, "txt", '"x"', "a known field (did you mean 'text'?)")),
        (
            {"zz": [1, 2]},
            (
                Reason.UNKNOWN_FIELD,
                "zz",
                "[1,2]",
                "one of: text, number, limit, share, urgent, colour, code, parts, either, figure",
            ),
        ),
        ({"text": 5}, (Reason.WRONG_TYPE, "text", "5", "string of 1 to 5 characters")),
        ({"text": None}, (Reason.WRONG_TYPE, "text", "null", "string of 1 to 5 characters")),
        ({"text": ""}, (Reason.BAD_LENGTH, "text", '""', "string of 1 to 5 characters")),
        ({"text": "abcdef"}, (Reason.BAD_LENGTH, "text", '"abcdef"', "string of 1 to 5 characters")),
        ({"text": "\ud800"}, (Reason.BAD_FORMAT, "text", '"\\ud800"', "text without lone surrogates")),
        ({"number": "5"}, (Reason.WRONG_TYPE, "number", '"5"', "integer greater than 0")),
        ({"number": 1.0}, (Reason.WRONG_TYPE, "number", "1.0", "integer greater than 0")),
        ({"number": True}, (Reason.WRONG_TYPE, "number", "true", "integer greater than 0")),
        ({"number": 0}, (Reason.OUT_OF_RANGE, "number", "0", "integer greater than 0")),
        ({"limit": 101}, (Reason.OUT_OF_RANGE, "limit", "101", "integer from 1 to 100")),
        ({"share": "half"}, (Reason.WRONG_TYPE, "share", '"half"', "number or null")),
        ({"urgent": "true"}, (Reason.WRONG_TYPE, "urgent", '"true"', "boolean")),
        (
            {"colour": "rde"},
            (Reason.VALUE_NOT_ALLOWED, "colour", '"rde"', "one of: red, green, blue (did you mean 'red'?)"),
        ),
        ({"colour": 1}, (Reason.VALUE_NOT_ALLOWED, "colour", "1", "one of: red, green, blue")),
        ({"code": "a1"}, (Reason.BAD_FORMAT, "code", '"a1"', r"string matching ^[A-Z]\d$")),
        (
            {"parts": "x"},
            (Reason.WRONG_TYPE, "parts", '"x"', f"array of at most 3 items (each: {PART})"),
        ),
        (
            {"parts": [{"title": "x", "labels": []}] * 4},
            (
                Reason.BAD_LENGTH,
                "parts",
                "[" + ",".join(['{"title":"x","labels":[]}'] * 4) + "]",
                f"array of at most 3 items (each: {PART})",
            ),
        ),
        ({"parts": ["x"]}, (Reason.WRONG_TYPE, "parts.0", '"x"', PART)),
        ({"parts": [{"title": "x"}]}, (Reason.MISSING_FIELD, "parts.0.labels", "", "array (each: string)")),
        (
            {"parts": [{"title": "x", "labels": ["a", 2]}]},
            (Reason.WRONG_TYPE, "parts.0.labels.1", "2", "string"),
        ),
        (
            {"parts": [{"title": "x", "labels": [], "label": "y"}]},
            (Reason.UNKNOWN_FIELD, "parts.0.label", '"y"', "a known field (did you mean 'labels'?)"),
        ),
        ({"figure": {"radius": 1.0}}, (Reason.MISSING_FIELD, "figure", "", "a field 'shape'")),
        (
            {"figure": {"shape": "oval"}},
            (Reason.VALUE_NOT_ALLOWED, "figure", '{"shape":"oval"}', "one of: 'circle', 'square'"),
        ),
        ({"figure": {"shape": "circle"}}, (Reason.MISSING_FIELD, "figure.radius", "", "number")),
        ({"type": "drop"}, (Reason.VALUE_NOT_ALLOWED, "type", '"drop"', "'note'")),
    ],
)
def test_one_thing_wrong_is_one_field_error(catalogue, changes, error):
    """Each kind of mistake has its code, its path, its value and what is expected."""
    assert refusals(catalogue, **changes) == (FieldError(*error),)


def test_the_branches_of_a_union_share_their_fields_path(catalogue):
    """Where a field takes one of several types, its path holds no trace of them."""
    errors = refusals(catalogue, either="x")
    assert [(error.code, error.path) for error in errors] == [(Reason.WRONG_TYPE, "either")] * 2


def test_several_mistakes_are_all_named(catalogue):
    """A model hears of everything at once, declared fields first."""
    errors = refusals(catalogue, text=..., number="5", zz=1)
    assert [error.path for error in errors] == ["text", "number", "zz"]


def test_the_list_of_mistakes_is_bounded(catalogue):
    """Ten thousand unknown fields don't make ten thousand records."""
    errors = refusals(catalogue, **{f"field_{number}": number for number in range(10_000)})
    assert len(errors) == 100


def test_a_key_that_cannot_be_encoded_is_an_error_of_its_object(catalogue):
    """A lone surrogate, which JSON can write and UTF-8 can't, comes out as its escape."""
    (error,) = refusals(catalogue, parts=[{"title": "x", "labels": [], "\udc00": 1}])
    assert (error.code, error.path, error.value) == (Reason.BAD_FORMAT, "parts.0", '"\\udc00"')


class Picky(BaseModel):
    even: int = 0
    small: int = 0

    @field_validator("even")
    @classmethod
    def _is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("an even number")
        return value

    @field_validator("small")
    @classmethod
    def _is_small(cls, value: int) -> int:
        if value > 9:
            raise PydanticCustomError("not_small", "one digit")
        return value


@pytest.mark.parametrize(
    ("arguments", "expected"), [({"even": 3}, "an even number"), ({"small": 10}, "one digit")]
)
def test_an_own_validator_says_itself_what_it_expects(arguments, expected):
    """The text of a validator's error is what the model is told."""
    with pytest.raises(ValidationError) as caught:
        Picky.model_validate(arguments)
    (error,) = field_errors(caught.value, arguments, Picky.model_json_schema())
    assert (error.code, error.expected) == (Reason.BAD_FORMAT, expected)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, None, True]}, '{"a":[1,null,true]}'),
        ("é\n", '"é\\n"'),
        ({1, 2}, "{1, 2}"),
    ],
)
def test_a_value_is_shown_as_json_or_else_as_python_says_it(value, text):
    """Every value has a text; that JSON can't say it is no reason to fail."""
    assert json_text(value) == text


def test_a_number_that_python_refuses_to_print_has_a_text():
    """Python prints no integer of more than 4,300 digits."""
    assert json_text(10**5000) == "<int>"


def test_a_long_value_is_cut_where_one_can_see_it():
    """No more than 200 characters are shown, the last of them a sign that there are more."""
    text = json_text("x" * 1000)
    assert len(text) == 200
    assert text.startswith('"xxx')
    assert text.endswith("x…")


def test_a_value_of_just_200_characters_is_not_cut():
    """The limit itself is allowed."""
    assert json_text("x" * 198) == '"' + "x" * 198 + '"'


def test_a_deep_value_is_shown_as_far_as_it_is_shown():
    """A value nested deeper than Python's stack has a text too."""
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert json_text(deep) == "[" * 199 + "…"


def test_a_value_that_holds_itself_has_a_text():
    """A cycle is no JSON, but it is shown."""
    cycle = []
    cycle.append(cycle)
    assert json_text(cycle) == "[[...]]"


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("nots", ("notes",), "a known field (did you mean 'notes'?)"),
        ("zz", ("notes", "text"), "one of: notes, text"),
        ("zz", (), "no field"),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_ones(word, known, expected):
    """Near names if there are any, else all, else that there are none."""
    assert one_of(word, known, "field") == expected
