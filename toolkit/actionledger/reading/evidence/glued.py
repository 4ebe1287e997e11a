"""Names that have grown together with what stands beside them, as servers leave a call whose special tokens they take away.

What is left of a call is taken from what each dialect writes: a new dialect is known from its first day.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from actionledger.core.values.calls import parameters_of
from actionledger.reading.dialects import DIALECTS, Dialect
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.evidence.names import Mention

_NAME, _ARGUMENT, _VALUE, _ID = "putnameqx", "argumentqx", "valueqx", "7"
_SPECIAL = re.compile(r"<[|｜][^<>\n]{1,80}[|｜]>")
_WORD_BEFORE = re.compile(r"(?:\w+=(?:\w+\.)?|\w+)\Z")
_UP_TO_ARGUMENTS = re.compile(r"[^{<(\[]{0,40}?(?:```\w*\s*)?[{<(\[]")
_ARGUMENTS_BEGIN = re.compile(r"[{<(\[=]")
"""Without one of these, there are no arguments."""

_SHORTEST = 3
_WINDOW = 40
_MOST = 100
"""How many places of one name are looked at."""


class _Left(NamedTuple):
    """What stands around a name where the special tokens are gone, as regular expressions."""

    before: re.Pattern[str]
    behind: re.Pattern[str]


def glued(text: str, start: int, end: int, offer: frozenset[str]) -> Iterator[Mention]:
    """Yield each place of ``text[start:end]`` where an offered name stands in what is left of a call, by name."""
    if _ARGUMENTS_BEGIN.search(text, start, end) is None:
        return
    for name in _long_names(offer):
        at = text.find(name, start, end)
        for _ in range(_MOST):
            if at < 0:
                break
            stop = at + len(name)
            if _is_glued(text, at, stop) and (
                _is_left(text, at, stop, end) or _has_lost_brackets(text, name, stop, offer)
            ):
                yield Mention(name, "left", at, stop)
            at = text.find(name, stop, end)


@lru_cache(maxsize=64)
def _long_names(offer: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(name for name in offer if len(name) >= _SHORTEST))


def _is_glued(text: str, start: int, end: int) -> bool:
    """Return whether letters or digits stand directly before a name, or behind it."""
    before, behind = text[start - 1 : start], text[end : end + 1]
    return before.isalnum() or behind.isalnum()


def _is_left(text: str, start: int, stop: int, end: int) -> bool:
    before = text[max(0, start - _WINDOW) : start]
    return any(left.before.search(before) and left.behind.match(text, stop, end) for left in _forms())


def _has_lost_brackets(text: str, name: str, stop: int, offer: frozenset[str]) -> bool:
    """Return whether one of a tool's parameters is set directly behind its name, and a bracket closes that nothing opened."""
    parameters = parameters_of(offer, name)
    if not parameters:
        return False
    follows = next((each for each in parameters if text.startswith(f"{each}=", stop)), None)
    return follows is not None and _CLOSES.match(text, stop + len(follows)) is not None


_CLOSES = re.compile(r"(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|[^\"'()\n])*+\)")


@lru_cache(maxsize=1)
def _forms() -> tuple[_Left, ...]:
    """Return what is left of each dialect's calls."""
    texts = dict.fromkeys(_left_of(dialect, call_id) for dialect in DIALECTS for call_id in (None, _ID))
    return tuple(form for text in texts if text and (form := _form(text)))


def _left_of(dialect: Dialect, call_id: str | None) -> str:
    """Return a call without the special tokens of its dialect; empty where it has none, or no name to write."""
    try:
        text = dialect.write([PlainCall(_NAME, {_ARGUMENT: _VALUE}, call_id)])
    except (ValueError, TypeError):
        return ""
    left = _SPECIAL.sub("", text)
    return left if left != text else ""


def _form(text: str) -> _Left | None:
    """Return what stands around the name in a text, where that has grown together with anything."""
    name = text.find(_NAME)
    behind = _UP_TO_ARGUMENTS.match(text, name + len(_NAME))
    if name < 0 or behind is None or not _is_glued(text, name, name + len(_NAME)):
        return None
    word = _WORD_BEFORE.search(text[:name])
    before = rf"(?<!\w){_loosely(word[0])}(?:\w+\.)*\Z" if word else r"(?<!\w)(?:\w+\.)*\Z"
    return _Left(re.compile(before), re.compile(_loosely(behind[0])))


def _loosely(text: str) -> str:
    """Return the pattern of a text in which numbers and blanks may be others."""
    pieces = re.split(r"(\d+|\s+)", text)
    return "".join(
        r"\d++" if piece.isdigit() else r"\s*+" if piece.isspace() else re.escape(piece) for piece in pieces
    )
