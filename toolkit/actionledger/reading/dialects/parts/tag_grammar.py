"""The tags of one action: which open and close its fields, and which close the action itself."""

import re

from actionledger.core.values import Span
from actionledger.reading.dialects.parts.tag_spelling import spellings
from actionledger.reading.scan.source import Source

_VISIBLE = re.compile(r"\S")
_LONGEST_END = 2_000
"""So far behind a tag its half-written next one may end, blanks included, in characters."""


class TagGrammar:
    """The patterns of one action's tag.

    Args:
        tag: the action's name.
        fields: its fields.
        openers: the opening tags of all actions.
        is_loose: whether tags in another spelling count.
    """

    def __init__(self, tag: str, fields: tuple[str, ...], openers: frozenset[str], *, is_loose: bool) -> None:
        def named(name: str, slash: str = "") -> str:
            loose = rf"<[ \t]*+{slash}[ \t]*+{spellings(name)}[ \t]*+>"
            return loose if is_loose else re.escape(f"<{slash}{name}>")

        blanks = r"[ \t]*+" if is_loose else ""
        names = "|".join(spellings(name) if is_loose else re.escape(name) for name in fields)
        a_field = rf"<{blanks}(?:{names}){blanks}>"
        closer = named(tag, "/")
        self.tag = tag
        self.field_or_end = re.compile(rf"\s*(?:{a_field}|{closer})")
        self.field_opens = re.compile(rf"\s*(?P<tag><{blanks}(?P<name>{names}){blanks}>)")
        self.closes = re.compile(rf"\s*(?P<tag>{closer})")
        self.closes_later = re.compile(closer)
        self.opens = re.compile("|".join(map(re.escape, sorted(openers))))
        self.followed_closer = {
            name: re.compile(rf"</{re.escape(name)}>(?=\s*(?:{a_field}|{closer}))") for name in fields
        }
        self._other_closers = {name: re.compile(named(name, "/")) for name in fields if is_loose}
        self._tags = (*(f"<{name}>" for name in fields), f"</{tag}>")

    def field_closes(self, name: str, source: Source, start: int, end: int) -> Span | None:
        """Return the tag that closes a field.

        It is the first one that another field or the end of the action follows, so that a body may quote its own
        closing tag, but never one behind the next action's opening tag; where none fits, the very first one. Only where
        there is none in the format's spelling, one in another counts.
        """
        first = source.find(f"</{name}>", start, end)
        if first < 0:
            return self._other_closer(name, source, start, end)
        behind = first + len(name) + 3
        bound = source.search(self.opens, behind, end)
        followed = self.followed_closer[name].search(source.text, first, bound)
        return Span(*followed.span()) if followed else Span(first, behind)

    def is_cut(self, text: str, start: int, end: int) -> bool:
        """Return whether the text ends where a field's tag is due, or in the middle of it."""
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
