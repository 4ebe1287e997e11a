"""Which brackets of a valid JSON value the end of the text leaves open: where one value is cut, so are all that it is cut in.

Lists that are opened in each other and never closed are asked for one after the other; without this each would be read on
to the end of the text.
"""

import re
from itertools import pairwise
from json import JSONDecodeError

from actionledger.reading.tolerant_json.valid import SCAN_ERRORS, scan

_BRACKET = re.compile(r'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z))*+(?:([{\[])|([}\]])|\Z)', re.DOTALL)
_BEGINNINGS = frozenset(
    {"-", *(word[:end] for word in ("true", "false", "null") for end in range(len(word)))}
)
_LONGEST_WORD = len("false")
_LEVELS = 500
"""How many levels the C scanner reads at once here; beyond a thousand it gives up."""


class OpenBrackets:
    """What is known of the values of one text that its end cuts through."""

    def __init__(self) -> None:
        self._text = ""
        self._cut = (0, -1)
        self._places: frozenset[int] | None = None

    def note(self, text: str, start: int, end: int) -> None:
        """Note that the value that begins at ``start`` is cut at ``end``; its brackets are looked at when somebody asks."""
        self._text, self._cut, self._places = text, (start, end), None

    def hold(self, start: int, end: int) -> bool:
        """Return whether a bracket of the value noted last begins at ``start`` and is still open at ``end``."""
        first, last = self._cut
        if end != last or start <= first:
            return False
        if self._places is None:
            self._places = frozenset(_left_open(self._text, first, last))
        return start in self._places


def _left_open(text: str, start: int, end: int) -> list[int]:
    """Return where the brackets stand that are open at the end; none if a level beyond the C scanner's is no valid JSON."""
    places: list[int] = []
    for match in _BRACKET.finditer(text, start, end):
        if match[1]:
            places.append(match.start(1))
        elif match[2] and places:
            places.pop()
    bounds = [*places[::_LEVELS], end]
    pieces = (text[at : min(until + 1, end)] for at, until in pairwise(bounds))
    return places if len(bounds) == 2 or all(ends_inside(piece, 0) for piece in pieces) else []


def ends_inside(text: str, start: int) -> bool:
    """Return whether a text may end within the valid value that begins at ``start``, be it one too deep for the C scanner."""
    try:
        _, end = scan(text, start)
    except StopIteration as stopped:
        at = int(stopped.value)
        return text[at : at + _LONGEST_WORD] in _BEGINNINGS
    except JSONDecodeError as error:
        is_escape = error.msg.startswith("Invalid \\") and error.pos >= len(text) - len("\\u0000")
        return error.pos >= len(text) or error.msg.startswith("Unterminated string") or is_escape
    except RecursionError:
        return True
    except SCAN_ERRORS:
        return False
    return bool(end == len(text))
