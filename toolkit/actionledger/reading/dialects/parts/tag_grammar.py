"""The tags of one action: which open and close its fields, which close it, and their other spellings, escapes and mentions."""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.base import Found
from actionledger.reading.dialects.parts.markers import in_prose, refused, shown
from actionledger.reading.scan.openings import Opening, text_before
from actionledger.reading.scan.source import Source

_VISIBLE = regex(r"\S")
_LONGEST_END = 2_000
"""The maximal distance after a tag of the end of an incomplete next one, blanks included, in characters."""


class TagGrammar:
    """The patterns of one action's tag."""

    def __init__(self, tag: str, fields: tuple[str, ...], openers: frozenset[str], *, is_loose: bool) -> None:
        def named(name: str, slash: str = "") -> str:
            loose = rf"<[ \t]*+{slash}[ \t]*+{spellings(name)}[ \t]*+>"
            return loose if is_loose else re.escape(f"<{slash}{name}>")

        blanks = r"[ \t]*+" if is_loose else ""
        names = "|".join(spellings(name) if is_loose else re.escape(name) for name in fields)
        a_field = rf"<{blanks}(?:{names}){blanks}>"
        closer = named(tag, "/")
        self.tag = tag
        self.field_or_end = regex(rf"\s*(?:{a_field}|{closer})")
        self.field_opens = regex(rf"\s*(?P<tag><{blanks}(?P<name>{names}){blanks}>)")
        exact = "|".join(map(re.escape, fields))
        self.plain_field = regex(
            rf"\s*<(?P<name>{exact})>(?P<value>[^<]*+)</(?P=name)>(?=\s*(?:{a_field}|{closer}))"
        )
        self.closes = regex(rf"\s*(?P<tag>{closer})")
        self.closes_later = regex(closer)
        self.opens = regex("|".join(map(re.escape, sorted(openers))))
        self.followed_closer = {
            name: regex(rf"</{re.escape(name)}>(?=\s*(?:{a_field}|{closer}))") for name in fields
        }
        self._other_closers = {name: regex(named(name, "/")) for name in fields if is_loose}
        self._tags = (*(f"<{name}>" for name in fields), f"</{tag}>")

    def field_closes(self, name: str, source: Source, start: int, end: int) -> Span | None:
        """Return the tag that closes a field.

        It is the first one before another field or the end of the action, so that a body may quote its own
        closing tag. It is never one after the next action's opening tag; if none fits, the very first one counts. Another
        spelling counts only if there is none in the format's own.
        """
        first = source.find(f"</{name}>", start, end)
        if first < 0:
            return self._other_closer(name, source, start, end)
        behind = first + len(name) + 3
        bound = source.search(self.opens, behind, end)
        followed = self.followed_closer[name].search(source.text, first, bound)
        return Span(*followed.span()) if followed else Span(first, behind)

    def is_cut(self, text: str, start: int, end: int) -> bool:
        """Return whether the text ends where a field's tag is expected, or in the middle of it."""
        if end != len(text) or _VISIBLE.search(text, start + _LONGEST_END):
            return False
        rest = text[start : start + _LONGEST_END].strip()
        return any(tag.startswith(rest) and tag != rest for tag in self._tags)

    def _other_closer(self, name: str, source: Source, start: int, end: int) -> Span | None:
        if not (pattern := self._other_closers.get(name)):
            return None
        at = source.search(pattern, start, end)
        match = pattern.match(source.text, at, end)
        return Span(*match.span()) if match else None


_OPENS = (r"&(?i:lt|#0*+60|#x0*+3c);", r"\\(?:u003[cC]|<)")
_ANY_OPENS = rf"(?:{'|'.join(_OPENS)}|<)"
_CLOSES = r"(?:&(?i:gt|#0*+62|#x0*+3e);|\\u003[eE]|\\?>)"
_SIGN = regex("|".join(_OPENS))


def escaped_tags(names: Iterable[str]) -> frozenset[str]:
    """Return the patterns of the beginnings of opening tags with these names, in each escape."""
    known = "|".join(map(spellings, sorted(names, reverse=True)))
    return frozenset(rf"{sign}(?:{known})(?![\w.-])" for sign in _OPENS)


def is_escaped(opening: Opening) -> bool:
    """Return whether a tag with escaped signs opens here."""
    return opening.label.startswith(("&", "\\"))


def read_escaped(source: Source, opening: Opening, end: int, opens: re.Pattern[str]) -> Found | None:
    """Return an escaped tag that is closed, or that holds another one, as unreadable."""
    text = source.text
    sign = _SIGN.match(opening.label)
    name = opening.label[sign.end() :] if sign else opening.label
    head, closer = _patterns(name)
    stop = source.search(opens, opening.end, end)
    at = source.search(closer, opening.end, stop)
    close = closer.match(text, at, stop)
    holds = head.match(text, opening.end, stop)
    if close is None and (holds is None or not holds["tag"]):
        return None
    span = Span(opening.start, close.end() if close else stop)
    body = Span(min(holds.end("head"), at) if holds else opening.end, at)
    detail = f"Its signs are escaped: write <{name}> and the tags in it without that."
    found = refused(span, body, Issue(Reason.TAG_SPELLING, span, detail))
    return unless_mentioned(found, text) if body.start < body.end else found


