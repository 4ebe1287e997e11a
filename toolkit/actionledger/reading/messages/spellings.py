"""JSON's values, and the keys that messages use for a call's name, arguments and identifier."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import UsageError
from actionledger.core.names import qualified
from actionledger.core.vocabulary import Reason


def require_json(value: object) -> None:
    """Raise an error unless a value is JSON at all depths."""
    above: set[int] = set()
    pending: list[tuple[str, object, bool]] = [("", value, False)]
    while pending:
        path, here, is_done = pending.pop()
        if isinstance(here, str | int | float | None):
            continue
        if is_done:
            above.discard(id(here))
            continue
        items = _items(here)
        if items is None or id(here) in above:
            where = f" at {path[1:]!r}" if path else ""
            raise UsageError(
                f"A message is decoded JSON, and {_named(here)}{where} is none; hand in what json.loads returns, "
                "or a client's object as message.model_dump(mode='json')."
            )
        above.add(id(here))
        pending.append((path, here, True))
        pending += [(f"{path}.{key}" if len(path) < 200 else path, item, False) for key, item in items]


def _named(value: object) -> str:
    if isinstance(value, list | tuple) or _items(value) is not None:
        return "something that holds itself"
    return (
        "an object whose keys are no texts" if isinstance(value, Mapping) else f"a {type(value).__name__!r}"
    )


def _items(value: object) -> list[tuple[object, object]] | None:
    """Return a value's items; None if it is not JSON."""
    if isinstance(value, Mapping):
        return list(value.items()) if all(isinstance(key, str) for key in value) else None
    return list(enumerate(value)) if isinstance(value, list | tuple) else None


NAMES = ("name", "tool_name", "toolName", "function_name", "functionName")
ARGUMENTS = ("arguments", "args", "input", "parameters", "params")
_IDS = ("call_id", "tool_call_id", "toolCallId", "toolUseId", "tool_use_id", "id")

HOLDERS = frozenset(
    {
        "tool_calls",
        "toolCalls",
        "tool_call",
        "toolCall",
        "function_call",
        "functionCall",
        "tool_use",
        "toolUse",
    }
)
"""The keys that hold a call, or a list of them."""

CALL_TYPES = {
    "function": "openai_chat",
    "custom": "openai_chat",
    "function_call": "openai_responses",
    "custom_tool_call": "openai_responses",
    "tool_use": "anthropic",
    "tool_call": "otel_genai",
    "tool-call": "pydantic_ai",
    "toolCall": "pi",
}
"""The types of parts that are calls, each with its spelling."""

_FREE_TEXT = frozenset({"custom", "custom_tool_call"})
"""The types of calls with one plain text as argument."""

_BESIDE = frozenset(
    {"type", "part_kind", "kind", "object", "index", "status", "caller", "namespace", "thoughtSignature"}
    | {"thought_signature", "cache_control", "created_at", "timestamp", "provider_name", "provider_details"}
    | {"tool_kind", "extra_content", "origin", "function", "custom"}
)
"""Keys next to a call's name that are not its arguments."""

OF_CALL = frozenset({*NAMES, *ARGUMENTS, *_IDS, *_BESIDE})
"""The keys of a call's own content."""


class Spelled(NamedTuple):
    """A call as written in a message."""

    dialect: str  # whose spelling it is
    name: object  # the value of its name's key; None if missing
    arguments: object  # an object, or one as JSON text; None if missing
    call_id: str | None  # its identifier; None if missing
    reason: Reason | None = None  # why its arguments are unknown; None if they are known
    detail: str = ""  # the particulars of that
    is_text: bool = False  # whether it has one text as the argument `input`


def spelled(call: JsonMap, dialect: str = "") -> Spelled:
    """Return a call whatever keys it is written in."""
    inner = next((call[key] for key in ("function", "custom") if isinstance(call.get(key), Mapping)), call)
    name = next((inner[key] for key in NAMES if inner.get(key) is not None), None)
    if isinstance(name, str):
        name = qualified(inner.get("namespace"), name)
    if name is None and isinstance(inner.get("function"), str):
        name = inner["function"]
    call_id = next((call[key] for key in _IDS if isinstance(call.get(key), str)), None)
    found = Spelled(dialect or _told_by_keys(call, inner), name, None, call_id)
    if error := call.get("parse_error"):
        return found._replace(
            reason=Reason.MALFORMED_JSON, detail=f"The recording says: {str(error)[:200]!r}."
        )
    given = {key: inner[key] for key in ARGUMENTS if key in inner}
    if (str(call.get("type")) in _FREE_TEXT or isinstance(call.get("custom"), Mapping)) and "input" in given:
        return found._replace(arguments={"input": given["input"]}, is_text=True)
    values = [value for value in given.values() if value is not None]
    if any(value != values[0] for value in values):
        return found._replace(
            reason=Reason.AMBIGUOUS, detail=f"{_keys_of(found, given)}; one of them is due."
        )
    if values and values[0] != "":
        return found._replace(arguments=values[0])
    if _holds_more(inner, objects_only=bool(given)):
        looked_for = ", ".join(ARGUMENTS)
        detail = f"{_keys_of(found, inner)}; its arguments are looked for under: {looked_for}."
        return found._replace(reason=Reason.WRONG_SHAPE, detail=detail)
    return found


def is_call_like(value: JsonMap) -> bool:
    """Return whether an object has a call's name and arguments."""
    has_name = any(isinstance(value.get(key), str) for key in NAMES) or isinstance(value.get("function"), str)
    return has_name and any(isinstance(value.get(key), str | Mapping) for key in ARGUMENTS)


def shown_keys(keys: Mapping[Any, Any]) -> str:
    """Return an object's first keys, for people."""
    return ", ".join(repr(str(key)[:40]) for key in list(keys)[:8]) or "none"


def _told_by_keys(call: JsonMap, inner: JsonMap) -> str:
    if inner is not call:
        return "openai_chat"
    if "args" in call:
        return "pydantic_ai" if "tool_name" in call else "langchain"
    for key, dialect in {"toolName": "vercel_ai", "function_name": "atif", "parameters": "cohere"}.items():
        if key in call:
            return dialect
    return "inspect" if isinstance(call.get("function"), str) else "openai_chat"


def _holds_more(call: JsonMap, *, objects_only: bool) -> bool:
    """Return whether a call without arguments may have them under an unknown key."""
    rest = [value for key, value in call.items() if key not in OF_CALL and value not in (None, "", [], {})]
    return any(isinstance(value, Mapping) for value in rest) if objects_only else bool(rest)


def _keys_of(found: Spelled, keys: JsonMap) -> str:
    return f"The call of {str(found.name)[:80]!r} has the keys {shown_keys(keys)}"
