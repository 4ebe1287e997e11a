"""Scalar values: strings, numbers, literals, texts without quotes, and the kept part of a cut one."""

import json
from typing import Any

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import faults
from actionledger.reading.tolerant_json.contexts import LIST, OBJECT, ROOT, open_brackets
from actionledger.reading.tolerant_json.notes import CutError, RefusedError
from actionledger.reading.tolerant_json.patterns import (
    BEHIND_BARE_TEXT,
    ENDS_WORD,
    GAP,
    KEYS,
    LITERALS,
    MEMBER_INSIDE,
    NUMBER_IN_A_ROW,
    SCALAR_BEHIND,
    STRING_PREFIXES,
    UP_TO_QUOTE,
    VALID_LITERALS,
    WORD,
    is_doubtful,
    number_at,
)
from actionledger.reading.tolerant_json.state import State

_CUT_NUMBER = regex(r"(-?(?:0|[1-9]\d{0,300}+)(?:\.\d++)?)(?:\.|[eE][+-]?)\Z")
_CUT_CODE = regex(r"u[0-9a-fA-F]{0,3}\Z")
_HALF_A_CHARACTER = regex(r"u[dD][89abAB][0-9a-fA-F]{2}\Z")
_LITERALS = ("true", "false", "null", "True", "False", "None")


def string_up_to_the_end(state: State, start: int) -> str:
    """Return the available part of a string, or the part before the brackets that close all open containers."""
    endings, text = state.strings.endings, state.text
    if not state.options.likelier or not endings.closes_nowhere(start):
        raise CutError
    before = endings.before_closers(start)
    if before is not None:
        detail = "Its closing quote is missing, or the text was cut off within it."
        state.add_doubt(Issue(Reason.AMBIGUOUS, Span(start, len(text)), detail))
        state.at = before
        return state.strings.left_open(start, before)
    _note(state, start)
    state.at = len(text)
    return state.strings.left_open(start, _before_cut_escape(text, start + 1), len(text))


def _before_cut_escape(text: str, inside: int) -> int:
    """Return where a string's text ends if the end of the text cuts through an escape; else the text's end."""
    end = len(text)
    code = _CUT_CODE.search(text, max(inside, end - 4))
    if code is not None and _is_escaped(text, inside, code.start()):
        end = code.start() - 1
    elif _is_escaped(text, inside, end):
        end -= 1
    half = _HALF_A_CHARACTER.search(text[max(inside, end - 5) : end])
    if half is not None and _is_escaped(text, inside, end - 5):
        end -= 6
    return end


def _is_escaped(text: str, inside: int, at: int) -> bool:
    """Return whether a place follows an unescaped backslash."""
    written = text[inside:at]
    return (len(written) - len(written.rstrip("\\"))) % 2 == 1


def number_up_to_the_end(state: State) -> int | float | None:
    """Return the number here whose fraction or exponent is cut off; None if there is none."""
    found = _CUT_NUMBER.match(state.text, state.at) if _is_kept(state) else None
    if found is None:
        return None
    _note(state, state.at)
    state.notes.add(faults.DROPPED_TAIL, found.end(1), found.end())
    state.at = found.end()
    return float(found[1]) if "." in found[1] else int(found[1])


def keep_number(state: State, start: int) -> None:
    """Keep the number from ``start`` to the end of the text."""
    if not _is_kept(state):
        raise CutError
    _note(state, start)


def word_up_to_the_end(state: State, word: str) -> object:
    """Return the meaning of a word that the end of the text may cut off: a literal, or the word itself."""
    if not _is_kept(state) or not any(map(str.isalnum, word)):
        raise CutError
    start, end = state.at, state.at + len(word)
    _note(state, start)
    state.at = end
    literal = next((whole for whole in _LITERALS if whole.startswith(word)), "")
    if not literal:
        state.notes.add(faults.UNQUOTED_VALUE, start, end)
        return word
    value = LITERALS[literal]
    state.notes.add(faults.LITERAL, start, end, faults.as_literal(literal))
    return value


