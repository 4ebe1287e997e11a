"""Numbers formatted for people, and invisible or direction-changing characters made visible."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import cache
from itertools import chain
from typing import TypeAlias

from actionledger.core.patterns import regex
from actionledger.core.rates import Rate
from actionledger.core.text import counted
from actionledger.core.vocabulary import Capture
from actionledger.report.drawing import interval

_OPAQUE = r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
NOT_RECORDED = "not recorded"
NOTHING_FAILED = "Nothing failed, as far as it was read, checked and executed."


def called(external_id: str, session_id: str, title: str | None = None) -> str:
    """Return a session's name: its title, else its source's name for it; an identifier that nobody reads is shortened."""
    name = title or external_id or session_id
    return f"untitled {name[:8]}" if not title and regex(_OPAQUE).fullmatch(name) else name


def token_count(number: int | None) -> str:
    """Return a number of tokens, or that it is not recorded."""
    return NOT_RECORDED if number is None else f"{number:,}"


def tokens_of(shown: int | None, written: int | None) -> tuple[str, str]:
    """Return the sum of input and output tokens, compact, and what it is the sum of: only the recorded ones."""
    kind = "input " if written is None else "output " if shown is None else ""
    return compact((shown or 0) + (written or 0)), f"{kind}tokens"


def basis(rate: Rate) -> str:
    """Return a rate's basis: the count, and its number of sessions."""
    within = f" in {counted(rate.clustering.sessions, 'session')}" if rate.clustering else ""
    return f"n = {rate.count:,}{within}"


def out_of(rate: Rate) -> str:
    """Return a rate's counts and interval, to show next to its share."""
    if not rate.count:
        return "–"
    within = f" in {counted(rate.clustering.sessions, 'session')}" if rate.clustering else ""
    return f"{rate.successes:,} of {rate.count:,}{within} ({interval(rate)})"


def sessions(rate: Rate) -> int | None:
    """Return the number of sessions of a rate, or None if unknown."""
    return rate.clustering.sessions if rate.clustering else None


def kept(captures: Mapping[Capture, int]) -> str:
    """Return the counts of capture levels, most frequent first; empty if there are none."""
    most = sorted(captures.items(), key=lambda pair: (-pair[1], pair[0]))
    return " · ".join(f"{capture.said} {count:,}" for capture, count in most)


def known(total: str, of: int, turns: int) -> str:
    """Return a total that is recorded for some turns, with their number if it is not all of them."""
    if not of:
        return NOT_RECORDED
    return total if of >= turns else f"{total} ({of:,} of {turns:,} turns)"


def milliseconds(took: float | None) -> str:
    """Return a formatted time; None is shown as not recorded."""
    if took is None:
        return NOT_RECORDED
    return f"{took:,.0f} ms" if took < 1000 else f"{took / 1000:,.1f} s"


def share_of(value: float | None) -> str:
    """Return a share in percent; None is shown as not recorded."""
    return NOT_RECORDED if value is None else f"{value:.1%}"


def duration(seconds: float | None) -> str:
    """Return a duration in its two largest units; empty if it is not recorded."""
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    there = [place for place, (count, _) in enumerate(parts) if count][:1]
    shown = parts[there[0] : there[0] + 2] if there else parts[-1:]
    return " ".join(f"{count} {unit}" for count, unit in shown if count or len(shown) == 1)


def minute_of(at: datetime | None) -> str:
    """Return a time to the minute; empty if it is not recorded."""
    return f"{at:%Y-%m-%d %H:%M}" if at else ""


