"""Secrets by a user's own patterns, matched in the texts of a line by an engine that takes linear time, whatever the pattern.

The patterns come from a file that the environment names, from ``pyproject.toml``, or with an opened ledger, and apply to the whole process.
A pattern matches decoded texts, without JSON's escapes. Names, identifiers, times and codes that link records are not searched.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from actionledger.core.errors import UsageError, require, require_kind
from actionledger.core.patterns import regex
from actionledger.core.privacy.escapes import Span, respelled

ENVIRONMENT = "ACTIONLEDGER_SECRETS"
"""The environment variable that names a file of patterns, one a line; a line that begins with ``#`` is a comment."""

_LONGEST_PATTERN = 2_000
_MOST_PATTERNS = 200
_GROUP = "secret"

# A string before a colon is a key; an escape is one or six characters after a backslash.
_STRINGS = regex(rb'"((?:[^"\\]++|\\.)*+)"(\s*+:)?')
_ESCAPES = regex(rb"\\(?:u([0-9a-fA-F]{4})|(.))")
_PLAIN = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f"}
_KEPT = regex(rb"(?:.*_)?(?:ids?|hash|at|kind|version)")
_CODES = frozenset(
    b"aspect capture code cost_origin decision evidence line origin outcome parser_name profile reason relation reversal "
    b"source status step".split()
)
"""Fields that identify and group records; a pattern that masked them would lose the record."""

_added: list[str] = []
"""The patterns that came with a ledger or from another process."""


class Pattern:
    """A pattern in RE2's syntax and where it was written; if it has a group ``secret``, only that group is masked."""

    def __init__(self, text: str, place: str) -> None:
        require("A pattern of secrets of your own", "secrets", "re2")
        import re2  # noqa: PLC0415 - optional

        if len(text) > _LONGEST_PATTERN:
            raise UsageError(
                f"A pattern in {place} has {len(text):,} characters; at most {_LONGEST_PATTERN:,} are taken."
            )
        self.text = text
        options = re2.Options()
        options.log_errors = False
        try:
            self._compiled: Any = re2.compile(text.encode(), options)
        except re2.error as error:
            why = (
                error.args[0].decode(errors="replace")
                if error.args and isinstance(error.args[0], bytes)
                else error
            )
            raise UsageError(
                f"The pattern {text!r} in {place} can't be used: {why}. It is read by RE2, which has no look-around and no backreferences."
            ) from error
        named = {
            name.decode() if isinstance(name, bytes) else name: number
            for name, number in self._compiled.groupindex.items()
        }
        self._group = named.get(_GROUP, 0)
        if self._compiled.search(b"") is not None:
            raise UsageError(
                f"The pattern {text!r} in {place} matches an empty text, and so every place; make it narrower."
            )

    def spans(self, text: bytes) -> Iterator[Span]:
        """Yield the spans to mask in a text."""
        for found in self._compiled.finditer(text):
            start, end = found.span(self._group)
            if 0 <= start < end:
                yield start, end


def add(patterns: Iterable[str]) -> None:
    """Add patterns to mask in this process."""
    if isinstance(patterns, str):
        raise UsageError(
            f"secrets takes several patterns, as in [{patterns!r}]; a single text is not allowed."
        )
    require_kind(patterns, Iterable, "secrets takes several patterns")
    new = [text for text in patterns if text not in _added]
    for text in new:
        require_kind(text, str, "A pattern of secrets is a text")
        Pattern(text, "secrets")
    if new:
        _added.extend(new)
        known.cache_clear()


@cache
def known() -> Sequence[Pattern]:
    """Return all patterns of this process."""
    written = [*_of_file(), *_of_project(), *((text, "secrets") for text in _added)]
    if len(written) > _MOST_PATTERNS:
        raise UsageError(
            f"There are {len(written):,} patterns of secrets; at most {_MOST_PATTERNS} are taken."
        )
    return [Pattern(text, place) for text, place in written]


def texts() -> tuple[str, ...]:
    """Return the texts of all patterns, to ``add`` in another process that makes lines for this one."""
    return tuple(pattern.text for pattern in known())


def spans(line: bytes) -> Iterator[Span]:
    """Yield the spans that the user's patterns mask in a line."""
    patterns = known()
    if not patterns:
        return
    key = b""
    for found in _STRINGS.finditer(line):
        if found[2] is not None:
            key = found[1]
            continue
        if key in _CODES or _KEPT.fullmatch(key):
            continue
        offset, view = found.start(1), respelled(found[1], _ESCAPES, _character)
        for pattern in patterns:
            for span in pattern.spans(view.text):
                start, end = view.in_line(span)
                yield offset + start, offset + end


def _character(found: re.Match[bytes]) -> bytes:
    if not found[1]:
        return _PLAIN.get(found[2], found[2])
    code = int(found[1], 16)
    return bytes([code]) if code < 0x80 else b"?"


def _of_file() -> Iterator[tuple[str, str]]:
    name = os.environ.get(ENVIRONMENT, "").strip()
    if not name:
        return
    try:
        lines = Path(name).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(
            f"The patterns of secrets in {name!r}, which {ENVIRONMENT} names, can't be read: {why}."
        ) from error
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            yield line.strip(), f"{name}, line {number}"


def _of_project() -> Iterator[tuple[str, str]]:
    here = Path.cwd()
    path = next(
        (
            folder / "pyproject.toml"
            for folder in (here, *here.parents)
            if (folder / "pyproject.toml").is_file()
        ),
        None,
    )
    if path is None:
        return
    import tomllib  # noqa: PLC0415 - hardly ever needed

    try:
        held = (
            tomllib.loads(path.read_text(encoding="utf-8"))
            .get("tool", {})
            .get("actionledger", {})
            .get("secrets", [])
        )
    except (OSError, ValueError, AttributeError):
        return  # another tool's invalid file, which names no secrets
    if not isinstance(held, list) or not all(isinstance(each, str) for each in held):
        raise UsageError(
            f"tool.actionledger.secrets in {path} is not a list of texts; write secrets = ['ACME-[0-9a-f]{{8}}']."
        )
    yield from ((text, str(path)) for text in held)
