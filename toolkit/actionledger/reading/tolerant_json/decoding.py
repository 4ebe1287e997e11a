"""Decode one value at a known place: first as valid JSON, then tolerantly, and report remaining doubts."""

from dataclasses import replace
from typing import Any, NoReturn

from actionledger.core.errors import require_kind, require_text
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import faults
from actionledger.reading.tolerant_json.brackets import Rule, Supposition, closes_in_one_run
from actionledger.reading.tolerant_json.contexts import JSON_CLOSERS, open_brackets
from actionledger.reading.tolerant_json.decoded import Decoded, Evidence, moved
from actionledger.reading.tolerant_json.faults import LENIENT, DecodeOptions
from actionledger.reading.tolerant_json.likelier import LikelierReader
from actionledger.reading.tolerant_json.notes import CutError, Notes, RefusedError, reason_for
from actionledger.reading.tolerant_json.patterns import (
    ANOTHER_CONTAINER,
    ANOTHER_VALUE,
    BEHIND_VALUE,
    BLANKS,
    GOES_ON,
    MORE_CLOSERS,
    SCALAR_GOES_ON,
)
from actionledger.reading.tolerant_json.reader import Reader
from actionledger.reading.tolerant_json.valid import read_valid

_CALLS_AGAIN = regex(r"[\"'“”‘’][ \t]*+\)\s*+,\s*+[^\W\d][\w.]*+\(")
"""The end of one call and the start of another: in a string, it shows that the string may have ended before."""

_DOUBTFUL = {RepairKind.MISSING_CLOSER, RepairKind.EXTRA_CLOSER, RepairKind.INNER_QUOTE}


def unless_swallowing(decoded: Decoded) -> Decoded:
    """Return a value, or refuse it if a quote read as part of a string may end it before another call."""
    notes = decoded.evidence.notes
    if not decoded.ok or not isinstance(notes, Notes) or RepairKind.INNER_QUOTE not in notes.kinds():
        return decoded
    for kind, start, end, _ in notes:
        if kind is RepairKind.INNER_QUOTE and _CALLS_AGAIN.search(decoded.evidence.text, start, end):
            offset = decoded.evidence.offset
            span = Span(start + offset, end + offset)
            issue = Issue(Reason.AMBIGUOUS, span, "A string may end before another call.")
            return replace(decoded, ok=False, value=None, issues=(issue,), cut=(), end=span.start)
    return decoded


def with_doubts(decoded: Decoded) -> Decoded:
    """Return a value with an issue if its text has another possible reading."""
    notes = decoded.evidence.notes
    if not decoded.ok or decoded.issues or not isinstance(notes, Notes) or not notes.kinds() & _DOUBTFUL:
        return decoded
    for kind, start, end, _ in notes:
        if kind in _DOUBTFUL and (detail := _doubt(decoded, kind, start, end)):
            offset = decoded.evidence.offset
            issue = Issue(Reason.AMBIGUOUS, Span(start + offset, end + offset), detail)
            return replace(decoded, issues=(issue,))
    return decoded


def _doubt(decoded: Decoded, kind: RepairKind, start: int, end: int) -> str:
    """Return the doubt about a repair of a stretch; empty if there is none."""
    text = decoded.evidence.text
    is_last = end + decoded.evidence.offset >= decoded.end
    if kind is RepairKind.INNER_QUOTE:
        is_doubled = text[start - 1] == text[end - 1] == '"' == text[end : end + 1]
        return "The quotes may be the text's own, or doubled." if is_doubled else ""
    if kind is RepairKind.EXTRA_CLOSER:
        own = "}" if isinstance(decoded.value, dict) else "]"
        is_own = is_last and text[start:end].lstrip().startswith(own)
        return "" if is_own else "The bracket may be one too many, or the one that opens it is missing."
    if start < end or not is_last or closes_in_one_run(decoded.value):
        return ""
    return "A closing bracket is missing: at the end, or before it."


_MOST_DOUBTS = 8
_BEFORE_AN_OPENER = {RepairKind.MISSING_COMMA, RepairKind.MISSING_COLON, RepairKind.MISSING_OPENER}
"""Repairs before a container without an opening bracket; they stay when its first item is dropped."""


