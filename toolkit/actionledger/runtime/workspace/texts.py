"""Convert a file's bytes to a model's text and back: decoding, masked secrets, and short diffs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from enum import StrEnum

from actionledger.core.errors import ActionError
from actionledger.core.patterns import regex
from actionledger.core.privacy import mask_text
from actionledger.core.text import counted, printable
from actionledger.core.vocabulary import Reason

BOM = "\ufeff"
"""The byte order mark that some systems put before a text in UTF-8."""


def decoded(path: str, content: bytes) -> str:
    """Return a file's text, including line ends and byte order mark."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        message = (
            f"The file {path!r} is not UTF-8 text but {counted(len(content), 'byte')} of something else."
        )
        raise ActionError(Reason.BAD_FORMAT, message) from None


def encoded(path: str, text: str, limit: int) -> bytes:
    """Encode a text as the bytes of a file."""
    try:
        content = text.encode()
    except UnicodeEncodeError:
        message = f"The content for {path!r} holds half of a surrogate pair, which UTF-8 can't write."
        raise ActionError(Reason.BAD_FORMAT, message) from None
    if len(content) > limit:
        message = f"The content for {path!r} is {len(content):,} bytes; the limit is {limit:,}."
        raise ActionError(Reason.TOO_LARGE, message)
    return content


def is_text(content: bytes) -> bool:
    """Whether a content can be shown as text."""
    if b"\0" in content:
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def line_end(text: str) -> str | None:
    r"""Return the line end of all lines in a text, ``"\n"`` or ``"\r\n"``; None if they differ or there is only one line."""
    breaks, windows = text.count("\n"), text.count("\r\n")
    if not breaks or windows not in {0, breaks}:
        return None
    return "\r\n" if windows else "\n"


def with_line_ends(text: str, end: str | None) -> str:
    """Return a text with the given line end in all lines; unchanged if none is given."""
    if end is None:
        return text
    plain = text.replace("\r\n", "\n")
    return plain if end == "\n" else plain.replace("\n", end)


MASK = "***"
"""The shortest form of a masked secret."""

SECRETS_ARE_MASKED = (
    " The file holds a secret there; what you are shown of it is asterisks, one for each character. Search for what stands "
    "around it."
)
"""The hint for a search for asterisks."""


def is_masked(text: str, shown: str) -> bool:
    """Return whether a text contains something that is shown masked."""
    return MASK in shown and shown not in text and shown in mask_text(text)


def refuse_masks(path: str, before: str, after: str) -> None:
    """Raise if masking asterisks would overwrite a secret in a file."""
    if MASK not in after or (masked := mask_text(before)) is before:
        return
    shown = set(masked.splitlines()) - set(before.splitlines())
    for number, line in enumerate(after.splitlines(), 1):
        if MASK in line and line in shown:
            message = (
                f"Line {number} of what {path!r} would hold has asterisks where the file holds a secret; what you are shown of it is "
                "masked. Nothing was written. Change the other lines by an edit, and leave that one."
            )
            raise ActionError(Reason.MASKED_CONTENT, message)


_MOST_COMPARED = 2_000
"""The maximum number of lines compared between equal beginnings and ends, because the time is quadratic."""

_LONGEST_LINE = 400
"""The maximum shown length of a line, in characters."""

_RANGE = regex(r"([-+])(\d+)")


class DiffKind(StrEnum):
    """The kind of a path's change."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Diff:
    """The change of one path.

    Args:
        path: its path after the change, or before it if deleted; a folder's ends with a slash.
        kind: the kind of change.
        text: a unified diff, or a line in parentheses if none can be shown.
        moved_from: its path before a move.
    """

    path: str
    kind: DiffKind
    text: str
    moved_from: str = ""


def unified(path: str, before: bytes | None, after: bytes | None, *, most_lines: int = 2_000) -> str:
    """Return the unified diff of two contents (None: no file), for people; a line in parentheses if one is no text or too long to compare."""
    if not is_text(before or b"") or not is_text(after or b""):
        return f"(binary: {_size(before)} before, {_size(after)} after)"
    old, new = _lines(before), _lines(after)
    same = _same_at_start(old, new)
    behind = _same_at_start(old[same:][::-1], new[same:][::-1])
    if max(len(old), len(new)) - same - behind > _MOST_COMPARED:
        return f"(too long to compare: {counted(len(old), 'line')} before, {len(new):,} after)"
    # A unified diff shows three lines of context; the rest needs no comparison.
    first, last_old, last_new = max(0, same - 3), len(old) - max(0, behind - 3), len(new) - max(0, behind - 3)
    # A file name may contain a line break, which must not look like a line of the diff.
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
    """Return the number of equal lines at the start of both."""
    return next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]),
        min(len(old), len(new)),
    )


def _renumbered(lines: Iterable[str], left_out: int) -> Iterator[str]:
    """Yield a diff's lines with line numbers shifted by the lines left out before it."""
    for line in lines:
        if line.startswith("@@"):
            yield _RANGE.sub(lambda found: f"{found[1]}{int(found[2]) + left_out}", line)
        else:
            yield line
