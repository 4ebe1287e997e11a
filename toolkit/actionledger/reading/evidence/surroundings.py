"""How the words around calls decide about them, once all of a response's blocks are known.

A call marked only by its place needs words that announce it, or no words; see ``prose``. One with its format's marks is meant unless
the words after it take it back. Two versions of one call count once if they are equal, and not at all if they differ.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.values.calls import is_own_text
from actionledger.core.vocabulary import BlockStatus, Evidence, Reason
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parts.markers import waiting
from actionledger.reading.enclosing import what_holds
from actionledger.reading.evidence.echoes import (
    DOCUMENTED,
    MARKLESS,
    READ,
    Placed,
    as_shown,
    calls_text,
    is_bare,
    is_doubted,
)
from actionledger.reading.evidence.places import Quotations, may_quote_before
from actionledger.reading.prose import Verdict, has_words, is_corrected, verdict, verdict_of_marked
from actionledger.reading.scan.source import Source

_OF_PROFILES = frozenset({"actions", "iteration", "json_action", "plan", "xml_tags"})
"""The formats whose responses are prose with actions in it: their own keys or tags show the meant ones."""

_EDITS = DOCUMENTED - _OF_PROFILES
"""The formats whose own marks show that they are meant, in any surroundings."""

_TWICE = "The same stands once more in the response."
_VERSIONS = "The text offers two versions of it."

_PLACEHOLDER = regex(
    r"(?=[.…yiepax\[<{/])(?:\.{3}|…|(?:your|insert|enter|put|add)[ _-][\w -]{0,40}[ _-]here|\[(?:your|insert|enter)\b[^\]\n]{0,60}\]"
    r"|<(?:your|insert|enter|put|add|some|the)[ _-][^<>\n]{1,60}>|\{\{ ?[\w .]{1,40} ?\}\}|/?path/to/[\w./-]{0,60}|x{3,})",
    re.IGNORECASE,
)
"""A placeholder for a value in a template, which is never passed."""

_ANY_PLACEHOLDER = regex(rf"{_PLACEHOLDER.pattern}|your_\w{{1,40}}|placeholder", re.IGNORECASE)
"""The same, or a placeholder in templates that may also be a user's own name."""

_ANGLED = regex(r"<(?P<word>[A-Za-z][\w -]{0,40})>")
_BEGINNINGS = frozenset(".…yiepaxYIEPAX[<{/\u0130\u0131")
"""The beginning of a placeholder: ``your``, ``insert``, ``enter``, ``put``, ``add``, ``path``, ``placeholder``, ``xxx``, or a sign."""

_MAY_BEGIN = _BEGINNINGS | frozenset(sign for sign in map(chr, range(0x3001)) if sign.isspace())
"""The same, and the blanks that may precede it."""

_LONGEST = 70
"""The maximal length of a placeholder, in code points."""

_LEVELS = 4
"""The number of levels of an argument's lists and objects in which placeholders are searched."""

_EARLY = 1_000
"""Where a call's first line ends if what may enclose it is searched in the text up to there, in code points."""

_JOINS = str.maketrans("", "", "_- ")


def judged_by_prose(source: Source, placed: Sequence[Placed]) -> list[Placed]:
    """Return blocks, marked as shown or as waiting for approval if the words around them say so."""
    text = source.text
    judged: list[Placed] = []
    low, before, is_any = 0, None, False
    for dialect, found in placed:
        if is_open_to_prose(dialect, found):
            gap = text[low : found.span.start]
            is_joined = low > 0 and (not gap or gap.isspace() or not has_words(gap)) and bool(judged)
            before = (before if is_joined else None) or _verdict(source, dialect, found, low)
            lacks_value = before is None and has_placeholder(found, source.names)
            if (
                lacks_value
                and not (dialect.name in MARKLESS and is_bare(found, text))
                and _is_alone(text, placed)
            ):
                lacks_value = has_placeholder(found, source.names, is_certain=True)
            is_told = lacks_value or before is not None
            judged.append((dialect, _as_judged(found, before, lacks_value=lacks_value) if is_told else found))
            is_any = True
        else:
            judged.append((dialect, found))
            before = None
        low = max(low, found.span.end)
    return _shared(_corrected(text, judged), text) if is_any and len(judged) > 1 else judged


def is_open_to_prose(dialect: Dialect, found: Found) -> bool:
    """Return whether the prose around a block decides about it."""
    return (
        found.status in READ and dialect.name not in _EDITS and not is_doubted(found) and bool(found.actions)
    )


def has_placeholder(found: Found, names: frozenset[str] | None = None, *, is_certain: bool = False) -> bool:
    """Return whether an argument of a block's actions is a placeholder."""
    for action in found.actions:
        for key, value in _texts(action.arguments):
            if value[:1] not in _MAY_BEGIN or value[_LONGEST:]:
                continue
            place = value.strip()
            if (
                place[:1] in _BEGINNINGS
                and _is_placeholder(key, place, is_certain=is_certain)
                and not is_own_text(names, action.name, key, value)
            ):
                return True
    return False


