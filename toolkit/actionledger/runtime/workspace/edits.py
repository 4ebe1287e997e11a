"""Changing a text in places: each edit finds its place in one plain way, or is refused with what comes near."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace as with_fields
from enum import StrEnum
from itertools import islice

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.masks import SECRETS_ARE_MASKED, is_masked
from actionledger.runtime.workspace.nearest import nearest_lines
from actionledger.runtime.workspace.patterns import replace_pattern
from actionledger.runtime.workspace.texts import BOM, line_end, with_line_ends
from actionledger.runtime.workspace.whole_lines import replace_lines, whole_line_places

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
    """What came of one edit.

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
class Bounds:
    """What editing one file may come to.

    Args:
        characters: the most that the text may grow to.
        seconds: the longest that one regular expression may take.
    """

    characters: int
    seconds: float


def edited_text(path: str, text: str, edits: Sequence[Edit], bounds: Bounds) -> tuple[str, list[Edited]]:
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


def _edited(path: str, text: str, edit: Edit, bounds: Bounds) -> tuple[str, Edited]:
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
    raise ActionError(Reason.NO_MATCH, message + nearest_lines(text, edit.search))


def _filled(path: str, text: str, edit: Edit) -> tuple[str, Edited]:
    if text:
        message = f"The search text is empty, and {path!r} is not. Say which text to replace."
        raise ActionError(Reason.NO_MATCH, message)
    return edit.replace, Edited(1, 1, 1)


def _by_text(path: str, text: str, edit: Edit, bounds: Bounds) -> tuple[str, Edited]:
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


def _by_pattern(path: str, text: str, edit: Edit, bounds: Bounds) -> tuple[str, Edited]:
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


def _grown(path: str, bounds: Bounds) -> ActionError:
    message = f"{path!r} would grow beyond {bounds.characters:,} characters."
    return ActionError(Reason.TOO_LARGE, message)
