"""Calls and values as text: the parts that the dialects' writers share.

JSON and Python are written on one line, control characters escaped, so that nothing in a string can end the line, the
fence or the block around it. Unwritable values raise ``ValueError`` or ``TypeError``, as ``json.dumps`` does;
``Dialect.render`` reports that to the caller.
"""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from actionledger.core.canonical import JsonDict
from actionledger.core.patterns import regex
from actionledger.core.text import escaped_halves

_PARAMETER = regex(r"[^\W\d]\w*")
_FENCE_LINE = regex("^[ \t]*(`{3,})", re.MULTILINE)


class PlainCall(NamedTuple):
    """A call without a place in a text, for a dialect to write."""

    name: str  # the callee's name
    arguments: JsonDict  # its arguments by name, as JSON values
    call_id: str | None = None  # its identifier; left out if the dialect has no place for one


def json_text(value: object) -> str:
    """Return a value as JSON on one line; half a surrogate pair, which has no encoding, is escaped."""
    return escaped_halves(json.dumps(value, ensure_ascii=False, allow_nan=False))


def raw_text(value: object) -> str:
    """Return a value as a tag holds it: a text unchanged, anything else as JSON."""
    return value if isinstance(value, str) else json_text(value)


def call_object(call: PlainCall, arguments: str = "arguments") -> JsonDict:
    identifier = {"id": call.call_id} if call.call_id else {}
    return {"name": call.name, arguments: call.arguments} | identifier


def python_literal(value: object) -> str:
    """Return a value as a Python literal; JSON's strings and numbers are Python's as well."""
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json_text(key)}: {python_literal(held)}' for key, held in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(python_literal, value))}]"
    return json_text(value)


def python_call(call: PlainCall) -> str:
    """Return a call in Python; if a parameter's name is not valid there, with one object of all arguments."""
    if all(_PARAMETER.fullmatch(name) for name in call.arguments):
        given = ", ".join(f"{name}={python_literal(value)}" for name, value in call.arguments.items())
    else:
        given = python_literal(call.arguments)
    return f"{call.name}({given})"


def python_list(calls: Sequence[PlainCall]) -> str:
    return f"[{', '.join(map(python_call, calls))}]"


def fenced(label: str, body: str) -> str:
    """Return a body in a markdown fence that none of its lines closes."""
    mark = "`" * max((len(run) + 1 for run in _FENCE_LINE.findall(body)), default=3)
    return f"{mark}{label}\n{body}\n{mark}"
