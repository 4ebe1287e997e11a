"""Calls recorded next to the text, as raw actions. Argument strings are decoded here; parsed arguments are taken unchanged.

The model wrote the argument string, so it is inserted into the text on lines of its own. Its block has a span, and repairs have places.
Parsed arguments were not written in that form: their block is an empty span at the place of the call.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from actionledger.core.canonical import JsonDict, JsonMap, is_deeper
from actionledger.core.values import Issue, Reading, Span
from actionledger.core.vocabulary import BlockStatus, Capture, Reason
from actionledger.reading.dialects.apply_patch import faults_of
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.leaked import Text, beside
from actionledger.reading.parse import assembled
from actionledger.reading.parsers import READING_RULES, REPAIRS
from actionledger.reading.tolerant_json import Decoded, DecodeOptions, decode
from actionledger.reading.tolerant_json.decoded import moved

_PATCHES, _BEGIN = "apply_patch", "*** Begin Patch"

_DECODING = DecodeOptions(repairs=REPAIRS)


class CallBeside(Protocol):
    """A call as a recording has it; see ``sources.base.RecordedCall``."""

    @property
    def call_id(self) -> str:
        """The call's identifier; empty if missing."""

    @property
    def name(self) -> str:
        """The tool's name."""

    @property
    def arguments(self) -> str | JsonMap:
        """The model's text, or the object it was parsed to."""

    @property
    def kind(self) -> str:
        """``function`` if the arguments are an object, ``text`` if they are a text."""

    @property
    def at(self) -> int | None:
        """Where in the text it was made; None for the end."""


class _Recorded:
    """The parser that these results name."""

    name = "recorded"
    version = "2"
    configuration = json.dumps(
        {
            "name": name,
            "version": version,
            "reading_rules": READING_RULES,
            "decoding": _DECODING.model_dump(mode="json"),
        },
        sort_keys=True,
        separators=(",", ":"),
    )
    id = hashlib.sha256(configuration.encode()).hexdigest()[:16]


RECORDED = _Recorded()
"""The parser of calls recorded next to a text: its name, version and hash."""


class _Format(NamedTuple):
    name: str
    strings_only: bool = False


_FORMATS = {capture: _Format(str(capture)) for capture in Capture}


class WithCalls(NamedTuple):
    """A text with its calls' argument strings inserted."""

    text: str
    placed: Sequence[tuple[CallBeside, Span]] = ()  # each call and its span, in text order


def with_calls(text: str, calls: Sequence[CallBeside]) -> WithCalls:
    """Insert the argument strings of calls into a text, and return it with each call's span, in text order."""
    pieces: list[str] = []
    placed: list[tuple[CallBeside, Span]] = []
    length = taken = 0
    # Text is separated from an argument string before it, and an argument string from anything before it.
    is_behind_arguments = False
    for call in _in_text_order(calls, len(text)):
        place = len(text) if call.at is None else call.at
        if place > taken:
            length += _add(pieces, text[taken:place], on_its_own_line=is_behind_arguments)
            taken = place
        start, is_behind_arguments = length, isinstance(call.arguments, str)
        if isinstance(call.arguments, str):
            length += _add(pieces, call.arguments, on_its_own_line=True)
            start = length - len(call.arguments)
        placed.append((call, Span(start, length)))
    _add(pieces, text[taken:], on_its_own_line=is_behind_arguments)
    return WithCalls("".join(pieces), placed)


def _in_text_order(calls: Sequence[CallBeside], end: int) -> Sequence[CallBeside]:
    if len(calls) <= 1:
        return calls
    return sorted(calls, key=lambda call: end if call.at is None else call.at)


def _add(pieces: list[str], piece: str, *, on_its_own_line: bool) -> int:
    """Add a piece to a text and return the number of added characters."""
    if not piece:
        return 0
    grown = len(piece)
    if on_its_own_line and pieces and not (pieces[-1].endswith("\n") or piece.startswith("\n")):
        pieces.append("\n")
        grown += 1
    pieces.append(piece)
    return grown


def read_recorded(
    written: WithCalls,  # the text with its calls
    capture: Capture,  # which part of the responses was kept
    *,
    demands_action: bool = False,  # whether a response without a call has failed
    # the names of the tools, an `Offer` if the offered ones are known; empty if unknown
    names: frozenset[str] = frozenset(),
    thoughts: str = "",  # the model's thoughts, if its provider keeps them apart from the text
) -> Reading:
    """Parse calls recorded next to a text, and find those that the model left in it; never raises.

    Returns:
        The reading. A call with unreadable arguments is a malformed block, and so is one left as text.
    """
    form = _FORMATS[capture]
    found = [(form, _read(call, span)) for call, span in written.placed]
    whole = beside(Text(written.text, found, names, thoughts))
    return assembled(written.text, whole, requires_action=demands_action, parser_id=RECORDED.id)


def _read(call: CallBeside, span: Span) -> Found:
    if not isinstance(call.arguments, str):
        return _parsed(call, call.arguments, span)
    if call.kind == "text":
        return _with_its_text(call, call.arguments, span)
    if not call.arguments.strip():
        return _found(call, {}, span)
    return _decoded(call, call.arguments, span)


def _with_its_text(call: CallBeside, text: str, span: Span) -> Found:
    """Return a call whose argument is a text. A patch is checked by its own dialect, and refused if it isn't one."""
    faults = faults_of(text.rstrip(), span.start) if call.name == _PATCHES and text.startswith(_BEGIN) else ()
    return _refused(span, *faults) if faults else _found(call, {"input": text}, span)


def _decoded(call: CallBeside, arguments: str, span: Span) -> Found:
    decoded = decode(arguments, options=_DECODING)
    if not decoded.ok:
        return _refused(span, moved(decoded.issues[0], span.start))
    if decoded.cut:
        return _refused(span, Issue(Reason.TRUNCATED, Span(span.end, span.end)))
    if decoded.end < len(arguments) and arguments[decoded.end :].strip():
        return _refused(span, Issue(Reason.TEXT_AFTER_VALUE, Span(span.start + decoded.end, span.end)))
    if not isinstance(decoded.value, dict):
        return _refused(span, Issue(Reason.WRONG_SHAPE, span, "The arguments are no object."))
    is_plain = not decoded.repairs and not decoded.issues
    return _found(call, decoded.value, span, None if is_plain else decoded.moved(span.start))


def _parsed(call: CallBeside, arguments: object, span: Span) -> Found:
    if not isinstance(arguments, dict | Mapping):  # a dict is found to be one in a tenth of the time
        return _refused(span, Issue(Reason.WRONG_SHAPE, span, "The arguments are no object."))
    if is_deeper(arguments, _DECODING.max_depth, (dict, list, Mapping)):
        return _refused(span, Issue(Reason.TOO_DEEP, span, f"The limit is {_DECODING.max_depth} levels."))
    return _found(call, dict(arguments), span)


def _found(call: CallBeside, arguments: JsonDict, span: Span, as_read: Decoded | None = None) -> Found:
    """Return a call's block."""
    actions = (Written(call.name, arguments, span, call.call_id or None),)
    if as_read is None:
        return Found(BlockStatus.STRICT, span, span, actions)
    status = BlockStatus.REPAIRED if as_read.repairs else BlockStatus.STRICT
    return Found(status, span, span, actions, repairs=as_read.repairs, issues=as_read.issues)


def _refused(span: Span, *issues: Issue) -> Found:
    return Found(BlockStatus.MALFORMED, span, span, reason=issues[0].code, issues=issues)
