"""Find the actions that a response attempted, leniently, for feedback on their format only; they never run. Pure."""

import re
from collections.abc import Iterator
from functools import partial
from html import unescape
from itertools import takewhile
from textwrap import dedent
from typing import Any, NamedTuple

from actionledger.actions.catalogue import Catalogue
from actionledger.actions.guidance import OPEN
from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.names import names_to_suggest
from actionledger.core.patterns import regex
from actionledger.core.values import Reading, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.dialects.xml_tags import XmlTags
from actionledger.reading.evidence.headed import headed_calls
from actionledger.reading.parsers import DialectParser
from actionledger.reading.tolerant_json import decode

_LONGEST = 20_000
"""Only the end of a longer response is searched, so that feedback doesn't take long, in characters."""

_MOST = 5
_NAME_KEYS = ("action", "type", "name", "tool", "tool_name", "function", "recipient_name")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "params", "input", "kwargs", "tool_input", "action_input")
_BARE = frozenset({Reason.UNQUOTED_VALUE, Reason.AMBIGUOUS})
_UNMEANT = frozenset({Reason.REASONING})
_CALL_TAGS = frozenset({*_NAME_KEYS, "call", "function_call", "invoke", "tool_call", "tool_use"})
_ATTRIBUTE = regex(r"(?P<name>[\w-]++)\s*+=\s*+(?P<quote>[\"'])(?P<value>.*?)(?P=quote)")
_ELEMENT = regex(
    r"<(?P<name>[A-Za-z_][\w.-]*+)(?P<attributes>(?:\s++[\w-]++\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'))*+)(?P<words>[^<>]*?)\s*/?>"
)
_FIELD = regex(r"\s*+<(?P<name>[A-Za-z_]\w*+)>(?P<value>.*?)(?P<closes></(?P=name)\s*>|\Z)", re.DOTALL)
_UNCLOSED = regex(r"[^\n<]++(?=\s*+</?[A-Za-z_])")
"""The value of a field without an end: the rest of its line, if another tag follows."""

_ESCAPED_TAG = regex(r"&lt;/?[A-Za-z_]\w*+&gt;")
_TABLE = regex(
    r"^[ \t]*+\|(?P<keys>[^\n]++)\n[ \t]*+\|[-|: \t]++\n(?P<rows>(?:[ \t]*+\|[^\n]++\n?)++)", re.MULTILINE
)
_LINE = regex(
    r"^(?P<margin>[ \t]*+)(?:[-*+] )?[\"'*`]*+(?P<key>[A-Za-z_][\w-]*+)[\"'*`]*+[ \t]*+[:=]\**+[ \t]*+(?P<value>[^\n]++)$",
    re.MULTILINE,
)
_BLOCK = regex(r"[|>][-+]?[ \t]*+\Z")
"""A YAML block indicator: the value is on the following lines."""

_PAIR = regex(
    r"(?:--|\B:|\b)(?P<key>[A-Za-z_]\w*+)(?:[ \t]*+=[ \t]*+|(?<!\w:)[ \t]++(?=[\"']))(?P<value>\"(?:[^\"\\]|\\.)*+\"|'[^']*+'|[^\s,)\]}]++)"
)
_SHELL = regex(r"^([ \t]*+```)(?:sh|shell|zsh)(?=[ \t]*+\r?$)", re.MULTILINE)
"""The label of a fence with a command, which only ``bash`` is in a format."""

_OBJECT = regex(r"[{\[]\s*+[\"'{\w]")


class TriedCall(NamedTuple):
    """A call that a response may have attempted."""

    name: str  # the action's name as written
    arguments: JsonMap  # its fields as written; `OPEN` for those cut off
    dialect: str = ""  # the format of the call; empty if it has none


