"""GemBrain's two modes (action parsing documentation, sections 1 and 3; improvement plan 1.1 and 1.2)."""

import json
import re
from collections.abc import Iterator
from typing import Any

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Found, Written, named_arguments

_STANDARD = re.compile(r"```actions\s*\n(.*?)\n```", re.DOTALL)


def gembrain_standard(text: str) -> Iterator[Found]:
    """Find the first block by one regular expression; decode it with the standard library, raw line breaks allowed."""
    match = _STANDARD.search(text)
    if not match:
        return
    span, body = Span(*match.span()), Span(*match.span(1))
    try:
        value = json.loads(match[1].strip(), strict=False)
    except (ValueError, RecursionError) as error:
        yield _unreadable(span, body, str(error))
    else:
        yield _typed_actions(span, body, value, "actions")


def gembrain_iterative(text: str) -> Iterator[Found]:
    """Find the first block's end by counting braces outside strings; escape control characters; decode."""
    marker = text.find("```iteration")
    if marker < 0:
        return
    start = text.find("\n", marker) + 1
    end = _balanced_end(text, start)
    if end is None:
        span = Span(min(marker, start), len(text))
        issue = Issue(Reason.TRUNCATED, span, "The braces don't balance.")
        yield Found(BlockStatus.MALFORMED, span, Span(start, len(text)), reason=issue.code, issues=(issue,))
        return
    body, span = Span(start, end), Span(min(marker, start), end)
    escaped = _escape_control_characters(body.of(text))
    try:
        value = json.loads(escaped, strict=False)
    except (ValueError, RecursionError) as error:
        yield _unreadable(span, body, str(error))
        return
    repairs: tuple[Repair, ...] = ()
    if escaped != body.of(text):
        repairs = (Repair(RepairKind.CONTROL_CHARACTER, body, body.of(text), escaped),)
    yield _typed_actions(span, body, value, "next_actions", repairs)


def _balanced_end(text: str, start: int) -> int | None:
    """Return the end of the first balanced ``{…}``, braces in strings not counted; None where there is none."""
    depth = 0
    for token in re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}]', re.DOTALL).finditer(text, start):
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def _escape_control_characters(text: str) -> str:
    def escape(string: re.Match[str]) -> str:
        return re.sub(r"[\x00-\x1f]", lambda match: json.dumps(match[0])[1:-1], string[0])

    return re.sub(r'"(?:[^"\\]++|\\.)*+"?', escape, text, flags=re.DOTALL)


def _typed_actions(span: Span, body: Span, value: Any, key: str, repairs: tuple[Repair, ...] = ()) -> Found:
    """Both of GemBrain's modes: an object whose list of actions is taken as it is."""
    items = value.get(key, []) if isinstance(value, dict) else None
    if not isinstance(items, list):
        issue = Issue(Reason.WRONG_SHAPE, body)
        return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
    actions = []
    for item in items:
        name, arguments = named_arguments(item, "type") if isinstance(item, dict) else ("", {"value": item})
        actions.append(Written(name, arguments, body))
    status = BlockStatus.REPAIRED if repairs else BlockStatus.STRICT
    return Found(status, span, body, tuple(actions), repairs=repairs)


def _unreadable(span: Span, body: Span, detail: str) -> Found:
    issue = Issue(Reason.MALFORMED_JSON, body, detail)
    return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
