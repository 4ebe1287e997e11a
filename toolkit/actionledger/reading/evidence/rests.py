"""What is left of a call whose name is lost: its arguments, or what closes it, in a format's own marks."""

import json
from collections.abc import Iterator

from actionledger.core.values.calls import Offer
from actionledger.reading.evidence.glued import glued
from actionledger.reading.evidence.names import Mention, names_of
from actionledger.reading.evidence.own_marks import arguments_left, closers_left

_FEWEST = 2
"""How many arguments an object has at least that is taken for a call without its name: one key may be an answer's, too."""


def mentions_and_rests(text: str, start: int, end: int, offer: frozenset[str]) -> list[Mention]:
    """Return where offered names are called in a stretch of a response, and what is left there of calls, in text order."""
    stretch = text[start:end]
    if not stretch or stretch.isspace():
        return []
    names, mentions = names_of(offer), list[Mention]()
    if names.may_be_in(stretch.lower()):
        mentions = [*names.mentions(text, start, end), *glued(text, start, end, offer)]
    if not mentions and (whole := _arguments_alone(text, start, end, offer)):
        return [whole]
    if text.find("<", start, end) >= 0:
        mentions += _rests(text, start, end, offer)
    return sorted(mentions, key=lambda each: each.start)


def _rests(text: str, start: int, end: int, offer: frozenset[str]) -> Iterator[Mention]:
    left = [*arguments_left(text, start, end)]
    known = _parameters_offered(offer) if left else None
    for found in left:
        if known is None or found["name"] in known:
            yield Mention("", "rest", found.start(), found.end())
    for found in closers_left(text, start, end):
        # Behind a block that was read, what closes it once more is no call.
        if start == 0 or text[start : found.start()].strip():
            yield Mention("", "rest", found.start(), found.end())


def _arguments_alone(text: str, start: int, end: int, offer: frozenset[str]) -> Mention | None:
    """Return the object that is all of a response, where its keys are arguments of one tool alone."""
    if start > 0 or end < len(text) or not isinstance(offer, Offer) or not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or len(value) < _FEWEST:
        return None
    fitting = [name for name, parameters in offer.parameters.items() if value.keys() <= set(parameters)]
    if len(fitting) != 1:
        return None
    return Mention("", "rest", len(text) - len(text.lstrip()), len(text.rstrip()))


def _parameters_offered(offer: frozenset[str]) -> frozenset[str] | None:
    """Return the parameters of all tools; None where those of one are unknown."""
    if not isinstance(offer, Offer) or set(offer.parameters) != set(offer):
        return None
    return frozenset(each for parameters in offer.parameters.values() for each in parameters)
