"""A container written anew as valid JSON: what is copied, what stands for its faults, and which place was which."""

from array import array
from json.decoder import JSONDecoder

from actionledger.reading.tolerant_json.locating import Mended
from actionledger.reading.tolerant_json.notes import Fault, Notes
from actionledger.reading.tolerant_json.valid import is_deeper, unique

_PIECES_IN_A_CHUNK = 512

# Control characters in strings and the words of non-finite numbers need no rewriting: this scanner takes them.
_scan = JSONDecoder(object_pairs_hook=unique, strict=False).scan_once  # type: ignore[attr-defined]


class IrregularError(Exception):
    """What stands here takes more than its neighbours to understand."""


class Rewriting:
    """Writes the container that begins at ``start``, from its beginning to its end.

    Attributes:
        at: how far it has come.
        copied: the end of what was changed last.
        notes: the faults that were changed.
    """

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
        """Write what a fault is read as, and note that."""
        self.notes.recent.append((fault.kind, start, end, fault.after))
        self.replace(start, end, fault.write(self.text[start:end]))

    def replace(self, start: int, end: int, written: str) -> None:
        """Write something else for a stretch of the text, and go on behind it."""
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
        """Read what was written."""
        self.pieces.append(self.text[self.copied : self.at])
        written = "".join((*self.chunks, *self.pieces))
        value, end = _scan(written, 0)
        if end != len(written):
            raise IrregularError  # a bracket was closed by one of another kind
        if is_deeper(written, 0, end, value, levels):
            raise IrregularError  # valid stretches were passed without counting their brackets
        return Mended(value, written, (self.new, self.old), self.at)
