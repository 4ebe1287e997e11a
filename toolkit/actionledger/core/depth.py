"""How deep a value is nested, asked level by level and not by recursion. Pure."""

from typing import Any


def is_deeper(value: Any, levels: int, containers: tuple[type, ...] = (dict, list)) -> bool:
    """Return whether a value has more levels of containers than these; a value that is none has no level.

    Args:
        value: a JSON value.
        levels: so many are allowed.
        containers: what counts as one: kinds of mappings and lists.
    """
    level: list[Any] = [value] if isinstance(value, containers) else []
    for _ in range(levels):
        level = [
            part
            for whole in level
            for part in (whole if isinstance(whole, list) else whole.values())
            if isinstance(part, containers)
        ]
        if not level:
            return False
    return bool(level)
