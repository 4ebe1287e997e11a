"""Values with one part replaced by something that nobody expects there."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from effort import is_soak

OF_EACH_TYPE: tuple[Any, ...] = (None, 2**70, "\x00", [5], {"type": 5})
STRANGE: tuple[Any, ...] = (*OF_EACH_TYPE, True, -1, 1e300, "", "𝕏" * 50, [], [[]], {})
"""What may stand where another type was meant."""


def with_one_part_changed(value: Any) -> Iterator[Any]:
    """Yield copies of a JSON value, each with one of its parts replaced or left out; a soak tries more of each type."""
    for path in paths(value):
        for strange in STRANGE if is_soak() else OF_EACH_TYPE:
            changed = deepcopy(value)
            holder(changed, path)[path[-1]] = strange
            yield changed
        shorter = deepcopy(value)
        del holder(shorter, path)[path[-1]]
        yield shorter


def paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of each part of a JSON value: its keys and its numbers from the outside in."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in parts:
        yield (*above, key)
        yield from paths(held, (*above, key))


def holder(value: Any, path: tuple[Any, ...]) -> Any:
    """Return what holds the part at a place."""
    for key in path[:-1]:
        value = value[key]
    return value
