"""What a change comes to, as a unified diff of bearable length."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from enum import StrEnum

from actionledger.core.text import counted, printable
from actionledger.runtime.workspace.texts import is_text

_MOST_COMPARED = 2_000
"""How many lines that are not the same at either end are compared: the time grows with their square."""

_LONGEST_LINE = 400
"""How much of a line is shown, in characters."""

_RANGE = re.compile(r"([-+])(\d+)")


class DiffKind(StrEnum):
    """What happens to a path."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Diff:
    """What would become of one path.

    Args:
        path: where it is afterwards, or was, if it is deleted; a folder's ends with a slash.
        kind: what happens to it.
        text: a unified diff, or one line in round brackets where there is none to show.
        moved_from: where it was before, if it is moved.
    """

    path: str
    kind: DiffKind
    text: str
    moved_from: str = ""


def unified(path: str, before: bytes | None, after: bytes | None, *, most_lines: int = 2_000) -> str:
    """Return the difference between two contents for people.

    Args:
        path: the file.
        before: what it held; None where it wasn't there.
        after: what it holds; None where it is gone.
        most_lines: how many lines are shown.

    Returns:
        A unified diff, or one line in round brackets where the contents are no text or too long to compare.
    """
    if not is_text(before or b"") or not is_text(after or b""):
        return f"(binary: {_size(before)} before, {_size(after)} after)"
    old, new = _lines(before), _lines(after)
    same = _same_at_start(old, new)
    behind = _same_at_start(old[same:][::-1], new[same:][::-1])
    if max(len(old), len(new)) - same - behind > _MOST_COMPARED:
        return f"(too long to compare: {counted(len(old), 'line')} before, {len(new):,} after)"
    # Three lines around are what a unified diff shows; the rest needs no comparing.
    first, last_old, last_new = max(0, same - 3), len(old) - max(0, behind - 3), len(new) - max(0, behind - 3)
    # A command may have made a name with a line break in it, which must not look like a line of the diff.
    name = printable(path)
    names = (
        f"a/{name}" if before is not None else "/dev/null",
        f"b/{name}" if after is not None else "/dev/null",
    )
    shown = list(
        _renumbered(unified_diff(old[first:last_old], new[first:last_new], *names, lineterm=""), first)
    )
    if len(shown) > most_lines:
        shown = [*shown[:most_lines], f"(… {counted(len(shown) - most_lines, 'more line')})"]
    return "\n".join(line[:_LONGEST_LINE] for line in shown)


def _size(content: bytes | None) -> str:
    return "nothing" if content is None else counted(len(content), "byte")


def _lines(content: bytes | None) -> list[str]:
    if not content:
        return []
    lines = content.decode().split("\n")
    if lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"
    else:
        lines.pop()
    return lines


def _same_at_start(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines are the same at the start of both."""
    return next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]),
        min(len(old), len(new)),
    )


def _renumbered(lines: Iterable[str], left_out: int) -> Iterator[str]:
    """Yield the lines of a diff whose line numbers count some lines that were left out before it."""
    for line in lines:
        if line.startswith("@@"):
            yield _RANGE.sub(lambda found: f"{found[1]}{int(found[2]) + left_out}", line)
        else:
            yield line
