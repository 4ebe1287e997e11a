"""Blocks that open brackets and hold nothing else, up to where the next one of their format begins.

A model that goes round in circles writes the same one thousands of times. What comes of it depends on nothing that stands behind
it, for no bracket is closed and no text is opened in it: it is read once.
"""

import re
from dataclasses import replace

from actionledger.core.values import Span
from actionledger.reading.dialects.base import Found
from actionledger.reading.tolerant_json.decoded import moved
from actionledger.reading.tolerant_json.options import DecodeOptions

_OPENED = re.compile(r"\s*+[\[{][\s\[{]*+")
_LONGEST, _MOST = 200, 1_000
"""How long a block's content is that is remembered, in code points, and how many are."""


def behind_opened(text: str, start: int) -> int:
    """Return where brackets end that are opened from ``start`` on; the same place where none is, or too many are."""
    found = _OPENED.match(text, start, start + _LONGEST)
    return found.end() if found else start


class OpenedBlocks:
    """Those of one text: what came of them, by what they are."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[Found, DecodeOptions]] = {}

    def known(self, dialect: str, block: str, start: int, options: DecodeOptions) -> Found | None:
        """Return what comes of a block that was read before; None where it was not."""
        known = self._known.get((dialect, block))
        return _moved(known[0], start) if known and known[1] is options else None

    def keep(self, dialect: str, block: str, found: Found, options: DecodeOptions) -> None:
        """Note what has come of a block."""
        if not found.actions and len(self._known) < _MOST:
            self._known[dialect, block] = _moved(found, -found.span.start), options


def _moved(found: Found, by: int) -> Found:
    """Return a block without actions for a text in which it stands that many code points further on."""
    return found._replace(
        span=_span(found.span, by),
        body=_span(found.body, by),
        repairs=tuple(replace(each, span=_span(each.span, by)) for each in found.repairs),
        issues=tuple(moved(each, by) for each in found.issues),
    )


def _span(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)
