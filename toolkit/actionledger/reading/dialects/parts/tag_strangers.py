"""Tags with names unknown to the format that hold fields of its actions: ``<write_file><path>…``.

The meant action is a guess, so none is read, and that is reported. Any text may have tags, so possible data is skipped.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Found
from actionledger.reading.dialects.parts.markers import refused
from actionledger.reading.dialects.parts.tag_grammar import begins_item, spellings, squeezed
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source

Fields = Mapping[str, Collection[str]]
"""The fields of each of the format's tags."""

_ALIKE = 0.6
"""The minimal likeness of two names, if one may be meant by the other."""

_MARKUP = frozenset(
    [
        "html",
        "head",
        "body",
        "header",
        "footer",
        "main",
        "nav",
        "section",
        "article",
        "aside",
        "div",
        "span",
        "p",
        "a",
        "ul",
        "ol",
        "li",
        "dl",
        "table",
        "thead",
        "tbody",
        "tr",
        "td",
        "th",
        "form",
        "figure",
        "picture",
        "object",
        "svg",
        "g",
        "defs",
        "symbol",
        "clippath",
        "mask",
        "pattern",
        "marker",
        "switch",
        "text",
    ]
)
"""The elements of HTML and SVG that hold others: their content belongs to a document."""

_HEAD = regex(r"<(?P<name>[\w.-]++)>\s*+<(?P<field>[^<>]++)>")
_FIELD_OPENS = regex(r"\s*+<[A-Za-z][\w.-]*+>")
_WORD = regex(r"[A-Z]?[a-z]{2,}")


def stranger_tag(fields_of: Fields) -> str:
    """Return the pattern of a tag unknown to the format with one of its fields' tags right after it."""
    known = "|".join(map(spellings, sorted(fields_of, reverse=True)))
    return rf"<(?!(?:{known})[\s/>])[A-Za-z][\w.-]{{0,60}}+>\s*+<(?:{'|'.join(map(re.escape, _names(fields_of)))})>"


def is_stranger(opening: Opening) -> bool:
    """Return whether a tag with a field's tag after it opens here."""
    return _HEAD.fullmatch(opening.label) is not None


def read_stranger(
    source: Source, opening: Opening, end: int, fields_of: Fields, opens: re.Pattern[str]
) -> Found | None:
    """Return a tag that holds fields of an action as unreadable, with the name that may have been meant."""
    head = _HEAD.fullmatch(opening.label)
    assert head
    name, begins = head["name"], opening.start + head.end("name") + 1
    if name.lower() in _MARKUP or not _is_meant(
        name, _at_first(source.text, opening, end, head["field"], fields_of), fields_of
    ):
        return None
    walked = list(_walked(source, begins, end, fields_of))
    held = [field for field, _ in walked]
    at = walked[-1][1] if walked else begins
    if not held and not begins_item(source.text, opening.start):
        return None
    stop = source.search(opens, at, end)
    closer = _closer(source, Span(at, end), stop, name)
    body = Span(begins, closer if closer >= 0 else at if held else stop)
    span = Span(opening.start, body.end + len(f"</{name}>") if closer >= 0 else body.end)
    nearest = _nearest(name, held or [head["field"]], fields_of)
    detail = f"The tag is <{name}>; did you mean {nearest}?"
    return refused(span, body, Issue(Reason.UNKNOWN_ACTION, Span(opening.start, begins), detail))


def _closer(source: Source, rest: Span, stop: int, name: str) -> int:
    """Return where a stranger's closing tag is, or -1; after the next action if that begins in one of its fields."""
    closer = source.find(f"</{name}>", *rest)
    if closer < stop or source.text.find(f"<{name}>", rest.start, closer) >= 0:
        return closer if closer < stop else -1
    return closer if _FIELD_OPENS.match(source.text, rest.start, stop) else -1


def _walked(source: Source, at: int, end: int, fields_of: Fields) -> Iterator[tuple[str, int]]:
    """Yield each closed field from here on, with the place after it."""
    field_tag = _field_tag(_names(fields_of))
    while field := field_tag.match(source.text, at, end):
        closer = source.find(f"</{field[1]}>", field.end(), end)
        if closer < 0:
            return
        at = closer + len(f"</{field[1]}>")
        yield field[1], at


def _at_first(text: str, opening: Opening, end: int, field: str, fields_of: Fields) -> list[str]:
    """Return the first field, and the second one if the first is short and without tags; further search costs too much."""
    behind = _second_field(field, _names(fields_of)).match(text, opening.end, end)
    return [field, behind[1]] if behind else [field]


def _is_meant(name: str, held: Collection[str], fields_of: Fields) -> bool:
    """Return whether a tag was meant as an action: two of its fields show it, or one field and the name."""
    fitting = _fitting(held, fields_of)
    if len(set(held)) > 1:
        return bool(fitting)
    words = {word.lower() for word in _WORD.findall(name)}
    return any(
        words & set(known.split("_")) or set(held) & set(known.split("_")) or _likeness(name, known) >= _ALIKE
        for known in fitting
    )


def _nearest(name: str, held: Collection[str], fields_of: Fields) -> str:
    """Return the tag that has all of the fields and is most like the name."""
    return max(_fitting(held, fields_of) or fields_of, key=lambda known: _likeness(name, known))


def _fitting(held: Collection[str], fields_of: Fields) -> list[str]:
    return [known for known, fields in fields_of.items() if set(held) <= set(fields)]


def _likeness(name: str, known: str) -> float:
    from difflib import SequenceMatcher  # noqa: PLC0415 - slow to load, and rarely needed

    return SequenceMatcher(None, squeezed(name), squeezed(known)).ratio()


def _names(fields_of: Fields) -> tuple[str, ...]:
    return tuple(sorted({field for fields in fields_of.values() for field in fields}, reverse=True))


@lru_cache(maxsize=64)
def _field_tag(names: tuple[str, ...]) -> re.Pattern[str]:
    return regex(rf"\s*+<({'|'.join(map(re.escape, names))})>")


@lru_cache(maxsize=256)
def _second_field(field: str, names: tuple[str, ...]) -> re.Pattern[str]:
    return regex(rf"[^<]{{0,500}}+</{re.escape(field)}>\s*+<({'|'.join(map(re.escape, names))})>")
