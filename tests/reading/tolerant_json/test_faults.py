"""Every kind of fault, put into valid JSON at a random place: the value that is meant comes back, or none does.

With ``-s`` the shares are printed by kind.
"""

import re
import sys
from collections import Counter

import pytest

from actionledger.reading.tolerant_json import DecodeOptions, decode

COUNT = 200
CAREFUL = DecodeOptions()
BLANK_OR_COMMENT = re.compile(r"(?:[\s\ufeff\u200b]|//.*|#.*|/\*.*?\*/)*")

LESS_OFTEN = {
    "unescaped quotes": (0.7, 0.7),  # a word that stands in quotes of its own may stand in doubled ones
    "unescaped quotes everywhere": (0.7, 0.7),
    "bare text": (0.7, 0.7),  # two words in a list may be two texts
    "no closing quote": (
        0.4,
        0.65,
    ),  # at the end of an open text, it may be cut off; in a list, any comma may end it
    "no opening quote": (0.65, 0.65),  # a number or a literal may be one; in a list, a comma may end a text
    "no closing bracket": (0.05, 0.6),  # where the last one is missing, an open text may be cut off
    "one closing bracket too many": (
        0.1,
        0.65,
    ),  # behind a value, it is left over; else it may be another one
    "cut off": (0.0, 0.0),
}
"""The share of exact readings at least, of an open and of a whole text, where it is not 98 %, and why."""

USUALLY_AT_THE_END = 0.15
"""How often brackets that were left out are not the last ones, where a text is whole and nothing says so."""


def outcome(value, text, end):
    """Return what came of reading a broken text: exact, cut, refused (also where text is left over), or wrong."""
    decoded = decode(text, options=CAREFUL, end=end)
    if not decoded.ok or not BLANK_OR_COMMENT.fullmatch(text[decoded.end :]):
        return "refused"
    if decoded.cut:
        return "cut"
    return "exact" if decoded.value == value else "wrong"


@pytest.mark.parametrize("is_whole", [False, True])
def test_a_fault_is_mended_or_refused_and_never_read_as_something_else(fault, is_whole, broken_texts):
    """The value equals the one that was meant, or there is none: another value would be another action."""
    texts = broken_texts(fault, seed=5, count=COUNT)
    counts = Counter(outcome(value, text, len(text) if is_whole else None) for value, text in texts)
    shares = "  ".join(f"{kind} {counts[kind] / COUNT:6.1%}" for kind in ("exact", "cut", "refused", "wrong"))
    sys.stdout.write(f"\n{fault:32}{'whole' if is_whole else 'open':8}{shares}")
    assert counts["exact"] >= LESS_OFTEN.get(fault, (0.98, 0.98))[is_whole] * COUNT
    if is_whole and fault == "no closing bracket":
        assert counts["wrong"] <= USUALLY_AT_THE_END * COUNT
    elif not (is_whole and fault == "cut off"):  # whoever says that a cut text is whole is told what it holds
        assert counts["wrong"] == 0


def test_what_is_read_of_a_cut_text_is_what_it_began_with(broken_texts):
    """All that is complete before the cut is there, and nothing else."""
    for value, text in broken_texts("cut off", seed=3, count=300):
        assert begins(decode(text, options=DecodeOptions()).value, value), text


def begins(part, whole):
    """Return whether a value may be the beginning of another one."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and begins(inner, whole[key]) for key, inner in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(begins(*pair) for pair in zip(part, whole, strict=False))
    return part == whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"name": "John", "age": 30, "city": "New York"', {"name": "John", "age": 30, "city": "New York"}),
        ('{"key": "value", "list": [1, 2, 3', {"key": "value", "list": [1, 2, 3]}),
    ],
)
def test_a_text_that_is_known_to_be_whole_needs_its_brackets_only(text, value):
    """With its end given, a missing bracket hides nothing."""
    decoded = decode(text, end=len(text))
    assert (decoded.value, decoded.cut) == (value, ())
