"""Depth, size and odd characters: what is bounded, and that nothing raises."""

import json

import pytest
from steps import steps_of_reading

from actionledger.core.values import Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.faults import DecodeOptions


def nested(levels, inner="", opener="[", closer="]"):
    return opener * levels + inner + closer * levels


@pytest.mark.parametrize(("opener", "closer"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("limit", [1, 2, 3, 200, 500])
def test_the_depth_limit_is_exact(limit, opener, closer):
    """A value of as many levels is read; one more is refused at the bracket that goes too deep."""
    options = DecodeOptions(max_depth=limit)
    assert decode(nested(limit, "0", opener, closer), options=options).ok
    found = decode(nested(limit + 1, "0", opener, closer), options=options)
    at = limit * len(opener)
    assert [(issue.code, issue.span) for issue in found.issues] == [(Reason.TOO_DEEP, Span(at, at + 1))]


def test_the_depth_limit_holds_beside_many_flat_containers():
    """Breadth is no depth: only the levels count."""
    wide = "[" + ",".join(["[0]"] * 5000) + "]"
    assert decode(nested(10, wide), options=DecodeOptions(max_depth=12)).ok
    assert decode(nested(10, wide), options=DecodeOptions(max_depth=11)).issues[0].code is Reason.TOO_DEEP


def test_the_depth_limit_holds_where_a_repair_is_needed():
    """A broken value of allowed depth is repaired, a broken one beyond it is refused for its depth."""
    assert decode(nested(200, "1,")).repairs[0].kind is RepairKind.TRAILING_COMMA
    assert decode(nested(201, "1,")).issues[0].code is Reason.TOO_DEEP


@pytest.mark.parametrize("opener", ["[", "{", '{"a":', "[[{", '[{"a":['])
def test_a_hundred_thousand_openers_are_refused_in_no_time(opener):
    """Depth costs nothing: reading stops at the limit."""
    assert not decode(opener * 100_000).ok
    calls, characters = steps_of_reading(decode, opener * 100_000)
    assert calls < 50_000
    assert characters < 5_000


def test_integers_of_many_digits_are_exact():
    """Digits beyond a float's are kept."""
    text = "[123456789012345678901234567890, -0, 1" + "0" * 400 + "]"
    assert decode(text).value == [123456789012345678901234567890, 0, 10**400]


@pytest.mark.parametrize("template", ["%s", "[%s]", "[[[[%s]]]]", '{"a": {"b": {"c": {"d": %s}}}}'])
def test_an_integer_beyond_pythons_limit_is_refused_not_raised(template):
    """Python refuses to convert more than 4,300 digits; that is an issue like any other."""
    text = template % ("7" * 5000)
    found = decode(text)
    assert (found.ok, found.issues[0].code) == (False, Reason.MALFORMED_JSON)
    assert found.issues[0].span.start == text.index("7")


def test_floats_out_of_range_are_what_the_standard_library_makes_of_them():
    """An exponent that is too large is infinity there, and here."""
    assert decode("[1e999, 1e-999]").value == json.loads("[1e999, 1e-999]")


@pytest.mark.parametrize(
    "text", ['"\ud800"', '["\udc00 \ud83d"]', '{"\udfff": [[["\ud800"]]]}', '"\\ud800"', '["\\udc00\\ud83d"]']
)
def test_lone_surrogates_are_kept(text):
    """They are no characters, but they are what the text holds; writing them is the recorder's matter."""
    assert decode(text).value == json.loads(text)


def test_nul_is_a_control_character_in_a_string_and_nothing_outside():
    """A NUL between the tokens is no blank."""
    assert decode('["a\x00b"]').value == ["a\x00b"]
    assert decode("[1,\x00 2]").issues[0].span == Span(3, 4)


@pytest.mark.parametrize(
    "value",
    [
        ["x" * 1_000_000],
        {"a": "line\n" * 200_000},
        list(range(150_000)),
        [{"type": "a", "n": number} for number in range(30_000)],
    ],
    ids=["string", "escapes", "numbers", "objects"],
)
def test_a_megabyte_is_read_in_one_go(value):
    """Size is no obstacle: a large value comes back equal, and is looked at a few times at most, its objects once."""
    text = json.dumps(value)
    assert decode(text).value == value
    calls, characters = steps_of_reading(decode, text)
    assert calls < 100 + 10 * text.count("{")
    assert characters < 3 * len(text)


def test_a_megabyte_of_raw_line_breaks_is_one_repair():
    """A long file pasted into a string is read, and told once."""
    body = "line\n" * 200_000
    found = decode(f'["{body}"]')
    assert found.value == [body]
    assert [repair.kind for repair in found.repairs] == [RepairKind.CONTROL_CHARACTER]
