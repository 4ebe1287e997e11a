"""An object's keys and their colons, in whatever form."""

import re

from actionledger.core.vocabulary import Reason
from actionledger.reading.tolerant_json import faults
from actionledger.reading.tolerant_json.contexts import KEY, ROOT, context
from actionledger.reading.tolerant_json.endings import QUOTES
from actionledger.reading.tolerant_json.patterns import COLON, UNOPENED_KEY, VALUE_AHEAD
from actionledger.reading.tolerant_json.state import Frame, State

KEY_PLACE = context(KEY, ROOT)
_COLONS = re.compile(r":[:\s]*+")


def read_key(state: State, frame: Frame) -> None:
    """Read the key that stands here, and remember whether it has quotes: the object's other keys will be alike."""
    text, start = state.text, state.at
    if text[start] in QUOTES:
        frame.key, state.at = state.strings.read(start, KEY_PLACE, "sure")
        frame.sure = "sure"
    elif unopened := UNOPENED_KEY.match(text, start):
        frame.key, state.at = state.strings.unopened(start, unopened.end()), unopened.end() + 1
    elif bare := faults.UNQUOTED_KEY.looks.match(text, start):
        frame.key, state.at = bare[0], bare.end()
        frame.sure = "bare"
        state.notes.add(faults.UNQUOTED_KEY, start, state.at)
    else:
        state.refuse_here("a key")
    frame.key_start, frame.key_end = start, state.at


def read_colon(state: State, frame: Frame) -> None:
    """Read a key's colon, or what stands for it."""
    if match := COLON.match(state.text, state.at):
        state.at = match.end()
        if again := _COLONS.match(state.text, state.at):
            state.notes.add(faults.COLON, state.at, again.end(), "")
            state.at = again.end()
        return
    character = state.skip()
    if character == ":":
        state.at += 1
    elif match := faults.COLON.looks.match(state.text, state.at):
        state.notes.add(faults.COLON, state.at, match.end())
        state.at = match.end()
    elif character in ",;}])":
        state.refuse(Reason.MISSING_VALUE, f"The key is {frame.key[:80]!r}.")
    elif frame.sure == "bare":
        state.refuse(Reason.AMBIGUOUS, f"The key may be {frame.key[:80]!r} or go on; it has no quotes.")
    elif VALUE_AHEAD.match(state.text, state.at):
        state.notes.add(faults.MISSING_COLON, state.at, state.at)
    else:
        state.refuse_here("a colon")
