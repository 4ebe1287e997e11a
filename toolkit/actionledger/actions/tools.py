"""Tools given as JSON Schema in providers' formats: a catalogue without models of its own.

``definitions.py`` parses the formats of OpenAI's two interfaces, of Anthropic's, Gemini's, Bedrock's and Cohere's, and of MCP, and
repairs nearly valid schemas. Parts that can't be read are not checked, and a warning names them.
"""

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from pydantic_core import from_json, to_json

from actionledger.actions.converting import converted
from actionledger.actions.definitions import definitions_in, mended
from actionledger.actions.plain_schemas import TEXT, Plain, plain
from actionledger.actions.refusals import json_text, one_of, schema_errors
from actionledger.actions.schemas import (
    ActionDescription,
    Schema,
    child,
    fields_of,
    made_example,
    only_text,
    own_texts,
    resolved,
)
from actionledger.actions.verdict import Verdict, refused
from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import UsageError
from actionledger.core.values import FieldError, RawAction
from actionledger.core.values.calls import Offer
from actionledger.core.vocabulary import ActionStatus, Reason

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError

_MOST_ERRORS = 100
_KEPT = 32
"""The number of cached catalogues: checking the schemas of 25 tools takes 100 ms, finding them unchanged 0.07 ms."""


class ToolWarning(UserWarning):
    """A part of a tool's definition can't be read, and so is not checked."""


_SEARCHES = re.compile(r"(?i)tool_?search(?:_tool\w{0,80})?|DeferredToolPlaceholder")
"""Agents' names of the tool that finds other tools, and of the placeholders for these."""


@dataclass(frozen=True)
class Tool:
    """One tool that a model is offered."""

    name: str
    description: str  # its purpose, for the model
    parameters: Schema  # the JSON Schema of its arguments

    @cached_property
    def validator(self) -> "Draft202012Validator":
        """The validator of arguments against the schema."""
        from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to load, and most readings are without tools
        from referencing import Registry  # noqa: PLC0415 - the same

        return Draft202012Validator(self.parameters, registry=Registry())

    @cached_property
    def plain(self) -> Plain | None:
        """The schema's constraints if it is plain, otherwise None."""
        return plain(self.parameters)

    @cached_property
    def described(self) -> ActionDescription:
        """The tool in words, with an example made from its schema if possible."""
        example = made_example(self.parameters)
        is_right = example is not None and self._allows(example)
        fields = fields_of(self.parameters)
        return ActionDescription(self.name, self.description, fields, example if is_right else None)

    def errors(self, arguments: JsonMap) -> "list[ValidationError]":
        """Return the first hundred errors of the schema's validation."""
        if self.plain is not None and self.plain.holds(arguments):
            return []
        return list(islice(self.validator.iter_errors(arguments), _MOST_ERRORS))

    def typed(self, arguments: JsonMap) -> JsonDict:
        """Return arguments with each string decoded as JSON if the schema has another type for it."""
        known = self.plain.fields if self.plain is not None else None
        texts = {name for name in arguments if known and (field := known.get(name)) and field.kinds == TEXT}
        rest = {name: value for name, value in arguments.items() if name not in texts}
        return {**arguments, **_typed(rest, self.parameters)} if rest else dict(arguments)

    def _allows(self, arguments: JsonMap) -> bool:
        try:
            return self.validator.is_valid(arguments)
        except (RecursionError, OverflowError):
            return False


