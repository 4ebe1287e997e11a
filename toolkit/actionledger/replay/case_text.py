"""A case as TOML that reads well in a review: the text as it stands where that can be, else with escapes."""

import json
from collections.abc import Mapping
from typing import Any

from actionledger.core.text import escaped_halves

_NAMED = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_INTEGERS = range(-(2**63), 2**63)


def has_halves(text: str) -> bool:
    """Return whether a text holds half of a surrogate pair, which TOML has no way to write."""
    return escaped_halves(text) is not text


def assigned(name: str, value: Any) -> str:
    """Return a line that gives a key its value."""
    return f"{name} = {_inline(value)}"


def assigned_text(name: str, text: str) -> str:
    """Return lines that give a key a text of several lines, exactly."""
    is_plain = all(mark.isprintable() or mark == "\n" for mark in text)
    if is_plain and "'''" not in text and not text.endswith("'"):
        return f"{name} = '''\n{text}'''"
    escaped = "".join("\n" if mark == "\n" else _escaped(mark) for mark in text)
    return f'{name} = """\n{escaped}"""'


def is_sayable(value: Any) -> bool:
    """Return whether TOML can say a JSON value, so that it reads back as the same."""
    if isinstance(value, Mapping):
        return all(is_sayable(key) and is_sayable(each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return all(map(is_sayable, value))
    if isinstance(value, str):
        return not has_halves(value)
    return isinstance(value, bool) or (isinstance(value, int) and value in _INTEGERS)


def json_literal(value: Any) -> str:
    """Return a value's JSON text, halves of surrogate pairs as escapes."""
    return escaped_halves(json.dumps(value, ensure_ascii=False))


def _inline(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case Mapping():
            return (
                "{ " + ", ".join(f"{_key(key)} = {_inline(each)}" for key, each in value.items()) + " }"
                if value
                else "{}"
            )
        case list() | tuple():
            return f"[{', '.join(map(_inline, value))}]"
        case _:
            return _string(str(value))


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if is_bare else _basic(name)


def _string(text: str) -> str:
    is_literal = "\\" in text or '"' in text
    return f"'{text}'" if is_literal and "'" not in text and text.isprintable() else _basic(text)


def _basic(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(mark: str) -> str:
    if mark in _NAMED:
        return _NAMED[mark]
    if mark.isprintable():
        return mark
    return f"\\u{ord(mark):04x}" if ord(mark) < 0x10000 else f"\\U{ord(mark):08x}"