def attempts(text: str, catalogue: Catalogue, reader: DialectParser) -> list[TriedCall]:
    """Return the first five calls that a response may have attempted."""
    text = _SHELL.sub(r"\1bash", text[-_LONGEST:])
    reading = reader.read(text, catalogue.offer)
    found = _read(reading)
    if found and all(each.dialect == "bash_fence" for each in found):
        found = [*headed(text, catalogue.offer)] or found  # a command named like an action is that action
    if found and not any(issue.code is Reason.TRUNCATED for issue in reading.issues):
        return found[:_MOST]
    for block in reading.blocks:
        if block.reason is Reason.REASONING:
            text = (
                text[: block.span.start] + " " * (block.span.end - block.span.start) + text[block.span.end :]
            )
    if _ESCAPED_TAG.search(text):
        text = unescape(text)
    names, offer = frozenset(catalogue.names), catalogue.offer
    unknown: list[TriedCall] = []
    objects = partial(_objects, names=names)
    for looked_for in (objects, elements, _rows, partial(headed, offer=offer), _lines):
        every = [each for each in looked_for(text) if each.name]
        tried = [each for each in every if nearest(each, catalogue) is not None]
        named = (each for each in every if "_" in each.name or looked_for is objects)
        unknown += (each for each in named if each.name.isidentifier() and each not in tried)
        if tried:
            read = {(each.name, repr(each.arguments)) for each in found}
            cut = [each for each in tried if (each.name, repr(each.arguments)) not in read]
            return [*found, *cut][:_MOST]
    return found[:_MOST] or [*_named_in(text, catalogue)][:1] or unknown[:1]


def _named_in(text: str, catalogue: Catalogue) -> Iterator[TriedCall]:
    """Yield the known names in a text, each with the arguments beside it, in parentheses or in its tag."""
    for name in catalogue.names:
        if beside := re.search(rf"(?P<tag><[ \t]*+)?\b{name}\b(?P<given>\([^()\n]*+|[^<>()\n]*+)", text):
            given = beside["given"]
            is_call = given.startswith("(")
            pairs = {pair["key"]: _value(pair["value"]) for pair in _PAIR.finditer(given)}
            first = given[1:].partition(",")[0].strip()
            is_value = (
                is_call and bool(first) and "=" not in first and first not in catalogue.parameters[name]
            )
            bare: JsonDict = {"": _value(first)} if is_value else {}
            is_given = is_call or beside["tag"] or pairs.keys() <= set(catalogue.parameters[name])
            yield TriedCall(name, {**bare, **pairs} if is_given else {})


def _read(reading: Reading) -> list[TriedCall]:
    """Return the complete parsed calls, without those in the model's reasoning, and without placeholders."""
    return [
        TriedCall(
            raw.name, {key: value for key, value in raw.arguments.items() if value != OPEN}, raw.dialect
        )
        for raw in reading.actions
        if raw.name and raw.illustration not in _UNMEANT and raw.doubt is not Reason.TRUNCATED
    ]


def nearest(attempt: TriedCall, catalogue: Catalogue) -> str | None:
    """Return the action meant by an attempt: by its name, a similar name, or as the only one that its fields fit."""
    name = catalogue.known_name(attempt.name)
    if name in catalogue.names:
        return name
    if near := names_to_suggest(attempt.name, catalogue.names):
        return near[0]
    fields = catalogue.parameters
    taking = [each for each in fields if attempt.arguments and attempt.arguments.keys() <= set(fields[each])]
    needing = [
        each
        for each in taking
        if set(catalogue.argument_schema(each).get("required", ())) <= attempt.arguments.keys()
    ]
    return needing[0] if len(needing) == 1 else None


def reader_for(own: DialectParser, catalogue: Catalogue) -> DialectParser:
    """Return a parser for a catalogue's actions in any format and place, which tries the given parser's formats first."""
    known = {dialect.name for dialect in own.dialects}
    others = (
        XmlTags.of(catalogue.parameters) if dialect.name == "xml_tags" else dialect
        for dialect in DIALECTS
        if dialect.name not in known
    )
    changes = {
        "name": "attempted",
        "dialects": (*own.dialects, *others),
        "evidence": "read_in_sentences",
        "max_blocks": None,
    }
    return own.model_copy(update=changes)


