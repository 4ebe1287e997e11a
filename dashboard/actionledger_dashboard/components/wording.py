"""Numbers as people read them, and characters that nobody sees or that turn text around, made visible."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import cache
from itertools import chain
from typing import TypeAlias

from actionledger.core.rates import Rate
from actionledger.core.text import counted
from actionledger.core.vocabulary import Capture

NOT_RECORDED = "not recorded"
NOTHING_FAILED = "Nothing failed, as far as it was read, checked and executed."


def called(external_id: str, session_id: str, title: str | None = None) -> str:
    """Return what a session is called: by its title, else as its source calls it, else by its whole id."""
    return title or external_id or session_id


def share(rate: Rate) -> str:
    """Return a rate's share in per cent."""
    return rate.shown_value


def interval(rate: Rate) -> str:
    """Return a rate's 95 % interval in per cent, or the word for why there is none."""
    if rate.interval is None:
        return rate.shown_interval or "–"
    low, high = rate.interval
    return f"{low:.1%} – {high:.1%}"


def basis(rate: Rate) -> str:
    """Return what a rate was counted from: how many things, in how many sessions."""
    within = f" in {counted(rate.clustering.sessions, 'session')}" if rate.clustering else ""
    return f"n = {rate.count:,}{within}"


def out_of(rate: Rate) -> str:
    """Return what a rate was counted from, and its interval, to stand beside its share."""
    if not rate.count:
        return "–"
    within = f" in {counted(rate.clustering.sessions, 'session')}" if rate.clustering else ""
    return f"{rate.successes:,} of {rate.count:,}{within} ({interval(rate)})"


def sessions(rate: Rate) -> int | None:
    """Return how many sessions a rate was counted from; None where nothing says so."""
    return rate.clustering.sessions if rate.clustering else None


def kept(captures: Mapping[Capture, int]) -> str:
    """Return how much was kept of what was rated, the most frequent first; empty where nothing was."""
    most = sorted(captures.items(), key=lambda pair: (-pair[1], pair[0]))
    return " · ".join(f"{capture.said} {count:,}" for capture, count in most)


def known(total: str, of: int, turns: int) -> str:
    """Return what is recorded of turns, with of how many where that is not all of them."""
    if not of:
        return NOT_RECORDED
    return total if of >= turns else f"{total} (of {of:,})"


def milliseconds(took: float | None) -> str:
    """Return a time as people read it; None is not recorded."""
    if took is None:
        return NOT_RECORDED
    return f"{took:,.0f} ms" if took < 1000 else f"{took / 1000:,.1f} s"


def share_of(value: float | None) -> str:
    """Return a share in per cent; None is not recorded."""
    return NOT_RECORDED if value is None else f"{value:.1%}"


def duration(seconds: float | None) -> str:
    """Return how long something lasted, in its two greatest units; empty where that is not recorded."""
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
    """Return a time to the minute; empty where it is not recorded."""
    return f"{at:%Y-%m-%d %H:%M}" if at else ""


def ago(passed: timedelta) -> str:
    """Return how long ago something was, in its greatest unit."""
    seconds = max(0, round(passed.total_seconds()))
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{counted(seconds // size, unit)} ago"
    return "just now"


def dollars(cost: float | None) -> str:
    """Return an amount of money; None is not recorded."""
    return NOT_RECORDED if cost is None else f"${cost:,.2f}" if cost >= 1 or not cost else f"${cost:,.4f}"


def compact(count: int) -> str:
    """Return a large number in few characters: 588,703,736 is 588.7 M."""
    for size, unit in ((10**9, "B"), (10**6, "M"), (10**3, "k")):
        if count >= max(size, 10**4):
            return f"{count / size:,.1f} {unit}"
    return f"{count:,}"


Piece: TypeAlias = str | dict[str, str]
"""A stretch of text as it is, or characters to be drawn as a token: themselves, their code and their name."""

_LAYOUT = "\t\n \u3000"  # what is seen by the room that it takes
_INVISIBLE_CATEGORIES = {"Cc", "Cf", "Zl", "Zp", "Zs"}
# The planes that have any: the others are ideographs, private or empty, and to ask for each of a million took half a second of the first page.
_PLANES_WITH_INVISIBLE = (range(0x20000), range(0xE0000, 0xF0000))
# Letters and marks that have no shape of their own: joiners, fillers, the blank Braille cell, vowels that are not written.
_SHAPELESS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
_SELECTOR_RANGES = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_SELECTORS = "".join(f"{chr(each[0])}-{chr(each[-1])}" for each in _SELECTOR_RANGES)
# A joiner within an emoji and one selector behind a character that it can select a shape of belong to what is seen.
_EMOJI = "[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff]"
_PART_OF_A_SHAPE = rf"(?<={_EMOJI})\u200d(?={_EMOJI})|(?<=\ufe0f)\u200d(?={_EMOJI})|(?<=[^\s\x00-\x22\x24-\x29\x2b-\x2f\x3a-\x7f{_SELECTORS}])\ufe0f"
_IDEOGRAPH_SELECTED = r"(?<=[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"

_MANY = 8  # so many different ones in a row are one token

_CONTROLS = {0: "NUL", 7: "BEL", 8: "BS", 11: "VT", 12: "FF", 13: "CR", 26: "SUB", 27: "ESC", 127: "DEL"}
"""What the control characters that people know by a name are called."""


def pieces(text: str) -> str | list[Piece]:
    """Return a text with its invisible characters apart, to be drawn by ``drawn`` of ``text.js``."""
    found = list(_pieces(text))
    return found if any(isinstance(piece, dict) for piece in found) else text


def tokens(text: str) -> list[dict[str, str | int]]:
    """Return the invisible characters of a text with their places: ``at`` and ``end``, in code points."""
    return [{"at": match.start(), "end": match.end(), **_token(match.group())} for match in _invisible(text)]


def visible(text: str) -> str:
    """Return a text for where nothing but plain text can be shown: a token is its code in brackets."""
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
    """Yield each run of the same invisible character, and each long run of several ones."""
    if text.isascii() and text.isprintable():
        return
    characters, pattern = _patterns()
    if characters.isdisjoint(
        text
    ):  # so it is for most texts: to look for what belongs together takes ten times as long
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
    """Return the characters that may be invisible, and what finds those that are: what belongs to a shape that is seen is found first, and not shown."""
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
    """Return a text of bearable length: names differ at their ends."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 + 1 :]}"
