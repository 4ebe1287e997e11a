"""Where a text occurs: the spans of a response, and what is said of a session's turns that have it."""

import re
from collections.abc import Sequence

from actionledger.core.values import Span
from actionledger.ledger.queries import Mention
from actionledger_dashboard.components.visible import pieces
from actionledger_dashboard.viewer.looks import Values

MOST = 500
"""How many occurrences in one response are marked."""

_SPAN = re.compile(r"([0-9]{1,12})-([0-9]{1,12})")


def span_of(written: str, text: str) -> Span | None:
    """Return the span of a response that ``412-420`` in a link means, in code points; None where it means none of it."""
    found = _SPAN.fullmatch(written)
    if found is None:
        return None
    span = Span(int(found[1]), int(found[2]))
    return span if span.start <= span.end <= len(text) else None


def occurrences(sought: str, text: str) -> list[tuple[int, int]]:
    """Return where a text occurs in a response, whatever the case of its letters, in code points; none for an empty one."""
    if not sought:
        return []
    found = re.finditer(re.escape(sought), text, re.IGNORECASE)
    return [match.span() for match, _ in zip(found, range(MOST), strict=False)]


def found_data(sought: str, mentions: Sequence[Mention], index: int) -> Values | None:
    """Return what is said of a search, or None where nothing is sought."""
    if not sought:
        return None
    here = next((mention for mention in mentions if mention.index == index), None)
    return {
        "text": sought,
        "shown": pieces(sought),
        "turns": [mention.index for mention in mentions],
        "here": "" if here is None else ", ".join(here.places),
    }
