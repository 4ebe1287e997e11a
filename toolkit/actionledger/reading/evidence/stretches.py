"""The parts of a response that no dialect has read, with signs replaced that the decoder can't read."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import RepairKind
from actionledger.reading.evidence.names import Mention
from actionledger.reading.scan.openings import Openers, Opening, is_fence
from actionledger.reading.scan.source import Source

FILLER = "\ua7f7"
"""A letter that is never written: it replaces a sign within a name."""

_PYTHON = regex(r"[^\W\d]\w*+(?:\.[^\W\d]\w*+)*+")
_TOKEN = regex(
    r"""(?P<string>\"(?:[^"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')|(?P<opens>[\[({])|(?P<closes>[\])}])"""
    r"""|(?<=[(,\s])[^\W\d]\w*+[ \t]*+(?P<colon>:)(?=[ \t]*+[\"'\d\[{(tfnTFN.+-])|(?P<star>\*\*)(?=[ \t]*+\{)""",
    re.DOTALL,
)
_SIGNS = {
    "colon": (RepairKind.COLON, "=", "="),
    "star": (RepairKind.ARGUMENTS_UNPACKED, "  ", ""),
}
"""The replacement of a sign, of the same length, and the repair's description of it."""

_LONGEST = 8_000


def with_plain_names(text: str, mentions: Iterable[Mention]) -> str:
    """Return a text of the same length in which each called name is a Python name."""
    if FILLER in text:
        return text
    pieces, at = [], 0
    is_escaped = False
    for mention in mentions:
        spelt = text[mention.start : mention.end]
        is_escaped = is_escaped or "\\" in spelt
        if mention.form != "call" or mention.start < at:
            continue
        quote = text[mention.end]
        is_quoted = (
            quote in "\"'`" and text[mention.start - 1 : mention.start] == quote and mention.start > at
        )
        if is_quoted or not _PYTHON.fullmatch(spelt):
            name = spelt if _PYTHON.fullmatch(spelt) else re.sub(r"\W", FILLER, spelt)
            blank = " " if is_quoted else ""
            pieces += [text[at : mention.start - len(blank)], blank, name, blank]
            at = mention.end + len(blank)
    made = "".join([*pieces, text[at:]])
    return made.replace("\\_", f"{FILLER}_") if is_escaped else made


def without_filler(value: Any) -> Any:
    """Return a value without the letter that replaced signs."""
    match value:
        case str():
            return value.replace(FILLER, "")
        case list():
            return [without_filler(item) for item in value]
        case dict():
            return {without_filler(key): without_filler(held) for key, held in value.items()}
        case _:
            return value


def with_keywords(text: str, start: int, end: int) -> tuple[str, list[Repair], int]:
    """Return the text of the call at ``start`` with its arguments named in Python's way."""
    depth, low, stop = 0, start, min(end, start + _LONGEST)
    pieces: list[str] = []
    repairs: list[Repair] = []
    behind = stop
    for token in _TOKEN.finditer(text, start, stop):
        if token["opens"]:
            depth += 1
        elif token["closes"]:
            depth -= 1
            if depth <= 0:
                behind = token.end()
                break
        elif depth == 1 and (sign := _SIGNS.get(token.lastgroup or "")):
            kind, after, written = sign
            place = Span(*token.span(token.lastgroup or 0))
            pieces += [text[low : place.start], after]
            low = place.end
            repairs.append(Repair(kind, place, place.of(text), written))
    return ("".join([*pieces, text[low:stop]]) if repairs else "", repairs, behind)


_FENCES = Openers(frozenset(), frozenset(), fences=True)


class Stretch(NamedTuple):
    """A part of the response that no dialect has read."""

    span: Span  # all of it, its fence included
    body: Span  # its content
    is_fence: bool


def stretches(
    source: Source, covered: Sequence[Span], fenced: Sequence[tuple[Span, Span]]
) -> Iterator[Stretch]:
    """Yield the fences and the stretches between them and the blocks that were read."""
    text, end, at, low = source.text, len(source.text), 0, 0
    known = {span.start: (span, body) for span, body in fenced}
    for block in [*covered, Span(end, end)]:
        while (opening := _FENCES.next(text, at, block.start)) is not None:
            at = max(opening.end, opening.start + 1)
            if not is_fence(opening, text):
                continue
            span, body = known.get(opening.start) or _fence(source, opening, block.start)
            yield from _open(low, opening.start)
            yield Stretch(span, body, is_fence=True)
            low = at = max(at, span.end)
        yield from _open(low, block.start)
        low = at = max(low, block.end)


def _open(start: int, end: int) -> Iterator[Stretch]:
    if start < end:
        yield Stretch(Span(start, end), Span(start, end), is_fence=False)


def _fence(source: Source, opening: Opening, end: int) -> tuple[Span, Span]:
    closing = source.closing_fence(opening, opening.end, end)
    return Span(opening.start, closing.end), Span(opening.end, closing.start)
