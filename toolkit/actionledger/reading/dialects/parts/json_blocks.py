"""Blocks of JSON in a fence with the format's label, or without it if they are plainly meant."""

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Found
from actionledger.reading.dialects.parts.fence_content import Content, content_of, never_closed, refusal_of
from actionledger.reading.dialects.parts.json_shapes import JsonShape, data, in_order
from actionledger.reading.dialects.parts.json_values import BARE_OBJECT, Reach, json_ahead, value_at
from actionledger.reading.dialects.parts.marked import OpenedBlocks, fence_behind_opened
from actionledger.reading.dialects.parts.markers import as_example, behind_blanks, in_prose
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.scan.line_starts import LineStart
from actionledger.reading.scan.openings import (
    LIST_MARKERS,
    Closing,
    Opening,
    OpeningKind,
    begins_on_its_line,
    text_before,
)
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

SPELLINGS = frozenset({"jsonc", "json5", "jsonl", "hjson", "javascript", "js", "typescript", "ts"})
"""The labels of languages with a freer JSON."""

OTHER_LABELS = SPELLINGS | {"", "json", "text", "txt", "plaintext"}
"""Labels that models write for JSON that has a label of its own."""

_INFO = regex(r"[ \t]*+[`~]++[ \t]*+(?P<info>[^\r\n]*?)[ \t]*+(?:\r?\n|\Z)")
_ENDS_LINE = regex(r"[ \t]*+(?:\r?\n|\Z)")
_GOES_ON = regex(r"[=(\[{][ \t]*+\r?\n[ \t]*+\Z")
PARAGRAPH_ENDS = regex(r"(?:\r\n|\n)[ \t]*+(?=\r?\n)")
"""Where a blank line ends a paragraph."""

_QUOTE = r"""["'“”‘’`]?+"""
COMMENTS = r"(?:\s*+(?:(?://|#)[^\n]*+\n|/\*(?:[^*]|\*(?!/)){0,500}+\*/))*+\s*+"
"""Text that may precede a value in a fence whose language has comments."""


def loosely(beginning: str) -> str:
    """Return the pattern of a value's beginning, in any quotes or none, with comments after its brackets."""
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
    """Yield the repairs that put an embedded fence, and its value, on lines of their own."""
    if text_before(text, opening.start).strip():
        yield Repair(RepairKind.FENCE_IN_LINE, Span(opening.start, opening.start), "", "\n")
    if begins_on_its_line(opening, text):
        blanks = Span(opening.end, behind_blanks(text, opening.end, len(text)))
        yield Repair(RepairKind.FENCE_IN_LINE, blanks, blanks.of(text), "\n")


def fence_repair(at: int, label: str) -> Repair:
    """Return the repair that puts a value into a fence."""
    return Repair(RepairKind.MISSING_FENCE, Span(at, at), "", f"```{label}\n")


def begins_line(text: str, start: int) -> bool:
    """Return whether this place begins its line, outside of indented or continued code."""
    line = text.rfind("\n", 0, start) + 1
    is_first = not text[line:start].strip() or text[line:start].rstrip().endswith("</think>")
    return is_first and not is_indented(text, start) and not _GOES_ON.search(text, max(0, line - 80), start)