def decode(text: str, start: int = 0, *, options: DecodeOptions = LENIENT, end: int | None = None) -> Decoded:
    """Read one JSON value.

    Args:
        text: the text that holds it.
        start: where to begin, in code points; blanks and comments before the value are skipped.
        options: what may be repaired, and the limits.
        end: where the value's writer ended the text, such as before a closing fence. The text beyond it is
            ignored, and brackets still open there were forgotten, not cut off.

    Returns:
        The value with its end, repairs and issues. Never raises on text. Text after the value is not read:
        use ``find_value`` for a value within a text, and ``decode_all`` for several values. An issue reports
        another value that follows, or text between the value and ``end``.

    Example:
        >>> decoded = al.decode('{"a": 1,}')
        >>> decoded.value, [(str(repair.kind), repair.span) for repair in decoded.repairs]
        ({'a': 1}, [('trailing_comma', Span(start=7, end=8))])
    """
    require_text(text)
    require_kind(options, DecodeOptions, "options are DecodeOptions")
    decoded = decode_ahead(text, start, options=options, end=end)
    if not options.likelier or not decoded.ok or decoded.end < start:
        return decoded
    issue = _left_over(text, decoded.end, end)
    return replace(decoded, issues=(*decoded.issues, issue)) if issue else decoded


def decode_ahead(
    text: str, start: int = 0, *, options: DecodeOptions = LENIENT, end: int | None = None
) -> Decoded:
    """Read one value like ``decode``, without checking the text after it."""
    body, at, offset = (text, start, 0) if end is None else (text[start:end], 0, start)
    careful = _decode(body, at, offset, options, is_whole=end is not None)
    if options.calls:
        careful = unless_swallowing(careful)
    if not options.likelier or (careful.ok and not _goes_on(body, careful, offset)):
        return with_doubts(careful) if options.likelier else careful
    return _likelier(careful, body, at, offset, options, is_whole=end is not None)


def _goes_on(text: str, decoded: Decoded, offset: int) -> bool:
    """Return whether a value is incomplete, as a colon or another element with an extra bracket after it shows."""
    end = decoded.end - offset
    if not isinstance(decoded.value, dict | list):
        return SCALAR_GOES_ON.match(text, end) is not None
    is_list = isinstance(decoded.value, list) and ANOTHER_VALUE.match(text, end)
    return bool(is_list) and open_brackets(text, end, len(text))[1] < 0


def _likelier(
    careful: Decoded, text: str, start: int, offset: int, options: DecodeOptions, *, is_whole: bool
) -> Decoded:
    """Read a text without one plain reading in the likelier way, and report the doubts."""
    reading = _Reading(LikelierReader(text, start, options, is_whole=is_whole, is_likelier=True))
    read = _decoded(reading, offset)
    if careful.ok and (not read.ok or read.end <= careful.end):
        issue = Issue(Reason.TEXT_AFTER_VALUE, Span(careful.end, len(text) + offset))
        return replace(careful, issues=(issue,))
    if not read.ok:
        return careful
    doubts = careful.issues if not careful.ok else ()
    others = [issue for issue in read.issues if issue not in doubts]
    return replace(read, issues=(*doubts, *others[:_MOST_DOUBTS]))


def _left_over(text: str, at: int, end: int | None) -> Issue | None:
    """Return an issue if more than blanks and comments follows a value; None otherwise."""
    stop = len(text) if end is None else end
    behind = BEHIND_VALUE.match(text, at, stop)
    assert behind is not None
    rest = behind.end()
    if rest >= stop:
        return None
    if ANOTHER_CONTAINER.match(text, rest, stop):
        return Issue(Reason.SEVERAL_VALUES, Span(rest, stop))
    return Issue(Reason.TEXT_AFTER_VALUE, Span(rest, stop)) if end is not None else None


def _decode(text: str, start: int, offset: int, options: DecodeOptions, *, is_whole: bool) -> Decoded:
    """Read one value of a text that begins at ``offset`` in the one to which all spans refer."""
    at = BLANKS.match(text, start).end()  # type: ignore[union-attr]
    valid = read_valid(text, at, options.max_depth)
    if valid is not None:
        value, end = valid
        seems_closed = not GOES_ON.match(text, end) and not (is_whole and MORE_CLOSERS.match(text, end))
        if seems_closed or not isinstance(value, dict | list):
            evidence = Evidence(text, offset, scanned=((value, at, end),))
            return Decoded(ok=True, value=value, start=at + offset, end=end + offset, evidence=evidence)
    return _decoded(_plainest(text, at, options, is_whole=is_whole), offset)


def _plainest(text: str, start: int, options: DecodeOptions, *, is_whole: bool) -> "_Reading":
    """Read the value in the usual way; if its brackets don't match, in the one way in which they do."""
    usual = _Reading(Reader(text, start, options, is_whole=is_whole))
    if not usual.is_uneven or usual.reader.suspect < 0:
        return usual
    suppositions = [Supposition(rule, usual.reader.suspect) for rule in (Rule.EXTRA, Rule.WRONG)]
    others = [
        _Reading(Reader(text, start, options, is_whole=is_whole, supposition=supposition))
        for supposition in suppositions
    ]
    even = [reading for reading in others if reading.refusal is None and not reading.is_uneven]
    return even[0] if len(even) == 1 else usual


