"""Values that can be read and are not to be acted on."""

import pytest

from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.parts.value_faults import unless_doubtful
from actionledger.reading.tolerant_json import decode


def judged(text):
    return unless_doubtful(text, decode(text))


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ('{"a": 1, "a": 2}', "its values are 1 and 2."),
        ('{"a": 1, "a": true}', "its values are 1 and True."),
        ('{"a": 1, "a": 1.0}', "its values are 1 and 1.0."),
        ('[{"b": {"a": [1], "a": [2]}}]', "its values are a list and a list."),
        ('{"a": 1, "a": 1, "a": null}', "its values are 1 and None."),
    ],
)
def test_a_key_with_two_values_is_refused_with_both(text, detail):
    """Whichever counts, the other one may have been meant."""
    found = judged(text)
    assert (found.ok, found.value) == (False, None)
    (issue,) = found.issues
    assert (issue.code, issue.span.of(text)) == (Reason.DUPLICATE_KEY, '"a"')
    assert issue.detail == f"The key is 'a'; {detail}"


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', '{"a": {"x": 1, "y": 2}, "a": {"y": 2, "x": 1}}'])
def test_a_key_that_says_the_same_twice_is_read(text):
    """It is an issue, and no doubt."""
    found = judged(text)
    assert found.ok
    assert [issue.code for issue in found.issues] == [Reason.DUPLICATE_KEY]


def test_a_key_twice_in_a_text_that_is_broken_as_well_is_refused():
    """Two faults at once: what was meant is not looked for."""
    assert judged("{'a': 1, 'a': 1}").issues[0].code is Reason.DUPLICATE_KEY


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_none_is_refused_at_its_place(number):
    """The decoder reads it as Python does."""
    text = f'{{"a": [{number}]}}'
    (issue,) = judged(text).issues
    assert (issue.code, issue.span.of(text)) == (Reason.NON_FINITE_NUMBER, number)


def test_what_is_plain_stays_as_it_is():
    """The value itself is handed on."""
    found = decode('{"a": 1,}')
    assert unless_doubtful('{"a": 1,}', found) is found