def is_indented(text: str, start: int) -> bool:
    """Return whether a place begins a line of indented code."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return not before.strip() and (len(before) > 3 or "\t" in before)


def ends_line(text: str, end: int) -> bool:
    """Return whether nothing follows this place on its line."""
    return _ENDS_LINE.match(text, end) is not None


def beside(text: str, span: Span) -> str:
    """Return why a value is not alone on its lines, as a sentence."""
    if not ends_line(text, span.end) or text_before(text, span.start).strip():
        return "Text stands beside it on its line."
    before = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    return "It stands in an item of a list." if before.strip() else "The line before it goes on with it."


_LOOKED_AT = 4096
"""The assumed maximal cost of a failed search for a value, in code points."""

_CONTAINER = r"[\[{]\s*+(?!\\)"  # with a backslash after its bracket it is text of a JSON string
_VISIBLE = regex(r"\S")
_VALUE = regex(rf"\s*+{_CONTAINER}")
_READ = frozenset({BlockStatus.STRICT, BlockStatus.REPAIRED})


class JsonFence(JsonShape):
    """A JSON value in a fence with the dialect's label.

    Several values in one fence are read as if each had its own. A fence with another label, and a value that stands
    alone on its lines without any, are read where they were plainly meant (see ``_mislabelled``).
    """

    label: ClassVar[str]
    """The label of the format."""

    reads_embedded_fences = True

    near_labels: ClassVar[frozenset[str]] = frozenset()
    """Labels that can mean no other format."""

    other_labels: ClassVar[frozenset[str]] = OTHER_LABELS
    """Labels under which a value is read if it begins like the format's values."""

    beginning: ClassVar[str]
    """A regular expression of a value's beginning, for values without the label."""

    first_keys: ClassVar[str]
    """A regular expression of a value's first keys."""

    plain_name: ClassVar[re.Pattern[str]] = regex(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")
    """The form of an action's name, if no label announces it."""

    @property
    def fence_labels(self) -> frozenset[str]:
        """The format's label, and those that models write instead."""
        return frozenset({self.label}) | self.near_labels | self.other_labels

    @property
    def line_patterns(self) -> frozenset[str]:
        """Return the pattern of an object at the start of a line, its first key quoted or not: a value may be there without a fence."""
        return frozenset({BARE_OBJECT, rf"\{{\s*+(?:{self.first_keys})\s*+:"})

    @property
    def near_literals(self) -> frozenset[str]:
        """The beginning of a value, in the middle of a line."""
        return frozenset({self.beginning})

    @abstractmethod
    def written(self, objects: list[dict[str, Any]]) -> str:
        """Return the block that holds these objects."""

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls in one block; see ``Dialect.write``."""
        return self.written([{self.discriminator: call.name, **call.arguments} for call in calls])

    def is_plain(self, names: Sequence[str], body: str, source: Source) -> bool:  # noqa: ARG002 - a format may use it
        """Return whether a block without a label can be nothing else."""
        if source.names is not None:
            return any(name in source.names for name in names)
        return any(self.plain_name.fullmatch(name) for name in names)

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the block that begins here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LINE:
            if not self._begins.match(source.text, opening.start, end):
                return None
            found = self._without_fence(source, opening.start, end, options)
            return found or self._in_prose(source, opening.start, end, options)
        if opening.kind is OpeningKind.NEAR:
            return self._in_prose(source, opening.start, end, options)
        if opening.kind is OpeningKind.EMBEDDED:
            return self._embedded(source, opening, end, options)
        if opening.label == self.label:
            return self._in_fence(source, opening, end, options)
        return self._mislabelled(source, opening, end, options)

    def _embedded(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read a fence that opens in the middle of a line, or with its value on the same line.

        The format's label alone may be a mention. Without a value, it is a block only if a fence closes it, or if the text
        ends there.
        """
        if RepairKind.FENCE_IN_LINE not in options.repairs:
            return None
        if opening.label != self.label and opening.label not in self.near_labels:
            found = self._mislabelled(source, opening, end, options)
        elif _VALUE.match(source.text, opening.end, end) or self._is_closed(source, opening, end):
            is_own = opening.label == self.label
            read = self._in_fence if is_own else self._mislabelled
            found = read(source, opening, end, options)
        else:
            span = Span(opening.start, opening.end)
            return Found(BlockStatus.IGNORED, span, span, reason=Reason.NOT_AN_ACTION)
        return found and _mended(found, *line_repairs(source.text, opening))

    def _is_closed(self, source: Source, opening: Opening, end: int) -> bool:
        bound = source.search(self._following, opening.end, end)
        is_cut = behind_blanks(source.text, opening.end, end) == len(source.text)
        return is_cut or source.closing_fence(opening, opening.end, bound).found

    def _mislabelled(
        self, source: Source, opening: Opening, end: int, options: DecodeOptions
    ) -> Found | None:
        is_near = opening.label in self.near_labels
        begins = is_near or self._beginning(opening.label).match(source.text, opening.end, end)
        if not begins or RepairKind.MISLABELLED_FENCE not in options.repairs:
            return None
        found = self._in_fence(source, opening, end, options)
        repair = label_repair(source.text, opening, self.label)
        return _mended(found, repair) if is_near else self._if_plain(found, source, repair)

    def _in_fence(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found:
        text, cut = source.text, fence_behind_opened(source.text, opening.end)
        if not cut or cut.end() > end or opening.kind is not OpeningKind.FENCE:
            return self._content(source, opening, end, options)
        if (bound := source.search(self._following, opening.end, end)) >= cut.end():
            return self._content(source, opening, end, options)
        block, blocks = text[opening.start : bound], source.memory(OpenedBlocks)
        found = blocks.known(self.name, block, opening.start, options)
        if found is None:
            found = self._content(source, opening, end, options)
            blocks.keep(self.name, block, found, options)
        return found

    def _content(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found:
        key = self.telling_key
        if key and (body := never_closed(source, opening, end, self._following, key)):
            return data(Span(opening.start, body.end), body)
        content = content_of(source, opening, end, options, self._following)
        span, body = Span(opening.start, content.closing.end), Span(opening.end, content.closing.start)
        found = self.judged(source.text, span, body, content, options, names=source.names)
        if content.refusal or content.closing.found or found.status is BlockStatus.IGNORED:
            return found
        if RepairKind.UNCLOSED_FENCE not in options.repairs:
            issue = Issue(Reason.UNCLOSED_FENCE, Span(opening.start, opening.end))
            return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
        missing = Repair(RepairKind.UNCLOSED_FENCE, Span(span.end, span.end), "", "\n" + opening.mark)
        status = BlockStatus.REPAIRED if found.status in _READ else found.status
        return found._replace(status=status, repairs=(*found.repairs, missing))

    def _without_fence(self, source: Source, start: int, end: int, options: DecodeOptions) -> Found | None:
        """Read a value that begins a line; it is meant if it is alone on its lines."""
        text = source.text
        if RepairKind.MISSING_FENCE not in options.repairs or not self._begins.match(text, start, end):
            return None
        if not begins_line(text, start):
            return None
        stop = source.search(PARAGRAPH_ENDS, start, end)
        limit = end if source.may_overrun else stop
        decoded = value_at(source, start, Reach(stop if stop < end else None, limit, limit), options)
        is_whole = decoded.ok and not decoded.cut
        source.overran((decoded.end if is_whole else limit) - stop)
        span = Span(start, decoded.end if is_whole else end if decoded.cut else stop)
        is_read = is_whole or (bool(decoded.cut) and span.end == len(text))
        refusal = None if is_read else refusal_of(decoded, span)
        content = Content((decoded,), Closing(span.end, span.end, found=True), refusal=refusal)
        found = self.judged(text, span, span, content, options, names=source.names)
        is_plain = self.is_plain([action.name for action in found.actions], span.of(text), source)
        if is_whole and found.actions and not (is_plain and ends_line(text, span.end)):
            return self._mentioned(found, source)
        return self._if_plain(found, source, fence_repair(start, self.label))

    def _in_prose(self, source: Source, start: int, end: int, options: DecodeOptions) -> Found | None:
        """Read a valid value with text around it."""
        text = source.text
        is_asked = RepairKind.MISSING_FENCE in options.repairs and source.may_overrun
        if not is_asked or not self._begins.match(text, start, end):
            return None
        whole = json_ahead(source, start, end, options).whole
        if whole is None:
            source.overran(min(end - start, _LOOKED_AT))
            return None
        span = Span(start, whole.end)
        content = Content((whole,), Closing(span.end, span.end, found=True))
        found = self.judged(text, span, span, content, options, names=source.names)
        return self._mentioned(found, source)

    def _mentioned(self, found: Found, source: Source) -> Found | None:
        """Return a value with text around it as a mention, or as possibly meant if its names are plain."""
        text = source.text
        if found.status not in _READ or not found.actions:
            return None
        if not self.is_plain([action.name for action in found.actions], found.span.of(text), source):
            # Alone, nothing marks it as a call: it may be data of any kind.
            has_more = _VISIBLE.search(text, 0, found.span.start) or _VISIBLE.search(text, found.span.end)
            is_alone = has_more is None
            reason = Reason.NOT_AN_ACTION if is_alone else Reason.EXAMPLE
            return Found(BlockStatus.IGNORED, found.span, found.body, reason=reason)
        is_code = is_indented(text, found.span.start) or self.unless_quoted(found, text) is not found
        return as_example(found) if is_code else in_prose(found, beside(text, found.span))

    def _if_plain(self, found: Found, source: Source, repair: Repair) -> Found:
        """Return an unlabelled block: repaired if it is plainly meant, else as data or as an example.

        An unreadable block that begins like the format's values is never mere data.
        """
        body = found.body.of(source.text)
        names = [action.name for action in found.actions] or self._stated.findall(body)
        if found.status is BlockStatus.IGNORED or not self.is_plain(names, body, source):
            is_data = found.status is not BlockStatus.MALFORMED or found.reason is Reason.WRONG_SHAPE
            reason = Reason.NOT_AN_ACTION if is_data else Reason.EXAMPLE
            return Found(BlockStatus.IGNORED, found.span, found.body, reason=reason)
        if not source.holds(self._announced):
            return _mended(found, repair)
        detail = f"Another block has the label {self.label!r}: this one is taken for an example."
        issue = Issue(Reason(repair.kind.value), found.span, detail)
        return found._replace(status=BlockStatus.IGNORED, reason=Reason.EXAMPLE, repairs=(), issues=(issue,))

    def _beginning(self, label: str) -> re.Pattern[str]:
        """Return the beginning of a value under another label; a text in other quotes is a program's output."""
        return self._begins if label in SPELLINGS or label in {"", "json"} else self._begins_strictly

    @cached_property
    def _begins_strictly(self) -> re.Pattern[str]:
        return regex(rf"\s*+{self.beginning}")

    @cached_property
    def _begins(self) -> re.Pattern[str]:
        return regex(rf"{COMMENTS}{loosely(self.beginning)}")

    @cached_property
    def _following(self) -> LineStart:
        return fence_before(self.near_labels | {self.label}, _CONTAINER)

    @cached_property
    def _announced(self) -> LineStart:
        return fence_before(self.near_labels | {self.label}, loosely(self.beginning))

    @cached_property
    def _stated(self) -> re.Pattern[str]:
        return regex(rf"""\b{self.discriminator}["'“”‘’]?+\s*+:\s*+["'“”‘’`]?+([^"'“”‘’`\\\s,}}]++)""")


def _mended(found: Found, *repairs: Repair) -> Found:
    """Add repairs for text before its value to a block; an unreadable one stays the same."""
    if found.status not in _READ:
        return found
    return found._replace(status=BlockStatus.REPAIRED, repairs=in_order(repairs, found.repairs))
