"""Edit a text: each edit matches exactly or by whole lines, or is refused with the nearest lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace as with_fields
from enum import StrEnum
from html import unescape
from itertools import islice

from rapidfuzz import fuzz, process

from actionledger.core.errors import ActionError
from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.search import replace_pattern
from actionledger.runtime.workspace.texts import BOM, SECRETS_ARE_MASKED, is_masked, line_end, with_line_ends

_MOST_NAMED = 5
"""The maximum number of matches that an error lists."""


class Places(StrEnum):
    """Which of the matches are changed."""

    FIRST = "first"
    ONLY = "only"
    EVERY = "every"


@dataclass(frozen=True, slots=True)
class Edit:
    r"""A change to a text.

    If all lines in a file end alike, line ends in ``search`` and ``replace`` are converted to the file's.
    """

    # the text to search for, as in the file; with `is_pattern`, a Python regular expression. Empty only for an empty or missing file, whose whole content is then `replace`
    search: str
    replace: str  # the new text; with `is_pattern`, a template with groups such as `\1`
    # whether to change the first match, every match, or the only one; the last refuses several matches
    places: Places = Places.FIRST
    is_pattern: bool = False  # whether `search` is a regular expression

    @classmethod
    def block(cls, search: str, replace: str) -> "Edit":
        """Return the edit of a SEARCH/REPLACE block, which must match exactly once."""
        return cls(search, replace, Places.ONLY)


@dataclass(frozen=True, slots=True)
class Edited:
    """The result of one edit."""

    line: int  # the line of the first changed match, from 1
    occurrences: int  # the number of matches
    changed: int  # the number of changed matches
    is_exact: bool = True  # whether they matched exactly; if not, trailing whitespace or line ends differed


@dataclass(frozen=True, slots=True)
class EditBounds:
    """Limits on editing one file."""

    characters: int  # the maximum length of the new text
    seconds: float  # the time limit of one regular expression, in seconds


def edited_text(path: str, text: str, edits: Sequence[Edit], bounds: EditBounds) -> tuple[str, list[Edited]]:
    """Return a text after a series of edits, and the result of each edit."""
    mark = BOM if text.startswith(BOM) else ""
    body, results = text.removeprefix(BOM), []
    end = line_end(body)
    if end:
        body = with_line_ends(body, "\n")
    for number, edit in enumerate(edits, 1):
        try:
            body, result = _edited(path, body, _in_line_ends(edit, end), bounds)
        except ActionError as error:
            which = f"Edit {number} of {len(edits)}: " if len(edits) > 1 else ""
            raise ActionError(error.reason, f"{which}{error}") from None
        results.append(result)
    return mark + with_line_ends(body, end), results


def _in_line_ends(edit: Edit, end: str | None) -> Edit:
    """Return an edit for a text whose line ends were normalised."""
    if end is None:
        return edit
    return with_fields(
        edit, search=with_line_ends(edit.search, "\n"), replace=with_line_ends(edit.replace, "\n")
    )


def _edited(path: str, text: str, edit: Edit, bounds: EditBounds) -> tuple[str, Edited]:
    if edit.is_pattern:
        return _by_pattern(path, text, edit, bounds)
    if not edit.search:
        return _filled(path, text, edit)
    if edit.search in text:
        return _by_text(path, text, edit, bounds)
    places = whole_line_places(text, edit.search)
    if len(places) > 1:
        raise _several(path, [place.line for place in places[:_MOST_NAMED]], len(places))
    if places:
        after = replace_lines(text, places[0], edit.replace)
        return after, Edited(places[0].line, 1, 1, is_exact=False)
    message = f"The search text does not occur in {path!r}. Copy it exactly as it stands in the file."
    if is_masked(text, edit.search):
        message += SECRETS_ARE_MASKED
    search = _without_numbers(edit.search)
    if search != edit.search:
        message += " The numbers before its lines are not part of the file: leave them out."
    for odd, meant in ((_A_FENCE, _without_fence(search)), (_ESCAPES, unescape(search))):
        if meant != search and meant.strip() in text:
            message, search = message + odd, meant
    raise ActionError(Reason.NO_MATCH, message + nearest_lines(text, search))


_A_FENCE = " The markdown fence around it is not part of the file: leave it out."
_ESCAPES = " Its signs are escaped, and those of the file are not: write them as they are."
_FENCE = regex(r"\s*+(?P<marks>```|~~~)[\w+-]*+[ \t]*+\n(?P<text>.*?)\n?(?P=marks)\s*+", re.DOTALL)


def _without_fence(search: str) -> str:
    fenced = _FENCE.fullmatch(search)
    return fenced["text"] if fenced else search


_LINE = regex(r"(?P<number>[ \t]*+\d++(?:\t|\|[ \t]))?+(?P<text>[^\n]*+)")


def _without_numbers(search: str) -> str:
    """Return a text without line numbers at its lines; unchanged if a non-blank line has no number."""
    lines = [_LINE.match(line) for line in search.split("\n")]
    found = [line for line in lines if line]
    if not all(line["number"] or not line["text"].strip() for line in found):
        return search
    return "\n".join(line["text"] for line in found)


def _filled(path: str, text: str, edit: Edit) -> tuple[str, Edited]:
    if text:
        message = f"The search text is empty, and {path!r} is not. Say which text to replace."
        raise ActionError(Reason.NO_MATCH, message)
    return edit.replace, Edited(1, 1, 1)


def _by_text(path: str, text: str, edit: Edit, bounds: EditBounds) -> tuple[str, Edited]:
    at = text.find(edit.search)
    if edit.places is Places.ONLY and text.find(edit.search, at + 1) >= 0:
        lines = list(islice(_lines_of(text, edit.search), _MOST_NAMED + 1))
        raise _several(path, lines[:_MOST_NAMED], len(lines))
    occurrences = text.count(edit.search)
    changed = occurrences if edit.places is Places.EVERY else 1
    if len(text) + changed * (len(edit.replace) - len(edit.search)) > bounds.characters:
        raise _grown(path, bounds)
    after = text.replace(edit.search, edit.replace, changed)
    return after, Edited(_line_at(text, at), occurrences, changed)


def _by_pattern(path: str, text: str, edit: Edit, bounds: EditBounds) -> tuple[str, Edited]:
    found = replace_pattern(
        text,
        edit.search,
        edit.replace,
        every=edit.places is Places.EVERY,
        characters=bounds.characters,
        seconds=bounds.seconds,
    )
    if not found.starts:
        message = f"The regular expression fits nowhere in {path!r}. Read the file, or search for plain text."
        raise ActionError(Reason.NO_MATCH, message)
    if edit.places is Places.ONLY and found.count > 1:
        raise _several(path, [_line_at(text, start) for start in found.starts], found.count)
    if found.text is None:
        raise _grown(path, bounds)
    changed = found.count if edit.places is Places.EVERY else 1
    return found.text, Edited(_line_at(text, found.starts[0]), found.count, changed)


def _line_at(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _lines_of(text: str, search: str) -> Iterator[int]:
    """Yield the line number of each match of a text, from 1; matches may overlap."""
    at = text.find(search)
    while at >= 0:
        yield _line_at(text, at)
        at = text.find(search, at + 1)


def _several(path: str, lines: list[int], count: int) -> ActionError:
    where = ", ".join(map(str, lines)) + (" and others" if count > len(lines) else "")
    message = (
        f"The search text fits {path!r} in more than one place (lines {where}). "
        "Add lines before or behind it until it fits one."
    )
    return ActionError(Reason.SEVERAL_MATCHES, message)


def _grown(path: str, bounds: EditBounds) -> ActionError:
    message = f"{path!r} would grow beyond {bounds.characters:,} characters."
    return ActionError(Reason.TOO_LARGE, message)


_MOST_LINES = 12
"""The maximum number of lines shown."""

_LONGEST_LINE = 200
"""The maximum length of a line that is compared and shown, in characters."""

_MOST_COMPARED = 20_000
"""The maximum number of the file's lines that are compared."""

