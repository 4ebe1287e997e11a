"""Calls whose parameters are tags with the parameters' names, possibly nested; a token precedes each tag.

A tag that holds tags is an object, or a list if all of them are ``item``; a repeated tag is a list. Everything else is text.
"""

import re
from typing import Any, NamedTuple

from actionledger.core.canonical import JsonDict
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.dialects.parts.markers import (
    behind_blanks,
    behind_nested,
    closing_tag,
    excerpt,
    read_block,
    refused,
)
from actionledger.reading.scan.openings import Opening, at_line_start
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_ITEM = "item"
_LONGEST_OPENING = 400
"""The maximal length of an incomplete call's opening at the end of the text, in code points."""


class NestedTags:
    """The tags of a format."""

    def __init__(self, token: str, group: str) -> None:
        before = rf"{re.escape(token)}\s*+"
        self.token, self.group, self.closes_group = token, group, f"{token}</{group}>"
        self.first = (f"{token}<{group}>", f"{token}<invoke name=")
        self.opens_group = regex(rf"{before}<{group}>")
        self.opens_call = regex(
            rf"""\s*+(?P<tag>{before}<invoke name=(?P<quote>["']?+)(?P<name>[^"'<>\n]+)(?P=quote)\s*+>)"""
        )
        self.tag = regex(rf"{before}<(?P<closes>/)?+(?P<name>[^<>\n/][^<>\n]*+)>")
        self.groups = regex(rf"{before}<(?P<closes>/)?+{group}>")
        self.calls = regex(rf"{before}<(?:(?P<closes>/)invoke>|invoke\s)")
        self.bounds = regex(rf"{before}<(?:/invoke>|invoke\s|/?+{group}>)")


class _Open(NamedTuple):
    """An open tag with its content so far."""

    name: str
    start: int
    text_from: int
    held: list[tuple[str, Any]]


class _RefusedError(Exception):
    def __init__(self, code: Reason, span: Span, detail: str = "") -> None:
        super().__init__(code)
        self.issue = Issue(code, span, detail)


def read_group(
    source: Source, opening: Opening, end: int, tags: NestedTags, options: DecodeOptions
) -> Found | None:
    """Read the group of calls, or the one call, that a token opens.

    A group ends before an unreadable call: the good calls stay, and that call is a block of its own.
    """
    text = source.text
    group = tags.opens_group.match(text, opening.start, end)
    at = body_start = group.end() if group else opening.start
    calls: list[Written] = []
    lost: Found | None = None
    while (group or not calls) and (opens := tags.opens_call.match(text, at, end)):
        call = _call(source, opens, end, tags, options.max_depth)
        if isinstance(call, Issue):
            lost = _lost(source, opens, Span(opening.start, end), tags, call)
            break
        calls.append(call)
        at = call.span.end
    if not calls:
        return lost or _cut(text, opening, Span(at, end), tags, is_group=bool(group))
    if not group:
        return read_block(calls[0].span, Span(body_start, at), tuple(calls))
    close = closing_tag(text, at, end, tags.closes_group, options)
    span, body = Span(opening.start, close.end), Span(body_start, close.start)
    return (
        refused(span, body, close.issue)
        if close.issue
        else read_block(span, body, tuple(calls), close.repairs)
    )


def _cut(text: str, opening: Opening, rest: Span, tags: NestedTags, *, is_group: bool) -> Found | None:
    """Return a group or a call whose opening the text ends in; None if the token is only mentioned."""
    if (
        rest.end < len(text)
        or rest.end - rest.start > _LONGEST_OPENING
        or not at_line_start(text, opening.start)
    ):
        return None
    behind = text[behind_blanks(text, rest.start, rest.end) : rest.end]
    expected = tags.first[1:] if is_group else tags.first
    if not any(
        tag.startswith(behind) or (tag in behind and ">" not in behind[len(tag) :]) for tag in expected
    ):
        return None
    span = Span(opening.start, rest.end)
    return refused(span, Span(opening.end, rest.end), Issue(Reason.TRUNCATED, span))


def _lost(source: Source, opens: re.Match[str], within: Span, tags: NestedTags, issue: Issue) -> Found:
    """Return an unreadable call, up to its closing tag, but never beyond the start of the next one.

    One that may quote another call takes all of its group, or all the rest: a quoted call must not run.
    """
    if issue.code is Reason.AMBIGUOUS:
        is_group = tags.opens_group.match(source.text, within.start, within.end) is not None
        brackets = tags.groups if is_group else tags.calls
        at = behind_nested(source.text, opens.end(), within.end, brackets)
        return refused(Span(within.start, at), Span(opens.end(), at), issue)
    at = source.search(tags.bounds, opens.end(), within.end)
    closes = tags.tag.match(source.text, at, within.end)
    stop = closes.end() if closes and closes["closes"] and closes["name"] == "invoke" else at
    span = Span(within.start, max(stop, issue.span.end if issue.span else stop))
    return refused(span, Span(opens.end(), span.end), issue)


def _call(
    source: Source, opens: re.Match[str], end: int, tags: NestedTags, max_depth: int
) -> Written | Issue:
    try:
        arguments, stop = _arguments(source.text, opens.end(), end, tags, max_depth)
    except _RefusedError as error:
        return error.issue
    return Written(opens["name"].strip(), arguments, Span(opens.start("tag"), stop))


def _arguments(text: str, start: int, end: int, tags: NestedTags, max_depth: int) -> tuple[JsonDict, int]:
    stack = [_Open("invoke", start, start, [])]
    at = start
    for tag in tags.tag.finditer(text, start, end):
        top = stack[-1]
        between = text[at : tag.start()]
        is_text = tag["closes"] and not top.held and len(stack) > 1
        name = tag["name"].strip()
        if not tag["closes"] and (name.startswith("invoke ") or name == tags.group):
            detail = "Another call begins in it: it is quoted, or a tag was never closed."
            raise _RefusedError(Reason.AMBIGUOUS, Span(top.start, tag.start()), detail)
        if between.strip() and not is_text:
            detail = f"Expected a tag, got {excerpt(text, at, tag.start())}."
            raise _RefusedError(Reason.WRONG_SHAPE, Span(at, tag.start()), detail)
        at = tag.end()
        if not tag["closes"]:
            if len(stack) > max_depth:
                raise _RefusedError(Reason.TOO_DEEP, Span(top.start, tag.start()))
            stack.append(_Open(name, tag.start(), tag.end(), []))
            continue
        if name != top.name:
            detail = f"Expected </{top.name[:80]}>, got </{name[:80]}>."
            raise _RefusedError(Reason.UNCLOSED_TAG, Span(tag.start(), tag.end()), detail)
        stack.pop()
        if not stack:
            return _object(top.held), tag.end()
        value = _container(top.held) if top.held else text[top.text_from : tag.start()]
        stack[-1].held.append((name, value))
    raise _RefusedError(Reason.TRUNCATED, Span(stack[-1].start, end))


def _container(held: list[tuple[str, Any]]) -> Any:
    if all(name == _ITEM for name, _ in held):
        return [value for _, value in held]
    return _object(held)


def _object(held: list[tuple[str, Any]]) -> JsonDict:
    values: dict[str, list[Any]] = {}
    for name, value in held:
        values.setdefault(name, []).append(value)
    return {name: given if len(given) > 1 else given[0] for name, given in values.items()}
