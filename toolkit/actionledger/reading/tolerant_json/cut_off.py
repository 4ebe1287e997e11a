"""What is kept of a text, a number or a word that the end of the text cuts through, for who asks for the likelier reading.

Each is taken as far as it goes, and that it may go on is said by an issue. A parser of actions never asks for it: there
the item that is cut is dropped.
"""

import re

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.tolerant_json import faults
from actionledger.reading.tolerant_json.notes import CutError
from actionledger.reading.tolerant_json.scalars import LITERALS
from actionledger.reading.tolerant_json.state import State

_CUT_NUMBER = re.compile(r"(-?(?:0|[1-9]\d{0,300}+)(?:\.\d++)?)(?:\.|[eE][+-]?)\Z")
_CUT_CODE = re.compile(r"u[0-9a-fA-F]{0,3}\Z")
_HALF_A_CHARACTER = re.compile(r"u[dD][89abAB][0-9a-fA-F]{2}\Z")
_LITERALS = ("true", "false", "null", "True", "False", "None")


def string_up_to_the_end(state: State, start: int) -> str:
    """Return as much of a string as there is, or what stands before the brackets that close all that is open."""
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
    """Return where the text of a string ends if the end of the text cuts through an escape; else the text's end."""
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
    """Return whether a backslash stands before a place that is not itself escaped."""
    written = text[inside:at]
    return (len(written) - len(written.rstrip("\\"))) % 2 == 1


def number_up_to_the_end(state: State) -> int | float | None:
    """Return the number whose fraction or exponent is cut off here; None where none is."""
    found = _CUT_NUMBER.match(state.text, state.at) if _is_kept(state) else None
    if found is None:
        return None
    _note(state, state.at)
    state.notes.add(faults.DROPPED_TAIL, found.end(1), found.end())
    state.at = found.end()
    return float(found[1]) if "." in found[1] else int(found[1])


def keep_number(state: State, start: int) -> None:
    """Keep the number that begins at ``start`` and reaches the end of the text."""
    if not _is_kept(state):
        raise CutError
    _note(state, start)


def word_up_to_the_end(state: State, word: str) -> object:
    """Return what the word stands for that the end of the text may cut through: a literal, or itself."""
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
    """Keep in mind where the scalar begins that is cut off; say so at once where no container's end will."""
    state.cut_at = start
    if not state.frames:
        state.add_doubt(Issue(Reason.TRUNCATED, Span(start, len(state.text))))
