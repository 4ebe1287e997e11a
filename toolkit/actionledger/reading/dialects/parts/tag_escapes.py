r"""Tags whose signs are escaped: ``&lt;read_file&gt;``, ``\<read_file\>``.

How often a text was escaped that way can't be known, nor whether its fields were: nothing of it is read, and that is said.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Found
from actionledger.reading.dialects.parts.tag_mentions import unless_mentioned
from actionledger.reading.dialects.parts.tag_spelling import spellings
from actionledger.reading.dialects.parts.verdicts import refused
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source

_OPENS = (r"&(?i:lt|#0*+60|#x0*+3c);", r"\\(?:u003[cC]|<)")
_ANY_OPENS = rf"(?:{'|'.join(_OPENS)}|<)"
_CLOSES = r"(?:&(?i:gt|#0*+62|#x0*+3e);|\\u003[eE]|\\?>)"
_SIGN = re.compile("|".join(_OPENS))


def escaped_tags(names: Iterable[str]) -> frozenset[str]:
    """Return the patterns of what an opening tag with one of these names begins with, in each escape."""
    known = "|".join(map(spellings, sorted(names, reverse=True)))
    return frozenset(rf"{sign}(?:{known})(?![\w.-])" for sign in _OPENS)


def is_escaped(opening: Opening) -> bool:
    """Return whether what opens here is a tag whose signs are escaped."""
    return opening.label.startswith(("&", "\\"))


def read_escaped(source: Source, opening: Opening, end: int, opens: re.Pattern[str]) -> Found | None:
    """Return an escaped tag that is closed, or that holds another one, as one that can't be read."""
    text = source.text
    sign = _SIGN.match(opening.label)
    name = opening.label[sign.end() :] if sign else opening.label
    head, closer = _patterns(name)
    stop = source.search(opens, opening.end, end)
    at = source.search(closer, opening.end, stop)
    close = closer.match(text, at, stop)
    holds = head.match(text, opening.end, stop)
    if close is None and (holds is None or not holds["tag"]):
        return None
    span = Span(opening.start, close.end() if close else stop)
    body = Span(min(holds.end("head"), at) if holds else opening.end, at)
    detail = f"Its signs are escaped: write <{name}> and the tags in it without that."
    found = refused(span, body, Issue(Reason.TAG_SPELLING, span, detail))
    return unless_mentioned(found, text) if body.start < body.end else found


@lru_cache(maxsize=256)
def _patterns(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of how an escaped tag goes on behind its name, and of what closes it."""
    spelt = re.escape(name)
    return (
        re.compile(rf"(?P<head>[^\n<>&\\]{{0,200}}+{_CLOSES})(?P<tag>\s*+{_ANY_OPENS}[A-Za-z])?+"),
        re.compile(rf"{_ANY_OPENS}[ \t]*+\\?/[ \t]*+(?i:{spelt})[ \t]*+{_CLOSES}"),
    )
