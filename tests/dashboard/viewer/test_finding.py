"""Links to characters, and texts that are looked for: code points, whatever stands before them."""

import pytest

from actionledger.core.values import Span
from actionledger.ledger.queries import Mention
from actionledger_dashboard.viewer.marks import MOST, found_data, occurrences, span_of

TEXT = "👩‍💻 e\u0301 漢字\r\n\x00 Needle 🏁 needle"


def test_a_link_means_code_points() -> None:
    """As Python counts them: an emoji of three, a combining mark, CR LF and NUL."""
    start = TEXT.index("Needle")
    span = span_of(f"{start}-{start + 6}", TEXT)
    assert span is not None
    assert span.of(TEXT) == "Needle"
    assert span_of(f"{len(TEXT)}-{len(TEXT)}", TEXT) == Span(len(TEXT), len(TEXT))


@pytest.mark.parametrize(
    "written", ["", "5", "5-", "-5", "7-5", "0-999", "a-b", "1-2-3", " 1-2", "٣-٤", "1" * 400 + "-2"]
)
def test_what_is_no_span_of_the_text_is_none(written: str) -> None:
    """A mistyped link is said to be one, and breaks nothing."""
    assert span_of(written, TEXT) is None


def test_occurrences_are_exactly_the_text() -> None:
    """Whatever the case; a text is no pattern, an empty one is nowhere, and a thousand are cut."""
    assert [TEXT[start:end] for start, end in occurrences("needle", TEXT)] == ["Needle", "needle"]
    assert occurrences(".", TEXT) == occurrences("", TEXT) == []
    assert len(occurrences("a", "a" * (MOST + 7))) == MOST


def test_a_search_says_where_it_is() -> None:
    """Which turns have it, and in what of the one that is shown."""
    mentions = [Mention(3, ("arguments", "result")), Mention(9, ("response",))]
    found = found_data("x", mentions, 3)
    assert found is not None
    assert (found["turns"], found["here"]) == ([3, 9], "arguments, result")
    assert (found_data("x", mentions, 4) or {})["here"] == ""
    assert found_data("", mentions, 3) is None
