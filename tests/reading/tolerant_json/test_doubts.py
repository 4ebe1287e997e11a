"""A reading in the one usual way that might be another all the same says where, in whatever text it stands."""

import pytest

import actionledger as al
from actionledger.core.vocabulary import Reason

BEFORE = "né 𝕏: "


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": ""x y""}', '"x y"'),
        ('{"a": 1]}', "]"),
        ('{"a": [[1, 2], "b": 3}', ","),
    ],
)
def test_a_doubt_stands_where_its_text_does(text, where):
    """Alone, and as a part of a longer text whose end is told."""
    for before in ("", BEFORE):
        whole = f"{before}{text} and more"
        decoded = al.decode(whole, len(before), end=len(before) + len(text))
        (issue,) = decoded.issues
        assert issue.code is Reason.AMBIGUOUS
        assert whole[issue.span.start : issue.span.end] == where


@pytest.mark.parametrize("text", ['{"a": "x"}', "[1]]", '{"a": "say "x" now"}'])
def test_the_usual_way_alone_is_no_doubt(text):
    """A closing bracket too many at the end, and quotes within a text, are read in one way."""
    assert al.decode(text).issues == ()
