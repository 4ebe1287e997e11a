"""What a line begins with is found at the places where ``^`` finds it."""

import re

import pytest
from hypothesis import given, strategies as st

from actionledger.reading.scan.line_starts import LineStart

PATTERNS = [r"[ \t]*+a", r"[ ]{0,3}>[^\n]*+", r"[ \t]*`{3,}[ \t]*(?=\r?$)", r"a[^\n]*+\n|b"]
TEXTS = st.lists(st.sampled_from(["a", "b", " ", "\n", "\r", ">", "```"]), max_size=20).map("".join)


@pytest.mark.parametrize("pattern", PATTERNS)
@given(TEXTS, st.data())
def test_it_finds_what_a_pattern_with_a_line_start_finds(pattern, text, data):
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    plain = re.compile(f"^(?:{pattern})", re.MULTILINE).search(text, start, end)
    found = LineStart(pattern).search(text, start, end)
    assert (found and found.span()) == (plain and plain.span())


@pytest.mark.parametrize("pattern", PATTERNS)
@given(TEXTS)
def test_it_finds_all_of_them(pattern, text):
    plain = re.compile(f"^(?:{pattern})", re.MULTILINE).finditer(text)
    assert [each.span() for each in LineStart(pattern).finditer(text)] == [each.span() for each in plain]
