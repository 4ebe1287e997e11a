"""Damaged calls: names joined to their surroundings, unreadable arguments, closing marks alone."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.values.calls import Offer, parameters_of
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects import DIALECTS, Dialect
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.evidence.names import Mention, names_of
from actionledger.reading.evidence.own_marks import (
    MARK,
    arguments_left,
    closers_left,
    mark_before,
    mark_behind,
    prefix_before,
)

NAMELESS = "It is what is left of a call whose name is lost."
"""The message about arguments and closing marks without a call."""

EXPRESSION = "An argument is an expression."
"""The message about a call with calls as arguments."""

_VARIABLE = "may be a text or a name."
_BRACKET = regex(r"""\"(?:[^"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|(?P<opens>[\[({])|(?P<closes>[\])}])""")
_SIGNATURE = regex(
    r"\w[ \t]*+:[ \t]*+(?:str|int|float|bool|dict|list|tuple|set|object|any|Any|Optional|List|Dict|Union|string|number|integer|boolean)\b"
    r"|\.\.\.|…"
)
_LONGEST = 4_000
_ROLES = r"(?:assistant|commentary|analysis|final)*+[ \t]*+"
_MARKS_BEFORE = regex(rf"(?:(?:{MARK})\s*+)*(?:{_ROLES})\Z")
_NEXT_MARK = regex(rf"(?:(?!\n[ \t\r]*\n)[^<\[]|[<\[](?!/?[|｜‖A-Za-z]))*+(?:{MARK})")
_OBJECT = regex(r"\s*+(?:[a-z]{2,10}+\s*+)?(?=\{)")
_BRACE = regex(r"[{}]")
_MOST_MARKS = 200
_UNREAD_WINDOW = 200


def has_names(issue: Issue) -> bool:
    """Return whether a call is unreadable because its arguments are expressions, or may be variables."""
    return issue.detail == EXPRESSION or (issue.code is Reason.AMBIGUOUS and issue.detail.endswith(_VARIABLE))


def is_signature(text: str, span: Span) -> bool:
    """Return whether a call is a signature, with types or dots as values."""
    return _SIGNATURE.search(text, *span) is not None


def end_of_call(text: str, mention: Mention, end: int) -> int:
    """Return where the brackets after a name close; its line's end if they don't."""
    depth, stop = 0, min(end, mention.end + _LONGEST)
    for token in _BRACKET.finditer(text, mention.end, stop):
        if token["opens"]:
            depth += 1
        elif token["closes"]:
            depth -= 1
            if depth <= 0:
                return token.end() if depth == 0 else token.start()
    line = text.find("\n", mention.end, stop)
    return line if line >= 0 else stop


def own_span(text: str, mention: Mention, low: int, end: int) -> Span:
    """Return the span of a call that has some of its format's marks, with these."""
    start = prefix_before(text, mention.start)
    if text.startswith("}", start):
        return Span(_object_before(text, start, low), mention.end)
    before = mark_before(text, start)
    start = max(low, start if before is None else before)
    window = max(low, start - _UNREAD_WINDOW)
    if marks := _MARKS_BEFORE.search(text[window:start]):
        start = window + marks.start()
    at, stop = mark_behind(text, mention.end) or mention.end, min(end, mention.end + _LONGEST)
    if holds := _OBJECT.match(text, at, stop):
        at = max(at, end_of_call(text, mention._replace(end=holds.end()), stop))
    for _ in range(_MOST_MARKS):
        if not (mark := _NEXT_MARK.match(text, at, stop)):
            break
        at = mark.end()
    return Span(start, min(at, end))


def _object_before(text: str, at: int, low: int) -> int:
    """Return where the object closed by a bracket begins; the bracket's own place if there is no such object."""
    depth = 0
    for token in reversed([*_BRACE.finditer(text, max(low, at - _LONGEST), at + 1)]):
        depth += 1 if token[0] == "}" else -1
        if depth == 0:
            return token.start()
    return at


_NAME, _ARGUMENT, _VALUE, _ID = "putnameqx", "argumentqx", "valueqx", "7"
_SPECIAL = regex(r"<[|｜][^<>\n]{1,80}[|｜]>")
_WORD_BEFORE = regex(r"(?:\w+=(?:\w+\.)?|\w+)\Z")
_UP_TO_ARGUMENTS = regex(r"[^{<(\[]{0,40}?(?:```\w*\s*)?[{<(\[]")
_ARGUMENTS_BEGIN = regex(r"[{<(\[=]")
"""Without one of these, there are no arguments."""

_SHORTEST = 3
_WINDOW = 40
_MOST = 100
"""The maximum of searched places of one name."""


class _Left(NamedTuple):
    """The text around a name without the special tokens, as regular expressions."""

    before: re.Pattern[str]
    behind: re.Pattern[str]


