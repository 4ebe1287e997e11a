"""Where a response template's fields are in a response, and how the template reads each: JSON, tags, lines or Python calls."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic_core import from_json

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Written
from actionledger.reading.dialects.parts.json_values import Reach, value_at
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.dialects.parts.python_source import NoCallError, read_calls
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_META = frozenset(".^$*+?{}[]()|\\")
_REPEATS = frozenset("*?{")


class Field(NamedTuple):
    """A message's field in a response template."""

    name: str  # its name in the message
    opens: re.Pattern[str]  # the pattern of its beginning
    mark: tuple[str, ...]  # literal texts, one of which starts that beginning
    closes: re.Pattern[str] | None  # the pattern of its end; None if it ends with the text
    ends_with: str  # the literal text of that end, or its beginning
    content: str  # the template's name for how its body is read
    arguments: JsonMap  # the settings of that
    transform: Any  # the template for its content; None if the content is the field
    is_each: bool  # whether that applies to each item of a list


class Region(NamedTuple):
    """A stretch of a response that belongs to a field."""

    field: Field
    span: Span
    body: Span  # the text between its opening and closing
    captures: Mapping[str, str]  # the named groups of its opening and closing
    is_closed: bool


class Regions:
    """The regions in one text, cached by template."""

    def __init__(self) -> None:
        self._found: dict[str, list[Region]] = {}

    def at(self, text: str, start: int, key: str, fields: Sequence[Field]) -> Region | None:
        """Return the region that begins there; None if there is none, or if another one covers the place."""
        if key not in self._found:
            self._found[key] = list(_regions(text, fields))
        found = self._found[key]
        index = bisect_left(found, start, key=lambda region: region.span.start)
        return found[index] if index < len(found) and found[index].span.start == start else None


def _regions(text: str, fields: Sequence[Field]) -> Iterator[Region]:
    at, ahead = 0, [field.opens.search(text) for field in fields]
    while at <= len(text):
        for index, field in enumerate(fields):
            match = ahead[index]
            if match and match.start() < at:
                ahead[index] = field.opens.search(text, at)
        opened = [(each.start(), -each.end(), index) for index, each in enumerate(ahead) if each]
        if not opened:
            return
        index = min(opened)[2]
        begin = ahead[index]
        assert begin
        field = fields[index]
        close = field.closes.search(text, begin.end()) if field.closes else None
        end = close.end() if close else len(text)
        captures = {**begin.groupdict(), **(close.groupdict() if close else {})}
        yield Region(
            field,
            Span(begin.start(), end),
            Span(begin.end(), close.start() if close else end),
            {name: value for name, value in captures.items() if value is not None},
            close is not None,
        )
        at = max(end, begin.start() + 1)


def literal_start(pattern: str) -> str:
    """Return the literal text with which all matches of a regular expression begin; empty if there is none."""
    found, at = "", 0
    while at < len(pattern):
        sign = pattern[at]
        size = 1
        if sign == "\\" and at + 1 < len(pattern) and not pattern[at + 1].isalnum():
            sign, size = pattern[at + 1], 2
        elif sign in _META:
            break
        if pattern[at + size : at + size + 1] in _REPEATS:
            break
        found, at = found + sign, at + size
    return "" if _is_alternative(pattern) else found


def _is_alternative(pattern: str) -> bool:
    """Return whether a regular expression has alternatives outside of brackets."""
    depth, in_set, skip = 0, False, False
    for sign in pattern:
        if skip or sign == "\\":
            skip = not skip
        elif in_set:
            in_set = sign != "]"
        elif sign == "[":
            in_set = True
        elif sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == "|" and not depth:
            return True
    return False


_PLACEHOLDER = regex(r"\{(\w+(?:\.\w+)*)\}")
_KEY = regex(r'"(?:\\.|[^"\\])*+"|(?<=[{,])(\s*+)(\w++)(\s*+):')