_CANDIDATES = 5
"""The number of lines similar to the search's longest line that are tried."""

_LEAST = 55.0
"""The minimum similarity worth showing, in percent."""


def nearest_lines(text: str, search: str) -> str:
    """Return the lines of a text most similar to a search text, numbered; empty if none are similar."""
    lines = [line[:_LONGEST_LINE].rstrip() for line in text.split("\n", _MOST_COMPARED)[:_MOST_COMPARED]]
    wanted = [line[:_LONGEST_LINE].strip() for line in search.strip().split("\n")[:_MOST_LINES]]
    longest = max(range(len(wanted)), key=lambda number: len(wanted[number]))
    # A single line may be meant as a part of a line.
    scorer = fuzz.ratio if len(wanted) > 1 else fuzz.partial_ratio
    stripped = [line.strip() for line in lines]
    alike = process.extract(
        wanted[longest], stripped, scorer=scorer, processor=None, limit=_CANDIDATES, score_cutoff=_LEAST
    )
    places = {max(0, place - longest) for line, _, place in alike if line}
    if not places:
        return ""
    best = max(
        sorted(places),
        key=lambda place: scorer("\n".join(wanted), "\n".join(stripped[place : place + len(wanted)])),
    )
    shown = lines[best : best + len(wanted)]
    numbered = "\n".join(f"{number}| {line}" for number, line in enumerate(shown, best + 1))
    return f" The nearest lines are:\n{numbered}"


_BLANKS = " \t\r"


@dataclass(frozen=True, slots=True)
class LinesPlace:
    """A sequence of whole lines."""

    line: int  # its first line, from 1
    start: int  # its start, in code points
    # its end, in code points: after the last line break if the search ended with one, else before it
    end: int
    # whether the replacement keeps its final line break; False if the match ends at the end of a text without one
    keeps_break: bool


def whole_line_places(text: str, search: str) -> list[LinesPlace]:
    """Return the matches of a search's whole lines, regardless of trailing whitespace and line ends."""
    if not search.strip():
        return []
    wanted = search.split("\n")
    with_break = wanted[-1].strip(_BLANKS) == ""
    if with_break:
        wanted.pop()
    lines = text.split("\n")
    # Both texts start and end with a line break, so that one fast string search only matches whole lines.
    plain, needle = _joined(lines), _joined(wanted)
    places = []
    at = plain.find(needle)
    while at >= 0:
        places.append(_place(text, lines, plain.count("\n", 0, at), len(wanted), with_break=with_break))
        at = plain.find(needle, at + 1)
    return places


def replace_lines(text: str, place: LinesPlace, replacement: str) -> str:
    """Return a text with a sequence of lines replaced; a last line without a line break gets none."""
    if not place.keeps_break:
        replacement = replacement.removesuffix("\n").removesuffix("\r")
    return text[: place.start] + replacement + text[place.end :]


def _joined(lines: list[str]) -> str:
    return "\n" + "\n".join(line.rstrip(_BLANKS) for line in lines) + "\n"


def _place(text: str, lines: list[str], first: int, count: int, *, with_break: bool) -> LinesPlace:
    start = sum(len(line) + 1 for line in lines[:first])
    behind = start + sum(len(line) + 1 for line in lines[first : first + count])
    if with_break:
        return LinesPlace(first + 1, start, min(behind, len(text)), keeps_break=behind <= len(text))
    end = behind - 1
    end -= lines[first + count - 1].endswith("\r")
    return LinesPlace(first + 1, start, end, keeps_break=True)
