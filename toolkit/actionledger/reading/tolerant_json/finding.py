"""Find values at unknown places: several in sequence, one in a text, one in a string."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from actionledger.core.errors import require_kind, require_text
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json.contexts import open_brackets
from actionledger.reading.tolerant_json.decoded import Decoded, Evidence
from actionledger.reading.tolerant_json.decoding import decode_ahead
from actionledger.reading.tolerant_json.faults import LENIENT, DecodeOptions
from actionledger.reading.tolerant_json.notes import CutError, RefusedError
from actionledger.reading.tolerant_json.patterns import (
    BEGINS_MEMBERS,
    END_OF_FENCE,
    FENCE,
    LITERALS,
    PLAIN_OPENER,
    WEAK_OPENER,
)
from actionledger.reading.tolerant_json.state import State

_BEFORE_VALUE = regex(r"[\s\ufeff]*+([,;]?)[\s\ufeff]*+")
_VALUE = regex(rf"[{{\[\"'“‘`„«]|[-+]?\.?\d|[-+]?(?:{'|'.join(LITERALS)})\b")
_BROKEN_OPENER = regex(rf"[{{\[](?=\s*+[\"'{{\[\d])|{BEGINS_MEMBERS.pattern}")
_WINDOW = 2048
_LOOK_AHEAD = 1_024
_WEAK_CANDIDATES = 16


@dataclass(frozen=True, slots=True)
class Found:
    """A value somewhere in a text.

    Args:
        text: the text.
        decoded: the value, or the reason why there is none.

    Example:
        >>> found = al.find_value('Here: {"a": 1,} as asked.')
        >>> found.before, found.decoded.value, found.after
        ('Here: ', {'a': 1}, ' as asked.')
    """

    text: str
    decoded: Decoded

    @property
    def before(self) -> str:
        """The text before the value; the whole text if there is none."""
        return self.text[: self.decoded.start] if self.decoded.ok else self.text

    @property
    def after(self) -> str:
        """The text after the value; empty if there is none."""
        return self.text[self.decoded.end :] if self.decoded.ok else ""


def decode_all(
    text: str, start: int = 0, *, options: DecodeOptions = LENIENT, end: int | None = None
) -> tuple[Decoded, ...]:
    """Read several values with blanks, commas or semicolons between them.

    Args:
        text: the text that holds them.
        start: where to begin, in code points.
        options: what may be repaired, and the limits; a comma or semicolon between two values is a ``separator``.
        end: where the values' writer ended the text; the text beyond it is ignored.

    Returns:
        The values up to and including the first unreadable one, or up to text that is no value.

    Example:
        >>> [decoded.value for decoded in al.decode_all('{"a": 1} {"a": 2,}')]
        [{'a': 1}, {'a': 2}]
    """
    require_text(text)
    require_kind(options, DecodeOptions, "options are DecodeOptions")
    options = options.model_copy(update={"likelier": False}) if options.likelier else options
    body = text if end is None else text[:end]
    found: list[Decoded] = []
    at = start
    while True:
        match = _BEFORE_VALUE.match(body, at)
        assert match is not None
        at = match.end()
        if at >= len(body) or not _VALUE.match(body, at) or (match[1] and not found):
            return tuple(found)
        if match[1] and RepairKind.SEPARATOR not in options.repairs:
            issue = Issue(Reason.SEPARATOR, Span(*match.span(1)))
            return (*found, Decoded(ok=False, value=None, start=at, end=match.start(1), issues=(issue,)))
        decoded = _decode_window(body, at, options, is_whole=end is not None)
        if match[1]:
            repair = Repair(RepairKind.SEPARATOR, Span(*match.span(1)), match[1], "")
            decoded = replace(decoded, evidence=replace(decoded.evidence, before=(repair,)))
        found.append(decoded)
        if not decoded.ok or decoded.cut or decoded.end <= at:
            return tuple(found)
        at = decoded.end


def _decode_window(text: str, start: int, options: DecodeOptions, *, is_whole: bool) -> Decoded:
    """Read one value through a window that grows until the value plainly ends inside it.

    The cost of an attempt must not depend on the length of the text around a value, since each line may hold a value.
    """
    size = _WINDOW
    while start + size < len(text):
        window = text[start : start + size]
        decoded = decode_ahead(window, options=options)
        if decoded.ok and not decoded.cut and decoded.end < size - _LOOK_AHEAD:
            return decoded.moved(start)
        size *= 4
    window = text[start:]
    return decode_ahead(window, options=options, end=len(window) if is_whole else None).moved(start)


def comments_behind(text: str, start: int, *, options: DecodeOptions = LENIENT) -> tuple[Repair, ...]:
    """Return the comments directly after a value, as repairs; none if the options forbid them."""
    state = State(text, start, options, is_whole=False)
    with suppress(CutError, RefusedError):
        state.skip()
    comments = [note for note in state.notes if note[0] is RepairKind.COMMENT]
    if RepairKind.COMMENT not in options.repairs:
        return ()
    return Evidence(text, notes=comments).repairs()


def find_value(text: str, *, options: DecodeOptions = LENIENT) -> Found:
    """Find the main value of a text: the whole text, or the first object or list of objects in it.

    A value in a fence comes before one in a sentence. A list of plain values, such as a footnote's [1], counts
    only if there is no object. The first object decides: if it is unreadable, nothing inside it replaces it.

    Args:
        text: the text, with anything before and after the value.
        options: what may be repaired, and the limits.

    Example:
        >>> found = al.find_value('Here it is: {"a": [1, 2,]} Enjoy!')
        >>> found.decoded.value, found.before, found.after
        ({'a': [1, 2]}, 'Here it is: ', ' Enjoy!')
    """
    require_text(text)
    require_kind(options, DecodeOptions, "options are DecodeOptions")
    whole = decode_ahead(text, options=options, end=len(text))
    if whole.ok and not text[whole.end :].strip():
        return Found(text, whole)
    if (opener := _plain_opener(text)) is not None:
        if (broken := _around(text, opener, options)) is not None:
            return Found(text, broken)
        return Found(text, _with_others(text, _decode_before_fence(text, opener, options), options))
    unread: list[Issue] = []
    for match in _first(WEAK_OPENER.finditer(text)):
        decoded = decode_ahead(text, match.start(), options=options)
        if decoded.ok and not decoded.cut:
            return Found(text, replace(decoded, issues=(*unread[:1], *decoded.issues)))
        unread += decoded.issues if options.likelier else ()
    if (broken := _at_first_bracket(text, options)) is not None:
        return Found(text, broken)
    if whole.ok or any(issue.code is not Reason.MALFORMED_JSON for issue in whole.issues):
        return Found(text, whole)
    return Found(text, _nothing(text))


def _at_first_bracket(text: str, options: DecodeOptions) -> Decoded | None:
    """Return the broken value at the first bracket before a quote, a number or a bracket, if it is readable."""
    fence = FENCE.search(text)
    start = fence.end() if fence else 0
    opener = _BROKEN_OPENER.search(text, start) if options.likelier else None
    if opener is None:
        return None
    decoded = _decode_before_fence(text, opener.start(), options)
    return decoded if decoded.ok and not decoded.cut and decoded.value else None


def _plain_opener(text: str) -> int | None:
    """Return where an object or a list of objects seems to begin: in a fence if there is one, else anywhere."""
    for fence in FENCE.finditer(text):
        if opener := PLAIN_OPENER.match(text, fence.end()):
            return opener.start(1)
    found = PLAIN_OPENER.search(text)
    return found.start(1) if found else None


def _around(text: str, opener: int, options: DecodeOptions) -> Decoded | None:
    """Return the broken value around a plain object: it begins before the object and ends after the object's start."""
    if not options.likelier:
        return None
    first = _BROKEN_OPENER.search(text, 0, opener)
    if first is None or (first[0] in "{[" and max(open_brackets(text, first.start(), opener)) <= 0):
        return None
    decoded = _decode_before_fence(text, first.start(), options)
    return decoded if decoded.ok and decoded.end > opener else None


