"""Blocks of a JSON format under another label, or without any fence: when it is plain that they were meant.

The label says that a block is meant; where it is missing, the value has to say so itself. It does if it begins as the
format's values begin, one of its actions has a name that looks like one (or that was offered, where it is known what was),
and the response has no block with the right label: whoever writes that one knows it, and shows the other.
"""

import re
from collections.abc import Iterator

from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import RepairKind
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.scan.line_starts import LineStart
from actionledger.reading.scan.openings import (
    LIST_MARKERS,
    Opening,
    OpeningKind,
    begins_on_its_line,
    text_before,
)

SPELLINGS = frozenset({"jsonc", "json5", "jsonl", "hjson", "javascript", "js", "typescript", "ts"})
"""The labels of the languages that JSON is written in with more freedom."""

OTHER_LABELS = SPELLINGS | {"", "json", "text", "txt", "plaintext"}
"""What models write above JSON that has a label of its own."""

_INFO = re.compile(r"[ \t]*+[`~]++[ \t]*+(?P<info>[^\r\n]*?)[ \t]*+(?:\r?\n|\Z)")
_ENDS_LINE = re.compile(r"[ \t]*+(?:\r?\n|\Z)")
_GOES_ON = re.compile(r"[=(\[{][ \t]*+\r?\n[ \t]*+\Z")
PARAGRAPH_ENDS = re.compile(r"(?:\r\n|\n)[ \t]*+(?=\r?\n)")
"""Where a blank line ends a paragraph."""

_QUOTE = r"""["'“”‘’`]?+"""
COMMENTS = r"(?:\s*+(?:(?://|#)[^\n]*+\n|/\*(?:[^*]|\*(?!/)){0,500}+\*/))*+\s*+"
"""What may stand before a value in a fence whose language has comments."""


def loosely(beginning: str) -> str:
    """Return the pattern of what a value begins with, in any quotes or none, with comments behind its brackets."""
    return beginning.replace('"', _QUOTE).replace(r"\{\s*+", r"\{" + COMMENTS)


def fence_before(labels: frozenset[str], value: str) -> LineStart:
    """Return the pattern of an opening fence with one of these labels and the beginning of a value in it."""
    alternatives = "|".join(sorted(map(re.escape, labels), reverse=True))
    label = rf"(?:`{{3,}}+|~{{3,}}+)[ \t]*+(?i:{alternatives})(?![\w-])[^`\n]*+\n"
    return LineStart(rf"{LIST_MARKERS}[ \t]*+{label}\s*+{value}")


def label_repair(text: str, opening: Opening, label: str) -> Repair:
    """Return the repair that gives a fence its label."""
    if opening.kind is OpeningKind.EMBEDDED:
        start = opening.start + len(opening.mark)
        span = Span(start, start + len(opening.label))
    else:
        info = _INFO.match(text, opening.start)
        span = Span(*info.span("info")) if info else Span(opening.end, opening.end)
    return Repair(RepairKind.MISLABELLED_FENCE, span, span.of(text), label)


def line_repairs(text: str, opening: Opening) -> Iterator[Repair]:
    """Yield the repairs that give an embedded fence its own line, and its value another."""
    if text_before(text, opening.start).strip():
        yield Repair(RepairKind.FENCE_IN_LINE, Span(opening.start, opening.start), "", "\n")
    if begins_on_its_line(opening, text):
        blanks = Span(opening.end, behind_blanks(text, opening.end, len(text)))
        yield Repair(RepairKind.FENCE_IN_LINE, blanks, blanks.of(text), "\n")


def fence_repair(at: int, label: str) -> Repair:
    """Return the repair that puts a value into a fence."""
    return Repair(RepairKind.MISSING_FENCE, Span(at, at), "", f"```{label}\n")


def begins_line(text: str, start: int) -> bool:
    """Return whether nothing stands before this place on its line, no indented code begins here, and no code goes on."""
    line = text.rfind("\n", 0, start) + 1
    is_first = not text[line:start].strip() or text[line:start].rstrip().endswith("</think>")
    return is_first and not is_indented(text, start) and not _GOES_ON.search(text, max(0, line - 80), start)


def is_indented(text: str, start: int) -> bool:
    """Return whether a place begins a line of indented code."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return not before.strip() and (len(before) > 3 or "\t" in before)


def ends_line(text: str, end: int) -> bool:
    """Return whether nothing stands behind this place on its line."""
    return _ENDS_LINE.match(text, end) is not None


def beside(text: str, span: Span) -> str:
    """Return what keeps a value from standing alone on its lines, as a sentence."""
    if not ends_line(text, span.end) or text_before(text, span.start).strip():
        return "Text stands beside it on its line."
    before = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    return "It stands in an item of a list." if before.strip() else "The line before it goes on with it."