@lru_cache(maxsize=256)
def _patterns(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of an escaped tag after its name, and of its closing tag."""
    spelt = re.escape(name)
    return (
        regex(rf"(?P<head>[^\n<>&\\]{{0,200}}+{_CLOSES})(?P<tag>\s*+{_ANY_OPENS}[A-Za-z])?+"),
        regex(rf"{_ANY_OPENS}[ \t]*+\\?/[ \t]*+(?i:{spelt})[ \t]*+{_CLOSES}"),
    )


_NAME = regex(r"<[ \t]*+([\w.:-]++)")
_ATTRIBUTE = regex(r"""\s*+([\w-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'=<>`]++))""")
_REST = r"""(?:[^<>"']++|"[^"\n]{0,2000}+"|'[^'\n]{0,2000}+'){0,40}+"""


def spellings(name: str) -> str:
    """Return the pattern of a name in any case, with or without a sign between its words."""
    return f"(?i:{'[_-]?'.join(map(re.escape, name.split('_')))})"


def near_tag(names: Iterable[str]) -> str:
    """Return the pattern of an opening tag with one of these names in any spelling, attributes included."""
    return rf"<[ \t]*+(?:{'|'.join(map(spellings, sorted(names, reverse=True)))})(?=[\s/>]){_REST}>"


def meant(spelt: str, names: Collection[str]) -> str | None:
    """Return the name meant by one in another spelling; None if there is none."""
    if spelt in names:
        return spelt
    wanted = squeezed(spelt)
    return next((name for name in names if squeezed(name) == wanted), None)


def spelling_repair(span: Span, text: str, tag: str) -> tuple[Repair, ...]:
    """Return the repair of a tag in another spelling; none if it is the format's."""
    before = span.of(text)
    return () if before == tag else (Repair(RepairKind.TAG_SPELLING, span, before, tag),)


class Head(NamedTuple):
    """An opening tag as written."""

    tag: str  # the name that is meant
    attributes: Mapping[str, str] = MappingProxyType({})  # its fields by name
    repairs: tuple[Repair, ...] = ()  # what was changed
    is_whole: bool = False  # whether it closes itself
    fault: str = ""  # its unreadable part, as a sentence; empty if there is none


def head_of(opening: Opening, fields_of: Mapping[str, Collection[str]]) -> Head | None:
    """Return the content of an opening tag that is nearly one of the format's; None if its name is not among them."""
    written = opening.label
    name = _NAME.match(written)
    if name is None or (tag := meant(name[1], fields_of)) is None:
        return None
    inner = written[:-1].rstrip()
    is_whole = inner.endswith("/")
    stop, at = len(inner) - is_whole, name.end()
    attributes: dict[str, str] = {}
    fault = ""
    while attribute := _ATTRIBUTE.match(written, at, stop):
        field = meant(attribute[1], fields_of[tag])
        if field is None or field in attributes:
            fault = f"Expected the fields {', '.join(fields_of[tag])}, each once, got {attribute[1][:40]!r}."
            break
        attributes[field] = next(value for value in attribute.groups()[1:] if value is not None)
        at = attribute.end()
    if not fault and (rest := written[at:stop].strip()):
        fault = f"Expected a field and its value in quotes, got {rest[:20]!r}."
    repairs = _repairs(opening, tag, name.end(), attributes, is_whole=is_whole)
    return Head(tag, attributes, repairs, is_whole, fault)


def _repairs(
    opening: Opening, tag: str, name_end: int, attributes: dict[str, str], *, is_whole: bool
) -> tuple[Repair, ...]:
    written = opening.label
    if not attributes and not is_whole:
        return (Repair(RepairKind.TAG_SPELLING, Span(opening.start, opening.end), written, f"<{tag}>"),)
    name = Span(opening.start, opening.start + name_end)
    fields = "".join(f"<{field}>{value}</{field}>" for field, value in attributes.items())
    closer = f"</{tag}>" if is_whole else ""
    rest = Repair(
        RepairKind.TAG_ATTRIBUTES, Span(name.end, opening.end), written[name_end:], f">{fields}{closer}"
    )
    if written[:name_end] == f"<{tag}":
        return (rest,)
    return Repair(RepairKind.TAG_SPELLING, name, written[:name_end], f"<{tag}"), rest


def squeezed(name: str) -> str:
    """Return a name without its case and the signs between its words."""
    return name.replace("_", "").replace("-", "").lower()


_AND = regex(
    r"[\s`*_'\"“”]*+(?:\.{3}|…|/|,|&|\||-|–|—|and|or|to|und|oder|bis|et|ou|à|y|o|a|和|与|或|到)?+[\s`*_'\"“”.]*+\Z",
    re.IGNORECASE,
)
"""Text between two tags that a sentence mentions."""


def begins_item(text: str, start: int) -> bool:
    """Return whether only blanks and list marks are before this place on its line."""
    return not text_before(text, start).strip()


def unless_mentioned(found: Found, text: str) -> Found:
    """Return a closed unreadable tag as lost, unless its sentence continues through it."""
    body = found.body.of(text)
    if begins_item(text, found.span.start):
        return found
    if _AND.match(body):
        return shown(found.span, found.body)
    return in_prose(found) if body[0] in " \t" and body[-1].isspace() else found
