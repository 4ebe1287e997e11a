"""How a format writes calls with tags as parameters: the patterns of its tags, the marks within a value, the written call."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from json import dumps
from types import MappingProxyType
from typing import NamedTuple

from actionledger.core.canonical import JsonDict
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.values.calls import parameters_of
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.dialects.parts.writing import PlainCall, raw_text
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import decode_nested
from actionledger.reading.tolerant_json.faults import DecodeOptions


class TagGrammar:
    """How a format writes a call."""

    def __init__(
        self,
        *,
        # the opening of a call, as a pattern with the group `name`; if a group `whole` matches as well, the tag
        # closes itself
        call: str,
        stem: str,  # the beginning of every parameter, as text
        # the opening of a parameter, as a pattern with the group `key`. A group `string` with `false`, or a non-empty
        # group `json`, makes its value JSON, and a group `tree` further parameters.
        parameter: str,
        parameter_closes: str,  # what closes a parameter
        call_closes: str,  # what closes the call
        value_opens: str = "",  # the tag that each value has after the parameter's name, if any
        tail: str = "",  # what follows the closing tag of every call
        # the tags that open a group of calls, each with the one that closes it
        groups: Mapping[str, str] = MappingProxyType({}),
        # whether a value is on lines of its own, so that the breaks around it are not part of it
        line_breaks: bool = False,
        holds_json: bool = False,  # whether an object may replace the parameters
        is_xml: bool = False,  # whether values are XML, with its escapes and CDATA sections
        # for a closing tag, another one that models write instead
        spellings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        def closing(tag: str) -> str:
            return "|".join(map(re.escape, filter(None, (tag, spellings.get(tag)))))

        ends, closes = f"(?:{closing(parameter_closes)})", f"(?:{closing(call_closes)})"
        next_call = rf"(?:(?:{'|'.join(map(re.escape, groups))})\s*+)?{call}" if groups else call
        after_call = "|".join(
            [r"\Z", _anonymous(next_call), *(re.escape(tag) for tag in (tail, *groups.values()) if tag)]
        )
        self.stem, self.groups, self.line_breaks = stem, groups, line_breaks
        self.is_xml, self.spellings = is_xml, spellings
        self.parameter_closes, self.call_closes, self.tail = parameter_closes, call_closes, tail
        self.call = regex(call)
        self.next_call = regex(next_call)
        self.parameter = regex(parameter)
        self.next_parameter = regex(rf"\s*+{parameter}")
        self.has_kinds = any(f"(?P<{kind}>" in parameter for kind in ("string", "json", "tree"))
        key = parameter.removesuffix(re.escape(value_opens))
        without_tag = rf"{key}(?=[^<\s])" if value_opens else "(?!)"
        self.value_opens, self.bare_parameter = value_opens, regex(rf"\s*+{without_tag}")
        self.parameter_close = regex(ends)
        like_one = rf"{re.escape(stem.rstrip('=>'))}\b[^<>]*+(?<!/)>"
        tags = regex(rf"(?P<closes>{ends})|{parameter}|{like_one}")
        self.marks = MarkGrammar(tags, parameter_closes, spellings.get(parameter_closes, ""), parameter)
        self.call_close = regex(closes)
        self.closes = regex(rf"\s*+{closes}")
        goes_on = "|".join((_anonymous(parameter), closes, _anonymous(without_tag)))
        self.fitting_close = regex(rf"{ends}(?=\s*+(?:{goes_on}))")
        self.plain_json = regex(
            rf"(?:-?(?:0|[1-9][0-9]{{0,17}})|true|false|null)\s*+{re.escape(parameter_closes)}"
        )
        self.plain_value = regex(rf"([^<>]*+){re.escape(parameter_closes)}(?=\s*+(?:{goes_on}))")
        self.bare_close = regex(rf"{closes}(?=\s*+(?:{after_call}))")
        spelt = "".join(
            rf"|<{re.escape(tag[2:-1])}\b" for closer, tag in spellings.items() if closer == call_closes
        )
        self.brackets = regex(rf"(?P<closes>{closes})|{call}{spelt}")
        self.nesting = regex(
            rf"(?P<closes_parameter>{ends})|(?P<closes_call>{closes})"
            rf"|(?P<opens_parameter>{_anonymous(parameter)})|(?P<opens_call>{_anonymous(call)})"
        )
        self.follows = (stem, *filter(None, (call_closes, spellings.get(call_closes), "{" * holds_json)))
        self.object = regex(r"\s*+(?=\{)" if holds_json else "(?!)")


def _anonymous(pattern: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)


class RefusedError(Exception):
    """The call is unreadable; ``end`` is its end if known better than by its next closing tag."""

    def __init__(self, issue: Issue, end: int | None = None) -> None:
        super().__init__(issue.code)
        self.issue = issue
        self.end = end


_TAG = regex(r"<[^<>]*+>")
_TAG_BEHIND = regex(r"\s*+<")
_ENDS_BEFORE = regex(r"[ \t]*+\n|[^\s\"'`.,;:!?()\]}]")
"""Text after a closing tag that ended a value; after a mere mention of the tag, it is mostly a blank or a sign."""

_BEFORE_A_NAMED_TAG = " \t\"'`([{>"


class MarkGrammar(NamedTuple):
    """The format's tags that a value may hold."""

    # the tags that open and close a parameter, with the group `closes` and, if named, `key`
    tags: re.Pattern[str]
    closer: str  # what closes a parameter
    other: str = ""  # another tag that models write instead, which may also be the value's own
    parameter: str = ""  # the opening of a parameter, if that is more than one tag


