"""One value at a known place: the valid reader first, the tolerant one where that gives up."""

from typing import Any, NoReturn

from actionledger.parsing.scan.options import LENIENT, DecodeOptions
from actionledger.parsing.scan.tolerant.contexts import CLOSERS
from actionledger.parsing.scan.tolerant.decoded import Decoded, Evidence, moved
from actionledger.parsing.scan.tolerant.notes import CutError, RefusedError, reason_for
from actionledger.parsing.scan.tolerant.patterns import BLANKS, GOES_ON, MORE_CLOSERS
from actionledger.parsing.scan.tolerant.reader import Reader
from actionledger.parsing.scan.tolerant.valid import read_valid
from actionledger.values import Issue, Span
from actionledger.vocabulary import Reason, RepairKind

_NON_FINITE = ("NaN", "Infinity", "-Infinity")


def decode(text: str, start: int = 0, *, options: DecodeOptions = LENIENT, end: int | None = None) -> Decoded:
    """Read one JSON value.

    Args:
        text: the text that holds it.
        start: where to begin, in code points; blanks and comments before the value are passed over.
        options: what may be repaired, and the limits.
        end: where the text ends for whoever wrote the value, such as before a closing fence. What stands beyond it is
            not looked at, and brackets that it leaves open were forgotten, not cut off.

    Returns:
        The value with its end, repairs and issues. Text behind the value is left alone. Never raises on text.
    """
    if end is None:
        return _decode(text, start, 0, options, is_whole=False)
    return _decode(text[start:end], 0, start, options, is_whole=True)


def _decode(text: str, start: int, offset: int, options: DecodeOptions, *, is_whole: bool) -> Decoded:
    """Read one value of a text that begins at ``offset`` in the one that all spans are about."""
    at = BLANKS.match(text, start).end()  # type: ignore[union-attr]
    valid = read_valid(text, at, options.max_depth)
    if valid is not None:
        value, end = valid
        seems_closed = not GOES_ON.match(text, end) and not (is_whole and MORE_CLOSERS.match(text, end))
        if seems_closed or not isinstance(value, dict | list):
            evidence = Evidence(text, offset, scanned=((value, at, end),))
            return Decoded(ok=True, value=value, start=at + offset, end=end + offset, evidence=evidence)
    return _Outcome(Reader(text, at, options, is_whole=is_whole), offset).decoded()


class _Outcome:
    """Runs a reader and makes a result of what it leaves behind."""

    def __init__(self, reader: Reader, offset: int) -> None:
        self.reader = reader
        self.offset = offset
        self.cut: tuple[Any, ...] = ()

    def decoded(self) -> Decoded:
        """Read, and say what came of it."""
        reader = self.reader
        refusal: Issue | None = None
        try:
            self.read()
        except RefusedError as refused:
            refusal = refused.issue
        refusal = self.forbidden(refusal) or refusal
        evidence = Evidence(
            reader.text,
            self.offset,
            reader.notes,
            reader.opened,
            reader.shortcuts.scanned,
            reader.shortcuts.mended,
        )
        if refusal is None:
            issues, end = reader.issues, reader.at
        else:
            issues, end = [refusal], refusal.span.start if refusal.span else reader.at
        return Decoded(
            ok=refusal is None,
            value=reader.root if refusal is None else None,
            start=reader.start + self.offset,
            end=end + self.offset,
            issues=tuple(moved(issue, self.offset) for issue in issues),
            cut=self.cut if refusal is None else (),
            evidence=evidence,
        )

    def read(self) -> None:
        """Read the value, or as much of it as the text holds."""
        try:
            self.reader.read()
        except CutError:
            if not self.reader.frames:
                self.refuse_outermost()
            self.close_what_is_open()

    def refuse_outermost(self) -> NoReturn:
        """There is no container that could hold what was complete."""
        reader = self.reader
        if reader.start >= len(reader.text) or reader.item < 0:
            raise RefusedError(Reason.MALFORMED_JSON, reader.at, reader.at, "There is no value.")
        raise RefusedError(Reason.TRUNCATED, reader.start, len(reader.text))

    def close_what_is_open(self) -> None:
        """End at the end of the text: drop the item that it cuts through, close what is open, say so."""
        reader = self.reader
        end = tail = len(reader.text)
        innermost = reader.frames[-1]
        is_cut = not reader.is_whole
        if reader.item >= 0:
            is_cut, tail = True, reader.item
            # What is dropped was not repaired.
            reader.notes[:] = [note for note in reader.notes if note[1] < tail]
            reader.note(RepairKind.DROPPED_TAIL, tail, end, "")
        elif innermost.comma >= 0 and not is_cut:
            reader.note(RepairKind.TRAILING_COMMA, innermost.comma, innermost.comma + 1, "")
        closers = "".join(CLOSERS[frame.kind] for frame in reversed(reader.frames))
        if is_cut:
            self.cut = tuple(frame.value for frame in reader.frames)
            reader.issues.append(Issue(Reason.TRUNCATED, Span(tail, end)))
        while reader.frames:
            reader.leave(reader.frames.pop(), end)
        reader.note(RepairKind.MISSING_CLOSER, end, end, closers)
        reader.at = end

    def forbidden(self, refusal: Issue | None) -> Issue | None:
        """Return the first repair that the options don't allow, if no refusal comes before it."""
        allowed = self.reader.options.repairs
        forbidden = [note for note in self.reader.notes if note[0] not in allowed]
        if not forbidden:
            return None
        kind, start, end, after = min(forbidden, key=lambda note: note[1])
        if refusal is not None and refusal.span is not None and refusal.span.start < start:
            return None
        if kind is RepairKind.MISSING_CLOSER and self.cut:
            return Issue(Reason.TRUNCATED, Span(start, end))
        if kind is RepairKind.LITERAL and after in _NON_FINITE:
            return Issue(Reason.NON_FINITE_NUMBER, Span(start, end))
        return Issue(reason_for(kind), Span(start, end))
