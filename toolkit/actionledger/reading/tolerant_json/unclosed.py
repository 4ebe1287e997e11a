"""Strings whose closing quote was left out: they end where punctuation leads on to what else the value plainly holds."""

import re
from collections.abc import Sequence
from typing import NoReturn

from actionledger.core.vocabulary import Reason
from actionledger.reading.tolerant_json.contexts import CLOSERS, LIST, OBJECT
from actionledger.reading.tolerant_json.notes import RefusedError
from actionledger.reading.tolerant_json.patterns import BRACKET_INSIDE, CLOSED_TEXT, KEY_BEHIND

_BLANKS = " \t\r\n"
_MEMBER_INSIDE = re.compile(r'[,;{]\s*+"[^"\n]{1,60}+"\s*+:')

OTHER_QUOTES = "\"'`“”‘’«»"
"""What stands at the end of a text as if it closed it, where it was opened by another quote."""

_PUNCTUATION = "{}[]," + _BLANKS


def open_brackets(text: str, start: int, end: int) -> tuple[int, int]:
    """Return how many braces and brackets a stretch opens without closing them; negative where it closes more."""
    count = text.count
    braces = count("{", start, end) - count("}", start, end)
    return braces, count("[", start, end) - count("]", start, end)


def end_before_item(text: str, start: int, first: int, kinds: Sequence[str]) -> int | None:
    """Return where a string ends whose closing quote was left out before the container's next item, or an outer one's.

    Only its first quote is asked: it has to open that item. The punctuation before it has to be what the open containers
    ask for; a bracket that closes one inside the string belongs to the string. In a list any comma may end a string, so
    there has to be none, and a bracket has to close the list. In a string that holds JSON of its own, the first quote
    opens a key of that.
    """
    opens_key = KEY_BEHIND.match(text, first) is not None
    if not kinds or kinds[-1] not in {OBJECT, LIST} or not (opens_key or CLOSED_TEXT.match(text, first)):
        return None
    inside, is_member = start + 1, kinds[-1] == OBJECT
    bare = inside + len(text[inside:first].rstrip(_PUNCTUATION))
    stop = _with_own_brackets(text, inside, bare, first)
    tail = text[bare if stop is None else stop : first]
    closes = "}" in tail or "]" in tail
    if stop is not None and (closes or is_member) and _leads_on(kinds, tail, opens_key=opens_key):
        written = text[inside:stop]
        if "\n" not in written and (is_member or "," not in written) and (written or not closes):
            return stop
        return _refuse(bare)
    holds_json = BRACKET_INSIDE.match(text, inside) or (not closes and tail.rstrip().endswith(("{", "[")))
    if not is_member or holds_json or ("," not in tail and "\n" not in tail):
        return None
    return _refuse(bare)


def _with_own_brackets(text: str, inside: int, bare: int, first: int) -> int | None:
    """Return where a string ends if the brackets behind it that close what it opens are its own; None if there are none."""
    braces, brackets = open_brackets(text, inside, bare)
    for at in range(bare, first):
        if not braces and not brackets:
            return at
        character = text[at]
        if character not in "}] \t":
            return None
        braces -= character == "}"
        brackets -= character == "]"
    return None if braces or brackets else first


def _leads_on(kinds: Sequence[str], tail: str, *, opens_key: bool) -> bool:
    """Return whether punctuation leads from behind a value to the next key or element."""
    open_kinds = list(kinds)
    is_item_due = False
    for character in tail:
        if character == "," and not is_item_due:
            is_item_due = True
        elif character in "}]" and not is_item_due and character == CLOSERS[open_kinds[-1]]:
            open_kinds.pop()
        elif character in "{[" and is_item_due and open_kinds[-1] == LIST:
            open_kinds.append(character)
        elif character not in _BLANKS:
            return False
        if not open_kinds:
            return False
    return (is_item_due or "\n" in tail) and opens_key == (open_kinds[-1] == OBJECT)


def _refuse(at: int) -> NoReturn:
    detail = "The closing quote is missing, and the text may end in more than one place."
    raise RefusedError(Reason.AMBIGUOUS, at, at + 1, detail)


def end_before_closers(text: str, start: int, kinds: Sequence[str]) -> int | None:
    """Return where a string ends that no quote closes, in a text that is whole; None if unknown.

    It ends before the brackets that close what is open. They have to be the text's last characters, and what is left has
    to have balanced brackets of its own: else they may belong to the string.
    """
    stop = len(text)
    for kind in kinds:
        stop = start + len(text[start:stop].rstrip())
        if text[stop - 1] != CLOSERS[kind] or stop - 1 <= start:
            return None
        stop -= 1
    written = text[start + 1 : stop].rstrip(_BLANKS)
    has_several_ends = kinds[-1] != OBJECT and "," in written
    if not written or written[-1] in OTHER_QUOTES or _MEMBER_INSIDE.search(written) or has_several_ends:
        return None
    if open_brackets(written, 0, len(written)) != (0, 0):
        return None
    return start + 1 + len(written)