class ContentError(Exception):
    """The content is unreadable, or the template's result is no call."""

    def __init__(self, code: Reason, span: Span, detail: str = "") -> None:
        super().__init__(code)
        self.issue = Issue(code, span, detail)


def calls_of(
    source: Source, region: Region, options: DecodeOptions
) -> tuple[tuple[Written, ...], tuple[Repair, ...]]:
    """Return the calls in a region, and the changes made to it."""
    content, repairs = _content(source, region, options)
    field = region.field
    if field.is_each:
        items: list[Any] = content if isinstance(content, list) else [None]
        if not all(isinstance(item, dict) for item in items):
            raise ContentError(Reason.WRONG_SHAPE, region.body, "Expected a list of objects.")
        made = [_made(field.transform, {**region.captures, **item}, region) for item in items]
    elif field.transform is None:
        made = content if isinstance(content, list) else [content]
    else:
        made = [_made(field.transform, {**region.captures, "content": content}, region)]
    return tuple(_call(each, region) for each in made), repairs


def _content(source: Source, region: Region, options: DecodeOptions) -> tuple[Any, tuple[Repair, ...]]:
    text, settings = region.body.of(source.text), region.field.arguments
    match region.field.content:
        case "json" if not settings.get("string_delims"):
            start = behind_blanks(source.text, *region.body)
            reach = Reach(region.body.end if region.is_closed else None, region.body.end, region.body.end)
            decoded = value_at(source, start, reach, options)
            if (
                decoded.ok
                and not decoded.cut
                and behind_blanks(source.text, decoded.end, reach.end) == reach.end
            ):
                return decoded.value, tuple(decoded.repairs)
            if decoded.ok and not decoded.cut:
                raise ContentError(Reason.TEXT_AFTER_VALUE, Span(decoded.end, reach.end))
            if region.field.arguments.get("allow_non_json") and region.is_closed:
                return region.body.of(source.text).strip(), ()
            code = Reason.TRUNCATED if not region.is_closed else Reason.MALFORMED_JSON
            raise ContentError(code, region.body)
        case "json":
            return _quoted_json(text, region), ()
        case "xml-inline":
            return _tags(text, region), ()
        case "kv-lines":
            return _lines(text, region), ()
        case "python-call-list":
            return _python(source, region, options), ()
    return text.strip() if settings.get("strip", True) else text, ()


def _quoted_json(text: str, region: Region) -> Any:
    """Return JSON whose texts are between the template's own marks, and whose keys may need no quotes."""
    settings = region.field.arguments
    pairs = [(re.escape(opens), re.escape(closes)) for opens, closes in settings["string_delims"]]
    quoted = regex("|".join(f"{opens}(.*?){closes}" for opens, closes in pairs), re.DOTALL)
    texts: list[str] = []

    def kept(found: re.Match[str]) -> str:
        texts.append(next(each for each in found.groups() if each is not None))
        return f'"\ue000{len(texts) - 1}\ue001"'

    if "\ue000" in text:
        raise ContentError(Reason.MALFORMED_JSON, region.body, "It holds a sign of the reader's own.")
    plain = quoted.sub(kept, text)
    if settings.get("unquoted_keys"):
        plain = _KEY.sub(lambda key: f'{key[1]}"{key[2]}"{key[3]}:' if key[2] else key[0], plain)
    plain = re.sub('"\ue000(\\d+)\ue001"', lambda found: json.dumps(texts[int(found[1])]), plain)
    return _decoded(plain, region, may_be_text=bool(settings.get("allow_non_json")), otherwise=text)


def _decoded(text: str, region: Region, *, may_be_text: bool, otherwise: str) -> Any:
    try:
        return from_json(text, allow_inf_nan=False)
    except (ValueError, RecursionError):
        if may_be_text:
            return otherwise.strip()
        code = Reason.MALFORMED_JSON if region.is_closed else Reason.TRUNCATED
        raise ContentError(code, region.body) from None


