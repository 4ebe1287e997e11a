"""Where a text fits whole lines of a file, if blanks at their ends and the way they end don't count."""

from dataclasses import dataclass

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
