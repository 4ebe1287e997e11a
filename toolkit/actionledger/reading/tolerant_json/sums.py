"""Strings that are written as a sum: ``"a" + "b"``."""

from actionledger.core.vocabulary import RepairKind
from actionledger.reading.tolerant_json import faults, words
from actionledger.reading.tolerant_json.state import State

_WIDTHS = {RepairKind.QUOTES: 1, RepairKind.TRIPLE_QUOTES: 3}
_NOTES_OF_A_STRING = 8  # on its prefix, its quotes and what is in it, and on the sum that it ends


def read_sum(state: State, left: str, end: int) -> str:
    """Read strings that are added to one another as one string.

    The quotes between two of them belong to the repair that joins them, and to no other one.
    """
    parts = [left]
    while plus := faults.CONCATENATION.looks.match(state.text, end):
        closing = _give_up_last_quote(state, end)
        state.at = plus.end()
        parts.append(words.read_string(state))
        end = state.at
        state.notes.add(faults.CONCATENATION, closing, _give_up_first_quote(state, plus.end()))
        state.notes.pack()
    return "".join(parts)


def _last_notes(state: State) -> range:
    """Return the places of the notes among which those on the last string are."""
    count = len(state.notes.recent)
    return range(max(0, count - _NOTES_OF_A_STRING), count)


def _give_up_last_quote(state: State, end: int) -> int:
    """Take the closing quote of a string out of the note of its quotes, if there is one; return where it stands."""
    for index in _last_notes(state):
        kind, start, stop, _ = state.notes.recent[index]
        if kind in _WIDTHS and stop == end:
            stop -= _WIDTHS[kind]
            _cut_note(state, index, start, stop, slice(0, -1))
            return stop
    return end - 1


def _give_up_first_quote(state: State, start: int) -> int:
    """Take the opening quote of a string out of the note of its quotes, if there is one; return where its text begins."""
    for index in _last_notes(state):
        kind, begin, stop, _ = state.notes.recent[index]
        if kind in _WIDTHS and begin == start:
            begin += _WIDTHS[kind]
            _cut_note(state, index, begin, stop, slice(1, None))
            return begin
    return start + 1


def _cut_note(state: State, index: int, start: int, end: int, kept: slice) -> None:
    """Let a note be about less: the rest of its stretch, and of what that was read as; drop it where that is the same."""
    kind, begin, stop, after = state.notes.recent[index]
    whole = after if isinstance(after, str) else after(state.text[begin:stop])
    if state.text[start:end] == whole[kept]:
        del state.notes.recent[index]
    else:
        state.notes.recent[index] = (kind, start, end, whole[kept])
