"""Arguments that a call's only parameter holds as an object: written as a tool call's JSON has them, in tags that need no such level."""

from json import dumps
from typing import Any

from actionledger.core.values import Repair, Span
from actionledger.core.values.calls import parameters_of
from actionledger.core.vocabulary import RepairKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import decode_nested
from actionledger.reading.tolerant_json.options import DecodeOptions

_HOLDERS = frozenset({"arguments", "args", "input", "kwargs", "parameters", "params", "properties"})

_PYTHON = {RepairKind.QUOTES, RepairKind.LITERAL}
"""The repairs of a printed dictionary."""


def held_arguments(
    source: Source, name: str, arguments: dict[str, Any], span: Span, options: DecodeOptions
) -> tuple[dict[str, Any], Repair | None]:
    """Return the arguments of a call, out of the object that its only parameter holds, and the repair that this is.

    That is so only where it is known that the tool has no parameter of that name, and has each that the object names.
    """
    key = next(iter(arguments), "")
    if len(arguments) != 1 or key not in _HOLDERS or RepairKind.NESTED_JSON not in options.repairs:
        return arguments, None
    known = parameters_of(source.names or frozenset(), name)
    held = _object_in(arguments[key], options)
    if not known or key in known or not held or not held.keys() <= set(known):
        return arguments, None
    written = dumps(held, ensure_ascii=False)
    return held, Repair(RepairKind.NESTED_JSON, span, span.of(source.text), written)


def _object_in(value: Any, options: DecodeOptions) -> dict[str, Any]:
    """Return the object that a value is, or that its text plainly holds; an empty one where it holds none."""
    if isinstance(value, str):
        decoded = decode_nested(value, options=options)
        is_plain = not decoded.issues and {repair.kind for repair in decoded.repairs} <= _PYTHON
        value = decoded.value if is_plain else None
    return value if isinstance(value, dict) else {}
