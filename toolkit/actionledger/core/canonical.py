"""A value's JSON text, as it is recorded, hashed and compared, and a limit on nesting. Pure."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from math import inf, isfinite
from typing import Any, TypeAlias

from actionledger.core.text import writable

JsonMap: TypeAlias = Mapping[str, Any]
"""A JSON object for reading."""

JsonDict: TypeAlias = dict[str, Any]
"""A JSON object for writing."""


def json_text(value: Any) -> str:
    """Return a value as JSON text. Lone surrogates become U+FFFD, and a value that JSON has no type for becomes its ``repr``."""
    to_json, unwritable = _encoder()
    try:
        return to_json(value, fallback=repr, inf_nan_mode="strings").decode()
    except unwritable:  # a lone surrogate, or too deeply nested
        return json.dumps(_writable(value), ensure_ascii=False, separators=(",", ":"))


@cache
def _encoder() -> tuple[Callable[..., bytes], type[Exception]]:
    from pydantic_core import PydanticSerializationError, to_json  # noqa: PLC0415 - slow to load, and a reader needs none

    return to_json, PydanticSerializationError


def _writable(value: Any) -> Any:
    """Return a value of JSON types only, with texts that UTF-8 can encode."""
    if isinstance(value, dict):
        keys = (key if isinstance(key, str) else repr(key) for key in value)
        return dict(zip(map(_writable, keys), map(_writable, value.values()), strict=True))
    if isinstance(value, list | tuple):
        return list(map(_writable, value))
    if isinstance(value, float) and not isfinite(value):
        return {inf: "Infinity", -inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, int | float | None):
        return value
    return writable(value if isinstance(value, str) else repr(value))


_PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types that are no containers: asking an abstract class such as ``Mapping`` whether a value is one takes ten times as long."""


def is_deeper(value: Any, levels: int, containers: tuple[type, ...] = (dict, list)) -> bool:
    """Return whether a value has more levels of containers than allowed; a value that is no container has none."""
    level: list[Any] = [value] if isinstance(value, containers) else []
    for _ in range(levels):
        level = [
            part
            for whole in level
            for part in (whole if isinstance(whole, list) else whole.values())
            if type(part) not in _PLAIN and isinstance(part, containers)
        ]
        if not level:
            return False
    return bool(level)
