"""What the prose around a call says in nine languages: that it is being made, that it is only shown, that it is taken back.

Each language has a table of its own. None has to be complete: see ``prose`` for what is made of a sentence that says nothing of
either.
"""

from functools import cache

from actionledger.parsing.prose_words import (
    chinese,
    english,
    french,
    german,
    japanese,
    korean,
    russian,
    spanish,
)
from actionledger.parsing.prose_words.phrases import Phrases
from actionledger.parsing.scan.any_case import AnyCase

_ALL = (english, german, french, spanish, chinese, japanese, russian, korean)

ANNOUNCES = Phrases([row for each in _ALL for row in each.ANNOUNCES])
"""What says that its writer makes the call now."""

SHOWS = Phrases([row for each in _ALL for row in each.SHOWS])
"""What says plainly that a call is not made: enough against one with its format's marks, too."""

OPEN = Phrases([row for each in _ALL for row in each.OPEN])
"""What leaves open whether the call is made, or says of something else that it was: a condition, the past, a log, a document."""

CORRECTS = Phrases([row for each in _ALL for row in each.CORRECTS])
"""What says between two calls that the second one stands for the first."""

_ENDS_OF_QUESTIONS = ("?", "？", "か。")


def asks(text: str) -> bool:
    """Return whether the first sentence behind a call is a question, and not one about something else."""
    return any(end in text for end in _ENDS_OF_QUESTIONS) and _question().match(text) is not None


def takes_back(text: str) -> bool:
    """Return whether a text begins with what takes the call back that it follows."""
    return _taking_back().match(text) is not None


@cache
def _taking_back() -> AnyCase:
    leads = "|".join(each.LEADS for each in _ALL if each.LEADS)
    patterns = "|".join(pattern for each in _ALL for pattern in each.TAKES_BACK)
    return AnyCase(rf"\W*(?:{leads})*+(?:{patterns})")


@cache
def _question() -> AnyCase:
    other = "|".join(each.ANYTHING_ELSE for each in _ALL if each.ANYTHING_ELSE)
    return AnyCase(
        rf"(?!\s*+[^.!?？。\n]*(?:{other}))\s*+(?:[^.!?？。\n]{{0,160}}[?？]|[^.!?？。\n]{{0,80}}か。)"
    )