def _objects(text: str, *, names: frozenset[str]) -> Iterator[TriedCall]:
    """Yield the calls in JSON objects, including broken or cut ones."""
    at = 0
    while opens := _OBJECT.search(text, at):
        decoded = decode(text, opens.start())
        twice = [issue.span for issue in decoded.issues if issue.span and issue.code is Reason.DUPLICATE_KEY]
        for key in twice[:_MOST]:  # the value has only the last one's
            before = text[opens.start() : key.start].rstrip(" \t\r\n,")
            yield from _named(decode(before + "}").value, names, 0)
        value = _opened(decoded.value) if decoded.cut else decoded.value
        if any(issue.code in _BARE for issue in decoded.issues):
            value = _with_breaks(value)
        yield from _named(value, names, 0)
        at = max(decoded.end, opens.end())


def _with_breaks(value: Any) -> Any:
    """Return a value with the line breaks that its texts, which have no quotes, write as signs."""
    if isinstance(value, dict):
        return {key: _with_breaks(held) for key, held in value.items()}
    return value.replace("\\n", "\n") if isinstance(value, str) else value


def _opened(value: Any) -> Any:
    """Return a cut value with its last string replaced by a placeholder."""
    if isinstance(value, dict) and value:
        last = next(reversed(value))
        return {**value, last: value[last] if last in _NAME_KEYS else _opened(value[last])}
    if isinstance(value, list) and value:
        return [*value[:-1], _opened(value[-1])]
    return OPEN if isinstance(value, str) else value


def named_in(value: Any, names: frozenset[str]) -> TriedCall | None:
    """Return the first call in a parsed value."""
    return next((call for call in _named(value, names, 0) if call.name in names), None)


def _named(value: Any, names: frozenset[str], depth: int) -> Iterator[TriedCall]:
    """Yield the calls in a value: objects with a name key, or with any key whose value is a known name."""
    if isinstance(value, list):
        for item in value:
            yield from _named(item, names, depth + 1)
    if not isinstance(value, dict) or depth > 4:
        return
    known = [key for key, held in value.items() if isinstance(held, str) and held in names]
    key = next((key for key in (*_NAME_KEYS, *known) if isinstance(value.get(key), str)), None)
    if key is None:
        for name, held in value.items():
            if name in names and isinstance(held, str):
                yield TriedCall(name, {"": held})
            yield from _named(held, names, depth + 1)
        return
    rest = {name: held for name, held in value.items() if name != key}
    holder = next((name for name in ARGUMENT_KEYS if isinstance(rest.get(name), dict)), None)
    held = rest.pop(holder) if holder else {}
    yield TriedCall(value[key], {**rest, **held})


def elements(text: str) -> Iterator[TriedCall]:
    """Yield the calls in elements whose children are fields, including unclosed ones."""
    at = 0
    for tag in _ELEMENT.finditer(text):
        if tag.start() < at:  # a field of the previous call
            continue
        arguments: JsonDict = {each["name"]: each["value"] for each in _ATTRIBUTE.finditer(tag["attributes"])}
        at = tag.end()
        while field := _FIELD.match(text, at):
            unclosed = None if field["closes"] else _UNCLOSED.match(text, field.start("value"))
            value = unclosed[0] if unclosed else field["value"] if field["closes"] else OPEN
            arguments[field["name"]] = _body(value)
            at = unclosed.end() if unclosed else field.end()
        if not arguments and (close := text.find(f"</{tag['name']}>", at)) >= 0:
            arguments = {"": _body(text[at:close])}
        key = next((key for key in ("", *_NAME_KEYS) if isinstance(arguments.get(key), str)), None)
        if tag["name"] in _CALL_TAGS and key is not None:
            name = str(arguments.pop(key))
            yield TriedCall(name, arguments or told(text[at:]), "xml_tags")
        elif arguments or "_" in tag["name"]:
            yield TriedCall(tag["name"], arguments or _beside(tag["words"]), "xml_tags")