@lru_cache(maxsize=256)
def field_marks(name: str) -> MarkGrammar:
    """Return the tags of a field that is a tag with its name; one that only opens in a value belongs to the value."""
    spelt = re.escape(name)
    return MarkGrammar(regex(rf"(?P<closes></{spelt}>)|<{spelt}>|(?P<key>(?!))"), f"</{name}>")


class Marks(NamedTuple):
    """The format's marks in a value."""

    value: Span  # the value's span without repeated tags
    repairs: tuple[Repair, ...] = ()  # the repairs for these, in text order
    issue: Issue | None = None  # why the value is unreadable; None if it is readable


def marks_in(text: str, opener: str, body: Span, close: Span, grammar: MarkGrammar) -> Marks:
    """Return the format's marks in a value."""
    tags = _TAG.findall(opener)
    start, stop = body
    repairs: list[Repair] = []
    at = behind_blanks(text, start, stop)
    is_twice = bool(tags) and text.startswith(tags[-1], at, stop)
    first = Span(at, at + len(tags[-1])) if is_twice else Span(start, start)
    strays, holds_another = _strays(text, Span(first.end, stop), grammar)
    if holds_another:
        detail = "Another parameter begins in it: it is quoted, or the tag was never closed."
        return Marks(body, issue=Issue(Reason.AMBIGUOUS, Span(start, close.end), detail))
    if is_twice and strays and text[strays[0].end : stop].strip():
        is_twice, first, strays = False, Span(start, start), strays[1:]  # it is closed in the value
    while strays and not text[strays[-1].end : stop].strip():
        stop = strays.pop().start
    if stop < body.end:
        second = behind_blanks(text, stop + len(grammar.closer), close.end)
        span = Span(second, close.end)
        repairs.append(Repair(RepairKind.STRAY_MARK, span, span.of(text), ""))
    if is_twice and repairs:
        detail = "The value is a parameter of its own, or both of its tags stand twice."
        return Marks(body, issue=Issue(Reason.AMBIGUOUS, Span(start, close.end), detail))
    if is_twice:
        repairs.insert(0, Repair(RepairKind.STRAY_MARK, first, first.of(text), ""))
    value = Span(first.end, stop)
    own = sorted([*strays, *_inner_tags(text, value, tags[1:], grammar)])
    if any(_TAG_BEHIND.match(text, mark.end, stop) for mark in own) or any(
        _ENDS_BEFORE.match(text, mark.end, stop) and text[mark.start - 1] not in _BEFORE_A_NAMED_TAG
        for mark in strays
    ):
        detail = "A tag of the format stands in it: the value may end before that."
        return Marks(body, issue=Issue(Reason.AMBIGUOUS, Span(start, close.end), detail))
    kept = (Repair(RepairKind.STRAY_MARK, mark, mark.of(text), f"&lt;{mark.of(text)[1:]}") for mark in own)
    return Marks(value, tuple(sorted([*repairs, *kept], key=lambda repair: repair.span)))


def _strays(text: str, within: Span, grammar: MarkGrammar) -> tuple[list[Span], bool]:
    """Return the closing tags that nothing opened, and whether an unclosed parameter may begin."""
    opened: list[bool] = []
    strays: list[Span] = []
    is_text = bool(grammar.other) and text.find(f"<{grammar.other[2:-1]}", *within) >= 0
    for tag in grammar.tags.finditer(text, *within):
        if not tag["closes"]:
            if strays and not text[strays[-1].end : tag.start()].strip():
                return strays, True
            # One with escaped quotes belongs to a call in a JSON text, and the tag that closes it may look like this value's.
            opened.append(tag["key"] is not None or '\\"' in tag[0])
        elif is_text and tag[0] == grammar.other:
            continue  # it closes a tag of the value's own
        elif opened:
            opened.pop()
        else:
            strays.append(Span(*tag.span()))
    return strays, any(opened)


_FIRST_SIGN_TWICE = regex(r"[\n\w]<\Z")
"""The end of a value whose closing tag's first sign is doubled."""

_LAST_CLOSER = regex(r"</([\w.:-]++)>\Z")


def is_nearly_marked(text: str, grammar: TagGrammar) -> bool:
    """Return whether a value begins or ends with nearly one of its own tags: other letters, or one wrong sign."""
    if _FIRST_SIGN_TWICE.search(text, max(0, len(text) - 2)) and text.count("<") == 1:
        return True
    bare, closer = text.strip(), grammar.parameter_closes
    if f"{closer[:-1]}<>" in bare or bare.endswith(f"{closer[:-2]}>{closer[-2]}"):
        return True  # its last two signs are exchanged
    return _has_nearly(bare, grammar.parameter_closes, -1) or _has_nearly(bare, grammar.value_opens, 1)