def _texts(arguments: JsonMap) -> Iterator[tuple[str, str]]:
    """Yield the texts of arguments with their keys, including those in lists and objects; a path among others may be one that exists."""
    level: list[tuple[str, Any]] = [*arguments.items()]
    for _ in range(_LEVELS):
        yield from ((key, value) for key, value in level if type(value) is str)
        level = [
            (str(name) if type(whole) is dict else key, part)
            for key, whole in level
            if type(whole) is list or type(whole) is dict
            for name, part in (whole.items() if type(whole) is dict else enumerate(whole))
            if type(whole) is dict or type(part) is not str or "path/to/" not in part
        ]
        if not level:
            return


def _is_alone(text: str, placed: Sequence[Placed]) -> bool:
    """Return whether a response has no words outside its blocks."""
    low = 0
    for _, found in placed:
        if has_words(text[low : found.span.start]):
            return False
        low = max(low, found.span.end)
    return not has_words(text[low:])


def _verdict(source: Source, dialect: Dialect, found: Found, low: int) -> Verdict | None:
    """Return how the words around a call judge it, and what a profile's own call stands in: a comment, a tool's echo, a quotation."""
    if dialect.name in MARKLESS and is_bare(found, source.text):
        return verdict(source.text, found.span, low)
    if dialect.name == "evidence":
        calls = Span(found.actions[0].span.start, max(action.span.end for action in found.actions))
        if held := what_holds(source.text, calls, low):  # its tags are none of a format
            return Verdict(False, held)
    is_own = dialect.name in _OF_PROFILES
    judged = verdict_of_marked(source.text, found.span, low, is_own=is_own)
    if judged or not is_own:
        return judged
    line_end = source.text.find("\n", found.span.start, _EARLY) + 1
    if line_end and not may_quote_before(source.text, line_end):
        return None
    enclosing = source.once((Quotations,), lambda: Quotations(source.text, marked=True))
    quoted = enclosing.around(found.span)
    return Verdict(False, quoted.why) if quoted and not quoted.is_thought else None


def _as_judged(found: Found, judgement: Verdict | None, *, lacks_value: bool) -> Found:
    if lacks_value or judgement is None:
        return waiting(found, Reason.EXAMPLE, "An argument is a placeholder.")
    if judgement.is_shown:
        return as_shown(found, judgement.why, Evidence.EXAMPLE)
    return waiting(found, Reason.CALL_IN_PROSE, judgement.why)


def _is_placeholder(key: str, value: str, *, is_certain: bool) -> bool:
    if (_PLACEHOLDER if is_certain else _ANY_PLACEHOLDER).fullmatch(value):
        return True
    if value[0] != "<" or (angled := _ANGLED.fullmatch(value)) is None:
        return False
    word, named = (each.translate(_JOINS).lower() for each in (angled["word"], key))
    return word == named or (min(len(word), len(named)) > 2 and (word in named or named in word))


def _corrected(text: str, placed: list[Placed]) -> list[Placed]:
    """Merge two equal versions of one call; mark different ones as ambiguous."""
    judged = list(placed)
    for index in range(1, len(judged)):
        (one, first), (other, second) = judged[index - 1], judged[index]
        between = text[first.span.end : second.span.start]
        if not between or between.isspace() or not (_holds_calls(one, first) and _holds_calls(other, second)):
            continue
        if not is_corrected(between):
            continue
        if calls_text(first.actions) == calls_text(second.actions):
            judged[index] = other, as_shown(second, "It states the same calls once more.", Evidence.EXAMPLE)
        else:
            judged[index - 1] = one, _ambiguous(first)
            judged[index] = other, _ambiguous(second)
    return judged


def _holds_calls(dialect: Dialect, found: Found) -> bool:
    is_read = found.status in READ or found.reason is Reason.AMBIGUOUS
    return is_read and dialect.name not in _EDITS


def _ambiguous(found: Found) -> Found:
    issue = Issue(Reason.AMBIGUOUS, found.span, _VERSIONS)
    return Found(BlockStatus.MALFORMED, found.span, found.body, reason=issue.code, issues=(issue,))


def _shared(placed: list[Placed], text: str) -> list[Placed]:
    """Mark equal fences as doubtful if only some of them are meant: half of an answer is none."""
    fences: dict[str, list[int]] = defaultdict(list)
    for index, (dialect, found) in enumerate(placed):
        if found.actions and dialect.name in MARKLESS and _is_fence(found.span, text):
            fences[calls_text(found.actions)].append(index)
    judged = list(placed)
    for equal in fences.values():
        meant = [index for index in equal if judged[index][1].status in READ]
        if not meant or len(meant) == len(equal):
            continue
        for index in meant:
            dialect, found = judged[index]
            judged[index] = dialect, waiting(found, Reason.AMBIGUOUS, _TWICE)
    return judged


def _is_fence(span: Span, text: str) -> bool:
    return text.startswith(("```", "~~~"), span.start)
