"""Calls that a recording has beside the text, as raw actions: argument strings are decoded here, parsed arguments taken as they are.

An argument string is what the model wrote: it is put into the text at its place, on lines of its own, so that its block has a span
and a repair says where. Parsed arguments nobody wrote in that form: their block is the empty span at the place of the call.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from actionledger.depth import is_deeper
from actionledger.parsing.dialects.base import Found, Written
from actionledger.parsing.dialects.parts.patch_lines import faults_of
from actionledger.parsing.parse import assembled
from actionledger.parsing.parsers import READING_RULES, REPAIRS
from actionledger.tolerant_json import DecodeOptions, decode
from actionledger.values import Issue, Reading, Span
from actionledger.vocabulary import BlockStatus, Capture, Reason

_PATCHES, _BEGIN = "apply_patch", "*** Begin Patch"

_DECODING = DecodeOptions(repairs=REPAIRS)


class CallBeside(Protocol):
    """A call as a recording has it; see ``sources.base.RecordedCall``."""

    @property
    def call_id(self) -> str:
        """Its own identifier; empty where it has none."""

    @property
    def name(self) -> str:
        """The tool's name."""

    @property
    def arguments(self) -> str | Mapping[str, Any]:
        """A text as the model wrote it, or what it was parsed to."""

    @property
    def kind(self) -> str:
        """``function`` for arguments that are an object, ``text`` for those that are a text."""

    @property
    def at(self) -> int | None:
        """Where in the text it was made; None behind all of it."""


class _Recorded:
    """What results say that they were read by."""

    name = "recorded"
    version = "1"
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
"""The parser of calls that stand beside a text: its name, version and hash."""


class _Format(NamedTuple):
    name: str
    strings_only: bool = False


_FORMATS = {capture: _Format(str(capture)) for capture in Capture}


def with_calls(text: str, calls: Sequence[CallBeside]) -> tuple[str, list[tuple[CallBeside, Span]]]:
    """Return a text with the argument strings of its calls, and where each call stands in it, in text order.

    Args:
        text: the text without its calls.
        calls: the calls, in order.
    """
    if not any(call.at is not None or isinstance(call.arguments, str) for call in calls):
        behind = Span(len(text), len(text))
        return text, [(call, behind) for call in calls]
    pieces: list[str] = []
    placed: list[tuple[CallBeside, Span]] = []
    length = taken = 0
    for call in (*_in_text_order(calls, len(text)), None):
        place = len(text) if call is None or call.at is None else call.at
        written = call.arguments if call is not None and isinstance(call.arguments, str) else ""
        # A text is told apart from an argument string before it, and an argument string from whatever stands before it.
        for piece, on_its_own_line in (
            (text[taken:place], _ends_in_arguments(placed)),
            (written, True),
        ):
            if not piece:
                continue
            if on_its_own_line and pieces and not (pieces[-1].endswith("\n") or piece.startswith("\n")):
                pieces.append("\n")
                length += 1
            pieces.append(piece)
            length += len(piece)
        taken = max(taken, place)
        if call is not None:
            placed.append((call, Span(length - len(written), length)))
    return "".join(pieces), placed


def _in_text_order(calls: Sequence[CallBeside], end: int) -> Sequence[CallBeside]:
    if len(calls) == 1:
        return calls
    return sorted(calls, key=lambda call: end if call.at is None else call.at)


def _ends_in_arguments(placed: Sequence[tuple[CallBeside, Span]]) -> bool:
    """Return whether the last that was written is an argument string."""
    return bool(placed) and isinstance(placed[-1][0].arguments, str)


def read_recorded(
    text: str, calls: Sequence[CallBeside], capture: Capture, *, demands_action: bool = False
) -> Reading:
    """Read calls that stand beside a text; never raises.

    Args:
        text: the text without its calls.
        calls: the calls, in order.
        capture: how much of them was kept.
        demands_action: whether a response without a call has failed.

    Returns:
        What was found, its text with the argument strings in it. A call whose arguments can't be read is a malformed block.
    """
    whole, placed = with_calls(text, calls)
    found = [(_FORMATS[capture], _read(call, span)) for call, span in placed]
    return assembled(whole, found, requires_action=demands_action, parser_id=RECORDED.id)


def _read(call: CallBeside, span: Span) -> Found:
    if not isinstance(call.arguments, str):
        return _parsed(call, call.arguments, span)
    if call.kind == "text":
        return _with_its_text(call, call.arguments, span)
    if not call.arguments.strip():
        return _found(call, {}, span)
    return _moved(_decoded(call, call.arguments), span)


def _with_its_text(call: CallBeside, text: str, span: Span) -> Found:
    """Return a call whose argument is a text; a patch is one of its own dialect, and refused where it is none."""
    found = _found(call, {"input": text}, span)
    faults = faults_of(text.rstrip(), span.start) if call.name == _PATCHES and text.startswith(_BEGIN) else ()
    return (
        found._replace(status=BlockStatus.MALFORMED, actions=(), reason=faults[0].code, issues=faults)
        if faults
        else found
    )


def _decoded(call: CallBeside, arguments: str) -> Found:
    """Read an argument string; spans count from its beginning."""
    span = Span(0, len(arguments))
    decoded = decode(arguments, options=_DECODING)
    if not decoded.ok:
        return _refused(decoded.issues[0], span)
    if decoded.cut:
        return _refused(Issue(Reason.TRUNCATED, Span(len(arguments), len(arguments))), span)
    if arguments[decoded.end :].strip():
        return _refused(Issue(Reason.TEXT_AFTER_VALUE, Span(decoded.end, len(arguments))), span)
    if not isinstance(decoded.value, dict):
        return _refused(Issue(Reason.WRONG_SHAPE, span, "The arguments are no object."), span)
    return _found(call, decoded.value, span)._replace(
        status=BlockStatus.REPAIRED if decoded.repairs else BlockStatus.STRICT,
        repairs=decoded.repairs,
        issues=decoded.issues,
    )


def _parsed(call: CallBeside, arguments: object, span: Span) -> Found:
    if not isinstance(arguments, Mapping):
        return _refused(Issue(Reason.WRONG_SHAPE, span, "The arguments are no object."), span)
    if is_deeper(arguments, _DECODING.max_depth, (Mapping, list)):
        return _refused(Issue(Reason.TOO_DEEP, span, f"The limit is {_DECODING.max_depth} levels."), span)
    return _found(call, dict(arguments), span)


def _found(call: CallBeside, arguments: dict[str, Any], span: Span) -> Found:
    written = Written(call.name, arguments, span, call.call_id or None)
    return Found(BlockStatus.STRICT, span, span, (written,))


def _refused(issue: Issue, span: Span) -> Found:
    return Found(BlockStatus.MALFORMED, span, span, reason=issue.code, issues=(issue,))


def _moved(found: Found, span: Span) -> Found:
    """Return a block as it stands in the whole text."""
    by = span.start

    def at(place: Span) -> Span:
        return Span(place.start + by, place.end + by)

    return found._replace(
        span=span,
        body=span,
        actions=tuple(action._replace(span=span) for action in found.actions),
        repairs=tuple(replace(repair, span=at(repair.span)) for repair in found.repairs),
        issues=tuple(
            issue if issue.span is None else replace(issue, span=at(issue.span)) for issue in found.issues
        ),
    )
