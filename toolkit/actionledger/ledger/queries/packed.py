"""What is known of turns, held in few bytes: a ledger may have millions of them."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

_NOT_RECORDED = -1


class KnownTurn(NamedTuple):
    """What a turn that is recorded is told from another state of it by.

    Args:
        digest: of its text: sixteen hexadecimal digits.
        characters: how long that is, in code points.
        call_count: how many calls stood beside it.
        output_tokens: how many it took; None if not recorded.
        has_cost: whether it is known what it cost.
    """

    digest: str
    characters: int
    call_count: int = 0
    output_tokens: int | None = None
    has_cost: bool = False


class PackedIds:
    """Identifiers, sixteen bytes each.

    Args:
        texts: UUIDs, in their order.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._upper, self._lower = array("Q"), array("Q")
        for text in texts:
            self._append(text)

    def _append(self, text: str) -> None:
        upper, lower = _halves(text)
        self._upper.append(upper)
        self._lower.append(lower)

    def place(self, text: str) -> int | None:
        """Return where an identifier stands; None where it is none of them."""
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
    """What is known of turns, forty-one bytes each.

    Args:
        turns: each turn's identifier and what is known of it, in the order of the identifiers.
    """

    def __init__(self, turns: Iterable[tuple[str, KnownTurn]] = ()) -> None:
        super().__init__()
        self._digests, self._characters, self._calls = array("Q"), array("I"), array("I")
        self._tokens, self._have_cost = array("q"), array("b")
        for turn_id, turn in turns:
            self._append(turn_id)
            self._digests.append(int(turn.digest, 16))
            self._characters.append(turn.characters)
            self._calls.append(turn.call_count)
            self._tokens.append(_NOT_RECORDED if turn.output_tokens is None else turn.output_tokens)
            self._have_cost.append(turn.has_cost)

    def get(self, turn_id: str) -> KnownTurn | None:
        """Return what is known of a turn; None where nothing is."""
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
        )


class PackedResults(PackedIds):
    """What was told of the results of turns by an earlier version's judgement, twenty-four bytes each.

    Args:
        turns: each turn's identifier and the digest of what came of its calls, in the order of the identifiers.
    """

    def __init__(self, turns: Iterable[tuple[str, str]] = ()) -> None:
        super().__init__()
        self._digests = array("Q")
        for turn_id, said in turns:
            self._append(turn_id)
            self._digests.append(int(said, 16))

    def get(self, turn_id: str) -> str:
        """Return the digest of a turn's results; empty where no earlier version has judged them."""
        place = self.place(turn_id)
        return "" if place is None else f"{self._digests[place]:016x}"


def _halves(text: str) -> tuple[int, int]:
    whole = int(text.replace("-", ""), 16)
    return whole >> 64, whole & 0xFFFF_FFFF_FFFF_FFFF
