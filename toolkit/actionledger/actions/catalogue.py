"""Defines actions: one pydantic model for each, and the closed set of them that a profile offers.

A new action is a class with a docstring, a name, an example and its fields::

    class SendMail(Action):
        "Send a mail to one person."

        example: ClassVar[Arguments] = {"to": "ada@example.org", "text": "Done."}
        type: Literal["send_mail"]
        to: str = Field(min_length=3, description="The address.")
        text: str = Field(description="What the mail says.")

    catalogue = CATALOGUE.extended(SendMail)
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property, reduce
from inspect import cleandoc
from operator import or_
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from actionledger.actions.schemas import (
    ActionDescription,
    Arguments,
    Schema,
    argument_schema,
    as_tool,
    fields_of,
    only_text,
    own_texts,
    takes_others,
)
from actionledger.core.canonical import JsonDict
from actionledger.core.errors import UsageError, require_kind
from actionledger.core.values.calls import Offer

__all__ = ["Action", "Arguments", "Catalogue"]


class Action(BaseModel):
    """The base of every action model.

    A concrete action has a discriminator field that is a ``Literal`` of its name, a docstring that tells the language
    model what it does, and fields with a ``description``. Values are checked strictly: ``"5"`` is not an integer.
    A rejected value with only one possible meaning is then converted (``converting.py``). A field of a type that JSON
    doesn't have, such as a date, is declared with ``Field(strict=False)``.

    Example:
        >>> from typing import ClassVar, Literal
        >>> class Wave(al.Action):
        ...     "Wave at somebody."
        ...
        ...     example: ClassVar = {"to": "Ada"}
        ...     type: Literal["wave"]
        ...     to: str
        >>> Wave(type="wave", to="Ada").to
        'Ada'
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    example: ClassVar[Arguments]
    """Correct arguments, without the discriminator."""

    group: ClassVar[str] = ""
    """Its group, such as ``Tasks``; prompts show a group's actions together."""


_BETWEEN_WORDS = str.maketrans("", "", "_- ")

Validator: TypeAlias = tuple[Callable[[JsonDict], BaseModel], frozenset[str], tuple[str, ...] | None]
"""Makes an action's model from its fields, with the fields' names, and the names of its arguments in the schema's order.

The last are None if an action may have fields that its schema doesn't name.
"""


Validators: TypeAlias = dict[str, Validator]
"""Validators by action name."""


