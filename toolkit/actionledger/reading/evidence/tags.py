"""Calls in tags of no format: ``<f>{…}</f>``, ``<f city="Paris"/>``, ``<function=f>{…}</function>``, ``<tool name="f">…</tool>``."""

import re
from typing import Any, NamedTuple

from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.parts.doubts import unless_doubtful
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.evidence.arguments import ARGUMENT_KEYS, NoCallError
from actionledger.reading.evidence.names import Mention
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.options import DecodeOptions

_HEAD = re.compile(
    r"<(?P<tag>[A-Za-z_][\w:-]*+)?(?:=|[ \t]++(?:tool_|function_)?name[ \t]*+=[ \t]*+)?[\"']?\Z"
)
_REST = re.compile(
    r"[\"']?(?P<attributes>(?:\s++[A-Za-z_][\w:-]*+[ \t]*+=[ \t]*+(?:\"[^\"<>\n]*+\"|'[^'<>\n]*+'))*+)\s*+(?P<whole>/?)>"
)
_ATTRIBUTE = re.compile(r"([A-Za-z_][\w:-]*+)[ \t]*+=[ \t]*+(?:\"([^\"]*+)\"|'([^']*+)')")
_FIELD = re.compile(
    r"\s*+<(?P<tag>[A-Za-z_][\w-]*+)(?:(?:=|[ \t]++(?:name|key)[ \t]*+=[ \t]*+)[\"']?(?P<key>[\w.-]++)[\"']?[^<>\n]{0,60}?)?>"
)
_CLOSER = re.compile(r"\s*+</(?P<tag>[A-Za-z_][\w.:-]*+)\s*+>")
_HOLDERS = frozenset(ARGUMENT_KEYS)
_MOST_FIELDS = 100
_LONGEST_FIELD = 20_000
_NEAR = 400
_ESCAPED_HEAD = re.compile(
    r"(?:&lt;|\\u003c|\\<)(?:[A-Za-z_][\w:-]*+(?:=|[ \t]++name[ \t]*+=[ \t]*+))?(?:[\"']|&quot;|\\\")?\Z",
    re.IGNORECASE,
)
_ESCAPED_CLOSER = re.compile(r"(?:&lt;|\\u003c|\\<)/", re.IGNORECASE)
_FILLED = re.compile(r"\s*+(?:\{|<)")


class Tagged(NamedTuple):
    """A call in a tag.

    Args:
        arguments: its arguments.
        span: all of it, the closing tag included.
        repairs: what was changed to read it.
    """

    arguments: dict[str, Any]
    span: Span
    repairs: tuple[Repair, ...]


def opening_of(text: str, mention: Mention, low: int) -> int:
    """Return where the tag opens that a name stands in, or -1."""
    at = text.rfind("<", max(low, mention.start - 60), mention.start)
    return at if at >= 0 and _HEAD.fullmatch(text[at : mention.start]) else -1


def escaped_opening_of(text: str, mention: Mention, low: int, end: int) -> int:
    """Return where the tag opens that a name stands in, its signs escaped and an escaped tag closed behind it, or -1."""
    window = max(low, mention.start - 60)
    opens = _ESCAPED_HEAD.search(text[window : mention.start])
    if opens is None or not _ESCAPED_CLOSER.search(text, mention.end, min(end, mention.end + _NEAR)):
        return -1
    return window + opens.start()


def is_filled(text: str, mention: Mention, end: int) -> bool:
    """Return whether a tag with a tool's name has attributes or is closed: one that has neither is a word."""
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
    """Read the call in a tag."""
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
) -> tuple[dict[str, Any], int, tuple[Repair, ...]]:
    """Return the arguments in a tag: an object, or a tag each; and where they end."""
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
    # Where no end stands, nothing is copied: of a thousand openers, each would copy all up to the only closer.
    values = _values(text, fields) if _CLOSER.match(text, at, end) else {}
    return values, at, ()


def _values(text: str, fields: dict[str, Span]) -> dict[str, Any]:
    return {name: span.of(text).strip() for name, span in fields.items()}