def _decoded(reading: "_Reading", offset: int) -> Decoded:
    """Return a reading's result for a text in which its own begins at ``offset``."""
    reader = reading.reader
    refusal = reading.forbidden() or reading.refusal
    scanned, mended = reader.shortcuts.scanned, reader.shortcuts.mended
    evidence = Evidence(reader.text, offset, reader.notes, reader.opened, scanned, mended)
    if refusal is None:
        issues, end = reader.issues, reader.at
    else:
        issues, end = [refusal], refusal.span.start if refusal.span else reader.at
    return Decoded(
        ok=refusal is None,
        value=reader.root if refusal is None else None,
        start=reader.start + offset,
        end=end + offset,
        issues=tuple(moved(issue, offset) for issue in issues),
        cut=reading.cut if refusal is None else (),
        evidence=evidence,
    )


class _Reading:
    """The result of running a reader.

    Args:
        reader: the reader, which has read nothing yet.

    Attributes:
        refusal: why there is no value; None if there is one.
        cut: the containers that the end of the text left open, outermost first.
        is_uneven: whether its brackets may match if another one is the wrong one.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.refusal: Issue | None = None
        self.cut: tuple[Any, ...] = ()
        self.is_uneven = False
        try:
            self.read()
        except RefusedError as refused:
            self.refusal = refused.issue
            self.is_uneven = reader.suspect >= 0 and refused is not reader.bracket_doubt

    def read(self) -> None:
        """Read the value, or as much of it as the text has."""
        try:
            self.reader.read()
        except CutError:
            if not self.reader.frames:
                self.refuse_outermost()
            self.close_what_is_open()

    def refuse_outermost(self) -> NoReturn:
        """Refuse the value, since no container could hold the complete part."""
        reader = self.reader
        if reader.start >= len(reader.text) or reader.item < 0:
            raise RefusedError(Reason.MALFORMED_JSON, reader.at, reader.at, "There is no value.")
        raise RefusedError(Reason.TRUNCATED, reader.start, len(reader.text))

    def close_what_is_open(self) -> None:
        """End at the end of the text: drop the cut item, close the open containers and report it."""
        reader = self.reader
        end = tail = len(reader.text)
        innermost = reader.frames[-1]
        is_cut = not reader.is_whole or reader.item >= 0 or reader.cut_at >= 0
        self.is_uneven = reader.supposition is not None or Rule.EXTRA in reader.bracket_faults
        if not is_cut:
            self.check_brackets_at_the_end()
        if innermost.comma >= 0 and is_cut:
            tail, innermost.comma = innermost.comma, -1
        elif reader.item >= 0:
            tail = reader.item
            leads_here = _BEFORE_AN_OPENER if innermost.start == tail else ()
            reader.notes.keep(lambda note: note[1] < tail or (note[0] in leads_here and note[2] == tail))
        if tail < end:
            reader.forget_from(tail)
            reader.notes.add(faults.DROPPED_TAIL, tail, end)
        if is_cut:
            self.cut = tuple(frame.value for frame in reader.frames)
            start = tail if reader.cut_at < 0 else reader.cut_at
            reader.issues.append(Issue(Reason.TRUNCATED, Span(start, end)))
        reader.note_last_comma(innermost)
        closers = "".join(JSON_CLOSERS[frame.kind] for frame in reversed(reader.frames))
        while reader.frames:
            reader.leave(reader.pop(), end)
        reader.notes.add(faults.MISSING_CLOSER, end, end, closers)
        reader.at = end

    def check_brackets_at_the_end(self) -> None:
        """Check that the missing brackets were forgotten at the end rather than elsewhere."""
        reader, end = self.reader, len(self.reader.text)
        if self.is_uneven:
            reader.refuse_brackets()
        reader.raise_bracket_doubt()
        if reader.is_likelier:
            return
        if reader.issues:  # with a duplicate key, its object may have been meant to end before it
            raise RefusedError(
                Reason.AMBIGUOUS,
                end,
                end,
                "A closing bracket is missing: here, or before a key that is there twice.",
            )
        if any(reader.is_indented(frame, end) is False for frame in reader.frames):
            raise RefusedError(
                Reason.AMBIGUOUS,
                end,
                end,
                "A closing bracket is missing: here, or where the indentation goes back.",
            )

    def forbidden(self) -> Issue | None:
        """Return the first repair that the options forbid, if no refusal precedes it."""
        refusal, allowed = self.refusal, self.reader.options.repairs
        if self.reader.notes.kinds() <= allowed:
            return None
        forbidden = (note for note in self.reader.notes if note[0] not in allowed)
        first = min(forbidden, key=lambda note: note[1], default=None)
        if first is None:
            return None
        kind, start, end, _ = first
        if refusal is not None and refusal.span is not None and refusal.span.start < start:
            return None
        if kind is RepairKind.MISSING_CLOSER and self.cut:
            return Issue(Reason.TRUNCATED, Span(start, end))
        return Issue(reason_for(kind), Span(start, end))