def _has_nearly(text: str, tag: str, side: int) -> bool:
    """Return whether nearly a tag is at one side of a text; a tag of the text's own doesn't count."""
    core = tag.strip("</>").casefold()
    longest = len(tag) + 1
    if not core or core not in (text[:longest] if side > 0 else text[-longest:]).casefold():
        return False
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - slow to load, and rarely needed

    pieces = (text[:length] if side > 0 else text[-length:] for length in range(len(tag) - 1, longest + 1))
    if all(Levenshtein.distance(piece.casefold(), tag.casefold(), score_cutoff=1) > 1 for piece in pieces):
        return False
    own = _LAST_CLOSER.search(text, max(0, len(text) - longest))
    return own is None or f"<{own[1]}" not in text


def _inner_tags(text: str, value: Span, tags: list[str], grammar: MarkGrammar) -> list[Span]:
    """Return the further tags of a parameter's opening, such as the one before its value, that are alone."""
    if not any(text.find(tag, *value) >= 0 for tag in tags):
        return []
    pattern = regex(rf"{grammar.parameter}|(?P<inner>{'|'.join(map(re.escape, tags))})")
    return [Span(*tag.span()) for tag in pattern.finditer(text, *value) if tag["inner"]]


@dataclass(frozen=True, slots=True)
class TagForms:
    """How a format writes calls: templates for ``str.format``."""

    parameter: str  # a parameter, from `key`, `value` and `string`, which says whether the value is a text
    call: str  # a call, from `name` and `parameters`
    group: str = "{calls}"  # all calls, from `calls`
    between: str = "\n"  # the text between two calls
    # whether a value that begins or ends with a line break is put on lines of its own, since the break would otherwise be read as layout
    wraps: bool = False

    def written(self, calls: Sequence[PlainCall]) -> str:
        """Return the text for calls."""
        return self.group.format(calls=self.between.join(map(self._call, calls)))

    def _call(self, call: PlainCall) -> str:
        parameters = (
            self.parameter.format(
                key=key, value=self._value(value), string="true" if isinstance(value, str) else "false"
            )
            for key, value in call.arguments.items()
        )
        return self.call.format(name=call.name, parameters="".join(parameters))

    def _value(self, value: object) -> str:
        text = raw_text(value)
        has_break = text.endswith("\n") or text.startswith(("\n", "\r\n"))
        return f"\n{text}\n" if self.wraps and has_break else text


CDATA, CDATA_CLOSES = "<![CDATA[", "]]>"

_ESCAPE = r"&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});"
_ENTITIES = {"&gt;": ">", "&lt;": "<", "&quot;": '"', "&apos;": "'", "&amp;": "&"}
"""The sign of each escape; the one with which all begin is last."""
_NO_XML = regex(rf"<|&(?!{_ESCAPE[1:]})")
_NUMBER = regex(r"&#(?:x(?P<hex>[0-9a-fA-F]{1,6})|(?P<decimal>\d{1,7}));")


def unescaped(text: str) -> str:
    """Unescape an XML text; a text with a bare sign was never escaped and stays unchanged."""
    if "&" not in text or _NO_XML.search(text):
        return text
    text = _NUMBER.sub(_character, text)
    for written, meant in _ENTITIES.items():
        text = text.replace(written, meant)
    return text


def _character(escape: re.Match[str]) -> str:
    number = int(escape["hex"], 16) if escape["hex"] else int(escape["decimal"])
    is_one = number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
    return chr(number) if is_one and chr(number) != "&" else "&amp;" if is_one else escape[0]


_HOLDERS = frozenset({"arguments", "args", "input", "kwargs", "parameters", "params", "properties"})

_PYTHON = {RepairKind.QUOTES, RepairKind.LITERAL}
"""The repairs of a printed dictionary."""


def held_arguments(
    source: Source, name: str, arguments: JsonDict, span: Span, options: DecodeOptions
) -> tuple[JsonDict, Repair | None]:
    """Return a call's arguments, taken out of the object in its only parameter, and the repair for that.

    This needs a known tool that has no parameter of that name, but has each one that the object names.
    """
    if len(arguments) != 1:
        return arguments, None
    [key] = arguments
    if key not in _HOLDERS or RepairKind.NESTED_JSON not in options.repairs:
        return arguments, None
    known = parameters_of(source.names or frozenset(), name)
    # The object that a value is, or that its text plainly holds; an empty one if it holds none.
    value = arguments[key]
    if isinstance(value, str):
        decoded = decode_nested(value, options=options)
        is_plain = not decoded.issues and {repair.kind for repair in decoded.repairs} <= _PYTHON
        value = decoded.value if is_plain else None
    held = value if isinstance(value, dict) else {}
    if not known or key in known or not held or not held.keys() <= set(known):
        return arguments, None
    written = dumps(held, ensure_ascii=False)
    return held, Repair(RepairKind.NESTED_JSON, span, span.of(source.text), written)