def _rows(text: str) -> Iterator[TriedCall]:
    """Yield the calls in a table with a column for the name."""
    for table in _TABLE.finditer(text):
        keys = _cells(table["keys"])
        for row in table["rows"].splitlines():
            cells = map(_with_breaks, _cells(row.lstrip().removeprefix("|")))
            pairs: JsonDict = dict(zip(keys, cells, strict=False))
            if key := next((key for key in pairs if key.lower() in _NAME_KEYS), None):
                yield TriedCall(str(pairs.pop(key)), pairs)


def _cells(row: str) -> list[str]:
    return [cell.strip(" \t`*") for cell in row.strip().removesuffix("|").split("|")]


def _beside(words: str) -> JsonDict:
    """Return the arguments in a tag that are not in quotes: pairs, or a text for any field."""
    pairs = {pair["key"]: _value(pair["value"]) for pair in _PAIR.finditer(words)}
    return pairs or ({"": words.strip()} if words.strip() else {})


def _body(value: str) -> str:
    """Return a tag's content; if it has several lines, without the first line break."""
    if "\n" not in value.strip():
        return value.strip()
    return value.removeprefix("\r").removeprefix("\n").rstrip(" \t")


def headed(text: str, offer: frozenset[str]) -> Iterator[TriedCall]:
    """Yield the calls whose name comes directly before their arguments."""
    for head in headed_calls(text, Span(0, len(text)), offer):
        yield TriedCall(head.name, told(head.body.of(text)))


def told(body: str) -> JsonDict:
    """Return the arguments after a call's name: an object, elements, lines of keys, pairs, or a text for any field."""
    if opens := _OBJECT.search(body):
        decoded = decode(body, opens.start())
        value = _opened(decoded.value) if decoded.cut else decoded.value
        if isinstance(value, list) and value:
            return {"": value}
        if isinstance(value, dict):
            [*holders] = (key for key in ARGUMENT_KEYS if isinstance(value.get(key), dict))
            return dict(value[holders[0]]) if holders else value
    if fields := {each["name"]: _body(each["value"]) for each in _FIELD.finditer(body) if each["closes"]}:
        return fields
    beside = {pair["key"]: _value(pair["value"]) for pair in _PAIR.finditer(body)}
    pairs = beside if beside and "\n" not in body.strip() else _pairs(body) or beside
    text = _fence_less(body).strip(" \t\r\n:[]{}()*`\"'")
    return pairs or ({"": text} if text else {})


def _fence_less(body: str) -> str:
    """Return the content of a text's fence; the text itself if it has none."""
    inside = body.rpartition("```")[0] if body.rstrip().endswith("```") else body
    return inside.partition("\n")[2] if inside.lstrip().startswith("```") else inside


def _pairs(text: str) -> JsonDict:
    """Return the keys and values of lines, including values on the following lines."""
    found: JsonDict = {}
    for line in _LINE.finditer(text):
        below = text[line.end() + 1 :] if _BLOCK.match(line["value"]) else None
        found[line["key"]] = _value(line["value"]) if below is None else _indented(below, len(line["margin"]))
    return found


def _indented(text: str, margin: int) -> str:
    """Return a text's leading lines that are indented by more than a margin."""
    lines = takewhile(
        lambda line: not line.strip() or len(line) - len(line.lstrip()) > margin,
        text.splitlines(keepends=True),
    )
    return dedent("".join(lines)).rstrip("\n") + "\n"


def _value(written: str) -> object:
    """Parse a value on a line: quoted, a literal, or plain text."""
    written = written.strip().rstrip(",").strip("`").strip()
    decoded = decode(written) if written.startswith(('"', "'")) else None
    return decoded.value if decoded and decoded.end == len(written) else written.strip("\"'")


def _lines(text: str) -> Iterator[TriedCall]:
    """Yield the call in lines of keys and values, one of which is the name."""
    pairs = {key: str(value) for key, value in _pairs(text).items()}
    key = next((key for key in _NAME_KEYS if key in pairs), None)
    if key is not None:
        yield TriedCall(pairs[key], {name: value for name, value in pairs.items() if name != key})
