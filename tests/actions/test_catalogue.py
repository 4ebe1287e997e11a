"""The closed set of actions: what it refuses when it is built, and what it tells about itself."""

from dataclasses import FrozenInstanceError
from typing import ClassVar, Literal

import pytest
from pydantic import Field, ValidationError

from actionledger.actions.catalogue import Action, Arguments, Catalogue
from actionledger.core.errors import UsageError


class SendMail(Action):
    """Send a mail to one person."""

    example: ClassVar[Arguments] = {"to": "ada@example.org", "text": "Done."}
    type: Literal["send_mail"]
    to: str = Field(min_length=3, description="The address.")
    text: str = Field(description="What the mail says.")


class Plan(Action):
    """Plan with plans inside."""

    example: ClassVar[Arguments] = {"steps": []}
    type: Literal["plan"]
    steps: list["Plan"]


class NoName(Action):
    example: ClassVar[Arguments] = {}


class OpenName(Action):
    example: ClassVar[Arguments] = {}
    type: str


class TwoNames(Action):
    example: ClassVar[Arguments] = {}
    type: Literal["one", "two"]


class NumberName(Action):
    example: ClassVar[Arguments] = {}
    type: Literal[1]


class NoExample(Action):
    type: Literal["no_example"]


class WrongExample(Action):
    example: ClassVar[Arguments] = {"number": "5"}
    type: Literal["wrong_example"]
    number: int


class SecondMail(SendMail):
    """Another action by the same name."""


def test_names_keep_the_order_they_were_given_in(catalogue):
    """The catalogue lists its actions as they were given."""
    assert catalogue.names == ("note", "drop")


def test_model_finds_an_action_by_its_name(catalogue):
    """A known name gives its model, an unknown one None."""
    assert catalogue.model("note") is catalogue.actions[0]
    assert catalogue.model("Note") is None


@pytest.mark.parametrize("model", [NoName, OpenName, TwoNames, NumberName])
def test_an_action_without_one_literal_name_is_refused(model):
    """A missing discriminator, an open one, or one of several or other values can't tell actions apart."""
    with pytest.raises(UsageError, match=rf"{model.__name__} doesn't say which action it is.*'type'"):
        Catalogue(name="mine", actions=(model,))


def test_a_name_given_twice_is_refused():
    """Two actions by one name are an error that says the name."""
    with pytest.raises(UsageError, match="two actions named 'send_mail'"):
        Catalogue(name="mine", actions=(SendMail, SecondMail))


def test_an_action_without_an_example_is_refused():
    """An example is part of an action."""
    with pytest.raises(UsageError, match=r"'no_example' \(NoExample\) has no example"):
        Catalogue(name="mine", actions=(NoExample,))


def test_an_example_that_does_not_validate_is_refused():
    """A wrong example is an error that says the action and the field; examples are checked strictly."""
    with pytest.raises(UsageError, match=r"'wrong_example' \(WrongExample\) doesn't validate: number: "):
        Catalogue(name="mine", actions=(WrongExample,))


def test_a_catalogue_without_actions_is_refused():
    """An empty catalogue would make every action unknown."""
    with pytest.raises(UsageError, match="'mine' has no action"):
        Catalogue(name="mine", actions=())


def test_a_catalogue_cannot_be_changed(catalogue):
    """What actions were checked against stays what it was."""
    with pytest.raises(FrozenInstanceError):
        catalogue.name = "other"


def test_extended_adds_actions_and_leaves_the_original(catalogue):
    """An own action makes a new catalogue, named after both."""
    extended = catalogue.extended(SendMail)
    assert extended.names == ("note", "drop", "send_mail")
    assert extended.name == "notes+send_mail"
    assert catalogue.names == ("note", "drop")


def test_extended_takes_a_name_of_its_own(catalogue):
    """The new catalogue's name can be given."""
    assert catalogue.extended(SendMail, name="notes-2").name == "notes-2"


def test_extended_refuses_a_name_that_exists(catalogue):
    """An own action can't silently replace another."""
    with pytest.raises(UsageError, match="two actions named 'send_mail'"):
        catalogue.extended(SendMail, SecondMail)


