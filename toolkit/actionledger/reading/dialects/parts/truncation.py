"""Calls that the end of the text cuts off, although what is there of them can be read: they wait for a person."""

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
"""How much of a text is looked at for a mark before or at its end, blanks included."""


def unless_cut(dialect: Dialect, found: Found, source: Source) -> Found:
    """Return a block; if the text ends in its last call, that one with a doubt.

    It does where a closing mark is missing at the end of the text, unless it is one without which a call is whole: see
    ``Dialect.optional_closers``. Where it is known that the model was stopped, any missing mark says that it was there.
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
    return cut_off(found, min(missing)) if missing else found


def unless_completed(found: Found, source: Source) -> Found:
    """Return a block of calls in no format; where brackets were added to the last one at the end of the text, that one with a doubt.

    A list that is not closed around calls that are leaves them whole.
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
    """Return a block that the end of the text cuts off; if nothing but closing brackets is missing there, with that call in doubt."""
    if not found.issues:
        return found
    text, end = source.text, len(source.text)
    if found.span.end < end or RepairKind.MISSING_CLOSER not in options.repairs:
        return found
    if all(issue.code is not Reason.TRUNCATED for issue in found.issues):
        return found
    missing = _missing_brackets(text, opening.end)
    if not missing.strip("]"):
        return found  # of a list that is not closed, the calls are whole
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
    """Return what closes the brackets of the value that a text ends in; empty where it ends within a part of it."""
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
    """Return the repairs of what a text holds, but for those behind its end."""
    return tuple(
        replace(each, span=_clipped(each.span, end)) for each in found.repairs if each.span.start <= end
    )


def _up_to(found: Found, end: int) -> Found:
    """Return a block without what was added to the text that it was read in."""
    actions = tuple(each._replace(span=_clipped(each.span, end)) for each in found.actions)
    issues = tuple(replace(each, span=each.span and _clipped(each.span, end)) for each in found.issues)
    return found._replace(
        span=_clipped(found.span, end), body=_clipped(found.body, end), actions=actions, issues=issues
    )


def _clipped(span: Span, end: int) -> Span:
    return Span(min(span.start, end), min(span.end, end))


def cut_off(found: Found, at: int) -> Found:
    """Return a block whose last call lacks its end: it waits for a person, and is lost where none of its arguments is there."""
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
    """Return whether a call is whole without a closing mark; a fence stands around calls that say themselves where they end."""
    if missing.kind is RepairKind.UNCLOSED_FENCE:
        return True
    before = text[max(0, missing.span.start - _NEAR) : missing.span.start].rstrip()
    return any(
        key.endswith(missing.after) and before.endswith(key.removesuffix(missing.after))
        for key in dialect.optional_closers
    )


def _stays_open(dialect: Dialect, found: Found, text: str) -> bool:
    """Return whether a block that the text ends with lacks a mark that its dialect doesn't ask for."""
    if not dialect.may_stay_open or behind_blanks(text, found.span.end, len(text)) < len(text):
        return False
    return behind_blanks(text, found.body.end, found.span.end) == found.span.end
