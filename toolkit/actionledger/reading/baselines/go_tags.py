"""The Go coding agent's tag expressions (action-based coding agent system, architecture)."""

import re
from collections.abc import Iterator

from actionledger.core.values import Span
from actionledger.core.vocabulary import BlockStatus
from actionledger.reading.dialects.base import Found, Written

_TAGS: dict[str, tuple[re.Pattern[str], tuple[str, ...]]] = {
    "create_file": (
        re.compile(
            r"<create_file>\s*<path>(.*?)</path>\s*<content>\n?(.*?)</content>\s*</create_file>", re.DOTALL
        ),
        ("path", "content"),
    ),
    "execute_command": (
        re.compile(
            r"<execute_command>\s*<command>(.*?)</command>\s*(?:<description>(.*?)</description>)?\s*</execute_command>",
            re.DOTALL,
        ),
        ("command", "description"),
    ),
    "create_directory": (
        re.compile(r"<create_directory>\s*<path>(.*?)</path>\s*</create_directory>", re.DOTALL),
        ("path",),
    ),
    "modify_file": (
        re.compile(
            r"<modify_file>\s*<path>(.*?)</path>\s*<search>\n?(.*?)\n?</search>\s*"
            r"<replace>\n?(.*?)\n?</replace>\s*</modify_file>",
            re.DOTALL,
        ),
        ("path", "search", "replace"),
    ),
    "read_file": (re.compile(r"<read_file>\s*<path>(.*?)</path>\s*</read_file>", re.DOTALL), ("path",)),
}


def go_tags(text: str) -> Iterator[Found]:
    """Find all matches of one tag, then all of the next: not in text order, and in examples and contents as well.

    Go's expressions take linear time; Python's take longer on tags that are opened often and never closed.
    """
    for tag, (pattern, fields) in _TAGS.items():
        for match in pattern.finditer(text):
            span = Span(*match.span())
            given = {
                name: value for name, value in zip(fields, match.groups(), strict=True) if value is not None
            }
            arguments = {
                name: value if name in {"content", "search", "replace"} else value.strip()
                for name, value in given.items()
            }
            yield Found(BlockStatus.STRICT, span, span, (Written(tag, arguments, span),))
