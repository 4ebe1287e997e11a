"""Edits of a text: each finds its place in one plain way, by whole lines at most, or is refused with the nearest lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace as with_fields
from enum import StrEnum
from itertools import islice

from rapidfuzz import fuzz, process

from actionledger.core.errors import ActionError
from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.patterns import replace_pattern
from actionledger.runtime.workspace.texts import BOM, SECRETS_ARE_MASKED, is_masked, line_end, with_line_ends

_MOST_NAMED = 5
"""How many places an error names."""


class Places(StrEnum):
    """Which of the places that fit are changed."""

    FIRST = "first"
    ONLY = "only"
    EVERY = "every"


@dataclass(frozen=True, slots=True)
class Edit:
    r"""One change of a text.

    In a file whose lines all end alike, line ends of ``search`` and ``replace`` count as the file's own.

    Args:
        search: what to look for, as it stands in the file; with ``is_pattern``, a regular expression of Python. Empty
            only for a file that is empty or missing: then ``replace`` is all of it.
        replace: what to put there; with ``is_pattern``, a template with groups such as ``\1``.
        places: whether the first place is changed, every one, or the only one: more than one is then refused.
        is_pattern: whether ``search`` is a regular expression.
    """

    search: str
    replace: str
    places: Places = Places.FIRST
    is_pattern: bool = False

    @classmethod
    def block(cls, search: str, replace: str) -> "Edit":
        """Return the edit that a SEARCH/REPLACE block means: at the one place where it fits."""
        return cls(search, replace, Places.ONLY)


@dataclass(frozen=True, slots=True)
class Edited:
    """The result of one edit.

    Args:
        line: the line of the first place that was changed, from 1.
        occurrences: how many places fitted.
        changed: how many of them were changed.
        is_exact: whether they fitted to the character; if not, trailing blanks or line ends differed.
    """

    line: int
    occurrences: int
    changed: int
    is_exact: bool = True


@dataclass(frozen=True, slots=True)
class EditBounds:
    """The limits of editing one file.

    Args:
        characters: the most that the text may grow to.
        seconds: the longest that one regular expression may take.
    """

    characters: int
    seconds: float


def edited_text(path: str, text: str, edits: Sequence[Edit], bounds: EditBounds) -> tuple[str, list[Edited]]:
    """Return a text with edits made one after the other, and what came of each."""
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
    """Return an edit as it applies to a text whose line ends were all made plain."""
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
    raise ActionError(Reason.NO_MATCH, message + nearest_lines(text, search))


_LINE = regex(r"(?P<number>[ \t]*+\d++(?:\t|\|[ \t]))?+(?P<text>[^\n]*+)")


def _without_numbers(search: str) -> str:
    """Return a text without the numbers that its lines are told with; as it is where a line that is not blank has none."""
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
    """Yield the line of each place where a text occurs, from 1; places may overlap."""
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
"""How many lines are shown."""

_LONGEST_LINE = 200
"""How much of a line is compared and shown, in characters."""

_MOST_COMPARED = 20_000
"""How many lines of the file are looked at."""

_CANDIDATES = 5
"""How many lines that are like the search's longest one are tried as its place."""

_LEAST = 55.0
"""The least likeness that is worth showing, in percent."""


def nearest_lines(text: str, search: str) -> str:
    """Return the lines of a text that are most like a search text, numbered; empty where none are alike."""
    lines = [line[:_LONGEST_LINE].rstrip() for line in text.split("\n", _MOST_COMPARED)[:_MOST_COMPARED]]
    wanted = [line[:_LONGEST_LINE].strip() for line in search.strip().split("\n")[:_MOST_LINES]]
    longest = max(range(len(wanted)), key=lambda number: len(wanted[number]))
    # A single line may have been meant as a part of one.
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
    """A run of whole lines.

    Args:
        line: the first of them, from 1.
        start: where it begins, in code points.
        end: where the run ends: behind the last line's break where the search ended with one, else before it.
        keeps_break: whether what is put there ends with a line break as the search did.
    """

    line: int
    start: int
    end: int
    keeps_break: bool


def whole_line_places(text: str, search: str) -> list[LinesPlace]:
    """Return the places where whole lines are those of a search, trailing blanks and line ends aside."""
    if not search.strip():
        return []
    wanted = search.split("\n")
    with_break = wanted[-1].strip(_BLANKS) == ""
    if with_break:
        wanted.pop()
    lines = text.split("\n")
    # Both as one string between line breaks, so that one fast search compares whole lines only.
    plain, needle = _joined(lines), _joined(wanted)
    places = []
    at = plain.find(needle)
    while at >= 0:
        places.append(_place(text, lines, plain.count("\n", 0, at), len(wanted), with_break=with_break))
        at = plain.find(needle, at + 1)
    return places


def replace_lines(text: str, place: LinesPlace, replacement: str) -> str:
    """Return a text with other lines in a place; a last line without a break stays without one."""
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
