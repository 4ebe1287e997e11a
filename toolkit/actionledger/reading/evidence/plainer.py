"""A response with one sign for another where the decoder would stumble, so that every place stays where it is.

Names with signs that Python has none of, ``f(a: 1)`` and ``f(**{…})``: what is changed is noted as a repair by whoever asks.
"""

import re
from collections.abc import Iterable
from typing import Any

from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import RepairKind
from actionledger.reading.evidence.names import Mention

FILLER = "\ua7f7"
"""A letter that nobody writes: it takes the place of a sign within a name."""

_PYTHON = re.compile(r"[^\W\d]\w*+(?:\.[^\W\d]\w*+)*+")
_TOKEN = re.compile(
    r"""(?P<string>\"(?:[^"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')|(?P<opens>[\[({])|(?P<closes>[\])}])"""
    r"""|(?<=[(,\s])[^\W\d]\w*+[ \t]*+(?P<colon>:)(?=[ \t]*+[\"'\d\[{(tfnTFN.+-])|(?P<star>\*\*)(?=[ \t]*+\{)""",
    re.DOTALL,
)
_SIGNS = {
    "colon": (RepairKind.COLON, "=", "="),
    "star": (RepairKind.ARGUMENTS_UNPACKED, "  ", ""),
}
"""What is written for a sign, as many characters as it has, and what the repair says is meant."""

_LONGEST = 8_000


def with_plain_names(text: str, mentions: Iterable[Mention]) -> str:
    """Return a text in which each called name is one in Python, of the same length."""
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
    """Return a value without the letter that took the place of signs."""
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
    """Return the text of the call at ``start`` with its arguments named as Python names them."""
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