def test_adapter_tells_actions_apart_by_the_discriminator(catalogue):
    """One adapter validates any action of the catalogue."""
    found = catalogue.adapter.validate_python({"type": "drop", "from": "inbox"})
    assert isinstance(found, catalogue.model("drop"))
    with pytest.raises(ValidationError, match="union_tag_invalid"):
        catalogue.adapter.validate_python({"type": "nope"})


def test_adapter_is_built_once(catalogue):
    """Building it takes a thousand times what using it takes."""
    assert catalogue.adapter is catalogue.adapter


def test_one_action_is_enough_for_a_catalogue():
    """A single action has an adapter and a schema like many."""
    single = Catalogue(name="mine", actions=(SendMail,))
    assert single.adapter.validate_python({"type": "send_mail", **SendMail.example}).text == "Done."
    assert single.json_schema()["properties"]["type"]["const"] == "send_mail"


def test_json_schema_maps_every_name(catalogue):
    """The schema's discriminator holds all names, and each action demands it."""
    schema = catalogue.json_schema()
    assert schema["discriminator"]["propertyName"] == "type"
    assert set(schema["discriminator"]["mapping"]) == {"note", "drop"}
    assert schema["$defs"]["Drop"]["required"] == ["type", "from"]


def test_another_discriminator_is_taken():
    """The field that holds the name is the catalogue's choice."""

    class Speak(Action):
        """Say something."""

        example: ClassVar[Arguments] = {"type": "loud"}
        action: Literal["speak"]
        type: str

    catalogue = Catalogue(name="mine", discriminator="action", actions=(Speak,))
    assert [field.name for field in catalogue.describe()[0].fields] == ["type"]


def test_describe_says_what_each_field_takes(catalogue):
    """A description holds name, words, default and closed values, without the discriminator."""
    note, drop = catalogue.describe()
    fields = {field.name: field for field in note.fields}
    assert (note.name, note.description, note.example) == (
        "note",
        "Write a note.",
        {"text": "hello", "number": 1},
    )
    assert "type" not in fields
    assert fields["text"].type == "string of 1 to 5 characters"
    assert (fields["text"].required, fields["text"].description) == (True, "What it says.")
    assert fields["number"].type == "integer greater than 0"
    assert (fields["limit"].type, fields["limit"].default) == ("integer from 1 to 100", 10)
    assert not fields["limit"].required
    assert fields["colour"].allowed == ("red", "green", "blue")
    assert [field.name for field in drop.fields] == ["from"]


def test_an_action_without_a_docstring_has_no_description():
    """It doesn't get the one of its base class, which speaks of something else."""

    class Silent(SendMail):
        type: Literal["silent"]

    assert Catalogue(name="mine", actions=(Silent,)).describe()[0].description == ""


def test_describe_puts_own_fields_before_shared_ones():
    """What a base class adds to every action comes last."""

    class Base(Action):
        id: str | None = None

    class Own(Base):
        """Do it."""

        example: ClassVar[Arguments] = {"text": "x"}
        type: Literal["own"]
        text: str

    described = Catalogue(name="mine", actions=(Own,)).describe()[0]
    assert [field.name for field in described.fields] == ["text", "id"]


def test_an_action_that_contains_itself_is_described():
    """A model whose schema is a reference to itself has fields like any other."""
    described = Catalogue(name="mine", actions=(Plan,)).describe()[0]
    assert [field.name for field in described.fields] == ["steps"]


def test_actions_are_strict_frozen_and_closed():
    """Text is no number, an action can't be changed, and an unknown field is refused."""
    mail = SendMail.model_validate({"type": "send_mail", **SendMail.example})
    with pytest.raises(ValidationError, match="frozen"):
        mail.to = "eve@example.org"
    with pytest.raises(ValidationError, match="extra_forbidden"):
        SendMail.model_validate({"type": "send_mail", **SendMail.example, "cc": "x"})
    with pytest.raises(ValidationError, match="string_type"):
        SendMail.model_validate({"type": "send_mail", "to": 5, "text": "x"})
