"""Definitions of tools, with their JSON Schemas repaired: types of other languages are translated, invalid parts omitted with a warning.

A schema that is invalid in one place is still useful in all others. Omitted parts are not checked, and a warning names each. Pure.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from actionledger.actions.schemas import Schema, pointed_at
from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import UsageError
from actionledger.core.names import namespace_of, qualified

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

ANYTHING: Schema = {"type": "object", "properties": {}}
"""The schema of unknown arguments."""

TYPES = {
    "string": "str string text char character symbol date datetime uuid",
    "integer": "int integer int32 int64 long short byte bigint biginteger uint",
    "number": "number float double decimal bigdecimal real num",
    "boolean": "bool boolean",
    "array": "array list arraylist linkedlist tuple set frozenset hashset vector sequence collection iterable",
    "object": "object dict dictionary map hashmap hashtable treemap mapping record struct json",
    "null": "null none nonetype void nil undefined",
    "": "any unknown mixed",
}
"""Other languages' names of each JSON Schema type, in lower case; those of the last entry allow any value."""

_ALIASES = {alias: kind for kind, aliases in TYPES.items() for alias in aliases.split()}

_MAPS = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SCHEMAS = frozenset(
    {"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"}
    | {"unevaluatedProperties", "unevaluatedItems"}
)
_SAME_VALUE = ("anyOf", "oneOf", "allOf")
_LEFT_OUT = frozenset({"$id", "id", "$schema", "$anchor", "$dynamicAnchor", "$vocabulary", "$comment"})
"""Keywords for references from outside a schema; nothing is ever fetched."""

_KEYWORDS = frozenset(
    {
        *_MAPS,
        *_LISTS,
        *_SCHEMAS,
        "type",
        "required",
        "$ref",
        "enum",
        "const",
        "title",
        "description",
        "default",
    }
    | {"minProperties", "maxProperties", "dependentRequired", "examples", "nullable", "strict", *_LEFT_OUT}
)
_DEEPEST = 60
_MOST_ROUNDS = 5


@cache
def _checker() -> "Draft202012Validator":
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to load, and most readings are without tools

    return Draft202012Validator(
        Draft202012Validator.META_SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER
    )


def mended(given: Any, tool: str, warnings: list[str]) -> Schema:
    """Return a tool's given parameters as the JSON Schema of an object."""
    if given is None:
        return ANYTHING
    mending = _Mending(tool, warnings)
    if not isinstance(given, Mapping):
        mending.warn((), f"they are {type(given).__name__}, not an object")
        return ANYTHING
    if given and not any(key in _KEYWORDS for key in given):
        mending.warn((), f"they hold no keyword of JSON Schema, but {', '.join(map(repr, list(given)[:5]))}")
        return ANYTHING
    schema = mending.schema(given, (), 0)
    if "object" not in (kinds if isinstance(kinds := schema.get("type", "object"), list) else [kinds]):
        mending.warn(("type",), f"the arguments of a call are always an object, not {kinds!r}")
        schema = {key: value for key, value in schema.items() if key != "type"}
    mending.remove_what_is_wrong(schema)
    mending.cut_references(schema)
    return schema or ANYTHING