def _is_kept(state: State) -> bool:
    return state.options.likelier and bool(state.frames)


def _note(state: State, start: int) -> None:
    """Record where the cut scalar begins; report it at once if no container's end will."""
    state.cut_at = start
    if not state.frames:
        state.add_doubt(Issue(Reason.TRUNCATED, Span(start, len(state.text))))


_SIGNED_LITERAL = regex(r"([+-])(Infinity|inf|NaN|nan)\b")
_UP_TO_STRUCTURE = {
    OBJECT: regex(rf"(?:[^\n,;{{}}\[\]\"]++|[,;](?!{GAP}(?:{KEYS['any']}|[}}\]]|\Z)))*+"),
    LIST: regex(r"[^\n,;{}\[\]\"]*+"),
}
_INNER_COLON = regex(r":(?:\s|\Z)")


def read_string(state: State, *, is_raw: bool = False) -> str:
    """Read the string whose opening quote is here."""
    start, frames = state.at, state.frames
    sure = frames[-1].sure if frames else "sure"
    try:
        value, state.at = state.strings.read(start, state.place, sure, is_raw=is_raw)
    except CutError:
        return _unclosed_string(state, start)
    return value


def _unclosed_string(state: State, start: int) -> str:
    """Read an unclosed string: in a whole text, up to the brackets that close the open containers."""
    stop = state.strings.endings.before_closers(start) if state.is_whole and state.frames else None
    if stop is None:
        return string_up_to_the_end(state, start)
    state.at = stop
    return state.strings.left_open(start, stop)


def read_number(state: State) -> Any:
    """Read the number here, or the unquoted text that begins like one."""
    text, start = state.text, state.at
    try:
        found = number_at(text, start)
    except ValueError:
        state.refuse(Reason.MALFORMED_JSON, "The number has more digits than can be converted.")
    if found is None and state.place.kind == LIST and (row := NUMBER_IN_A_ROW.match(text, start)):
        state.at = row.end(1)
        return json.loads(row[1])
    if found is None and (kept := number_up_to_the_end(state)) is not None:
        return kept
    if found is None:
        return _signed_literal(state) if _SIGNED_LITERAL.match(text, start) else read_bare_text(state)
    value, end, is_valid = found
    if end >= len(text) and state.frames and not state.is_whole:
        keep_number(state, start)  # its last digits may be missing
    if not is_valid:
        state.notes.add(faults.NUMBER, start, end)
    state.at = end
    return value


def _signed_literal(state: State) -> float:
    match = _SIGNED_LITERAL.match(state.text, state.at)
    assert match is not None
    value = float(match[1] + match[2])
    state.notes.add(faults.NON_FINITE_NUMBER, state.at, match.end())
    state.at = match.end()
    return value


def read_word(state: State) -> Any:
    """Read the literal, the prefixed string, or the unquoted text that begins with a letter here."""
    text, start = state.text, state.at
    match = WORD.match(text, start)
    if match is None:
        return read_bare_text(state)
    word, end = match[0], match.end()
    is_in_a_row = state.place.kind == LIST and SCALAR_BEHIND.match(text, end)
    if state.is_likelier and text.startswith('"', end) and state.place.surely_fits.match(text, end + 1):
        return read_bare_text(state)  # the end of a text without its first quote
    if word in LITERALS and (is_in_a_row or ENDS_WORD.match(text, end)):
        if word not in VALID_LITERALS:
            state.notes.add(faults.of_literal(LITERALS[word]), start, end)
        state.at = end
        return LITERALS[word]
    if word.lower() in STRING_PREFIXES and text[end : end + 1] in {"'", '"'}:
        return _prefixed_string(state, word.lower(), end)
    return read_bare_text(state)


def _prefixed_string(state: State, prefix: str, quote: int) -> str:
    start, state.at = state.at, quote
    state.notes.add(faults.STRING_PREFIX, start, quote)
    value = read_string(state, is_raw="r" in prefix)
    if "f" in prefix and "{" in value:
        state.at = start
        state.refuse(Reason.AMBIGUOUS, "A formatted string has parts that are known only when it runs.")
    return value


