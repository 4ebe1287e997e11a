"""What is read in the one usual way and might be read in another all the same: an issue for whoever asks for such."""

import re
from dataclasses import replace

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json.brackets import closes_in_one_run
from actionledger.reading.tolerant_json.decoded import Decoded
from actionledger.reading.tolerant_json.notes import Notes

_CALLS_AGAIN = re.compile(r"[\"'“”‘’][ \t]*+\)\s*+,\s*+[^\W\d][\w.]*+\(")
"""What ends one call and begins another: within a string it says that the string may have ended before."""

_DOUBTFUL = {RepairKind.MISSING_CLOSER, RepairKind.EXTRA_CLOSER, RepairKind.INNER_QUOTE}


def unless_swallowing(decoded: Decoded) -> Decoded:
    """Return a value as it is, or refused where quotes that were taken for a string's own may end it before another call."""
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
    """Return a value with the issue that says where its text might be read in another way, if it might."""
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
    """Return what is in doubt about a repair of a stretch; empty if nothing is."""
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
