"""Calls that a model left as text although its calls are kept apart: no provider has parsed them, and nothing ran.

A text is parsed only if a cheap check finds a sign: a format's own mark, or the name of a tool as calls are written. The reading is
judged as in any response, so that a quotation, an example or a sentence is only a mention. A leaked call becomes an unreadable
block, with a reason of its own, and never an action.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Block, Issue, RawAction, Span
from actionledger.core.values.calls import Offer
from actionledger.core.vocabulary import BlockStatus, Evidence, Reason
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.parse import Format
from actionledger.reading.parsers import parser_named

LEAKED = frozenset({Reason.TOOL_MARKUP_IN_CONTENT, Reason.TOOL_MARKUP_IN_REASONING})
"""The reasons of such calls' blocks."""

_FOR_PEOPLE = frozenset({"bash_fence", "command_tags", "search_replace", "mint", "xml_tags"})
"""Formats that models write for people as often as for a runtime; they are no evidence next to recorded calls."""

_ANYBODYS = frozenset({"actions", "iteration", "json_action", "plan", "python_fence"})
"""Formats that any JSON, or any code, may look like; they are evidence only if the offered tools are known."""

_OF_OTHERS = frozenset({">>>"})
"""Marks of a format that other texts also have."""

_IN_LINES = ("*** Begin Patch", "Action Input:")
"""Marks of the formats that are found by their lines."""

_NAMED = regex(
    r"""<(?:\w{1,20}+:)?invoke\s++name\s*+=\s*+["']?[\w.-]|<function(?:=|\s++name=["']?)[\w.-]"""
    r"""|["'](?:name|tool_name)["']\s*+:\s*+["'][\w.-]"""
    r"""|(?:call|begin|CALLS\]|sep[^\w\s]{0,3}|function|functions\.|name)[>|｜:]{0,2}\s*+[\[{"'(]*+\s*+[A-Za-z_]"""
)
"""A tool's name in an unreadable call, since a format's mark alone is only a mention."""

_CALLED = (
    r"""(?:\\?["'”`]?+[ \t]?\(|\\?["'”`]\s*+[,:}\]>]|[ \t]*+/?+>|[ \t]*+:?+[ \t]*+\{"""
    r"""|[ \t]*+\r?\n[ \t]*+[A-Za-z_]\w*+[ \t]*+:)"""
)
"""Text after the name of a call."""

_MEANT = frozenset({Evidence.WHOLE, Evidence.LAST, Evidence.AMONG})
_SHORTEST = 3
_HEAD = 80
"""The distance from a block's beginning in which its mark must be."""

_SHOWN, _MOST_SHOWN = 80, 3


class Text(NamedTuple):
    """A text with calls recorded next to it."""

    text: str  # all of it, the argument strings of the calls included
    placed: Sequence[tuple[Format, Found]] = ()  # the calls' blocks, in text order
    # the names of the tools, an `Offer` if the offered ones are known; empty if unknown
    names: frozenset[str] = frozenset()
    thoughts: str = ""  # the model's thoughts, which are not in the text


class _Format(NamedTuple):
    name: str
    strings_only: bool = False


class _Left(NamedTuple):
    """A call left as text, as it was parsed."""

    block: Block
    actions: Sequence[RawAction]


def is_leaked(block: Block) -> bool:
    """Return whether a block is a call left as text."""
    return block.reason in LEAKED


def beside(written: Text) -> Sequence[tuple[Format, Found]]:
    """Return a text's recorded calls and those left in it, as blocks in text order."""
    thoughts = _in_thoughts(written) if written.thoughts else []
    found = _in_text(written)
    if not (found or thoughts):
        return written.placed
    return sorted([*thoughts, *found, *written.placed], key=lambda placed: placed[1].span.start)


def has_sign(text: str, names: frozenset[str]) -> bool:
    """Return whether a text may hold a call: a format's mark, or the name of a tool as calls are written."""
    if not text:
        return False
    if _has_mark(text) or any(mark in text for mark in _IN_LINES):
        return True
    there = [name for name in names if name in text and len(name) >= _SHORTEST]
    return any(_called(name).search(text) is not None for name in there)


def _in_text(written: Text) -> list[tuple[Format, Found]]:
    found: list[tuple[Format, Found]] = []
    for piece in _pieces(written):
        text = piece.of(written.text)
        if not has_sign(text, written.names):
            continue
        made = [call for _, block in written.placed for call in block.actions]
        for left in _left_in(text, written.names):
            if not _are_among(left.actions, made):
                span = Span(left.block.span.start + piece.start, left.block.span.end + piece.start)
                detail = f"The text holds {_described(left)}."
                found.append(_lost(left, span, Reason.TOOL_MARKUP_IN_CONTENT, detail))
    return found


def _in_thoughts(written: Text) -> list[tuple[Format, Found]]:
    """Return the calls in the thoughts, each at the beginning of the text.

    They are lost if the message has nothing else. If it continues after its thoughts, they were a draft, which is reported
    if they have their format's marks. Without marks, a call counts only if the offered tools are known and the thoughts end
    with it. In no format at all, it never counts.
    """
    thoughts, names = written.thoughts, written.names
    goes_on = bool(written.placed or written.text.strip())
    may_end_with_call = not goes_on and isinstance(names, Offer) and has_sign(thoughts, names)
    if not (_has_mark(thoughts) or may_end_with_call):
        return []
    end = len(thoughts.rstrip())
    called = {call.name for _, block in written.placed for call in block.actions}
    found: list[tuple[Format, Found]] = []
    for left in _left_in(thoughts, names):
        is_made = bool(left.actions) and called.issuperset(call.name for call in left.actions)
        is_last = may_end_with_call and left.block.evidence is None and left.block.span.end >= end
        if (is_last or _has_marks(left.block, thoughts)) and not is_made:
            start, end = left.block.span
            detail = f"The reasoning holds {_described(left)}, from {start} to {end}."
            status = BlockStatus.IGNORED if goes_on else BlockStatus.MALFORMED
            found.append(_lost(left, Span(0, 0), Reason.TOOL_MARKUP_IN_REASONING, detail, status))
    return found


