"""Thoughts between markers: where they end, and what is only a mention of a marker."""

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Found
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source

_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“", "«": "»", "「": "」", "`": "`"}


def thoughts_behind(source: Source, opening: Opening, closer: str, end: int) -> Found | None:
    """Return the thoughts between an opening marker and the one that closes it; None where inline code mentions it.

    Nobody writes such a marker but to think: where nothing closes them, they are thoughts to the end. The closing marker
    may still come, and who reads a response while it comes in must not act on what turns out to be a thought.
    """
    if is_mentioned(source.text, Span(opening.start, opening.end)):
        return None
    close = source.find(closer, opening.end, end)
    if close >= 0:
        return thoughts(Span(opening.start, close + len(closer)), Span(opening.end, close))
    return unclosed_thoughts(opening, end)


def unclosed_thoughts(opening: Opening, end: int) -> Found:
    """Return thoughts to the end, with the issue that nothing closes them."""
    issue = Issue(Reason.UNCLOSED_TAG, Span(opening.start, opening.end), f"The tag is {opening.label}.")
    return thoughts(Span(opening.start, end), Span(opening.end, end), issue)


def thoughts(span: Span, body: Span, *issues: Issue) -> Found:
    """Return a block of thoughts: nothing in it is meant."""
    return Found(BlockStatus.IGNORED, span, body, reason=Reason.REASONING, issues=issues)


def is_mentioned(text: str, marker: Span) -> bool:
    """Return whether a marker stands between quotation marks, or begins inline code: it is named, not used."""
    before, behind = text[marker.start - 1 : marker.start], text[marker.end : marker.end + 1]
    return before == "`" or (before in _QUOTES and before != "" and behind == _QUOTES[before])