class _Mending:
    """Repairs one tool's schema, and warns of what it omits."""

    def __init__(self, tool: str, warnings: list[str]) -> None:
        self._tool = tool
        self._warnings = warnings

    def warn(self, path: tuple[Any, ...], why: str) -> None:
        where = f", at {'.'.join(map(str, path))[:100]}" if path else ""
        self._warnings.append(
            f"The parameters of the tool {self._tool!r} are no JSON Schema{where}: {why[:200]}; that is not checked."
        )

    def schema(self, given: Any, path: tuple[Any, ...], depth: int) -> Any:
        """Return a copy of a schema with JSON Schema's types."""
        if not isinstance(given, Mapping):
            return given
        if depth > _DEEPEST:
            self.warn(path, f"it is nested deeper than {_DEEPEST} levels")
            return {}
        made = {str(key): self._value(key, value, (*path, key), depth) for key, value in given.items()}
        made = {key: value for key, value in made.items() if key not in _LEFT_OUT}
        if "type" in made:
            kinds = self._types(made.pop("type"), (*path, "type"))
            if kinds:
                is_nullable = made.pop("nullable", False) is True and "null" not in kinds
                kinds = [*kinds, "null"] if is_nullable else kinds
                made["type"] = kinds[0] if len(kinds) == 1 else kinds
        allowed = made.get("enum")
        # an array's allowed values can only be those of its items
        if made.get("type") == "array" and (
            isinstance(allowed, list) and not any(isinstance(value, list) for value in allowed)
        ):
            items = made.get("items")
            made["items"] = {"enum": made.pop("enum")} | (items if isinstance(items, dict) else {})
        if isinstance(made.get("items"), list):
            made["prefixItems"] = made.pop("items")  # as in earlier drafts
        return made

    def _value(self, key: Any, value: Any, path: tuple[Any, ...], depth: int) -> Any:
        if key in _MAPS and isinstance(value, Mapping):
            return {str(name): self.schema(inner, (*path, name), depth + 1) for name, inner in value.items()}
        if isinstance(value, list | tuple) and (key in _LISTS or key == "items"):
            return [self.schema(inner, (*path, place), depth + 1) for place, inner in enumerate(value)]
        return self.schema(value, path, depth + 1) if key in _SCHEMAS else _plain(value)

    def _types(self, given: Any, path: tuple[Any, ...]) -> list[str]:
        """Return the meant JSON Schema types; empty for any value."""
        meant = []
        for each in given if isinstance(given, list) else [given]:
            kind = _type_of(each) if isinstance(each, str) else None
            if kind is None:
                self.warn(path, f"{each!r} is not a type")
            if not kind:
                return []
            meant.append(kind)
        return list(dict.fromkeys(meant))

    def remove_what_is_wrong(self, schema: JsonDict) -> None:
        """Remove the parts of a schema that JSON Schema's meta-schema rejects."""
        for _ in range(_MOST_ROUNDS):
            found = {tuple(error.absolute_path): error.message for error in _checker().iter_errors(schema)}
            if not found:
                return
            for path, why in found.items():
                self.warn(path, why)
            # Later list items are removed first, so that the others keep their indexes.
            for path in sorted(found, key=_in_order, reverse=True):
                _remove(schema, path)
        schema.clear()

    def cut_references(self, root: JsonDict) -> None:
        """Remove references that have no target, or that lead back to themselves without a step into the value."""
        for holder in list(_schemas_in(root)):
            reference = holder.get("$ref")
            if reference is not None and pointed_at(reference, root) is None:
                self.warn(("$ref",), f"{reference!r} is not in them")
                del holder["$ref"]
        for key in ("$dynamicRef", "$recursiveRef"):
            for holder in _schemas_in(root):
                if holder.pop(key, None) is not None:
                    self.warn((key,), "only $ref is followed")
        while (circle := _circle(root)) is not None:
            self.warn(("$ref",), f"{circle['$ref']!r} leads back to itself")
            del circle["$ref"]


def _in_order(path: tuple[Any, ...]) -> tuple[tuple[int, int, str], ...]:
    return tuple((isinstance(step, str), step if isinstance(step, int) else 0, str(step)) for step in path)


def _remove(schema: JsonDict, path: tuple[Any, ...]) -> None:
    """Remove the value at a path; a schema among others becomes one that allows everything."""
    if not path:
        schema.clear()
        return
    holder: Any = schema
    for step in path[:-1]:
        holder = holder[step]
    if len(path) > 1 and path[-2] in _MAPS | _LISTS - {"oneOf"}:
        holder[path[-1]] = {}
    else:
        del holder[path[-1]]


def _type_of(word: str) -> str | None:
    """Return the JSON Schema type that a word means, empty for any value; None if unknown."""
    word = word.strip().casefold()
    if word.endswith("[]"):
        return "array"
    for opening in "<[(":
        word = word.split(opening)[0]
    return _ALIASES.get(word.rpartition(".")[2].strip())


