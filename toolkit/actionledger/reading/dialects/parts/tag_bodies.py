"""Wrappings around a field's text: a CDATA section, and the margin of the list item that holds its tag."""

import re
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import RepairKind

_CDATA = regex(
    r"\s*+(?P<opens><!\[CDATA\[)\r?\n?(?P<text>(?:(?!<!\[CDATA\[|\]\]>).)*+)(?P<closes>\]\]>)\s*+", re.DOTALL
)
_MARGIN = regex(r"[ \t]*+(?:(?:[-*+]|\d{1,3}[.)])[ \t]++)?+")

_WIDEST = 60
"""The maximal margin, in characters: a line of a thousand tags must not be searched for each of them."""


class Bare(NamedTuple):
    """A field's text without its wrapping."""

    text: str
    repairs: tuple[Repair, ...]  # the removed parts; none if the text is unchanged


def margin_of(text: str, start: int) -> str:
    """Return the margin of an item's lines if a tag begins its first line; empty if text precedes the tag."""
    if start == 0 or text[start - 1] == "\n":
        return ""
    at = text.rfind("\n", max(0, start - _WIDEST), start)
    if at < 0 and start > _WIDEST:
        return ""
    before = text[at + 1 : start]
    return re.sub(r"\S", " ", before) if _MARGIN.fullmatch(before) else ""


def unwrapped(text: str, value: Span, margin: str) -> Bare:
    """Return a field's text without a CDATA section around all of it, or without its item's margin."""
    if section := _CDATA.fullmatch(text, *value):
        repairs = (_without(text, Span(*section.span(mark))) for mark in ("opens", "closes"))
        return Bare(section["text"], tuple(repairs))
    lines = value.of(text).split("\n")
    inner = lines[1:]
    is_indented = bool(margin) and not lines[0].strip() and any(line.strip() for line in inner)
    if not is_indented or not all(line.startswith(margin) or not line.strip() for line in inner):
        return Bare("", ())
    bare = "\n".join(line.removeprefix(margin) if line.strip() else line.strip(" \t") for line in inner)
    return Bare(bare, (Repair(RepairKind.SPACE, value, value.of(text), "\n" + bare),))


def _without(text: str, mark: Span) -> Repair:
    return Repair(RepairKind.STRAY_MARK, mark, mark.of(text), "")