@dataclass(frozen=True)
class Catalogue:
    """A closed set of actions, distinguished by one field.

    Args:
        name: its name in records.
        actions: its action models.
        discriminator: the field with an action's name.
        references: whether arguments may refer to other actions' results (``references.py``); then the fields ``id`` and ``depends_on`` name actions
            of the same response.

    Raises:
        UsageError: there is no action, one has no name, no example or an invalid one, or two have the same name.

    Example:
        >>> catalogue = al.profile("coder").catalogue
        >>> catalogue.names[:3]
        ('create_file', 'execute_command', 'create_directory')
    """

    name: str
    actions: tuple[type[Action], ...]
    discriminator: str = "type"
    references: bool = False

    def __post_init__(self) -> None:
        require_kind(self.actions, Collection, "The actions of a catalogue are a list of classes")
        require_kind(self.discriminator, str, "The field that says which action it is has a name, a text")
        if not self.actions:
            raise UsageError(f"The catalogue {self.name!r} has no action; give it at least one.")
        if len(self._models) < len(self.actions):
            twice = sorted({name for name in self._all_names if self._all_names.count(name) > 1})
            raise UsageError(
                f"The catalogue {self.name!r} has two actions named {twice[0]!r}; names must differ."
            )
        for name, model in self._models.items():
            if not hasattr(model, "example"):
                raise UsageError(
                    f"The action {name!r} ({model.__name__}) has no example; give it correct arguments as 'example'."
                )
            try:
                model.model_validate({self.discriminator: name, **model.example})
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                where = ".".join(map(str, first["loc"]))
                raise UsageError(
                    f"The example of {name!r} ({model.__name__}) doesn't validate: {where}: {first['msg']}; correct it."
                ) from error

    @cached_property
    def _all_names(self) -> tuple[str, ...]:
        return tuple(_literal_name(model, self.discriminator) for model in self.actions)

    @cached_property
    def _models(self) -> dict[str, type[Action]]:
        return dict(zip(self._all_names, self.actions, strict=True))

    @cached_property
    def _schemas(self) -> dict[str, Schema]:
        return {name: argument_schema(model, self.discriminator) for name, model in self._models.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The actions' names, in the catalogue's order."""
        return self._all_names

    @cached_property
    def parameters(self) -> dict[str, tuple[str, ...]]:
        """For each action the names of its fields, in its model's order."""
        return {name: tuple(self._schemas[name]["properties"]) for name in self._all_names}

    @cached_property
    def only_texts(self) -> dict[str, str]:
        """The field that a bare text fills, for each action that has one."""
        found = {name: only_text(schema) for name, schema in self._schemas.items()}
        return {name: field for name, field in found.items() if field}

    @cached_property
    def own_texts(self) -> dict[str, frozenset[tuple[str, str]]]:
        """For each action the fields with the texts that its model itself has for them."""
        return {name: own_texts(schema) for name, schema in self._schemas.items()}

    @cached_property
    def offer(self) -> Offer:
        """The names with their parameters, for parsing."""
        return Offer(self.parameters, self.only_texts, self.own_texts)

    @cached_property
    def _names_by_letters(self) -> dict[str, list[str]]:
        """The names by their case-folded letters and digits."""
        found: dict[str, list[str]] = {}
        for name in self.names:
            found.setdefault(_letters(name), []).append(name)
        return found

    def known_name(self, name: str) -> str:
        """Return the action with a name, or the only one that differs in case and word separators alone; otherwise the name itself.

        Args:
            name: as it was written.

        Example:
            >>> al.profile("reasoner").catalogue.known_name("addGoal")
            'add_goal'
        """
        if name in self._models:
            return name
        meant = self._names_by_letters.get(_letters(name), [])
        return meant[0] if len(meant) == 1 else name

    def model(self, name: str) -> type[Action] | None:
        """Return an action's model; None if there is no action of that name.

        Example:
            >>> al.profile("assistant").catalogue.model("create_task").__name__
            'CreateTask'
        """
        return self._models.get(name)

    def argument_schema(self, name: str) -> Schema:
        """Return the JSON Schema of an action's arguments, without the discriminator; it must not be changed.

        Args:
            name: one of ``names``.

        Example:
            >>> al.profile("assistant").catalogue.argument_schema("create_task")["required"]
            ['content']
        """
        return self._schemas[name]

    def fields(self, name: str) -> frozenset[str]:
        """Return the names of an action's fields, including the discriminator.

        Args:
            name: one of ``names``.

        Example:
            >>> sorted(al.profile("assistant").catalogue.fields("delete_task"))
            ['depends_on', 'id', 'task_id', 'type']
        """
        return self._fields[name]

    @cached_property
    def _fields(self) -> dict[str, frozenset[str]]:
        return {
            name: frozenset({self.discriminator, *schema["properties"]})
            for name, schema in self._schemas.items()
        }

    @cached_property
    def validators(self) -> Validators:
        """The validator and the field names of each action, by the action's name."""
        return {
            name: (
                model.__pydantic_validator__.validate_python,
                self.fields(name),
                None if takes_others(self._schemas[name]) else tuple(self._schemas[name]["properties"]),
            )
            for name, model in self._models.items()
        }

    @cached_property
    def adapter(self) -> TypeAdapter[Action]:
        """Validates any action of the catalogue, by the discriminator."""
        union: Any = reduce(or_, self.actions)
        if len(self.actions) == 1:
            return TypeAdapter(union)
        return TypeAdapter(Annotated[union, Field(discriminator=self.discriminator)])

    def json_schema(self) -> JsonDict:
        """Return the JSON Schema of any action of the catalogue.

        Example:
            >>> len(al.profile("assistant").catalogue.json_schema()["oneOf"])
            25
        """
        return self.adapter.json_schema()

    def tools(self) -> list[JsonDict]:
        """Return the actions as tools in the format of OpenAI's chat interface, in the catalogue's order.

        Example:
            >>> al.profile("assistant").catalogue.tools()[0]["function"]["name"]
            'create_task'
        """
        return [as_tool(each.name, each.description, self._schemas[each.name]) for each in self.describe()]

    def describe(self) -> tuple[ActionDescription, ...]:
        """Return each action with its fields and its example, in the catalogue's order.

        Example:
            >>> [each.name for each in al.profile("mint").catalogue.describe()]
            ['execute', 'solution']
        """
        return tuple(self._descriptions.values())

    def description(self, name: str) -> ActionDescription | None:
        """Return one action with its fields and its example; None if there is no action of that name.

        Example:
            >>> al.profile("assistant").catalogue.description("create_task").group
            'Tasks'
        """
        return self._descriptions.get(name)

    @cached_property
    def _descriptions(self) -> dict[str, ActionDescription]:
        return {
            name: ActionDescription(
                name=name,
                description=cleandoc(model.__doc__ or ""),
                fields=fields_of(self._schemas[name]),
                example=dict(model.example),
                group=model.group,
            )
            for name, model in self._models.items()
        }

    def extended(self, *actions: type[Action], name: str | None = None) -> Self:
        """Return a catalogue with more actions.

        Args:
            actions: the models to add.
            name: the new catalogue's name; by default this one's with the names of the added actions.

        Example:
            >>> from typing import ClassVar, Literal
            >>> class Wave(al.Action):
            ...     "Wave at somebody."
            ...
            ...     example: ClassVar = {"to": "Ada"}
            ...     type: Literal["wave"]
            ...     to: str
            >>> al.profile("assistant").catalogue.extended(Wave, name="waving").names[-1]
            'wave'
        """
        added = (_literal_name(model, self.discriminator) for model in actions)
        return type(self)(
            name=name or "+".join((self.name, *added)),
            actions=(*self.actions, *actions),
            discriminator=self.discriminator,
            references=self.references,
        )


def _letters(name: str) -> str:
    return name.translate(_BETWEEN_WORDS).casefold()


def _literal_name(model: type[Action], discriminator: str) -> str:
    fields = getattr(model, "model_fields", None)
    if fields is None:
        raise UsageError(f"An action of a catalogue is a class derived from al.Action, not {model!r:.60}.")
    field = fields.get(discriminator)
    names = get_args(field.annotation) if field and get_origin(field.annotation) is Literal else ()
    if len(names) != 1 or not isinstance(names[0], str):
        raise UsageError(
            f"{model.__name__} doesn't say which action it is; give it a field "
            f"{discriminator!r} that is a Literal of one name."
        )
    return names[0]
