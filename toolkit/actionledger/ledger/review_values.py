"""What may be said of a turn, and by whom: checked before it is recorded. Pure."""

from typing import SupportsIndex

from actionledger.core.errors import UsageError, require_kind
from actionledger.core.values import Span
from actionledger.core.vocabulary import Judgement, ReviewAspect

NAME_CHARACTERS = 200
"""The longest name of a person, and the longest label."""

SENTENCE_CHARACTERS = 20_000
"""The longest comment."""

_LINE_ASPECTS = {ReviewAspect.LABEL, ReviewAspect.ASSIGNMENT}


def span_meant(span: Span | tuple[int, int] | None, text: str) -> Span | None:
    """Return the stretch of a response that is meant; None for all of it."""
    if span is None:
        return None
    asked = "A stretch is a pair of whole numbers, its start and its end"
    require_kind(span, tuple, asked)
    for each in span:
        require_kind(each, SupportsIndex, asked)
    start, end = span
    if not 0 <= start < end <= len(text):
        raise UsageError(
            f"There is no stretch [{start}, {end}) in a response of {len(text):,} characters; "
            "it begins before it ends, and counts code points."
        )
    return Span(start, end)


def name_of(text: str, what: str) -> str:
    """Return a name or a label as it is kept."""
    require_kind(text, str, f"A text says {what}")
    name = text.strip()
    if not name or len(name) > NAME_CHARACTERS or not name.isprintable():
        raise UsageError(
            f"{text[:NAME_CHARACTERS]!r} doesn't say {what}: it needs a line of 1 to {NAME_CHARACTERS} characters that can be seen."
        )
    return name


def value_of(aspect: ReviewAspect, value: str) -> str:
    """Return what is said as it is kept."""
    if aspect is ReviewAspect.VERDICT:
        known = [str(each) for each in Judgement]
        if value not in known:
            raise UsageError(f"{value!r} is no verdict; choose one of {', '.join(known)}.")
        return str(value)
    if aspect in _LINE_ASPECTS:
        return name_of(value, "whose it is" if aspect is ReviewAspect.ASSIGNMENT else "what it is")
    require_kind(value, str, f"A {aspect} is a text")
    if not value.strip() or len(value) > SENTENCE_CHARACTERS:
        raise UsageError(f"A {aspect} has 1 to {SENTENCE_CHARACTERS:,} characters, not {len(value):,}.")
    return value