def _decode_before_fence(text: str, start: int, options: DecodeOptions) -> Decoded:
    """Read a value; if that fails, assume that it ends before the closing fence after it."""
    decoded = decode_ahead(text, start, options=options)
    if decoded.ok and not decoded.cut:
        return decoded
    closing = END_OF_FENCE.search(text, start)
    return decode_ahead(text, start, options=options, end=closing.start()) if closing else decoded


def _first(matches: Iterator[re.Match[str]]) -> Iterator[re.Match[str]]:
    for _, match in zip(range(_WEAK_CANDIDATES), matches, strict=False):
        yield match


def _with_others(text: str, decoded: Decoded, options: DecodeOptions) -> Decoded:
    """Add an issue if another object follows."""
    if not decoded.ok or not (opener := PLAIN_OPENER.search(text, decoded.end)):
        return decoded
    other = decode_ahead(text, opener.start(1), options=options)
    if not other.ok:
        return decoded
    issue = Issue(Reason.SEVERAL_VALUES, Span(other.start, other.end))
    return replace(decoded, issues=(*decoded.issues, issue))


def _nothing(text: str) -> Decoded:
    issue = Issue(Reason.MALFORMED_JSON, Span(0, len(text)), "There is no value.")
    return Decoded(ok=False, value=None, start=len(text), end=len(text), issues=(issue,))


def decode_nested(value: str, *, options: DecodeOptions = LENIENT) -> Decoded:
    r"""Read the object or list in a string, as in ``"arguments": "{\"a\": 1}"``."""
    options = options.model_copy(update={"likelier": False}) if options.likelier else options
    if not value.lstrip().startswith(("{", "[")):
        return _nothing(value)
    decoded = decode_ahead(value, options=options, end=len(value))
    if decoded.ok and (rest := value[decoded.end :]).strip():
        issue = Issue(Reason.TEXT_AFTER_VALUE, Span(decoded.end, decoded.end + len(rest)))
        return replace(decoded, ok=False, value=None, issues=(issue,), cut=())
    return decoded