def _value(text: str, region: Region) -> Any:
    """Return a value in tags or lines as its own parser reads it."""
    named = region.field.arguments.get("value_parser") or {}
    settings = named.get("args", {})
    match named.get("name", "raw" if not named else "text"):
        case "raw":
            return text
        case "json":
            return _decoded(
                text.strip(), region, may_be_text=bool(settings.get("allow_non_json")), otherwise=text
            )
        case "bool":
            return text.strip().lower() in ("true", "1")
        case "int" | "float" as kind:
            try:
                return int(text) if kind == "int" else float(text)
            except ValueError:
                raise ContentError(Reason.WRONG_SHAPE, region.body, "Expected a number.") from None
    return text.strip() if settings.get("strip", True) else text


def _tags(text: str, region: Region) -> JsonDict:
    """Return the values in tags by their keys; text between the tags, or a repeated key, is no argument."""
    found: JsonDict = {}
    at, between = 0, []
    for tag in re.finditer(region.field.arguments["tag_pattern"], text, re.DOTALL):
        between.append(text[at : tag.start()])
        at, key = tag.end(), tag["key"]
        value = _value(tag.groupdict().get("value") or "", region)
        if key in found and not region.field.arguments.get("merge_duplicates"):
            raise ContentError(Reason.DUPLICATE_KEY, region.body, f"{key} stands there twice.")
        if key in found:
            value = [*(found[key] if isinstance(found[key], list) else [found[key]]), value]
        found[key] = value
    if "".join((*between, text[at:])).strip():
        raise ContentError(Reason.WRONG_SHAPE, region.body, "Text stands between the arguments.")
    return found


def _lines(text: str, region: Region) -> JsonDict:
    settings = region.field.arguments
    found: JsonDict = {}
    for line in text.split(settings.get("line_sep", "\n")):
        key, separator, value = line.strip().partition(settings.get("kv_sep", ":"))
        if separator:
            if key.strip() in found:
                raise ContentError(Reason.DUPLICATE_KEY, region.body, f"{key.strip()} stands there twice.")
            found[key.strip()] = _value(value.strip(), region)
    return found


def _python(source: Source, region: Region, options: DecodeOptions) -> list[JsonDict]:
    start = behind_blanks(source.text, *region.body)
    if not source.text.startswith("[", start, region.body.end):
        raise ContentError(Reason.WRONG_SHAPE, region.body, "Expected a list of calls.")
    try:
        calls, end = read_calls(source.text, start, region.body.end, options)
    except NoCallError as error:
        raise ContentError(error.issue.code, region.body, error.issue.detail) from None
    if behind_blanks(source.text, end, region.body.end) < region.body.end:
        raise ContentError(Reason.TEXT_AFTER_VALUE, Span(end, region.body.end))
    return [{"name": call.name, "arguments": call.arguments} for call in calls]


def _made(transform: Any, scope: JsonMap, region: Region) -> Any:
    """Fill in a template: each placeholder is replaced by its value."""
    if isinstance(transform, dict):
        return {key: _made(each, scope, region) for key, each in transform.items()}
    if isinstance(transform, list):
        return [_made(each, scope, region) for each in transform]
    named = _PLACEHOLDER.fullmatch(transform) if isinstance(transform, str) else None
    if not named:
        return transform
    value: Any = scope
    for key in named[1].split("."):
        if not isinstance(value, Mapping) or key not in value:
            raise ContentError(Reason.WRONG_SHAPE, region.body, f"There is no {key}.")
        value = value[key]
    return value


def _call(made: Any, region: Region) -> Written:
    function = made.get("function", made) if isinstance(made, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(name, str) or not name.strip():
        raise ContentError(Reason.MISSING_NAME, region.body)
    arguments = function.get("arguments", {})
    if isinstance(arguments, str):
        arguments = _decoded(arguments or "{}", region, may_be_text=False, otherwise="")
    if not isinstance(arguments, dict):
        raise ContentError(Reason.WRONG_SHAPE, region.body, "Expected an object of arguments.")
    return Written(name.strip(), arguments, region.span)