def _plain(value: Any) -> Any:
    """Return a value made of plain dicts and lists, which the validator requires."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return list(map(_plain, value)) if isinstance(value, list | tuple) else value


def _schemas_in(schema: Any) -> Iterator[JsonDict]:
    """Yield every schema within a schema, itself first."""
    pending = [schema]
    while pending:
        here = pending.pop()
        if not isinstance(here, dict):
            continue
        yield here
        for key, value in here.items():
            if key in _MAPS and isinstance(value, dict):
                pending += value.values()
            elif key in _LISTS and isinstance(value, list):
                pending += value
            elif key in _SCHEMAS:
                pending.append(value)


def _circle(root: JsonDict) -> JsonDict | None:
    """Return a schema whose reference leads back to it for the same value; None if there is none."""
    done: set[int] = set()
    for start in _schemas_in(root):
        above: set[int] = set()
        pending: list[tuple[JsonDict, JsonDict, bool]] = [(start, start, False)]
        while pending:
            here, origin, is_left = pending.pop()
            if is_left:
                above.discard(id(here))
                done.add(id(here))
                continue
            if id(here) in above:
                return origin
            if id(here) in done:
                continue
            above.add(id(here))
            pending.append((here, origin, True))
            pending += [(each, by, False) for each, by in _same_value(here, origin, root)]
    return None


def _same_value(schema: JsonDict, origin: JsonDict, root: JsonDict) -> Iterator[tuple[JsonDict, JsonDict]]:
    """Yield the schemas that the same value must fit, each with the schema whose reference led there."""
    if "$ref" in schema and isinstance(found := pointed_at(schema["$ref"], root), dict):
        yield found, schema
    for key in (*_SAME_VALUE, "not", "if", "then", "else"):
        inner = schema.get(key, ())
        for each in inner if isinstance(inner, list) else [inner]:
            if isinstance(each, dict):
                yield each, origin


_DEFINITIONS_LISTS = ("functionDeclarations", "function_declarations", "tools")
"""The keys that hold several tools: those of Gemini's declarations and of an MCP server's response."""

_INNER = ("function", "toolSpec", "custom")
_PARAMETERS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema")

_HOSTED = frozenset(
    [
        "cachepoint",
        "codeexecution",
        "computeruse",
        "enterprisewebsearch",
        "filesearch",
        "googlemaps",
        "googlesearch",
        "googlesearchretrieval",
        "retrieval",
        "systemtool",
        "urlcontext",
    ]
)
"""The keys of Gemini's and Bedrock's hosted tools, which have no name to call; in lower case, without underscores."""


class Definition(NamedTuple):
    """The definition of one tool."""

    name: str
    description: str  # its purpose, for the model; empty if missing
    parameters: Any  # the given schema of its arguments; None if missing


def definitions_in(tools: Iterable[Any], left_out: list[str]) -> Iterator[Definition]:
    if isinstance(tools, str | bytes) or not isinstance(tools, Iterable):
        raise UsageError(
            f"Tools are a list, one mapping a tool; {str(tools)[:80]!r} is of the type {type(tools).__name__}."
        )
    for number, tool in enumerate([tools] if isinstance(tools, Mapping) else tools):
        several = (
            next((tool[key] for key in _DEFINITIONS_LISTS if isinstance(tool.get(key), list | tuple)), None)
            if isinstance(tool, Mapping)
            else None
        )
        if several is not None:
            for each in definitions_in(several, left_out):
                yield each._replace(name=qualified(namespace_of(tool), each.name))
        elif _is_hosted(tool):
            left_out.append(
                f"Tool {number} is one that the provider runs itself, {str(dict(tool))[:80]}: left out."
            )
        else:
            yield _definition(number, tool)


def _is_hosted(tool: Any) -> bool:
    """Return whether a tool has only a type or a key, such as a web search that the provider runs."""
    if not isinstance(tool, Mapping) or any(key in tool for key in ("name", *_INNER, *_PARAMETERS)):
        return False
    if any(str(key).replace("_", "").lower() in _HOSTED for key in tool):
        return True
    kind = tool.get("type")
    return isinstance(kind, str) and kind not in {"", "function", "custom"}


def _definition(number: int, tool: Any) -> Definition:
    inner = tool
    if isinstance(tool, Mapping):
        inner = next((tool[key] for key in _INNER if isinstance(tool.get(key), Mapping)), tool)
    name = inner.get("name") if isinstance(inner, Mapping) else None
    if not isinstance(name, str) or not name:
        raise UsageError(f"Tool {number} has no name; write it as the OpenAI interface takes it.")
    given = next((inner[key] for key in _PARAMETERS if inner.get(key) is not None), None)
    if isinstance(given, Mapping) and isinstance(given.get("json"), Mapping) and "type" not in given:
        given = given["json"]  # Bedrock's
    if given is None and isinstance(fields := inner.get("parameter_definitions"), Mapping):
        given = _of_fields(fields)
    return Definition(name, str(inner.get("description") or ""), given)


def _of_fields(fields: JsonMap) -> JsonDict:
    """Return the schema for parameters that Cohere's first interface lists field by field."""
    required = [
        name for name, field in fields.items() if isinstance(field, Mapping) and field.get("required")
    ]
    properties = {
        name: {key: value for key, value in field.items() if key != "required"}
        if isinstance(field, Mapping)
        else {}
        for name, field in fields.items()
    }
    return {"type": "object", "properties": properties, "required": required}
