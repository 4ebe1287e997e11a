"""What is left of a call whose name is lost."""

from itertools import pairwise

import pytest

from actionledger.core.values.calls import Offer
from actionledger.core.vocabulary import Outcome
from actionledger.reading.evidence.rests import mentions_and_rests

OFFER = Offer({"get_weather": ("city", "days"), "put_note": ("text", "count")})


def rests(text: str, start: int = 0, offer: frozenset[str] = OFFER) -> list[str]:
    """Return the texts of the rests that are found."""
    found = mentions_and_rests(text, start, len(text), offer)
    return [text[slice(*each.span)] for each in found if each.form == "rest"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "<parameter=city>\nParis\n</parameter>\n</function>",
            ["<parameter=city", "</parameter>\n</function>"],
        ),
        ("<parameter=city>\nParis\n</parameter>", []),
        ('<parameter name="size">1</parameter>', []),
        ("so </arg_value></tool_call>", ["</arg_value></tool_call>"]),
        ('{"city": "Paris"}</function>', ["}</function>"]),
        ("Close it with </tool_call>.", []),
        ('{"city": "Paris", "days": 2}', ['{"city": "Paris", "days": 2}']),
        ('{"city": "Paris"}', []),
        ('{"city": "Paris", "text": "a"}', []),
        ('It is {"city": "Paris", "days": 2}', []),
    ],
)
def test_rests_are_found(text, found):
    assert rests(text) == found


def test_a_parameter_of_no_tool_is_somebody_elses_markup():
    text = '<parameter name="size">1</parameter></x></invoke>'
    assert rests(text) == []
    assert rests(text, offer=frozenset({"f"})) == ['<parameter name="size']


def test_closers_behind_a_block_close_it_once_more():
    """They are no call of their own."""
    assert rests("abc</parameter></function>", 3) == []
    assert rests("abc d</parameter></function>", 3) == ["</parameter></function>"]


@pytest.mark.parametrize(
    "text",
    [
        "court\n</parameter>\n</function>\n</tool_call>",
        "I look.\n\n<arg_value>Paris</arg_value>\n</tool_call>",
        '{"city": "Paris", "days": 2}</function>',
        '{"city": "Paris", "days": 2}',
    ],
)
def test_a_call_without_its_name_is_lost(read, text):
    result = read(text)
    assert (result.outcome, result.actions) == (Outcome.FAILED, ())
    assert all(issue.code == "wrong_shape" and issue.span for issue in result.issues)


def test_a_call_that_was_read_is_not_lost_by_a_closer_too_many(read):
    text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n</tool_call>\n</function>'
    assert read(text).outcome.is_success


def test_many_lost_calls_are_one_from_the_hundredth_on(read):
    """None is passed over, and telling thousands apart would take seconds. So long a text is a document: it shows them."""
    text = "[Tool Use: get_weather]\n" * 1_000
    result = read(text)
    spans = [issue.span for issue in result.issues if issue.span]
    assert (result.outcome, result.actions, len(spans)) == (Outcome.NO_ACTION, (), 101)
    assert all("get_weather" not in text[one.end : other.start] for one, other in pairwise(spans))
    assert "get_weather" not in text[spans[-1].end :]
