"""Rewrite a container as valid JSON, from fault to fault, and map its places to the original ones."""

from array import array
from bisect import bisect_left
from itertools import accumulate, islice
from json.decoder import JSONDecoder

from actionledger.core.patterns import regex
from actionledger.reading.tolerant_json.decoded import Mended
from actionledger.reading.tolerant_json.faults import FAULTS
from actionledger.reading.tolerant_json.notes import Columns, Fault, Notes
from actionledger.reading.tolerant_json.patterns import GAP, STRING, B
from actionledger.reading.tolerant_json.valid import SCAN_ERRORS, is_deeper, scan, unique

_PIECES_IN_A_CHUNK = 512

# Control characters in strings and the words of non-finite numbers need no rewriting: this scanner accepts them.
_scan = JSONDecoder(object_pairs_hook=unique, strict=False).scan_once  # type: ignore[attr-defined]


class IrregularError(Exception):
    """The text here needs more than its neighbours to be understood."""


class Rewriting:
    """Rewrites the container that begins at ``start``, from its beginning to its end."""

    __slots__ = ("at", "chunks", "copied", "longer", "new", "notes", "old", "pieces", "start", "text")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = self.copied = start
        self.at = start + 1
        self.notes = Notes()
        self.chunks: list[str] = []
        self.pieces: list[str] = []
        self.longer = 0
        self.new = array("I", [0])
        self.old = array("I", [start])

    def mend(self, fault: Fault, start: int, end: int) -> None:
        """Write a fault's replacement and note it."""
        self.notes.recent.append((fault.kind, start, end, fault.after))
        self.replace(start, end, fault.write(self.text[start:end]))

    def replace(self, start: int, end: int, written: str) -> None:
        """Replace a stretch of the text, and continue after it."""
        self.pieces += (self.text[self.copied : start], written)
        self.copied = self.at = end
        if len(written) != end - start:
            self.longer += len(written) - (end - start)
            self.new.append(end + self.longer - self.start)
            self.old.append(end)
        if len(self.pieces) >= _PIECES_IN_A_CHUNK:
            self.chunks.append("".join(self.pieces))
            self.pieces.clear()
            self.notes.pack()

    def mended(self, levels: int) -> Mended:
        """Read the rewritten text."""
        self.pieces.append(self.text[self.copied : self.at])
        written = "".join((*self.chunks, *self.pieces))
        value, end = _scan(written, 0)
        if end != len(written):
            raise IrregularError  # a bracket was closed by one of another kind
        if is_deeper(written, 0, end, value, levels):
            raise IrregularError  # valid stretches were skipped without counting their brackets
        return Mended(value, written, (self.new, self.old), self.at)


_PLAIN_SCALAR = r"(?:-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?|true|false|null)"
_SCALAR = rf"(?:{STRING}|{_PLAIN_SCALAR})"


def _container(value: str) -> str:
    """Return the pattern of a valid container of such values."""
    members = rf'\{{{B}(?:{STRING}{B}:{B}{value}{B}(?:,{B}(?=")|(?=\}})))*+\}}'
    elements = rf"\[{B}(?:{value}{B}(?:,{B}(?=[^\]])|(?=\])))*+\]"
    return rf"(?:{members}|{elements})"


_FLAT = _container(_SCALAR)
_NESTED = _container(rf"(?:{_SCALAR}|{_FLAT})")


_USUAL = [fault for fault in FAULTS if fault.usual]

USUAL = dict(enumerate(_USUAL, 1))
"""The usual faults by the group that finds them."""

OPENS, CLOSES, LOOSE = len(USUAL) + 1, len(USUAL) + 2, len(USUAL) + 3
"""The groups of STEP for an opening bracket, for a closing one with its follower, and for a string without the
colon or comma after it, with the blanks there.
"""

_VALID_SCALAR = rf"{STRING}(?={B}[:,}}\];=/#])|{_PLAIN_SCALAR}(?={B}[,}}\];]|[ \t\r\n]++[/#])"
_VALID = rf"{_VALID_SCALAR}|,(?={GAP}[^\s,;}}\]/#\ufeff\u200b-\u200d\u2060])"
_ANY_USUAL = "|".join(fault.usual for fault in _USUAL)

STEP = regex(
    rf"(?:[ \t\r\n:]*+(?:{_VALID}|{_NESTED}(?={B}[,}}\]])))*+[ \t\r\n:]*+"
    rf"(?:{_ANY_USUAL}|([{{\[])|([}}\]])(?={B}[,}}\]])|((?!\"\"\"){STRING}{B})(?=[\"{{\[\dtfn-]))?"
)
"""Text that needs no repair, whole containers included, and what follows it: a usual fault or a bracket, if any."""

RUN = regex(rf"(?:[ \t\r\n:{{}}\[\]]*+(?:{_VALID}))*+[ \t\r\n:{{}}\[\]]*+(?:{_ANY_USUAL})?")
"""Text that needs no repair, brackets of all kinds included, and the usual fault after it, if any."""


_FAR = 1_000
_FIRST_TRIAL, _FURTHER = 16, 8
"""The number of faults before the rewritten text is first tried, and the factor up to each next trial."""

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
    """Return whether later text can't change the scanner's result, since it has seen the container's end, or a fault.

    Asking at each bracket of a text would run over the rest of the text each time.
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
    """Read the rewritten form of a text from ``start`` on."""
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
