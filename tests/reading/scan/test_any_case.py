"""A pattern that ignores case finds the same by way of lower case."""

import re

import pytest
from hypothesis import given, strategies as st

from actionledger.reading.scan.line_starts import AnyCase

PATTERNS = [r"\bI (?:will|WON['’]T)\b", r"(?P<Key>[A-Z]\w)\W*\Z", r"[^A-Za-z\s]+é?", r"É|straße|\Akey", "s"]
PIECES = st.sampled_from(
    ["I", "i", "will", "Won't", " ", "É", "straße", "ſ", "İ", "\u212a", "KEY", "9", "\n"]
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)


@pytest.mark.parametrize("pattern", PATTERNS)
@given(TEXTS)
def test_it_finds_what_a_pattern_that_ignores_case_finds(pattern, text):
    plain, lowered = re.compile(pattern, re.IGNORECASE), AnyCase(pattern)
    for ask in ("search", "match", "fullmatch"):
        found, expected = getattr(lowered, ask)(text), getattr(plain, ask)(text)
        assert (found and found.span()) == (expected and expected.span())


def test_what_it_holds_may_be_in_lower_case():
    found = AnyCase("(?P<Key>[A-Z]+):").search("A KEY: x")
    assert found is not None
    assert found["Key"] == "key"
