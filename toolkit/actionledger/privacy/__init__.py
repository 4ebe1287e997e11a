"""Secrets become asterisks, one for each character, before a line reaches the disk or the model: spans still hold.

It works on JSON lines, not on texts: a quote within a text has one backslash before it, within JSON in that text three, and so
on; an even number of them before a quote means that the line's own string ends there. A quote, a backslash before one and a line
break stay where they are, so a line stays the JSON that it was.

``tokens`` knows secrets by their looks, ``named`` by their names, ``headers`` by where they stand and ``custom`` by a user's patterns; ``escapes`` sees through JSON's
other spellings of a character. Each pattern begins with a literal that most lines don't have, which is asked for first.
"""

import json
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from ahocorasick_rs import BytesAhoCorasick, Implementation

from actionledger.privacy import custom
from actionledger.privacy.escapes import SPELLINGS, View, masked, seen_through
from actionledger.privacy.headers import HEADERS, Place
from actionledger.privacy.named import NAMED, Named
from actionledger.privacy.tokens import TOKENS
from actionledger.text import from_utf8_with_halves, utf8_with_halves

__all__ = ["mask", "mask_text"]


class _Kind(Protocol):
    @property
    def needle(self) -> bytes: ...


_K = TypeVar("_K", bound=_Kind)


class _Asked(Generic[_K]):
    """Asks in one pass over a line which kinds of secrets it may hold: which of their literals, and which others.

    Args:
        kinds: what is asked for.
        others: further literals.
    """

    def __init__(self, kinds: Sequence[_K], others: Sequence[bytes] = ()) -> None:
        self._kinds = [None] * len(others) + list(kinds)
        needles = [*others, *(kind.needle for kind in kinds)]
        self._automaton = BytesAhoCorasick(needles, implementation=Implementation.DFA)

    def in_line(self, line: bytes) -> tuple[list[_K], bool]:
        """Return the kinds whose literals stand in a line, and whether one of the others does."""
        found = {index for index, _, _ in self._automaton.find_matches_as_indexes(line, overlapping=True)}
        kinds = [self._kinds[index] for index in sorted(found)]
        return [kind for kind in kinds if kind is not None], None in kinds


_TOKENS = _Asked(TOKENS, SPELLINGS)
_NAMED: _Asked[Named | Place] = _Asked((*NAMED, *HEADERS))


def mask(line: bytes) -> bytes:
    """Replace every character of every secret by an asterisk.

    Args:
        line: a JSON value in UTF-8, without a line break.

    Returns:
        The line, the same object where there is nothing to hide.
    """
    view = View(line)
    tokens, is_spelled = _TOKENS.in_line(line)
    if is_spelled:
        view = seen_through(line)
        tokens, _ = _TOKENS.in_line(view.text)
    text = view.text
    lowered = text.lower()
    spans = [span for kind in tokens for span in kind.spans(text)]
    spans += [span for kind in _NAMED.in_line(lowered)[0] for span in kind.spans(text, lowered)]
    found = [view.in_line(span) for span in spans]
    found += custom.spans(line)
    return masked(line, sorted(found)) if found else line


def mask_text(text: str) -> str:
    """Replace every character of every secret in a text by an asterisk, as the text would be recorded.

    Args:
        text: any text.

    Returns:
        A text of the same length, the same object where there is nothing to hide.
    """
    # Half a character can be a part of a text, and not of UTF-8.
    line = utf8_with_halves(json.dumps(text, ensure_ascii=False))
    kept = mask(line)
    return text if kept is line else str(json.loads(from_utf8_with_halves(kept)))