def glued(text: str, start: int, end: int, offer: frozenset[str]) -> Iterator[Mention]:
    """Yield each place of ``text[start:end]`` where an offered name is in the remains of a call, by name."""
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
    """Return whether a letter or digit is directly before or after a name."""
    before, behind = text[start - 1 : start], text[end : end + 1]
    return before.isalnum() or behind.isalnum()


def _is_left(text: str, start: int, stop: int, end: int) -> bool:
    before = text[max(0, start - _WINDOW) : start]
    return any(left.before.search(before) and left.behind.match(text, stop, end) for left in _forms())


def _has_lost_brackets(text: str, name: str, stop: int, offer: frozenset[str]) -> bool:
    """Return whether a tool's parameter directly follows its name, with a closing bracket that nothing opened."""
    parameters = parameters_of(offer, name)
    if not parameters:
        return False
    follows = next((each for each in parameters if text.startswith(f"{each}=", stop)), None)
    return follows is not None and _CLOSES.match(text, stop + len(follows)) is not None


_CLOSES = regex(r"(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|[^\"'()\n])*+\)")


@lru_cache(maxsize=1)
def _forms() -> tuple[_Left, ...]:
    """Return the remains of each dialect's calls."""
    texts = dict.fromkeys(_left_of(dialect, call_id) for dialect in DIALECTS for call_id in (None, _ID))
    return tuple(form for text in texts if text and (form := _form(text)))


def _left_of(dialect: Dialect, call_id: str | None) -> str:
    """Return a dialect's call without special tokens; empty if it has none, or writes no name."""
    try:
        text = dialect.write([PlainCall(_NAME, {_ARGUMENT: _VALUE}, call_id)])
    except (ValueError, TypeError):
        return ""
    left = _SPECIAL.sub("", text)
    return left if left != text else ""


def _form(text: str) -> _Left | None:
    """Return the patterns around the name in a text, if the name touches letters or digits."""
    name = text.find(_NAME)
    behind = _UP_TO_ARGUMENTS.match(text, name + len(_NAME))
    if name < 0 or behind is None or not _is_glued(text, name, name + len(_NAME)):
        return None
    word = _WORD_BEFORE.search(text[:name])
    before = rf"(?<!\w){_loosely(word[0])}(?:\w+\.)*\Z" if word else r"(?<!\w)(?:\w+\.)*\Z"
    return _Left(regex(before), regex(_loosely(behind[0])))


def _loosely(text: str) -> str:
    """Return the pattern of a text with variable numbers and blanks."""
    pieces = re.split(r"(\d+|\s+)", text)
    return "".join(
        r"\d++" if piece.isdigit() else r"\s*+" if piece.isspace() else re.escape(piece) for piece in pieces
    )


_FEWEST = 2
"""The minimum of arguments in an object that is read as a call without its name: an answer may have one such key, too."""


def mentions_and_rests(text: str, start: int, end: int, offer: frozenset[str]) -> list[Mention]:
    """Return where offered names are called, and remains of calls, in a stretch of a response, in text order."""
    stretch = text[start:end]
    if not stretch or stretch.isspace():
        return []
    names = names_of(offer)
    mentions: list[Mention] = []
    if names.may_be_in(stretch.lower()):
        mentions = [*names.mentions(text, start, end), *glued(text, start, end, offer)]
    if not mentions and start == 0 and (whole := _arguments_alone(text, end, offer)):
        return [whole]
    if "<" in stretch:
        mentions += _rests(text, start, end, offer)
    return sorted(mentions, key=lambda each: each.start) if mentions else mentions


def _rests(text: str, start: int, end: int, offer: frozenset[str]) -> Iterator[Mention]:
    left = [*arguments_left(text, start, end)]
    known = _parameters_offered(offer) if left else None
    for found in left:
        if known is None or found["name"] in known:
            yield Mention("", "rest", found.start(), found.end())
    for found in closers_left(text, start, end):
        # After a parsed block, a second closing mark is no call.
        if start == 0 or text[start : found.start()].strip():
            yield Mention("", "rest", found.start(), found.end())


def _arguments_alone(text: str, end: int, offer: frozenset[str]) -> Mention | None:
    """Return the object that is a whole response, if its keys are arguments of only one tool."""
    if (
        end < len(text)
        or not isinstance(offer, Offer)
        or text[:1].isalpha()
        or not text.lstrip().startswith("{")
    ):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or len(value) < _FEWEST:
        return None
    fitting = [name for name, parameters in offer.parameters.items() if value.keys() <= set(parameters)]
    if len(fitting) != 1:
        return None
    return Mention("", "rest", len(text) - len(text.lstrip()), len(text.rstrip()))


def _parameters_offered(offer: frozenset[str]) -> frozenset[str] | None:
    """Return the parameters of all tools; None if those of one are unknown."""
    if not isinstance(offer, Offer) or set(offer.parameters) != set(offer):
        return None
    return frozenset(each for parameters in offer.parameters.values() for each in parameters)
