"""Characters that can't be seen, in names: what somebody approves must be what is done. Pure."""

from unicodedata import category

from actionledger.display.text import described, is_unseen

_JOINERS = frozenset("\u200c\u200d")
_FOR_LATER = frozenset({"Cn", "Co"})
"""Characters that this Python's tables don't know yet, and private ones: those that do show them."""


def first_unseen(text: str) -> str:
    """Return the first character that shows nothing, or turns its neighbours round, described; empty where there is none.

    Line breaks and tabs are for the caller to judge. A joiner between two characters beyond ASCII belongs to how these are written.
    """
    for at, character in enumerate(text):
        if character.isascii() and character.isprintable():
            continue
        if character in _JOINERS and _joins(text, at):
            continue
        if is_unseen(character) and category(character) not in _FOR_LATER:
            return described(character)
    return ""


def _joins(text: str, at: int) -> bool:
    neighbours = text[at - 1 : at] + text[at + 1 : at + 2]
    return len(neighbours) == 2 and not any(map(str.isascii, neighbours)) and not set(neighbours) & _JOINERS
