"""Calls in tags of no format, and names with lines or options as arguments: ``<f city="Paris"/>``, ``<tool name="f">…</tool>``."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from actionledger.core.canonical import JsonDict
from actionledger.core.patterns import regex
from actionledger.core.values import Repair, Span
from actionledger.core.values.calls import parameters_of
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.dialects.parts.value_faults import unless_doubtful
from actionledger.reading.evidence.arguments import ARGUMENT_KEYS, WRAPPER_KEYS, NoCallError
from actionledger.reading.evidence.names import Mention
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.faults import DecodeOptions

_HEAD = regex(r"<(?P<tag>[A-Za-z_][\w:-]*+)?(?:=|[ \t]++(?:tool_|function_)?name[ \t]*+=[ \t]*+)?[\"']?\Z")
_REST = regex(
    r"[\"']?(?P<attributes>(?:\s++[A-Za-z_][\w:-]*+[ \t]*+=[ \t]*+(?:\"[^\"<>\n]*+\"|'[^'<>\n]*+'))*+)\s*+(?P<whole>/?)>"
)
_OWN_LINES = regex(r"\A[ \t]*+\r?\n(.*?)(?:\r?\n[ \t]*)?\Z", re.DOTALL)
_ATTRIBUTE = regex(r"([A-Za-z_][\w:-]*+)[ \t]*+=[ \t]*+(?:\"([^\"]*+)\"|'([^']*+)')")
_FIELD = regex(
    r"\s*+<(?P<tag>[A-Za-z_][\w-]*+)(?:(?:=|[ \t]++(?:name|key)[ \t]*+=[ \t]*+)[\"']?(?P<key>[\w.-]++)[\"']?[^<>\n]{0,60}?)?>"
)
_CLOSER = regex(r"\s*+</(?P<tag>[A-Za-z_][\w.:-]*+)\s*+>")
_HOLDERS = frozenset(ARGUMENT_KEYS)
_MOST_FIELDS = 100
_LONGEST_FIELD = 20_000
_NEAR = 400
_ESCAPED_HEAD = regex(
    r"(?:&lt;|\\u003c|\\<)(?:[A-Za-z_][\w:-]*+(?:=|[ \t]++name[ \t]*+=[ \t]*+))?(?:[\"']|&quot;|\\\")?\Z",
    re.IGNORECASE,
)
_ESCAPED_CLOSER = regex(r"(?:&lt;|\\u003c|\\<)/", re.IGNORECASE)
_FILLED = regex(r"\s*+(?:\{|<)")


class Tagged(NamedTuple):
    """A call in a tag."""

    arguments: JsonDict
    span: Span  # all of it, the closing tag included
    repairs: tuple[Repair, ...]  # what was changed to read it


def opening_of(text: str, mention: Mention, low: int) -> int:
    """Return where the tag that holds a name opens, or -1."""
    at = text.rfind("<", max(low, mention.start - 60), mention.start)
    return at if at >= 0 and _HEAD.fullmatch(text[at : mention.start]) else -1


def escaped_opening_of(text: str, mention: Mention, low: int, end: int) -> int:
    """Return where the escaped tag that holds a name opens, if an escaped tag closes it, or -1."""
    window = max(low, mention.start - 60)
    opens = _ESCAPED_HEAD.search(text[window : mention.start])
    if opens is None or not _ESCAPED_CLOSER.search(text, mention.end, min(end, mention.end + _NEAR)):
        return -1
    return window + opens.start()


def is_filled(text: str, mention: Mention, end: int) -> bool:
    """Return whether a tag with a tool's name has attributes or is closed; otherwise it is a word."""
    rest = _REST.match(text, mention.end, end)
    if rest is None or rest["attributes"]:
        return rest is not None
    return bool(rest["whole"] or _FILLED.match(text, rest.end(), end))


def tagged_at(
    source: Source,
    span: Span,
    mention: Mention,
    parameters: tuple[str, ...] | None,
    options: DecodeOptions,
) -> Tagged:
    """Parse the call in a tag."""
    text = source.text
    start, end = span
    rest = _REST.match(text, mention.end, end)
    if rest is None:
        raise NoCallError(Reason.WRONG_SHAPE, Span(start, mention.end), "It is a tag without an end.")
    found = {name: one or other for name, one, other in _ATTRIBUTE.findall(rest["attributes"])}
    repairs: tuple[Repair, ...] = ()
    at = rest.end()
    if not rest["whole"]:
        inner, at, repairs = _inner(source, at, end, options)
        found = {**found, **inner}
        closes = _CLOSER.match(text, at, end)
        if closes is None:
            raise NoCallError(
                Reason.WRONG_SHAPE, Span(start, at), "The tag holds something else than arguments."
            )
        at = closes.end()
        while (more := _CLOSER.match(text, at, end)) and more["tag"].lower() in _OUTER:
            at = more.end()
    if (parameters is None and found) or not found.keys() <= set(parameters or ()):
        raise NoCallError(
            Reason.WRONG_SHAPE, Span(start, at), "The tag has fields that are no parameters of the tool."
        )
    head = Span(start, rest.end())
    note = Repair(RepairKind.CALL_AS_TAG, head, head.of(text), f'{{"name": "{mention.name}", "arguments": ')
    return Tagged(found, Span(start, at), (note, *repairs))


_OUTER = frozenset({"tool_call", "function_call", "tool_calls", "function_calls"})


