"""Gemma: Python calls in a ```` ```tool_code ```` fence, and the tokens of FunctionGemma and Gemma 4 around a call, or some.

In the latter a string stands between two delimiting tokens and may hold anything else; keys are bare.
"""

import json
import re
from collections.abc import Sequence
from typing import Literal

from actionledger.core.canonical import JsonDict
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.dialects.parts.markers import (
    Close,
    Marker,
    behind_blanks,
    read_block,
    thoughts_behind,
)
from actionledger.reading.dialects.parts.truncation import VALUE_ENDS
from actionledger.reading.dialects.parts.writing import PlainCall, fenced, python_call
from actionledger.reading.dialects.python_calls import FencedCalls
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.faults import STRICT, DecodeOptions

_CALL = regex(r"(?P<word>call)?+:\s*+(?P<name>[^\s{}<>]+)\s*+(?=\{)")
_CUT = regex(r"c(?:a(?:l(?:l(?::[^\s{}<>]*+)?)?)?)?")
_MODULE = "default_api."


_BARE = r"[^\s:,{}\[\]<>\"]++"
"""A word of a key; a key may have several."""


class _Notation:
    """The opening and closing of a call, and its object's notation: strings between two quote tokens, keys and the rest bare.

    Models also write strings as in JSON, or between single quotes, which is repaired.
    """

    def __init__(self, opener: str, closer: str, quote: str) -> None:
        self.opener, self.closer, self.quote = opener, closer, quote
        self.token = regex(
            rf"\s*+(?:(?P<quote>{re.escape(quote)})|(?P<key>{_BARE}(?:[ \t]++{_BARE})*+)\s*+:"
            rf"|(?P<json>\"(?:(?!{re.escape(quote)})[^\"\\\n]|\\.)*+\")"
            r"(?=\s*+[:,}\]])|'(?P<single>(?:[^'\\\n]|\\[^'\n])*+)'(?=\s*+[,}\]])"
            r"|(?P<sign>[{}\[\],:]|[^\s:,{}\[\]<>]++))"
        )


_NOTATIONS = {
    made.opener: made
    for made in (
        _Notation("<start_function_call>", "<end_function_call>", "<escape>"),
        _Notation("<|tool_call>", "<tool_call|>", '<|"|>'),
    )
}
_DEEPEST = 16
"""The maximal nesting of calls in each other's strings."""

_THOUGHTS = ("<|channel>", "<channel|>")
_PARTNERS = {"{": "}", "[": "]"}
_CLOSERS = frozenset(_PARTNERS.values())
_NULL = {"None": "null"}
"""The null of Gemma 4's template."""


class Gemma(FencedCalls):
    """Calls in a ```` ```tool_code ```` fence, printed or not; and ``call:NAME{key:value}`` between special tokens."""

    name: Literal["gemma"] = "gemma"
    optional_closers = {
        "<end_function_call>": VALUE_ENDS,
        "<tool_call|>": VALUE_ENDS,
    }
    source = (
        "Google, function calling with Gemma (tool_code), FunctionGemma formatting and best practices, "
        "Gemma 4 chat template"
    )
    rules = (
        (
            "Actions are Python calls in a fence labelled tool_code, one a line: with arguments by "
            "name, and literals as values."
        ),
    )
    example = '```tool_code\nprint(get_weather(city="Paris"))\n```'
    unprints = True

    @property
    def fence_labels(self) -> frozenset[str]:
        """The label of the format."""
        return frozenset({"tool_code"})

    @property
    def literals(self) -> frozenset[str]:
        """The tokens that open a call, or thoughts."""
        return frozenset({*_NOTATIONS, _THOUGHTS[0]})

    def renamed(self, call: Written) -> Written:
        """Return a call without the module in which Google's prompts put the tools."""
        return call._replace(name=call.name.removeprefix(_MODULE))

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the fence or the call that begins here; see ``Dialect.read``."""
        if opening.kind is OpeningKind.FENCE:
            return super().read(source, opening, end, options)
        if opening.label == _THOUGHTS[0]:
            return thoughts_behind(source, opening, _THOUGHTS[1], end)
        notation = _NOTATIONS[opening.label]
        marker = Marker(source, opening, notation.closer, end, options)
        found = _call_behind(marker, notation)
        return self.unless_quoted(found, source.text) if found else None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write all calls in one fence, printed; see ``Dialect.write``."""
        return fenced("tool_code", "\n".join(f"print({python_call(call)})" for call in calls))


