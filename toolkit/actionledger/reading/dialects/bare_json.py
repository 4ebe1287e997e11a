"""Calls as bare JSON without a marker, at the start of a line or in a fence; Llama 3's are a kind of them."""

import re
from collections.abc import Sequence
from typing import ClassVar, Literal

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Generations, Written
from actionledger.reading.dialects.parts.json_blocks import SPELLINGS, label_repair
from actionledger.reading.dialects.parts.json_calls import BareRule, Keys
from actionledger.reading.dialects.parts.json_values import (
    BARE_LIST,
    BARE_OBJECT,
    BEGINS_JSON,
    Group,
    Reach,
    json_ahead,
    values_at,
)
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Marker, behind_blanks, in_prose, loose_end, read_block
from actionledger.reading.dialects.parts.python_source import NoCallError, call_name, read_call
from actionledger.reading.dialects.parts.truncation import VALUE_ENDS
from actionledger.reading.dialects.parts.writing import PlainCall, call_object, fenced, json_text
from actionledger.reading.dialects.python_calls import next_marker, unread
from actionledger.reading.scan.openings import Closing, Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_ON_A_LINE = regex(r"[ \t]*+[;,]\s*+")
_IN_A_FENCE = regex(r"\s*+[;,]?+\s*+")
_ENDS_LINE = regex(r"[ \t]*+(?:[;,](?:\s*+\Z)?+[ \t]*+)?+(?=[\r\n<]|\Z)")
_PARAGRAPH = regex(r"\n[ \t]*+\r?\n")
_REPAIRABLE = 65_536
"""The maximal searched part of a broken value: without a marker, each might be read to the end of the text."""