def ago(passed: timedelta) -> str:
    """Return how long ago something was, in its largest unit."""
    seconds = max(0, round(passed.total_seconds()))
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{counted(seconds // size, unit)} ago"
    return "just now"


def dollars(cost: float | None) -> str:
    """Return an amount of money; None is shown as not recorded."""
    return NOT_RECORDED if cost is None else f"${cost:,.2f}" if cost >= 1 or not cost else f"${cost:,.4f}"


def compact(count: int) -> str:
    """Return a large number in few characters: 588,703,736 is 588.7 M."""
    for size, unit in ((10**9, "B"), (10**6, "M"), (10**3, "k")):
        if count >= max(size, 10**4):
            return f"{count / size:,.1f} {unit}"
    return f"{count:,}"


Piece: TypeAlias = str | dict[str, str]
"""A stretch of plain text, or characters to draw as a token, with their code and their name."""

_LAYOUT = "\t\n \u3000"  # visible by the room that it takes
_INVISIBLE_CATEGORIES = {"Cc", "Cf", "Zl", "Zp", "Zs"}
# Only the planes that have any; the others are ideographs, private or empty, and checking a million characters delayed the first page by half a
# second.
_PLANES_WITH_INVISIBLE = (range(0x20000), range(0xE0000, 0xF0000))
# Letters and marks without a shape of their own: joiners, fillers, the blank Braille cell, unwritten vowels.
_SHAPELESS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
_SELECTOR_RANGES = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_SELECTORS = "".join(f"{chr(each[0])}-{chr(each[-1])}" for each in _SELECTOR_RANGES)
# Visible: a joiner within an emoji, and a single selector after a character whose shape it can select.
_EMOJI = "[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff]"
_PART_OF_A_SHAPE = rf"(?<={_EMOJI})\u200d(?={_EMOJI})|(?<=\ufe0f)\u200d(?={_EMOJI})|(?<=[^\s\x00-\x22\x24-\x29\x2b-\x2f\x3a-\x7f{_SELECTORS}])\ufe0f"
_IDEOGRAPH_SELECTED = r"(?<=[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"

_MANY = 8  # so many different ones in a row become one token

_CONTROLS = {0: "NUL", 7: "BEL", 8: "BS", 11: "VT", 12: "FF", 13: "CR", 26: "SUB", 27: "ESC", 127: "DEL"}
"""The common names of control characters."""


def pieces(text: str) -> str | list[Piece]:
    """Return a text with its invisible characters split off, for ``drawn`` of ``text.js``."""
    found = list(_pieces(text))
    return found if any(isinstance(piece, dict) for piece in found) else text


def tokens(text: str) -> list[dict[str, str | int]]:
    """Return a text's invisible characters with their positions ``at`` and ``end``, in code points."""
    return [{"at": match.start(), "end": match.end(), **_token(match.group())} for match in _invisible(text)]


def visible(text: str) -> str:
    """Return a text for places that show only plain text; a token becomes its code in brackets."""
    return "".join(piece if isinstance(piece, str) else f"[{piece['code']}]" for piece in _pieces(text))


def _pieces(text: str) -> Iterator[Piece]:
    end = 0
    for match in _invisible(text):
        if end < match.start():
            yield text[end : match.start()]
        yield _token(match.group())
        end = match.end()
    if end < len(text):
        yield text[end:]


def _invisible(text: str) -> Iterator[re.Match[str]]:
    """Yield each run of the same invisible character, and each long run of different ones."""
    if text.isascii() and text.isprintable():
        return
    characters, pattern = _patterns()
    if characters.isdisjoint(text):  # true for most texts; the search below takes ten times as long
        return
    for match in pattern.finditer(text):
        if match["same"] is not None or match["mixed"] is not None:
            yield match


def _token(run: str) -> dict[str, str]:
    character = run[0]
    if any(other != character for other in run):
        kinds = ", ".join(f"U+{ord(other):04X}" for other in sorted(set(run)))
        return {
            "text": run,
            "code": f"{len(run):,} invisible",
            "name": f"{len(run):,} invisible characters: {kinds}",
        }
    times = f" ×{len(run):,}" if len(run) > 1 else ""
    point = ord(character)
    code = _CONTROLS.get(point, f"U+{point:04X}")
    name = unicodedata.name(character, "control character").lower()
    return {"text": run, "code": code + times, "name": f"U+{point:04X} {name}{times}"}


@cache
def _patterns() -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the characters that may be invisible, and a pattern for those that are; it matches visible shapes first, to skip them."""
    characters = map(chr, chain.from_iterable(_PLANES_WITH_INVISIBLE))
    invisible = "".join(
        character
        for character in characters
        if unicodedata.category(character) in _INVISIBLE_CATEGORIES and character not in _LAYOUT
    )
    kind = f"[{re.escape(invisible + _SHAPELESS)}{_SELECTORS}]"
    pattern = re.compile(
        rf"\r\n|{_PART_OF_A_SHAPE}|{_IDEOGRAPH_SELECTED}|(?P<same>(?P<one>{kind})(?P=one)*)(?!{kind}{{{_MANY}}})"
        rf"|(?P<mixed>{kind}{{{_MANY},}})"
    )
    selectors = (chr(point) for each in _SELECTOR_RANGES for point in each)
    return frozenset(chain(invisible, _SHAPELESS, selectors)), pattern


def cut_in_the_middle(text: str, most: int = 40) -> str:
    """Return a text cut in the middle, since names differ at their ends."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 + 1 :]}"
