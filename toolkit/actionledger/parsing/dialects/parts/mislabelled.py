"""Blocks of a JSON format under another label, or without any fence: when it is plain that they were meant.

The label says that a block is meant; where it is missing, the value has to say so itself. It does if it begins as the
format's values begin, one of its actions has a name that looks like one (or that was offered, where it is known what was),
and the response has no block with the right label: whoever writes that one knows it, and shows the other.
"""

import re
from collections.abc import Iterator

from actionledger.parsing.dialects.parts.markers import behind_blanks
from actionledger.parsing.scan.openings import (
    LIST_MARKERS,
    Opening,
    OpeningKind,
    begins_on_its_line,
    text_before,
)
from actionledger.values import Repair, Span
from actionledger.vocabulary import RepairKind

OTHER_LABELS = frozenset(
    {
        "",
        "json",
        "jsonc",
        "json5",
        "jsonl",
        "javascript",
        "js",
        "typescript",
        "ts",
        "text",
        "txt",
        "plaintext",
    }
)
"""What models write above JSON that has a label of its own."""

_INFO = re.compile(r"[ \t]*+[`~]++[ \t]*+(?P<info>[^\r\n]*?)[ \t]*+(?:\r?\n|\Z)")
_ENDS_PARAGRAPH = re.compile(r"[ \t]*+(?:\Z|\r?\n[ \t]*+(?:\r?\n|\Z))")
PARAGRAPH_ENDS = re.compile(r"\r?\n[ \t]*+(?=\r?\n)")
"""Where a blank line ends a paragraph."""


def fence_before(labels: frozenset[str], value: str) -> re.Pattern[str]:
    """Return the pattern of an opening fence with one of these labels and the beginning of a value in it."""
    alternatives = "|".join(sorted(map(re.escape, labels), reverse=True))
    label = rf"(?:`{{3,}}+|~{{3,}}+)[ \t]*+(?i:{alternatives})(?![\w-])[^`\n]*+\n"
    return re.compile(rf"^{LIST_MARKERS}[ \t]*+{label}\s*+{value}", re.MULTILINE)


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


def begins_paragraph(text: str, start: int) -> bool:
    """Return whether a paragraph begins here, and no indented code."""
    line = text.rfind("\n", 0, start) + 1
    before = text.rfind("\n", 0, max(0, line - 1)) + 1
    previous = text[before:line].strip()
    return not is_indented(text, start) and (line == 0 or not previous or previous.endswith("</think>"))


def is_indented(text: str, start: int) -> bool:
    """Return whether a place begins a line of indented code."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return not before.strip() and (len(before) > 3 or "\t" in before)


def ends_paragraph(text: str, end: int) -> bool:
    """Return whether a paragraph ends here."""
    return _ENDS_PARAGRAPH.match(text, end) is not None