@dataclass(frozen=True)
class ToolCatalogue:
    """The tools that a model is offered."""

    tools: tuple[Tool, ...]  # the tools; their names are unique
    name: str = "tools"  # its name in records
    # a sentence for each unreadable part of the definitions, which is not checked
    warnings: tuple[str, ...] = ()
    # whether an unknown field is omitted from an action, with a note; otherwise the action is invalid
    leaves_out: bool = True

    @classmethod
    def of(cls, definitions: Sequence[JsonMap]) -> Self:
        """Parse definitions of tools in providers' formats; the same definitions are parsed only once.

        Unreadable parts of a schema are not checked: ``warnings`` lists them, and Python warns of the first (``ToolWarning``).

        Args:
            definitions: one mapping for each tool, in any of the formats.

        Raises:
            UsageError: they are not a list, a definition has no name, or two have the same name.
        """
        try:
            found = cls._cached(to_json(definitions))
        except ValueError:  # not JSON, or too deep, so it can't be cached by its text
            found = cls._read(definitions)
        if found.warnings:
            more = (
                f" Beside it: {len(found.warnings) - 1} more of the kind." if len(found.warnings) > 1 else ""
            )
            warnings.warn(f"{found.warnings[0]}{more}", ToolWarning, stacklevel=3)
        return found

    @classmethod
    @lru_cache(maxsize=_KEPT)
    def _cached(cls, definitions: bytes) -> Self:
        """Parse tools from their JSON text, so that a later change to a definition doesn't change a cached catalogue."""
        return cls._read(from_json(definitions))

    @classmethod
    def _read(cls, definitions: Sequence[JsonMap]) -> Self:
        said: list[str] = []
        tools = tuple(
            Tool(name, description, mended(parameters, name, said))
            for name, description, parameters in definitions_in(definitions, said)
        )
        names = [tool.name for tool in tools]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise UsageError(f"Two tools are named {twice[0]!r}; names must differ.")
        return cls(tools, warnings=tuple(said))

    @cached_property
    def strict(self) -> Self:
        """The same tools for calls that a recorded agent executed or rejected, which omits no field."""
        return replace(self, leaves_out=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names, in the given order."""
        return tuple(tool.name for tool in self.tools)

    @cached_property
    def parameters(self) -> dict[str, tuple[str, ...]]:
        """For each tool the names of its parameters, in the schema's order."""
        return {
            tool.name: tuple(resolved(tool.parameters, tool.parameters).get("properties", ()))
            for tool in self.tools
        }

    @cached_property
    def only_texts(self) -> dict[str, str]:
        """The parameter that a bare text fills, for each tool that has one."""
        found = {tool.name: only_text(tool.parameters) for tool in self.tools}
        return {name: parameter for name, parameter in found.items() if parameter}

    @cached_property
    def own_texts(self) -> dict[str, frozenset[tuple[str, str]]]:
        """For each tool the parameters with the texts that its schema itself has for them."""
        return {tool.name: own_texts(tool.parameters) for tool in self.tools}

    @cached_property
    def offer(self) -> Offer:
        """The names with their parameters, for parsing."""
        return Offer(self.parameters, self.only_texts, self.own_texts)

    @cached_property
    def _by_name(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def _hides_some(self) -> bool:
        """Whether the model can search for more tools than it was offered; it may call those, whose schemas are not recorded."""
        return any(_SEARCHES.fullmatch(name) for name in self._by_name)

    def describe(self) -> tuple[ActionDescription, ...]:
        """Return each tool in words, in the given order."""
        return tuple(tool.described for tool in self.tools)

    def description(self, name: str) -> ActionDescription | None:
        """Return one tool in words; None if there is no tool of that name."""
        tool = self._by_name.get(name)
        return tool.described if tool else None

    def judge(self, raw: RawAction) -> Verdict:
        """Check a named action; never raises on what a model wrote.

        If the dialect can only write strings, the schema types them first. A string stays one if the schema allows a string
        and no other type that fits.
        """
        tool = self._by_name.get(raw.name)
        if tool is None and self._hides_some and not self.leaves_out:
            return Verdict(ActionStatus.NOT_CHECKED)
        if tool is None:
            error = FieldError(
                Reason.UNKNOWN_ACTION, "", json_text(raw.name), one_of(raw.name, self.names, "tool")
            )
            return refused(ActionStatus.UNKNOWN, error)
        arguments = tool.typed(raw.arguments) if raw.strings_only else raw.arguments
        try:
            errors = tool.errors(arguments)
            if errors and (verdict := _converted(tool, arguments, errors, leaves_out=self.leaves_out)):
                return verdict
        except (RecursionError, OverflowError):
            return refused(
                ActionStatus.INVALID, FieldError(Reason.TOO_DEEP, "", "", "a value of fewer levels")
            )
        if errors:
            # If an object lacks several fields, the validator yields an error for each, and each of them names all.
            found = dict.fromkeys(error for each in errors for error in schema_errors(each, tool.parameters))
            return refused(ActionStatus.INVALID, *islice(found, _MOST_ERRORS), arguments=arguments)
        status = ActionStatus.VALID if arguments == raw.arguments else ActionStatus.COERCED
        return Verdict(status, arguments=arguments)


def _converted(
    tool: Tool, arguments: JsonMap, errors: "Sequence[ValidationError]", *, leaves_out: bool
) -> Verdict | None:
    """Return the verdict on arguments that are valid after conversion to the schema's types; None if they are not."""
    refused_fields = {str(error.absolute_path[0]) for error in errors if error.absolute_path}
    found = converted(arguments, tool.parameters, refused_fields)
    if found is None or (found.left_out and not leaves_out) or tool.errors(found.arguments):
        return None
    return Verdict(
        ActionStatus.COERCED, None, (), None, found.arguments, (), found.conversions, found.left_out
    )


def _typed(arguments: JsonMap, schema: Schema) -> JsonDict:
    """Return arguments with each string decoded as JSON if the schema has another type for it."""
    return {
        name: _typed_value(value, child(schema, name, schema), schema) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


def _typed_value(text: str, schema: Schema | None, root: Schema) -> Any:
    """Return a text's value in a type of the schema; if several fit, the narrowest, as in every server."""
    if schema is None:
        return text
    may_be_text = _allows("string", schema, root)
    if may_be_text and text in resolved(schema, root).get("enum", ()):
        return text
    spelled = (
        text if may_be_text else {"True": "true", "False": "false", "None": "null"}.get(text.strip(), text)
    )
    try:
        value = from_json(spelled, allow_inf_nan=False)
    except (ValueError, TypeError):
        return text
    return value if not may_be_text or _is_declared(value, schema, root) else text


def _is_declared(value: Any, schema: Schema, root: Schema) -> bool:
    """Return whether a value is of a type that the schema names besides string."""
    match value:
        case bool():
            kinds: tuple[str, ...] = ("boolean",)
        case int():
            kinds = ("integer", "number")
        case float():
            kinds = ("number",)
        case dict():
            kinds = ("object",)
        case list():
            kinds = ("array",)
        case None:
            kinds = ("null",)
        case _:
            return False
    return any(_allows(kind, schema, root) for kind in kinds)


def _allows(kind: str, schema: Any, root: Schema, deepest: int = 20) -> bool:
    """Return whether a value of a type may be meant; with circular references or without any type, only a string may."""
    schema = resolved(schema, root)
    if not deepest:
        return kind == "string"
    for several, quantify in (("allOf", all), ("anyOf", any), ("oneOf", any)):
        branches = schema.get(several, ())
        if branches and not quantify(_allows(kind, branch, root, deepest - 1) for branch in branches):
            return False
        if branches and "type" not in schema and kind != "string":
            return True
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", (schema.get("const"),))
        return any(
            isinstance(value, str)
            if kind == "string"
            else (value is None if kind == "null" else isinstance(value, int) and kind == "integer")
            for value in values
        )
    kinds = schema.get("type", "string")
    return kind in ([kinds] if isinstance(kinds, str) else kinds)