def read_bare_text(state: State) -> object:
    """Read a text without quotes, if it plainly ends at its apparent end."""
    text, start, place = state.text, state.at, state.place
    match = faults.UNQUOTED_VALUE.looks.match(text, start)
    if (quote := _end_of_unopened(state)) is not None:
        state.at = quote + 1
        if text.startswith('\\"', start) and text.find('\\"', start + 2, quote) < 0:
            return state.strings.opened_by_escape(start, quote)
        return state.strings.unopened(start, quote)
    if place.kind == ROOT:
        if match and match.end() >= len(text) and is_doubtful(match[0]):
            raise CutError
        state.refuse(Reason.MALFORMED_JSON, "There is no value.")
    if match is None:
        state.refuse_here("a value")
    value = match[0].rstrip()
    end = start + len(value)
    if end >= len(text):
        if not state.is_whole:
            return word_up_to_the_end(state, value)
        _doubt_bare(state, end, f"{value[:80]!r} may have been cut off.")
    elif (doubt := _doubt(state, value, end)) is not None:
        _doubt_bare(state, end, doubt)
        value = bare_text_up_to_structure(state)
        end = start + len(value)
    state.notes.add(faults.UNQUOTED_VALUE, start, end)
    state.at = end
    return value


def _end_of_unopened(state: State) -> int | None:
    """Return where the closing quote of a text without an opening quote is; None if this is no such text."""
    text, start, place = state.text, state.at, state.place
    found = UP_TO_QUOTE.match(text, start)
    if found is None or place.kind == ROOT or not place.surely_fits.match(text, found.end() + 1):
        return None
    quote, written = found.end(), found[0]
    if RepairKind.UNCLOSED_STRING in state.notes.kinds():
        _doubt_bare(
            state, quote, "One string lacks its first quote and another its last: the two may be one."
        )
    if open_brackets(text, start, quote) != (0, 0):
        return None
    if MEMBER_INSIDE.search(written):
        _doubt_bare(
            state,
            quote,
            f"{written[:80]!r} may be a text that lacks its first quote, or more than one value.",
        )
    if written[0] in "<>:;|=":
        _doubt_bare(state, quote, f"{written[:80]!r} may have such a sign in place of its first quote.")
    if place.kind != OBJECT and ("," in written or ";" in written):
        _doubt_bare(state, quote, f"{written[:80]!r} may be one text or several; it lacks its first quote.")
    return quote


def _doubt(state: State, value: str, end: int) -> str | None:
    """Return why an unquoted text has another possible reading; None if it has none."""
    place = state.place
    if is_doubtful(value) or value.endswith("..."):
        return f"{value!r} may be a text or something else."
    if place.kind not in BEHIND_BARE_TEXT:
        return f"{value[:80]!r} may be a text or a name."
    if not BEHIND_BARE_TEXT[place.kind].match(state.text, end):
        return f"The text without quotes may be {value[:80]!r}, or go on behind it."
    if place.kind == LIST and " " in value:
        return f"{value[:80]!r} may be one text or several."
    if _INNER_COLON.search(value):
        return f"{value[:80]!r} may be a text or a member."
    return None


def bare_text_up_to_structure(state: State) -> str:
    """Return the unquoted text here, up to text that continues or closes its container."""
    pattern = _UP_TO_STRUCTURE[OBJECT if state.place.kind == OBJECT else LIST]
    match = pattern.match(state.text, state.at)
    written = match[0].rstrip() if match else ""
    if not written:
        state.refuse_here("a value")
    return written


def _doubt_bare(state: State, end: int, detail: str) -> None:
    if not state.is_likelier:
        raise RefusedError(Reason.AMBIGUOUS, state.at, end, detail)
    state.add_doubt(Issue(Reason.AMBIGUOUS, Span(state.at, end), detail))
