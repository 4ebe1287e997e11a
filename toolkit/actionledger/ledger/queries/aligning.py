"""Two rows laid beside each other, and two JSON values field by field. Pure."""

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

Thing = TypeVar("Thing")

FieldKind: TypeAlias = Literal["added", "removed", "changed", "type_changed"]
"""How a field differs: only the second has it, only the first, another value, or one of another type."""


_MOST_COMPARED = 1_000_000
"""Up to this product of their lengths rows are searched for what agrees, which takes as many steps; longer ones are paired by place."""

_DEEPEST = 60
"""What is nested deeper is compared as a whole."""


class FieldDifference(NamedTuple):
    """A field that two readings of an action have otherwise.

    Args:
        path: where it is: the names of fields and the places in lists from the top, such as ``("items", 0, "id")``.
        kind: how it differs.
        before, after: its values; None where it isn't there, as ``kind`` says.
    """

    path: tuple[str | int, ...]
    kind: FieldKind
    before: Any
    after: Any


def aligned(
    before: Sequence[Thing], after: Sequence[Thing], *keys: Callable[[Thing], object]
) -> Iterator[tuple[Thing | None, Thing | None]]:
    """Yield pairs of what is the same thing in two rows, in order; None stands where only one of them has it.

    What agrees in the first key is paired first; between those pairs, and never across them, what agrees in the next one.
    """
    if not keys or not before or not after:
        yield from ((thing, None) for thing in before)
        yield from ((None, thing) for thing in after)
        return
    if len(before) * len(after) > _MOST_COMPARED:
        yield from zip_longest(before, after)
        return
    key, *rest = keys
    matcher = SequenceMatcher(None, [key(thing) for thing in before], [key(thing) for thing in after], False)
    i = j = 0
    for start, other, length in matcher.get_matching_blocks():
        yield from aligned(before[i:start], after[j:other], *rest)
        yield from zip(before[start : start + length], after[other : other + length], strict=True)
        i, j = start + length, other + length


def field_differences(before: Any, after: Any, path: tuple[str | int, ...] = ()) -> Iterator[FieldDifference]:
    """Yield what differs between two JSON values, field by field; items of lists are laid beside each other."""
    if type(before) is not type(after):
        yield FieldDifference(path, "type_changed", before, after)
    elif isinstance(before, dict) and isinstance(after, dict) and len(path) < _DEEPEST:
        for name in (*before, *(name for name in after if name not in before)):
            yield from _of_field(
                name in before, name in after, before.get(name), after.get(name), (*path, name)
            )
    elif isinstance(before, list) and isinstance(after, list) and len(path) < _DEEPEST:
        for place in range(max(len(before), len(after))):
            was, now = before[place : place + 1], after[place : place + 1]
            first, second = (side[0] if side else None for side in (was, now))
            yield from _of_field(bool(was), bool(now), first, second, (*path, place))
    elif before != after:
        yield FieldDifference(path, "changed", before, after)


def _of_field(
    was: bool, is_now: bool, before: Any, after: Any, path: tuple[str | int, ...]
) -> Iterator[FieldDifference]:
    if was and is_now:
        yield from field_differences(before, after, path)
    elif was:
        yield FieldDifference(path, "removed", before, None)
    else:
        yield FieldDifference(path, "added", None, after)
