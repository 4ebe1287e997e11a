"""An action's model from a function."""

import datetime as dt
import enum
import warnings
from typing import Annotated, Literal

import pytest
from pydantic import Field

from actionledger.actions.catalogue import Catalogue
from actionledger.actions.signatures import action_model, argument_of_type
from actionledger.actions.validation import check_action
from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import ActionStatus


class Moment:
    """What the runtime gives, not the model."""


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


def send_mail(
    to: str,
    text: Annotated[str, Field(min_length=1, description="The text itself.")],
    moment: Moment,
    copies: int = Field(default=1, gt=0),
    *,
    folder: Literal["sent", "drafts"] = "sent",
):
    """Send a mail to one person.

    It can't be taken back.

    Args:
        to: the address of the person,
            all of it
        text: what is overruled
        copies (int): How many?

    Returns:
        nothing: at all
    """


def described(function, example=None, **given):
    model = action_model(function, name=function.__name__, example=example or {}, besides=Moment, **given)
    return Catalogue("own", (model,)).describe()[0]


def test_arguments_become_fields():
    """Types, constraints and defaults are the annotations'; what the docstring says of each is its description."""
    action = described(send_mail, {"to": "ada", "text": "x"}, group="Mail")
    assert (action.name, action.group) == ("send_mail", "Mail")
    assert action.description == "Send a mail to one person.\n\nIt can't be taken back."
    assert [(field.name, field.type, field.need, field.description) for field in action.fields] == [
        ("to", "string", "required", "The address of the person, all of it."),
        ("text", "string of at least 1 character", "required", "The text itself."),
        ("copies", "integer greater than 0", "default 1", "How many?"),
        ("folder", "one of: sent, drafts", 'default "sent"', ""),
    ]


def test_an_argument_that_is_not_the_models_is_left_out():
    """It is found by its type, for whoever fills it in."""
    assert argument_of_type(send_mail, Moment) == "moment"
    assert argument_of_type(send_mail, Colour) is None


def checked(function, raw, /, **arguments):
    model = action_model(function, name="own", example=arguments, besides=Moment)
    return check_action(raw("own", arguments), Catalogue("own", (model,)))


def test_arguments_come_back_by_the_functions_names(raw):
    """Also where pydantic has another use for a name, and where the model writes an alias."""

    def own(
        schema: str, group: int, example: bool, _hidden: str, model_x: str, from_: str = Field(alias="from")
    ):
        """Do it."""

    given = {"schema": "s", "group": 1, "example": True, "_hidden": "h", "model_x": "m"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call = checked(own, raw, **given, **{"from": "f"})
    assert call.status is ActionStatus.VALID
    assert call.action.given() == given | {"from_": "f"}
    assert call.action.group == ""


def test_types_that_json_does_not_have_are_written_as_text(raw):
    """A date, an enumeration or a tuple is read from what JSON can say, and strictly."""

    def own(day: dt.date, colour: Colour, sizes: tuple[int, ...] = ()):
        """Do it."""

    call = checked(own, raw, day="2026-05-04", colour="red", sizes=[1, 2])
    assert call.action.given() == {
        "day": dt.date(2026, 5, 4),
        "colour": Colour.RED,
        "sizes": (1, 2),
    }
    model = action_model(own, name="own", example={"day": "2026-05-04", "colour": "red"})
    refused = check_action(
        raw("own", {"day": 5, "colour": "green", "sizes": ["1"]}), Catalogue("o", (model,))
    )
    assert [error.path for error in refused.errors] == ["day", "colour", "sizes.0"]


def test_a_dialect_of_tags_is_read_as_the_types_say(raw):
    """Where a response can hold nothing but text, a number's digits are the number."""

    def own(count: int, day: dt.date):
        """Do it."""

    model = action_model(own, name="own", example={"count": 1, "day": "2026-05-04"})
    written = raw("own", {"count": "7", "day": "2026-05-04"}, strings_only=True)
    call = check_action(written, Catalogue("own", (model,)))
    assert call.status is ActionStatus.COERCED
    assert call.action.given()["count"] == 7


@pytest.mark.parametrize("value", ["half \ud800", float("inf"), 10**400])
def test_no_value_raises(raw, value):
    """What JSON text can't hold is checked all the same."""

    def own(text: str = "", number: float = 0.0, whole: int = 0):
        """Do it."""

    model = action_model(own, name="own", example={})
    for name in ("text", "number", "whole"):
        assert check_action(raw("own", {name: value}), Catalogue("own", (model,))).status in ActionStatus


def without_docstring(to: str):
    pass


def only_sections(to: str):
    """
    Args:
        to: the address.
    """


def without_annotation(to):
    """Do it."""


def by_position(to: str, /):
    """Do it."""


def with_several(*to: str):
    """Do it."""


def with_any(**to: str):
    """Do it."""


def called_type(type: str):  # noqa: A002
    """Do it."""


def unknown_type(to: "Unheard"):  # noqa: F821
    """Do it."""


def no_schema(to: object()):
    """Do it."""


async def later(to: str):
    """Do it."""


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (without_docstring, "has no docstring; its first sentence tells"),
        (only_sections, "has no docstring"),
        (without_annotation, "doesn't say what 'to' is; annotate it, as in 'to: str'"),
        (by_position, "takes 'to' by position"),
        (with_several, r"takes '\*to'; name each argument"),
        (with_any, r"takes '\*\*to'; name each argument"),
        (called_type, "has an argument 'type'.*call it otherwise"),
        (unknown_type, "has an annotation that can't be read: name 'Unheard' is not defined"),
        (no_schema, "can't be made into an action"),
        (later, "is a coroutine function; write a plain one"),
    ],
)
def test_a_function_that_cannot_be_an_action_is_refused(function, said):
    """The developer hears which function, what about it, and what would do."""
    with pytest.raises(UsageError, match=rf"The function '{function.__name__}' {said}"):
        action_model(function, name="own", example={})
