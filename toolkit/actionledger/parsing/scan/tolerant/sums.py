"""Strings that are written as a sum: ``"a" + "b"``."""

from actionledger.parsing.scan.tolerant import words
from actionledger.parsing.scan.tolerant.patterns import PLUS_QUOTE
from actionledger.parsing.scan.tolerant.state import State
from actionledger.vocabulary import RepairKind

_WIDTHS = {RepairKind.QUOTES: 1, RepairKind.TRIPLE_QUOTES: 3}


def read_sum(state: State, left: str, start: int, end: int) -> str:
    """Read strings that are added to one another as one string.

    The quotes between two of them belong to the repair that joins them, and to no other one.

    Args:
        state: where reading stands; its last notes are about the first string.
        left: the first string.
        start: where its item begins, or the comma before it stands.
        end: where it ends.
    """
    parts = [left]
    since = len(state.notes)
    while since and state.notes[since - 1][1] >= start:
        since -= 1
    while plus := PLUS_QUOTE.match(state.text, end):
        closing = _give_up_last_quote(state, since, end)
        state.at = plus.end()
        since = len(state.notes)
        parts.append(words.read_string(state))
        end = state.at
        state.note(RepairKind.CONCATENATION, closing, _give_up_first_quote(state, since, plus.end()), "")
    return "".join(parts)


def _give_up_last_quote(state: State, since: int, end: int) -> int:
    """Take the closing quote of a string out of the note of its quotes, if there is one; return where it stands."""
    for index in range(since, len(state.notes)):
        kind, start, stop, _ = state.notes[index]
        if kind in _WIDTHS and stop == end:
            stop -= _WIDTHS[kind]
            _cut_note(state, index, start, stop, slice(0, -1))
            return stop
    return end - 1


def _give_up_first_quote(state: State, since: int, start: int) -> int:
    """Take the opening quote of a string out of the note of its quotes, if there is one; return where its text begins."""
    for index in range(since, len(state.notes)):
        kind, begin, stop, _ = state.notes[index]
        if kind in _WIDTHS and begin == start:
            begin += _WIDTHS[kind]
            _cut_note(state, index, begin, stop, slice(1, None))
            return begin
    return start + 1


def _cut_note(state: State, index: int, start: int, end: int, kept: slice) -> None:
    """Let a note be about less: the rest of its stretch, and of what that was read as."""
    kind, begin, stop, after = state.notes[index]
    whole = after if isinstance(after, str) else after(state.text[begin:stop])
    if start == end and not whole[kept]:
        del state.notes[index]
    else:
        state.notes[index] = (kind, start, end, whole[kept])
