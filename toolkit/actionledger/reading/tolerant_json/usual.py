"""Containers all of whose faults are usual ones: rewritten in one run over the text, without a look at their brackets.

A usual fault is mended in one way wherever it stands, so nothing has to be known of the containers around it: whether
the brackets are right, and where the first of them closes, the C scanner says of the result. Where there are many faults
this is about twice as fast as the walk of ``regular``, which knows more, and passes valid containers in one go.
"""

from array import array
from bisect import bisect_left
from itertools import accumulate, islice

from actionledger.reading.tolerant_json.locating import Mended
from actionledger.reading.tolerant_json.notes import Columns, Notes
from actionledger.reading.tolerant_json.stretches import RUN, USUAL
from actionledger.reading.tolerant_json.valid import SCAN_ERRORS, is_deeper, scan

_PIECES_IN_A_CHUNK = 512
_FAR = 1_000
_FIRST_TRIAL, _FURTHER = 16, 8
"""After how many faults what was written is tried, and how many times as many it takes until the next time."""

_FORMS = {(fault.kind, fault.after): group - 1 for group, fault in USUAL.items()}


def read_usual(text: str, start: int, levels: int) -> tuple[Mended | None, Notes, int]:
    """Read the container that begins at ``start``, if all of its faults are usual ones, and the first is near."""
    ahead = RUN.match(text, start, start + _FAR)
    if ahead is None or ahead.lastindex is None:
        return None, Notes(), ahead.end() if ahead else start
    columns = Columns(_FORMS)
    forms, starts, ends = columns.forms, columns.starts, columns.ends
    chunks: list[str] = []
    pieces: list[str] = []
    lengths = array("I", [0])
    copied = stopped = start
    trial = _FIRST_TRIAL
    for run in RUN.finditer(text, start):
        group = run.lastindex
        if group is None:
            stopped = run.end()
            break
        at, stopped = run.span(group)
        forms.append(group - 1)
        starts.append(at)
        ends.append(stopped)
        pieces += (text[copied:at], USUAL[group].write(run[group]))
        copied = stopped
        is_trial = len(starts) == trial
        if is_trial or len(pieces) == _PIECES_IN_A_CHUNK:
            lengths.extend(map(len, pieces))
            chunks.append("".join(pieces))
            pieces.clear()
        if is_trial:
            if _is_settled("".join(chunks)):
                break
            trial *= _FURTHER
    lengths.extend(map(len, pieces))
    chunks += pieces
    chunks.append(text[copied:stopped])
    return _mended("".join(chunks), start, levels, columns, lengths), Notes(columns), stopped


def _is_settled(written: str) -> bool:
    """Return whether what follows can't change what the scanner says: it has seen the container's end, or a fault.

    Whoever asks at each bracket of a text would run over the rest of the text each time.
    """
    try:
        scan(written, 0)
    except StopIteration as error:
        stopped: int = error.value
    except SCAN_ERRORS as error:
        stopped = getattr(error, "pos", 0)
    else:
        return True
    return stopped < len(written.rstrip()) - 1


def _mended(written: str, start: int, levels: int, notes: Columns, lengths: "array[int]") -> Mended | None:
    """Read what was written for a text from ``start`` on."""
    try:
        value, end = scan(written, 0)
    except SCAN_ERRORS:
        return None
    if is_deeper(written, 0, end, value, levels):
        return None
    new = array("I", islice(accumulate(lengths), 0, None, 2))
    old = array("I", [start])
    old.extend(notes.ends)
    mended = Mended(value, written[:end], (new, old), start)
    mended.end = mended.original(end)
    notes.cut(bisect_left(notes.starts, mended.end))
    return mended
