"""Calls cut off by the end of the text whose available part is readable: they wait for approval."""

import re
from dataclasses import replace

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

VALUE_ENDS = "the value before it says itself where it ends: vLLM's and SGLang's parsers give a call out with its last bracket"
CALLS_END = "each call in it has a closing mark of its own"


_CLOSES = frozenset({RepairKind.UNCLOSED_TAG, RepairKind.UNCLOSED_FENCE})
_READ = frozenset({BlockStatus.STRICT, BlockStatus.REPAIRED})
_OPENS = regex(r"[\[{(]")
_PARTNERS = {"(": ")", "[": "]", "{": "}"}
_TOKEN = regex(
    r"""(?P<opens>[\[{(])|(?P<closes>[\]})])|\"{3}(?:[^\"\\]|\\.|\"(?!\"\"))*+\"{3}|(?!\"{3})\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|[^\[\](){}\"']++""",
    re.DOTALL,
)
"""The parts of a value, as JSON and Python write it."""

_NEAR = 400
"""The searched part of a text for a mark before or at its end, blanks included."""


def unless_cut(dialect: Dialect, found: Found, source: Source) -> Found:
    """Return a block, with its last call in doubt if the text ends in it.

    It does if a closing mark is missing at the end of the text, except a mark that a whole call may lack: see
    ``Dialect.optional_closers``. If the model is known to have been stopped, any missing mark counts. A call whose value and closing
    mark both lack their end was broken off where another call, or another message, begins.
    """
    if not found.actions or found.status not in _READ or found.actions[-1].doubt:
        return found
    if not found.repairs and not source.is_cut:
        return found
    text, end = source.text, len(source.text)
    missing = [
        repair.span.start
        for repair in found.repairs
        if repair.kind in _CLOSES
        and behind_blanks(text, repair.span.end, end) == end
        and (source.is_cut or not _is_optional(dialect, repair, text))
    ]
    if source.is_cut and not missing and _stays_open(dialect, found, text):
        missing = [found.span.end]
    missing += _broken_off(found.repairs, text)
    return cut_off(found, min(missing)) if missing else found


def _broken_off(repairs: tuple[Repair, ...], text: str) -> list[int]:
    """Return where a call's value and its closing mark lack their end together, with more text behind them.

    An unclosed list around closed calls leaves them whole.
    """
    marks = {repair.span.start for repair in repairs if repair.kind is RepairKind.UNCLOSED_TAG}
    places = [
        each.span.end for each in repairs if each.kind is RepairKind.MISSING_CLOSER and each.after.strip("]")
    ]
    return [
        at
        for at in places
        if (behind := behind_blanks(text, at, len(text))) < len(text) and not marks.isdisjoint((at, behind))
    ]


def unless_completed(found: Found, source: Source) -> Found:
    """Return a block of calls in no format, with its last call in doubt if brackets were added to it at the text's end.

    An unclosed list around closed calls leaves them whole.
    """
    text, end = source.text, len(source.text)
    missing = [
        repair.span.start
        for repair in found.repairs
        if repair.kind is RepairKind.MISSING_CLOSER
        and repair.after.strip("]")
        and behind_blanks(text, repair.span.end, end) == end
    ]
    return cut_off(found, min(missing)) if missing else found


def unless_brackets_lack(
    dialect: Dialect, found: Found, source: Source, opening: Opening, options: DecodeOptions
) -> Found:
    """Return a block cut off by the text's end; if only closing brackets are missing, parse it with that call in doubt."""
    if not found.issues:
        return found
    text, end = source.text, len(source.text)
    if found.span.end < end or RepairKind.MISSING_CLOSER not in options.repairs:
        return found
    if all(issue.code is not Reason.TRUNCATED for issue in found.issues):
        return found
    missing = _missing_brackets(text, opening.end)
    if not missing.strip("]"):
        return found  # the calls of an unclosed list are whole
    whole = Source(text + missing, source.names)
    again = dialect.read(whole, opening, len(whole.text), options)
    if again is None or again.status not in _READ or not again.actions or again.span.end < end:
        return found
    if [(each.name, each.arguments) for each in again.actions[:-1]] != [
        (each.name, each.arguments) for each in found.actions
    ]:
        return found
    added = Repair(RepairKind.MISSING_CLOSER, Span(end, end), "", missing)
    return cut_off(
        _up_to(again, end)._replace(status=BlockStatus.REPAIRED, repairs=(*_kept(again, end), added)), end
    )


def _missing_brackets(text: str, start: int) -> str:
    """Return the brackets that close the value at a text's end; empty if the text ends within a part of it."""
    first = _OPENS.search(text, start)
    stack: list[str] = []
    at = first.start() if first else len(text)
    while token := _TOKEN.match(text, at):
        at = token.end()
        if token["opens"]:
            stack.append(_PARTNERS[token["opens"]])
        elif token["closes"] and (not stack or stack.pop() != token["closes"]):
            return ""
    is_within = at < len(text) or text.rstrip().endswith((":", "="))
    return "" if is_within else "".join(reversed(stack))


def _kept(found: Found, end: int) -> tuple[Repair, ...]:
    """Return the repairs within a text, without those after its end."""
    return tuple(
        replace(each, span=_clipped(each.span, end)) for each in found.repairs if each.span.start <= end
    )


def _up_to(found: Found, end: int) -> Found:
    """Return a block without the text that was added for reading it."""
    actions = tuple(each._replace(span=_clipped(each.span, end)) for each in found.actions)
    issues = tuple(replace(each, span=each.span and _clipped(each.span, end)) for each in found.issues)
    return found._replace(
        span=_clipped(found.span, end), body=_clipped(found.body, end), actions=actions, issues=issues
    )


def _clipped(span: Span, end: int) -> Span:
    return Span(min(span.start, end), min(span.end, end))


def cut_off(found: Found, at: int) -> Found:
    """Return a block with an incomplete last call: that waits for approval, or is lost if it has no arguments yet."""
    whole, last = found.actions[:-1], found.actions[-1]
    issue = Issue(Reason.TRUNCATED, Span(min(last.span.start, at), found.span.end))
    issues = tuple(sorted((*found.issues, issue), key=lambda each: each.span or found.span))
    if last.arguments:
        return found._replace(actions=(*whole, last._replace(doubt=issue.code)), issues=issues)
    if whole:
        return found._replace(actions=whole, issues=issues)
    return found._replace(
        status=BlockStatus.MALFORMED, actions=(), reason=issue.code, repairs=(), issues=issues
    )


def _is_optional(dialect: Dialect, missing: Repair, text: str) -> bool:
    """Return whether a call is whole without a closing mark; a fence encloses calls that determine their own end."""
    if missing.kind is RepairKind.UNCLOSED_FENCE:
        return True
    before = text[max(0, missing.span.start - _NEAR) : missing.span.start].rstrip()
    return any(
        key.endswith(missing.after) and before.endswith(key.removesuffix(missing.after))
        for key in dialect.optional_closers
    )


def _stays_open(dialect: Dialect, found: Found, text: str) -> bool:
    """Return whether a block at the end of the text lacks a mark that its dialect doesn't require."""
    if not dialect.may_stay_open or behind_blanks(text, found.span.end, len(text)) < len(text):
        return False
    return behind_blanks(text, found.body.end, found.span.end) == found.span.end
