"""Marks of the format within a value: a tag that is written twice, and one that the value itself holds.

A tag twice in a row is one too many, and taken away. One within a sentence is the value's own; it stays, and that is said. A
mark with another tag right behind it may as well be where the value was to end: two readings, so the call is refused.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.parts.markers import behind_blanks

_TAG = re.compile(r"<[^<>]*+>")
_TAG_BEHIND = re.compile(r"\s*+<")


class MarkGrammar(NamedTuple):
    """The tags that a value may hold of its format.

    Args:
        tags: what opens and closes a parameter, with the groups ``closes`` and, where it has a name, ``key``.
        closer: what closes one.
        other: another tag that models write in its place, which may as well be the value's own.
        parameter: what opens a parameter, where that is more than one tag.
    """

    tags: re.Pattern[str]
    closer: str
    other: str = ""
    parameter: str = ""


@lru_cache(maxsize=256)
def field_marks(name: str) -> MarkGrammar:
    """Return the tags of a field that is a tag with its name; one that only opens in a value is the value's own."""
    spelt = re.escape(name)
    return MarkGrammar(re.compile(rf"(?P<closes></{spelt}>)|<{spelt}>|(?P<key>(?!))"), f"</{name}>")


class Marks(NamedTuple):
    """What a value holds of its format.

    Args:
        value: where the value stands without tags that are written twice.
        repairs: what says so, in text order.
        issue: why the value can't be read; None where it can.
    """

    value: Span
    repairs: tuple[Repair, ...] = ()
    issue: Issue | None = None


def marks_in(text: str, opener: str, body: Span, close: Span, grammar: MarkGrammar) -> Marks:
    """Return what a value holds of its format's marks."""
    tags = _TAG.findall(opener)
    start, stop = body
    repairs: list[Repair] = []
    at = behind_blanks(text, start, stop)
    is_twice = bool(tags) and text.startswith(tags[-1], at, stop)
    first = Span(at, at + len(tags[-1])) if is_twice else Span(start, start)
    strays, holds_another = _strays(text, Span(first.end, stop), grammar)
    if holds_another:
        detail = "Another parameter begins in it: it is quoted, or the tag was never closed."
        return Marks(body, issue=Issue(Reason.AMBIGUOUS, Span(start, close.end), detail))
    if is_twice and strays and text[strays[0].end : stop].strip():
        is_twice, first, strays = False, Span(start, start), strays[1:]  # it is closed in the value
    while strays and not text[strays[-1].end : stop].strip():
        stop = strays.pop().start
    if stop < body.end:
        second = behind_blanks(text, stop + len(grammar.closer), close.end)
        span = Span(second, close.end)
        repairs.append(Repair(RepairKind.STRAY_MARK, span, span.of(text), ""))
    if is_twice and repairs:
        detail = "The value is a parameter of its own, or both of its tags stand twice."
        return Marks(body, issue=Issue(Reason.AMBIGUOUS, Span(start, close.end), detail))
    if is_twice:
        repairs.insert(0, Repair(RepairKind.STRAY_MARK, first, first.of(text), ""))
    value = Span(first.end, stop)
    own = sorted([*strays, *_inner_tags(text, value, tags[1:], grammar)])
    if any(_TAG_BEHIND.match(text, mark.end, stop) for mark in own):
        detail = (
            "A tag of the format stands in it, and another one behind that: the value may end before them."
        )
        return Marks(body, issue=Issue(Reason.AMBIGUOUS, Span(start, close.end), detail))
    kept = (Repair(RepairKind.STRAY_MARK, mark, mark.of(text), f"&lt;{mark.of(text)[1:]}") for mark in own)
    return Marks(value, tuple(sorted([*repairs, *kept], key=lambda repair: repair.span)))


def _strays(text: str, within: Span, grammar: MarkGrammar) -> tuple[list[Span], bool]:
    """Return the closing tags that nothing before them opened, and whether a parameter may begin that is not closed."""
    opened: list[bool] = []
    strays: list[Span] = []
    is_text = bool(grammar.other) and text.find(f"<{grammar.other[2:-1]}", *within) >= 0
    for tag in grammar.tags.finditer(text, *within):
        if not tag["closes"]:
            if strays and not text[strays[-1].end : tag.start()].strip():
                return strays, True
            # One with escaped quotes is a call's in a JSON text, and the tag that closes it may be taken for this value's.
            opened.append(tag["key"] is not None or '\\"' in tag[0])
        elif is_text and tag[0] == grammar.other:
            continue  # it closes a tag of the value's own
        elif opened:
            opened.pop()
        else:
            strays.append(Span(*tag.span()))
    return strays, any(opened)


def _inner_tags(text: str, value: Span, tags: list[str], grammar: MarkGrammar) -> list[Span]:
    """Return the further tags of a parameter's opening, such as the one before its value, that stand by themselves."""
    if not any(text.find(tag, *value) >= 0 for tag in tags):
        return []
    pattern = re.compile(rf"{grammar.parameter}|(?P<inner>{'|'.join(map(re.escape, tags))})")
    return [Span(*tag.span()) for tag in pattern.finditer(text, *value) if tag["inner"]]
