"""What came of broken values: a model that goes round in circles writes the same one thousands of times, and it is read once."""

from collections.abc import Callable

from actionledger.reading.tolerant_json import Decoded
from actionledger.reading.tolerant_json.options import DecodeOptions

_LONGEST = 200
"""How long a value is that is remembered, in code points: what is longer than that comes less often."""

_MOST = 1_000
"""How many are remembered of one text."""


class BrokenValues:
    """The broken values of one text that hold nothing: those that can't be read, and empty ones.

    One that holds something is read again each time, for what is in it belongs to one action alone.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Decoded] = {}

    def read(
        self,
        text: str,
        start: int,
        reach: tuple[int | None, int],
        options: DecodeOptions,
        read: Callable[[], Decoded],
    ) -> Decoded:
        """Return what comes of a broken value."""
        closer, bound = reach
        if bound - start > _LONGEST or bound >= len(text):
            return read()
        asked = text[start:bound], None if closer is None else closer - start, options
        if known := self._known.get(asked):
            return known.moved(start)
        found = read()
        if _is_empty(found.value) and len(self._known) < _MOST:
            self._known[asked] = found.moved(-start)
        return found


def _is_empty(value: object) -> bool:
    """Return whether a value holds nothing that an action could be made of."""
    return not value or (isinstance(value, list) and not any(value))
