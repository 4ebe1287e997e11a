"""The words, verdicts and cards that the whole viewer uses."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from actionledger.core.values import Span
from actionledger.core.vocabulary import (
    SENTENCES,
    ActionStatus,
    BlockStatus,
    ExecutionStatus,
    Outcome,
    Reason,
    SessionOutcome,
)
from actionledger_dashboard.components.wording import pieces
from actionledger_dashboard.viewer.media import named_media

Values: TypeAlias = dict[str, Any]
"""Values by name, to send as JSON."""

VALUE_CHARACTERS = 20_000
"""The number of characters of one action's arguments or result that are shown."""

NEUTRAL = "idle"
WORST_FIRST = ("bad", "mended", "good", NEUTRAL)

_LOOKS: dict[str, str] = {
    Outcome.CLEAN: "good",
    Outcome.REPAIRED: "mended",
    Outcome.PARTIAL: "bad",
    Outcome.FAILED: "bad",
    BlockStatus.STRICT: "good",
    BlockStatus.MALFORMED: "bad",
    ActionStatus.VALID: "good",
    ActionStatus.COERCED: "mended",
    ActionStatus.NEEDS_APPROVAL: "mended",
    ActionStatus.INVALID: "bad",
    ActionStatus.UNKNOWN: "bad",
    ExecutionStatus.SUCCEEDED: "good",
    ExecutionStatus.TIMED_OUT: "bad",
    ExecutionStatus.INTERRUPTED: "bad",
}

SESSION_LOOKS: Mapping[SessionOutcome, str] = {
    SessionOutcome.FINISHED: "good",
    SessionOutcome.STOPPED: "bad",
    SessionOutcome.FAILED: "bad",
    SessionOutcome.INTERRUPTED: "mended",
    SessionOutcome.OPEN: NEUTRAL,
    SessionOutcome.NOT_KNOWN: NEUTRAL,
}
"""The look of each session's outcome, on every page."""


def look_of(status: str) -> str:
    """Return an outcome's or a status's look: good, mended, bad or idle."""
    return _LOOKS.get(status, NEUTRAL)


def words(code: str) -> str:
    """Return a status or a kind as words. Reasons stay codes, since filters use them."""
    return code.replace("_", " ")


def came_to(outcome: Outcome | None, *, is_valid: bool, is_done: bool) -> str:
    """Return a turn's outcome in a few words; if it was parsed, also what failed after that."""
    read = outcome.said if outcome else "not read"
    return (
        f"{read}, rejected by schema" if not is_valid else read if is_done else f"{read}, a tool call failed"
    )


def came_to_in_all(outcome: Outcome, *, is_failing: bool) -> str:
    """Return a turn's outcome in a few words, if it is only known that something failed, not whether in validation or in execution."""
    is_read = outcome not in {Outcome.PARTIAL, Outcome.FAILED}
    return f"{outcome.said}, a tool call failed" if is_failing and is_read else outcome.said


def because(reason: Reason | None) -> str:
    """Return a reason with its sentence; empty if there is none."""
    return "" if reason is None else f"{reason}: {SENTENCES[reason]}"


def place(span: Span) -> str:
    """Return a span as text."""
    return f"[{span.start:,}, {span.end:,})"


def quoted(text: str) -> str:
    """Return a text in quotation marks, or ``nothing`` if it is empty."""
    return json.dumps(text, ensure_ascii=False) if text else "nothing"


def overlap(one: Span, other: Span) -> bool:
    """Return whether two spans share a character."""
    return one.start < other.end and other.start < one.end


def bounded(text: str, most: int = VALUE_CHARACTERS) -> str:
    """Return a text, or its beginning with the number of missing characters."""
    if len(text) <= most:
        return text
    return f"{text[:most]}\n… and {len(text) - most:,} more characters"


def pretty(text: str) -> str:
    """Return indented JSON with names in place of images and files; a text that is too long is cut."""
    with suppress(ValueError, RecursionError):
        text = json.dumps(named_media(json.loads(text)), ensure_ascii=False, indent=2)
    return bounded(text)


def card(
    name: str,
    status: str,
    look: str,
    where: str,
    lines: Sequence[str] = (),
    *,
    value: str = "",
    block: int | None = None,
    call: int | None = None,
) -> Values:
    """Return one card of a lane."""
    return {
        "name": pieces(name),
        "status": status,
        "look": look,
        "where": where,
        "lines": [pieces(line) for line in lines],
        "value": pieces(value),
        "block": None if block is None else str(block),
        "call": None if call is None else str(call),
    }


def lane(title: str, cards: Sequence[Values], when_empty: str = "") -> Values:
    """Return cards under a title."""
    return {"title": title, "whenEmpty": when_empty, "cards": list(cards)}