def _call_behind(marker: Marker, notation: _Notation) -> Found | None:
    """Read the call after an opening token."""
    text = marker.source.text
    start = behind_blanks(text, marker.opening.end, marker.end)
    call = _CALL.match(text, start, marker.end)
    if call is None:
        is_cut = start < marker.end == len(text) and _CUT.fullmatch(text, start)
        issue = Issue(Reason.TRUNCATED, Span(start, marker.end))
        return marker.refused(issue, start) if is_cut else marker.nothing_behind()
    repairs = [] if call["word"] else [Repair(RepairKind.TAG_SPELLING, Span(start, start), "", "call")]
    if repairs and RepairKind.TAG_SPELLING not in marker.options.repairs:
        return marker.refused(Issue(Reason.TAG_SPELLING, Span(start, call.end()), "Expected call:"), start)
    actions: list[Written] = []
    issues: list[Issue] = []
    at = start
    following: re.Match[str] | None = call
    while following:
        read = _arguments(marker, following, notation, repairs)
        if isinstance(read, Found):
            return read
        arguments, end, noted = read
        actions.append(Written(following["name"], arguments, Span(at, end)))
        issues += noted
        at = behind_blanks(text, end, marker.end)
        following = _CALL.match(text, at, marker.end) if text.startswith("call:", at) else None
    close = marker.closing(actions[-1].span.end)
    if isinstance(close, Found):
        return close
    if refused := next((each for each in repairs if each.kind not in marker.options.repairs), None):
        return marker.malformed(Issue(Reason(refused.kind), refused.span), close)
    span, body = Span(marker.opening.start, close.end), Span(marker.opening.end, close.start)
    return read_block(span, body, tuple(actions), (*repairs, *close.repairs), tuple(issues))


def _arguments(
    marker: Marker, call: re.Match[str], notation: _Notation, repairs: list[Repair]
) -> tuple[JsonDict, int, tuple[Issue, ...]] | Found:
    """Return the object behind a call's name, its end and minor problems; the unreadable block if it can't be read."""
    try:
        written, at = _as_json(marker.source, Span(call.end(), marker.end), notation, repairs)
    except _OpenStringError as error:
        if marker.source.find(notation.opener, error.start, marker.end) < 0:
            return marker.refused(Issue(Reason.TRUNCATED, Span(call.end(), marker.end)), call.start())
        detail = "Another call begins in a text that nothing closes: it is quoted, or this one breaks off."
        issue = Issue(Reason.AMBIGUOUS, Span(call.start(), error.start), detail)
        return marker.malformed(issue, Close(marker.end, marker.end))
    if at < 0:
        return marker.refused(Issue(Reason.TRUNCATED, Span(call.end(), marker.end)), call.start())
    decoded = decode(written, options=STRICT.model_copy(update={"max_depth": marker.options.max_depth}))
    issues = tuple(Issue(issue.code, Span(call.end(), at), issue.detail) for issue in decoded.issues)
    if decoded.ok:
        return decoded.value, at, issues
    close = marker.closing(at)
    return close if isinstance(close, Found) else marker.malformed(issues[0], close)


class _OpenStringError(Exception):
    """Nothing closes the text that begins at ``start``, or a call in it is unreadable."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


def _as_json(
    source: Source, within: Span, notation: _Notation, repairs: list[Repair], depth: int = 0
) -> tuple[str, int]:
    """Return the object here as JSON text, and its end, or -1 if it has none. Note the repairs.

    Where the closing token of the call follows a whole value, brackets that lack are added.
    """
    text, pieces = source.text, list[str]()
    opened: list[str] = []
    at, end = within
    while at < end and (token := notation.token.match(text, at, end)):
        at = token.end()
        if token["quote"]:
            stop = _string_end(source, at, end, notation, depth)
            pieces.append(json.dumps(text[at:stop]))
            at = stop + len(notation.quote)
        elif token["key"]:
            pieces.append(json.dumps(token["key"]) + ":")
        elif token["json"]:
            pieces.append(token["json"])
        elif token["single"] is not None:
            pieces.append(json.dumps(token["single"]))
            place = Span(token.start("single") - 1, at)
            repairs.append(Repair(RepairKind.QUOTES, place, place.of(text), pieces[-1]))
        else:
            pieces.append(_NULL.get(sign := token["sign"], sign))
            if sign in _PARTNERS:
                opened.append(_PARTNERS[sign])
            elif sign in _CLOSERS and opened:
                opened.pop()
            if not opened:
                return " ".join(pieces), at
    is_closed = text.startswith(notation.closer, behind_blanks(text, at, end), end)
    if depth or not is_closed or not opened or pieces[-1].endswith((":", ",", *_PARTNERS)):
        return "", -1
    lacks = "".join(reversed(opened))
    repairs.append(Repair(RepairKind.MISSING_CLOSER, Span(at, at), "", lacks))
    return " ".join((*pieces, lacks)), at


def _string_end(source: Source, start: int, end: int, notation: _Notation, depth: int) -> int:
    """Return where a text ends: at the next quote token outside of whole calls in the text."""
    at = start
    while (stop := source.find(notation.quote, at, end)) >= 0:
        opens = source.text.find(notation.opener, at, stop)
        if opens < 0:
            return stop
        at = opens + len(notation.opener)
        call = _CALL.match(source.text, behind_blanks(source.text, at, end), stop)
        if call is None:
            continue  # the token is only mentioned
        _, behind = (
            _as_json(source, Span(call.end(), end), notation, [], depth + 1) if depth < _DEEPEST else ("", -1)
        )
        at = behind_blanks(source.text, behind, end) + len(notation.closer)
        if behind < 0 or not source.text.endswith(notation.closer, behind, at):
            break
    raise _OpenStringError(start)