class Json(Dialect):
    """A call object or a list of them, bare at the start of a line or in a fence that is labelled json or nothing.

    The name's key is ``name``, ``function`` or ``tool``; the arguments' is ``arguments``, ``parameters`` or ``args``.
    OpenAI's wrapper may be around it, xLAM's (``{"thought": …, "tool_calls": […]}``) around all of them. Where names were
    offered, ``{tool: {arguments}}`` is a call as well.
    """

    name: Literal["json"] = "json"
    source = "No one format: what models write that were asked for a call as JSON; OpenAI's tool_calls"
    rules = (
        (
            'Write a fenced block labelled json that holds one JSON object with "name" and "arguments", '
            "or a list of such objects."
        ),
    )
    example = '```json\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n```'
    rule: ClassVar[BareRule] = BareRule(
        Keys(("name", "function", "tool"), ("arguments", "parameters", "args")), maps=True, unwraps=True
    )

    @property
    def fence_labels(self) -> frozenset[str]:
        """The labels of JSON and of languages with a freer JSON, and no label."""
        return SPELLINGS | {"json", ""}

    @property
    def line_patterns(self) -> frozenset[str]:
        """An object, or a list of objects, at the start of a line."""
        return frozenset({BARE_OBJECT, BARE_LIST})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the values that begin here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.FENCE:
            return self._in_fence(source, opening, end, options)
        return read_line(self.rule, source, opening, end, options)

    def _in_fence(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the values in a fence; under another language's label, data and broken code belong to no dialect."""
        found = _read_fence(self.rule, source, opening, end, options)
        if found is None or opening.label not in SPELLINGS or found.status is BlockStatus.MALFORMED:
            return found
        if found.status is BlockStatus.IGNORED or RepairKind.MISLABELLED_FENCE not in options.repairs:
            return None
        repairs = (label_repair(source.text, opening, "json"), *found.repairs)
        return found._replace(status=BlockStatus.REPAIRED, repairs=repairs)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write the call, or a list of several, in a fence; see ``Dialect.write``."""
        objects = [call_object(call) for call in calls]
        return fenced("json", json_text(objects if len(objects) > 1 else objects[0]))


def read_line(  # noqa: PLR0917 - a format may set the text between two values
    rule: BareRule,
    source: Source,
    opening: Opening,
    end: int,
    options: DecodeOptions,
    between: re.Pattern[str] = _ON_A_LINE,
) -> Found | None:
    """Read the values that begin a line.

    With text after them on their line, it is open whether they are meant, unless the names of the tools are known.
    """
    start, text = opening.start, source.text
    ahead = json_ahead(source, start, end, options)
    if ahead.whole is None and not rule.is_meant(source, start, end):
        # A line in data is data: it must not be parsed as a call before the rest of the data has come.
        return _data(Span(start, end), Span(start, end)) if ahead.is_cut else None
    reach = Reach(None, min(end, start + _REPAIRABLE), end)
    group = values_at(source, start, reach, options, between)
    if group.is_broken or reach.bound <= group.stop < end:
        if rule.is_data(group.values, source.names):
            return None
        gap = _PARAGRAPH.search(text, group.stop, end)
        span = Span(start, gap.start() if gap else end)
        return _from_broken(rule, source, group, span, span)
    ends_line = _ENDS_LINE.match(text, group.end, end)
    span = Span(start, ends_line.end() if ends_line else group.end)
    found = _from_values(rule, source, group, span, span)
    if ends_line or source.names is not None or found.status is BlockStatus.IGNORED:
        return found
    return in_prose(found)


def _read_fence(
    rule: BareRule, source: Source, opening: Opening, end: int, options: DecodeOptions
) -> Found | None:
    """Read the values in a fence; only blanks may follow them there."""
    text = source.text
    start = behind_blanks(text, opening.end, end)
    if not BEGINS_JSON.match(text, start, end):
        return None
    if json_ahead(source, start, end, options).whole is None and not rule.is_meant(source, start, end):
        return None
    first = source.closing_fence(opening, opening.end, end)
    bound = end if source.may_overrun else first.start
    reach = Reach(first.start if first.found else None, bound, end)
    group = values_at(source, start, reach, options, _IN_A_FENCE)
    closing = None if group.is_broken else source.closing_behind(opening, group.end, end)
    if closing is None:
        source.overran(group.stop - first.end)
    closing = closing or first
    if group.is_cut and group.end > closing.end:
        closing = Closing(group.end, group.end, found=False)
    span, body = Span(opening.start, closing.end), Span(opening.end, closing.start)
    has_text_behind = not group.is_broken and behind_blanks(text, group.end, body.end) < body.end
    if (group.is_broken or has_text_behind) and rule.is_data(group.values, source.names):
        return _data(span, body)
    if group.is_broken:
        return _from_broken(rule, source, group, span, body)
    if has_text_behind:
        return _malformed(Issue(Reason.TEXT_AFTER_VALUE, Span(group.end, body.end)), span, body)
    if closing.found:
        return _from_values(rule, source, group, span, body)
    if RepairKind.UNCLOSED_FENCE not in options.repairs:
        return _malformed(Issue(Reason.UNCLOSED_FENCE, Span(opening.start, opening.end)), span, body)
    repair = Repair(RepairKind.UNCLOSED_FENCE, Span(closing.end, closing.end), "", "\n" + opening.mark)
    return _from_values(rule, source, group, span, body, repair)


def _from_values(
    rule: BareRule, source: Source, group: Group, span: Span, body: Span, *repairs: Repair
) -> Found:
    """Return the calls as a block, or a value without calls as data."""
    calls = rule.calls_in(group.values, source.names)
    actions, issues = calls or ([], [])
    if not actions:
        return _data(span, body, *issues)
    repairs = (*group.repairs, *repairs)
    return Found(
        BlockStatus.REPAIRED if repairs else BlockStatus.STRICT,
        span,
        body,
        tuple(actions),
        repairs=repairs,
        issues=tuple(sorted(issues + group.issues, key=lambda issue: issue.span or Span(0, 0))),
    )


def _from_broken(rule: BareRule, source: Source, group: Group, span: Span, body: Span) -> Found:
    """Return incomplete or broken calls as a block: those before the cut, if it is one."""
    if group.is_cut:
        found = _from_values(rule, source, group, span, body)
        return found if found.actions else _malformed(Issue(Reason.TRUNCATED, body), span, body)
    issue = group.refused.issues[0] if group.refused else Issue(Reason.TOO_MUCH_WORK, body)
    if issue.span is None or issue.span.end > body.end:
        issue = Issue(Reason.MALFORMED_JSON, body, "The block ends before its value does.")
    return _malformed(issue, span, body)


def _data(span: Span, body: Span, *issues: Issue) -> Found:
    return Found(BlockStatus.IGNORED, span, body, reason=Reason.NOT_AN_ACTION, issues=issues)


def _malformed(issue: Issue, span: Span, body: Span) -> Found:
    return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))


_BUILT_IN = ".call"
_NAMED = regex(r"(?P<name>[^<>{}\s=]++)>(?=\s*+\{)")
_LLAMA_ON_A_LINE = regex(r"[ \t]*+(?:[;,]\s*+)?+")
"""Text between two objects that begin a line: a semicolon, or nothing."""


class _Objects(Marked):
    """A bare call object at the start of a line, or behind ``<|python_tag|>``, where a built-in tool may be called as well."""

    name: Literal["llama3_json"] = "llama3_json"
    closers = {"<|python_tag|>": ""}
    holds_several = True
    gap = regex(r"\s*+;?+\s*+")
    rule: ClassVar[BareRule] = BareRule(Keys(("name",), ("parameters", "arguments")), maps=False)

    @property
    def line_patterns(self) -> frozenset[str]:
        """An object at the start of a line."""
        return frozenset({BARE_OBJECT})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the objects that begin here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LINE:
            return read_line(self.rule, source, opening, end, options, _LLAMA_ON_A_LINE)
        return super().read(source, opening, end, options)

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the objects, or a built-in tool's call, after the token."""
        start = behind_blanks(marker.source.text, start, marker.end)
        if call_name(marker.source.text, start, marker.end).endswith(_BUILT_IN):
            # Read the call of a built-in tool: ``brave_search.call(query="…")``.
            text, end = marker.source.text, next_marker(marker)
            try:
                call = read_call(text, start, end, marker.options)
            except NoCallError as error:
                return unread(marker, error, start)
            at = call.span.end
            span, body = (
                Span(marker.opening.start, loose_end(text, at, marker.end)),
                Span(marker.opening.end, at),
            )
            return read_block(
                span, body, (Written(call.name.removesuffix(_BUILT_IN), call.arguments, call.span),)
            )
        return super().read_values(marker, start)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write bare objects with semicolons between them; see ``Dialect.write``."""
        return "; ".join(json_text(call_object(call, arguments="parameters")) for call in calls)


class _NamedInTag(Dialect):
    """``<function=NAME>`` with the arguments as a JSON object behind it, up to ``</function>``."""

    name: Literal["llama3_json"] = "llama3_json"

    @property
    def literals(self) -> frozenset[str]:
        """The tag up to the name."""
        return frozenset({"<function="})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the call of the tag that opens here; see ``Dialect.read``."""
        head = _NAMED.match(source.text, opening.end, end)
        if head is None:
            return None
        marker = Marker(source, opening, "</function>", end, options)
        at = behind_blanks(source.text, head.end(), end)
        arguments = marker.arguments_at(at)
        if isinstance(arguments, Issue):
            return self.unless_quoted(marker.refused(arguments, at), source.text)
        close = marker.closing(arguments.end)
        if isinstance(close, Found):
            return self.unless_quoted(close, source.text)
        span, body = Span(opening.start, close.end), Span(head.end(), close.start)
        action = Written(head["name"], arguments.values, span)
        found = read_block(span, body, (action,), arguments.repairs + close.repairs, arguments.issues)
        return self.unless_quoted(found, source.text)


class Llama3Json(Generations):
    """A bare call object at the start of a line, or behind ``<|python_tag|>``; or ``<function=NAME>`` with an object behind it."""

    name: Literal["llama3_json"] = "llama3_json"
    optional_closers = {"</function>": VALUE_ENDS}
    source = "Llama 3.1 and 3.2, chat templates, JSON based tool calling; Llama 3.1, prompt formats for custom and built-in tools"
    rules = (
        (
            'An action is a JSON object with "name" and "parameters", at the start of a line and with '
            "nothing behind it."
        ),
        "Several actions stand on one line, a semicolon between them.",
    )
    example = '{"name": "get_weather", "parameters": {"city": "Paris"}}'
    generations = (_Objects(), _NamedInTag())
