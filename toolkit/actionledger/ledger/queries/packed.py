"""Known turns in few bytes each, since a ledger may have millions of them."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

_NOT_RECORDED = -1


class KnownTurn(NamedTuple):
    """The data of a recorded turn that shows whether another state of it differs."""

    digest: str  # the digest of its text: sixteen hexadecimal digits
    characters: int  # the length of its text, in code points
    call_count: int = 0  # how many calls it has next to the text
    output_tokens: int | None = None  # its output tokens; None if not recorded
    has_cost: bool = False
    place: int = 0  # its place in its session
    session_id: str = ""  # its session; empty for a turn that was in the ledger before


class PackedIds:
    """Sorted UUIDs, sixteen bytes each.

    They are sorted here: DuckDB takes 0.2 KB for each row that it sorts, and a watch asks for all of them again and again.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._upper, self._lower = array("Q"), array("Q")
        for text in texts:
            self._append(text)
        self._sort()

    def _sort(self) -> None:
        columns: dict[str, array[int]] = vars(self)
        order = array("I", sorted(range(len(self)), key=self._upper.__getitem__))
        for name, column in columns.items():
            columns[name] = array(column.typecode, map(column.__getitem__, order))

    def _append(self, text: str) -> None:
        upper, lower = _halves(text)
        self._upper.append(upper)
        self._lower.append(lower)

    def place(self, text: str) -> int | None:
        """Return the position of an identifier; None if it is missing."""
        if not self._upper:
            return None
        upper, lower = _halves(text)
        place = bisect_left(self._upper, upper)
        while place < len(self._upper) and self._upper[place] == upper:
            if self._lower[place] == lower:
                return place
            place += 1
        return None

    def __contains__(self, text: str) -> bool:
        return self.place(text) is not None

    def __len__(self) -> int:
        return len(self._upper)


class PackedTurns(PackedIds):
    """Known turns, sorted by identifier, forty-nine bytes each."""

    def __init__(self, turns: Iterable[tuple[str, KnownTurn]] = ()) -> None:
        super().__init__()
        self._digests, self._characters, self._calls = array("Q"), array("I"), array("I")
        self._tokens, self._have_cost, self._places = array("q"), array("b"), array("q")
        for turn_id, turn in turns:
            self._append(turn_id)
            self._digests.append(int(turn.digest, 16))
            self._characters.append(turn.characters)
            self._calls.append(turn.call_count)
            self._tokens.append(_NOT_RECORDED if turn.output_tokens is None else turn.output_tokens)
            self._have_cost.append(turn.has_cost)
            self._places.append(turn.place)
        self._sort()

    def get(self, turn_id: str) -> KnownTurn | None:
        """Return the known data of a turn; None if it is unknown."""
        place = self.place(turn_id)
        if place is None:
            return None
        tokens = self._tokens[place]
        return KnownTurn(
            f"{self._digests[place]:016x}",
            self._characters[place],
            self._calls[place],
            None if tokens == _NOT_RECORDED else tokens,
            bool(self._have_cost[place]),
            self._places[place],
        )


class PackedResults(PackedIds):
    """Digests of the results of turns' calls as earlier rules classified them, sorted by the turn's identifier, twenty-four bytes each."""

    def __init__(self, turns: Iterable[tuple[str, str]] = ()) -> None:
        super().__init__()
        self._digests = array("Q")
        for turn_id, said in turns:
            self._append(turn_id)
            self._digests.append(int(said, 16))
        self._sort()

    def get(self, turn_id: str) -> str:
        """Return the digest of a turn's results; empty if no earlier rules classified them."""
        place = self.place(turn_id)
        return "" if place is None else f"{self._digests[place]:016x}"


def _halves(text: str) -> tuple[int, int]:
    whole = int(text.replace("-", ""), 16)
    return whole >> 64, whole & 0xFFFF_FFFF_FFFF_FFFF