def _inner(
    source: Source, at: int, end: int, options: DecodeOptions
) -> tuple[JsonDict, int, tuple[Repair, ...]]:
    """Return the arguments in a tag, given as an object or as one tag each, and where they end."""
    text = source.text
    begins = behind_blanks(text, at, end)
    if text.startswith("{", begins, end):
        decoded = unless_doubtful(text, decode(text, begins, options=options, end=end))
        if not decoded.ok or decoded.cut or not isinstance(decoded.value, dict):
            raise NoCallError(Reason.MALFORMED_JSON, Span(at, decoded.end))
        return decoded.value, decoded.end, decoded.repairs
    fields: dict[str, Span] = {}
    for _ in range(_MOST_FIELDS):
        field = _FIELD.match(text, at, end)
        if field is None:
            break
        name = field["key"] or field["tag"]
        if field["key"] is None and name in _HOLDERS:
            inner, stop, repairs = _inner(source, field.end(), end, options)
            closes = _CLOSER.match(text, stop, end)
            if closes is None:
                raise NoCallError(Reason.WRONG_SHAPE, Span(at, stop))
            return {**_values(text, fields), **inner}, closes.end(), repairs
        close = source.find(f"</{field['tag']}>", field.end(), end)
        if not field.end() <= close <= field.end() + _LONGEST_FIELD or name in fields:
            raise NoCallError(Reason.WRONG_SHAPE, Span(at, field.end()))
        fields[name] = Span(field.end(), close)
        at = close + len(field["tag"]) + 3
    # Nothing is copied if there is no end: of a thousand openers, each would copy everything up to the only closer.
    values = _values(text, fields) if _CLOSER.match(text, at, end) else {}
    return values, at, ()


def _values(text: str, fields: dict[str, Span]) -> JsonDict:
    return {name: _value_of(span.of(text)) for name, span in fields.items()}


def _value_of(written: str) -> str:
    """Return a field's text. If its lines are separate from the tags, only the breaks around them are removed."""
    bare = written.strip()
    if "\n" not in bare:
        return bare
    return _OWN_LINES.sub(r"\1", written)


_KEY_LINE = regex(r"\r?\n(?:[ \t]*+-?[ \t]*+[A-Za-z_][\w-]*+[ \t]*+:(?!:)[^\n]*+|[ \t]++[^\s][^\n]*+)")
_OPTIONS_LINE = regex(r"\r?\n[ \t]*+(?:[$>][ \t]++)?[\w.-]++[ \t]++--[A-Za-z][^\n]*+")
_PARENT = regex(r"(?:-[ \t]++)?(?P<key>[A-Za-z_][\w.-]*+)[ \t]*+:[ \t]*+[|>]?[-+]?[ \t\r]*+\Z")
_KEY = regex(r"(?P<lead>[ \t]*+(?:-[ \t]++)?)(?P<key>[A-Za-z_][\w-]*+)[ \t]*+:")
_LINE = regex(r"(?P<blanks>[ \t]*+)(?P<dash>-[ \t]++)?(?P<rest>[^\s#])")
_LONGEST = 4_000
_MOST_LINES = 100


def end_of_lines(text: str, mention: Mention, end: int) -> int:
    """Return where a call's lines end: keys and indented lines after its name, or lines with options."""
    at, stop = text.find("\n", mention.end, end), min(end, mention.end + _LONGEST)
    at = at if at >= 0 else end
    goes_on = _KEY_LINE if mention.form == "lines" else _OPTIONS_LINE
    while line := goes_on.match(text, at, stop):
        at = line.end()
    return at


def is_setting(text: str, mention: Mention, span: Span, low: int, offer: frozenset[str]) -> bool:
    """Return whether a name is a setting of a larger document, such as a workflow's step, rather than a call."""
    parameters = parameters_of(offer, mention.name)
    known = {*ARGUMENT_KEYS, *(parameters or ())}
    has_arguments = parameters is None or any(key in known for key in _keys_beside(text, mention, span))
    return not has_arguments or _stands_below_settings(text, mention, low)


def _keys_beside(text: str, mention: Mention, span: Span) -> Iterator[str]:
    """Yield the keys on a call's lines that have the indentation of its name's key."""
    first = text.rfind("\n", 0, mention.start) + 1
    own = _KEY.match(text, first, mention.start)
    for line in text[first : span.end].splitlines():
        key = _KEY.match(line)
        if key and own and key.end("lead") == own.end("lead") - first:
            yield key["key"]


class _Level(NamedTuple):
    """A line's indentation, and whether it is a list's item."""

    indent: int
    is_item: bool


def _stands_below_settings(text: str, mention: Mention, low: int) -> bool:
    """Return whether a line is below a key that models do not put around calls."""
    first = text.rfind("\n", low, mention.start) + 1
    line = _LINE.match(text, max(first, low))
    level = _Level(line.end("blanks") - line.start(), line["dash"] is not None) if line else _Level(0, False)
    above = text[max(low, first - _LONGEST) : first].splitlines()
    has_gap = False
    for other in reversed(above[-_MOST_LINES:]):
        if not (line := _LINE.match(other)):
            has_gap = has_gap or not other.strip()
            continue
        found = _Level(line.end("blanks"), line["dash"] is not None)
        if found.is_item and not level.is_item and line.end("dash") == level.indent:
            level = found
        elif found.indent < level.indent or (found.indent == level.indent and level.is_item > found.is_item):
            parent = _PARENT.match(other, found.indent)
            if parent is None or (has_gap and found.indent == level.indent):
                return False  # a sentence's colon, and a list after it
            if parent["key"].lower() not in WRAPPER_KEYS:
                return True
            level = found
        has_gap = False
    return False
