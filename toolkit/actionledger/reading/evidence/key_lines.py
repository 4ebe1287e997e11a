"""A name whose arguments are lines or options, as in YAML and at a shell: how far they reach, and whether it is called there at all."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from actionledger.core.values import Span
from actionledger.core.values.calls import parameters_of
from actionledger.reading.evidence.arguments import ARGUMENT_KEYS, WRAPPER_KEYS
from actionledger.reading.evidence.names import Mention

_KEY_LINE = re.compile(r"\r?\n(?:[ \t]*+-?[ \t]*+[A-Za-z_][\w-]*+[ \t]*+:(?!:)[^\n]*+|[ \t]++[^\s][^\n]*+)")
_OPTIONS_LINE = re.compile(r"\r?\n[ \t]*+(?:[$>][ \t]++)?[\w.-]++[ \t]++--[A-Za-z][^\n]*+")
_PARENT = re.compile(r"(?:-[ \t]++)?(?P<key>[A-Za-z_][\w.-]*+)[ \t]*+:[ \t]*+[|>]?[-+]?[ \t\r]*+\Z")
_KEY = re.compile(r"(?P<lead>[ \t]*+(?:-[ \t]++)?)(?P<key>[A-Za-z_][\w-]*+)[ \t]*+:")
_LINE = re.compile(r"(?P<blanks>[ \t]*+)(?P<dash>-[ \t]++)?(?P<rest>[^\s#])")
_LONGEST = 4_000
_MOST_LINES = 100


def end_of_lines(text: str, mention: Mention, end: int) -> int:
    """Return where the line of a name ends, with the lines of keys and what is indented behind it, or the next ones with options."""
    at, stop = text.find("\n", mention.end, end), min(end, mention.end + _LONGEST)
    at = at if at >= 0 else end
    goes_on = _KEY_LINE if mention.form == "lines" else _OPTIONS_LINE
    while line := goes_on.match(text, at, stop):
        at = line.end()
    return at


def is_setting(text: str, mention: Mention, span: Span, low: int, offer: frozenset[str]) -> bool:
    """Return whether a name is a setting of a larger document, such as a workflow's step, rather than what is called."""
    parameters = parameters_of(offer, mention.name)
    known = {*ARGUMENT_KEYS, *(parameters or ())}
    has_arguments = parameters is None or any(key in known for key in _keys_beside(text, mention, span))
    return not has_arguments or _stands_below_settings(text, mention, low)


def _keys_beside(text: str, mention: Mention, span: Span) -> Iterator[str]:
    """Yield the keys on the lines of a call that are as far indented as the one of its name."""
    first = text.rfind("\n", 0, mention.start) + 1
    own = _KEY.match(text, first, mention.start)
    for line in text[first : span.end].splitlines():
        key = _KEY.match(line)
        if key and own and key.end("lead") == own.end("lead") - first:
            yield key["key"]


class _Level(NamedTuple):
    """How far a line is indented, and whether it is an item of a list there."""

    indent: int
    is_item: bool


def _stands_below_settings(text: str, mention: Mention, low: int) -> bool:
    """Return whether one of the keys that a line stands below is none that models put around calls."""
    first = text.rfind("\n", low, mention.start) + 1
    line = _LINE.match(text, max(first, low))
    level = _Level(line.end("blanks") - line.start(), line["dash"] is not None) if line else _Level(0, False)
    above = text[max(low, first - _LONGEST) : first].splitlines()
    has_gap = False
    for other in reversed(above[-_MOST_LINES:]):
        if not (line := _LINE.match(other)):
            has_gap = has_gap or not other.strip()
            continue
        found = _Level(line.end("blanks"), line["dash"] is not None)
        if found.is_item and not level.is_item and line.end("dash") == level.indent:
            level = found
        elif found.indent < level.indent or (found.indent == level.indent and level.is_item > found.is_item):
            parent = _PARENT.match(other, found.indent)
            if parent is None or (has_gap and found.indent == level.indent):
                return False  # a sentence's colon, and a list below it
            if parent["key"].lower() not in WRAPPER_KEYS:
                return True
            level = found
        has_gap = False
    return False
