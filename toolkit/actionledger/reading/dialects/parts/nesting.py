"""Calls within a value: which closing tag is the value's own, and where a call ends that holds others."""

import re

from actionledger.core.values import Span

_MOST_NESTED = 64
"""How many tags inside a value are counted to find its end, or that of the call around it."""

_PARTNERS = {"opens_parameter": "closes_parameter", "opens_call": "closes_call"}
"""The tags that open something in a value, each with what closes it."""


def close_around(
    text: str, start: int, end: int, tags: re.Pattern[str], fitting: re.Pattern[str]
) -> Span | None:
    """Return the tag that closes a value with whole calls in it; None where their tags don't match each other."""
    opened: list[str] = []
    for count, tag in enumerate(tags.finditer(text, start, end)):
        kind = tag.lastgroup or ""
        if kind in _PARTNERS:
            opened.append(_PARTNERS[kind])
        elif not opened:
            is_due = kind == "closes_parameter" and fitting.match(text, tag.start(), end)
            return Span(*tag.span()) if is_due else None
        elif opened.pop() != kind:
            return None
        if count > _MOST_NESTED:
            break
    return None


def behind_nested(text: str, start: int, end: int, brackets: re.Pattern[str]) -> int:
    """Return where a call ends that may hold others: behind the tag that closes as many as were opened, or nowhere."""
    depth = 1
    for count, tag in enumerate(brackets.finditer(text, start, end)):
        depth += -1 if tag["closes"] else 1
        if not depth:
            return tag.end()
        if count > _MOST_NESTED:
            break
    return end
