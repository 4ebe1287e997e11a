"""Tools given as JSON Schema, the way providers' interfaces take them: a catalogue without models of its own.

Three spellings of the same are read: OpenAI's chat interface (``{"type": "function", "function": {…}}``), its Responses
interface (``{"type": "function", "name": …, "parameters": …}``) and Anthropic's (``{"name": …, "input_schema": …}``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, Self

from jsonschema import Draft202012Validator, SchemaError
from pydantic_core import from_json, to_json
from referencing import Registry

from actionledger.actions.describing import ActionDescription, fields_of
from actionledger.actions.examples import made_example
from actionledger.actions.refusals import json_text, one_of
from actionledger.actions.schema_refusals import schema_errors
from actionledger.actions.verdict import Verdict, refused
from actionledger.actions.wording import Schema, child, pointed_at, resolved
from actionledger.errors import UsageError
from actionledger.values import FieldError, RawAction
from actionledger.vocabulary import ActionStatus, Reason

_MOST_ERRORS = 100
_KEPT = 32
"""How many catalogues are kept: to check the schemas of 25 tools takes 100 ms, to see that they are the same 0.07 ms."""

_EMPTY: Schema = {"type": "object", "properties": {}}


@dataclass(frozen=True)
class Tool:
    """One tool that a model is offered.

    Args:
        name: its name.
        description: what it does, for the model.
        parameters: the JSON Schema of its arguments.
    """

    name: str
    description: str
    parameters: Schema

    @cached_property
    def validator(self) -> Draft202012Validator:
        """Checks arguments against the schema."""
        return Draft202012Validator(self.parameters, registry=Registry())

    @cached_property
    def described(self) -> ActionDescription:
        """The tool in words, with an example made up from its schema where one can be."""
        example = made_example(self.parameters)
        is_right = example is not None and self.validator.is_valid(example)
        fields = fields_of(self.parameters)
        return ActionDescription(self.name, self.description, fields, example if is_right else None)


@dataclass(frozen=True)
class ToolCatalogue:
    """The tools that a model is offered.

    Args:
        tools: the tools, their names unique.
        name: what the records call it.
    """

    tools: tuple[Tool, ...]
    name: str = "tools"

    @classmethod
    def of(cls, definitions: Sequence[Mapping[str, Any]]) -> Self:
        """Read tools as a provider's interface takes them; the same ones are not read again.

        Args:
            definitions: one mapping a tool, in any of the three spellings.

        Raises:
            UsageError: a definition has no name, no schema that could be one, or a name twice.
        """
        try:
            written = to_json(definitions)
        except ValueError:  # no JSON, so there is no text to know it by
            return cls._read(definitions)
        return cls._kept(written)

    @classmethod
    @lru_cache(maxsize=_KEPT)
    def _kept(cls, definitions: bytes) -> Self:
        """Read tools from their JSON text: nobody who changes a definition changes a catalogue that is kept."""
        return cls._read(from_json(definitions))

    @classmethod
    def _read(cls, definitions: Sequence[Mapping[str, Any]]) -> Self:
        tools = tuple(_tool(number, definition) for number, definition in enumerate(definitions))
        names = [tool.name for tool in tools]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise UsageError(f"Two tools are named {twice[0]!r}; names must differ.")
        return cls(tools)

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names, in the order in which they were given."""
        return tuple(tool.name for tool in self.tools)

    @cached_property
    def _by_name(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.tools}

    def describe(self) -> tuple[ActionDescription, ...]:
        """Return each tool in words, in the order in which they were given."""
        return tuple(tool.described for tool in self.tools)

    def description(self, name: str) -> ActionDescription | None:
        """Return one tool in words; None if no tool goes by that name."""
        tool = self._by_name.get(name)
        return tool.described if tool else None

    def judge(self, raw: RawAction) -> Verdict:
        """Check a named action; never raises on what a model wrote.

        Where the dialect can write nothing but strings, they are typed by the schema first: a string stays one where the
        schema says string.
        """
        tool = self._by_name.get(raw.name)
        if tool is None:
            error = FieldError(
                Reason.UNKNOWN_ACTION, "", json_text(raw.name), one_of(raw.name, self.names, "tool")
            )
            return refused(ActionStatus.UNKNOWN, error)
        arguments = _typed(raw.arguments, tool.parameters) if raw.strings_only else raw.arguments
        try:
            errors = list(islice(tool.validator.iter_errors(arguments), _MOST_ERRORS))
        except RecursionError:
            return refused(
                ActionStatus.INVALID, FieldError(Reason.TOO_DEEP, "", "", "a value of fewer levels")
            )
        if errors:
            found = (error for each in errors for error in schema_errors(each, tool.parameters))
            return refused(ActionStatus.INVALID, *islice(found, _MOST_ERRORS), arguments=arguments)
        status = ActionStatus.VALID if arguments == raw.arguments else ActionStatus.COERCED
        return Verdict(status, arguments=arguments)


def _tool(number: int, definition: Mapping[str, Any]) -> Tool:
    inner = definition.get("function", definition)
    name = inner.get("name") if isinstance(inner, Mapping) else None
    if not isinstance(name, str) or not name:
        raise UsageError(f"Tool {number} has no name; write it as the OpenAI interface takes it.")
    parameters = inner.get("parameters") or inner.get("input_schema") or _EMPTY
    try:
        Draft202012Validator.check_schema(parameters)
    except SchemaError as error:
        raise UsageError(
            f"The parameters of the tool {name!r} are no JSON Schema: {error.message}."
        ) from error
    for reference in _references(parameters):
        if pointed_at(reference, parameters) is None:
            raise UsageError(
                f"The parameters of the tool {name!r} refer to {reference!r}, which is not in them."
            )
    return Tool(name, str(inner.get("description") or ""), parameters)


def _references(schema: Any) -> Iterator[Any]:
    """Yield what every ``$ref`` in a schema says."""
    pending = [schema]
    while pending:
        here = pending.pop()
        if isinstance(here, Mapping):
            if "$ref" in here:
                yield here["$ref"]
            pending.extend(here.values())
        elif isinstance(here, list):
            pending.extend(here)


def _typed(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Return arguments with each string that the schema wants to be something else read as JSON."""
    return {
        name: _typed_value(value, child(schema, name, schema), schema) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


def _typed_value(text: str, schema: Schema | None, root: Schema) -> Any:
    if schema is None or _allows_string(schema, root):
        return text
    spelled = {"True": "true", "False": "false", "None": "null"}.get(text.strip(), text)
    try:
        return from_json(spelled, allow_inf_nan=False)
    except (ValueError, TypeError):
        return text


def _allows_string(schema: Any, root: Schema, deepest: int = 20) -> bool:
    """Return whether a string may be meant; where references go round in circles, it may."""
    schema = resolved(schema, root)
    if not deepest:
        return True
    for several, quantify in (("allOf", all), ("anyOf", any), ("oneOf", any)):
        branches = schema.get(several, ())
        if branches and not quantify(_allows_string(branch, root, deepest - 1) for branch in branches):
            return False
    if "const" in schema or "enum" in schema:
        return any(isinstance(value, str) for value in schema.get("enum", (schema.get("const"),)))
    kinds = schema.get("type", "string")
    return "string" in ([kinds] if isinstance(kinds, str) else kinds)
