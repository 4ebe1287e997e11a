"""Whose recording a file or a folder is, by what its first line holds."""

from pathlib import Path
from typing import Literal, TypeAlias

from actionledger.errors import SourceError
from actionledger.sources.base import Refusal
from actionledger.sources.containers import STANDARD_INPUT, shown
from actionledger.sources.lines import json_lines

Format: TypeAlias = Literal["jsonl", "mint"]

_FIELDS: dict[Format, frozenset[str]] = {
    "jsonl": frozenset({"session", "text"}),
    "mint": frozenset({"state", "task"}),
}
"""What a line of each format holds at least."""

_LINES = 20
_SHOWN_FIELDS = 8
_NAMES = ("*.jsonl", "*.jsonl.gz")


def line_files(path: Path) -> list[Path]:
    """Return a file, or the files of lines of JSON in a folder and below it, sorted.

    Raises:
        SourceError: there is none.
    """
    if path == STANDARD_INPUT:
        return [path]
    if not path.exists():
        raise SourceError(f"There is no file {str(path)!r} to take in.")
    if not path.is_dir():
        return [path]
    found = sorted({file for name in _NAMES for file in path.rglob(name) if file.is_file()})
    if not found:
        raise SourceError(
            f"The folder {str(path)!r} holds no {' and no '.join(_NAMES)}; give another, or a file."
        )
    return found


def recognised(path: Path) -> Format:
    """Return the format of a recording.

    Args:
        path: a file, or a folder with files of one format.

    Raises:
        SourceError: it can't be read, or its first lines are of no known format; says what they hold.
    """
    file = line_files(path)[0]
    if file == STANDARD_INPUT:
        return "jsonl"
    for _, item in zip(range(_LINES), json_lines(file), strict=False):
        if isinstance(item, Refusal):
            continue
        fields = item[1].keys()
        for form, needed in _FIELDS.items():
            if needed <= fields:
                return form
        held = ", ".join(map(repr, list(fields)[:_SHOWN_FIELDS])) or "nothing"
        raise SourceError(f"The format of {shown(file)!r} is not known: its lines hold {held}; {_known()}.")
    raise SourceError(
        f"The format of {shown(file)!r} is not known: its first lines are no JSON objects; {_known()}."
    )


def _known() -> str:
    kinds = (f"{form} ({' and '.join(sorted(fields))})" for form, fields in _FIELDS.items())
    return f"known are {', '.join(kinds)}, and docs/jsonl.md says how to write the first"
