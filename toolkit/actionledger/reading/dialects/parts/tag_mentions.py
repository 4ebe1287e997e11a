"""A tag within a sentence that is closed and can't be read: was it filled, or does the sentence speak of it?"""

import re

from actionledger.reading.dialects.base import Found
from actionledger.reading.dialects.parts.verdicts import in_prose, shown
from actionledger.reading.scan.openings import text_before

_AND = re.compile(
    r"[\s`*_'\"“”]*+(?:\.{3}|…|/|,|&|\||-|–|—|and|or|to|und|oder|bis|et|ou|à|y|o|a|和|与|或|到)?+[\s`*_'\"“”.]*+\Z",
    re.IGNORECASE,
)
"""What stands between the two tags of which a sentence speaks."""


def begins_item(text: str, start: int) -> bool:
    """Return whether nothing but blanks and the marks of a list stand before this place on its line."""
    return not text_before(text, start).strip()


def unless_mentioned(found: Found, text: str) -> Found:
    """Return a closed tag that can't be read as a loss, unless the sentence that it stands in goes on through it."""
    body = found.body.of(text)
    if begins_item(text, found.span.start):
        return found
    if _AND.match(body):
        return shown(found.span, found.body)
    return in_prose(found) if body[0] in " \t" and body[-1].isspace() else found