def _pieces(written: Text) -> Iterator[Span]:
    """Yield the spans between the calls of a text."""
    at = 0
    for _, found in written.placed:
        if found.span.start > at:
            yield Span(at, found.span.start)
        at = max(at, found.span.end)
    if at < len(written.text):
        yield Span(at, len(written.text))


def _left_in(text: str, names: frozenset[str]) -> Iterator[_Left]:
    """Yield the calls that are meant in a text."""
    reading = parser_named("auto").read(text, names or None)
    actions_of: dict[int, list[RawAction]] = {}
    for action in reading.actions:
        actions_of.setdefault(action.block, []).append(action)
    end = len(text.rstrip())
    for block in reading.blocks:
        left = _Left(block, actions_of.get(block.index, []))
        is_shown = text.startswith(("`", "~"), block.span.start) and block.span.end < end
        if _is_meant(left, text, names, is_shown=is_shown):
            yield left


def _is_meant(left: _Left, text: str, names: frozenset[str], *, is_shown: bool) -> bool:
    """Return whether a block is a call: by its format's own marks, or by a known tool's name."""
    block, actions = left
    if block.status is BlockStatus.IGNORED or block.reason is Reason.EMPTY_BLOCK:
        return False
    if block.dialect in _FOR_PEOPLE:
        return False
    if block.evidence is None and _has_marks(block, text):
        return bool(actions) or _NAMED.search(text, *block.span) is not None
    is_offered = isinstance(names, Offer)
    if is_shown:
        return False
    if block.evidence is not None:
        return block.evidence in _MEANT and _is_told(left, text, names)
    is_known = bool(actions) and names.issuperset(each.name for each in actions)
    return is_known and (is_offered or block.dialect not in _ANYBODYS)


def _has_marks(block: Block, text: str) -> bool:
    """Return whether a block begins with a mark of its format that is written only for calls."""
    head = text[block.span.start : min(block.span.end, block.span.start + _HEAD)]
    return any(mark in head for mark in _marks_by_dialect().get(block.dialect, ()))


def _is_told(left: _Left, text: str, names: frozenset[str]) -> bool:
    """Return whether a markless call counts: a schema decided, or its arguments follow its name or a key for names."""
    block, actions = left
    if not actions:
        body = block.span.of(text)
        return any(name in body and _spelt(name).search(body) is not None for name in names)
    if isinstance(names, Offer):
        return True
    return all(each.arguments and _spelt(each.name).search(text, *each.span) for each in actions)


def _are_among(actions: Sequence[RawAction], made: Sequence[Written]) -> bool:
    """Return whether the message has made the same calls, so that its text only repeats them."""
    return bool(actions) and all(
        any(each.name == call.name and each.arguments == call.arguments for call in made) for each in actions
    )


def _lost(
    left: _Left, span: Span, code: Reason, detail: str, status: BlockStatus = BlockStatus.MALFORMED
) -> tuple[Format, Found]:
    issue = Issue(code, span, detail)
    return _Format(left.block.dialect), Found(status, span, span, reason=code, issues=(issue,))


def _described(left: _Left) -> str:
    """Describe the call left as text, for people."""
    form = f"written as {left.block.dialect!r}"
    if not left.actions:
        return f"a call {form} that can't be read ({left.block.reason})"
    named = ", ".join(repr(each.name[:_SHOWN]) for each in left.actions[:_MOST_SHOWN])
    more = len(left.actions) - _MOST_SHOWN
    return f"a call of {named}{f' and {more} more' if more > 0 else ''} {form}"


@cache
def _marks_by_dialect() -> Mapping[str, frozenset[str]]:
    """Return the marks that each format names itself, so that new formats are covered at once."""
    return {
        dialect.name: dialect.literals - _OF_OTHERS for dialect in DIALECTS if dialect.name not in _FOR_PEOPLE
    }


def _has_mark(text: str) -> bool:
    """Return whether a format's mark is in a text. Most texts lack even the signs with which marks begin."""
    there = [marks for sign, marks in _marks_by_sign() if sign in text]
    return any(marks.search(text) is not None for marks in there)


@cache
def _marks_by_sign() -> Sequence[tuple[str, re.Pattern[str]]]:
    """Return the rare beginnings of marks, each with a pattern of the marks that begin so."""
    signs: dict[str, list[str]] = {}
    for mark in sorted(frozenset[str]().union(*_marks_by_dialect().values()), reverse=True):
        signs.setdefault(mark if mark[0].isalnum() else mark[0], []).append(mark)
    return [(sign, regex("|".join(map(re.escape, marks)))) for sign, marks in signs.items()]


@lru_cache(maxsize=1024)
def _called(name: str) -> re.Pattern[str]:
    return regex(re.escape(name) + _CALLED)


@lru_cache(maxsize=1024)
def _spelt(name: str) -> re.Pattern[str]:
    key = r"""["'](?:name|tool|tool_name|function|function_name)["']\s*:\s*["']"""
    return regex(rf"{re.escape(name)}[ \t]?\(|{key}{re.escape(name)}[\"']")
