"""What holds for every text: nothing raises, nothing valid is changed, every place is right."""

import json
import math

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.reading.tolerant_json import (
    LENIENT,
    STRICT,
    DecodeOptions,
    containers,
    decode,
    decode_all,
    decode_nested,
    find_value,
)
from actionledger.reading.tolerant_json.notes import Notes
from actionledger.reading.tolerant_json.regular import Look

PIECES = [
    *"{}[]():,;=+-./#\\\"'`“”„‘’«» \n\t\r", *("a", "b c", "key", "say", "1", "0x1F", "1_0", ".5", "007", "1e5"),
    *("true", "None", "tru", "NaN", "-Infinity", "...", "…", "//", "/*", "*/", "```", '"""', "'''", "r'", "f("),
    *('{"a": ', '"b": 1', '", "', '"}', "': '", "\\n", "\\u00e9", "\\d", "\ufeff", "\xa0", "\u200b", "\x00", "😀"),
]  # fmt: skip

TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def same(one, other):
    """Return whether two values are equal, 1 and True and 1.0 told apart."""
    return json.dumps(one, sort_keys=False) == json.dumps(other, sort_keys=False)


def loaded(text):
    """Return what the standard library reads, without the numbers that JSON doesn't know; None where it refuses."""

    def refuse(name):
        raise ValueError(name)

    try:
        return (json.loads(text, parse_constant=refuse),)
    except ValueError:
        return None


def mutated(data, text):
    """Return a text with a few characters taken out, put in or cut off."""
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        kind = data.draw(st.integers(0, 2))
        if kind == 0:
            text = text[:at] + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + data.draw(st.sampled_from(PIECES)) + text[at:]
        else:
            text = text[:at]
    return text


def check(text, decoded):
    """Check what a reading says of places."""
    places = [repair.span for repair in decoded.repairs]
    assert places == sorted(places)
    assert all(repair.before == repair.span.of(text) for repair in decoded.repairs)
    assert all(0 <= span.start <= span.end <= len(text) for _, span in decoded.located)
    assert all(0 <= issue.span.start <= issue.span.end <= len(text) for issue in decoded.issues)
    assert 0 <= decoded.start <= len(text)
    assert 0 <= decoded.end <= len(text)
    assert decoded.ok or decoded.issues
    assert decoded.ok or decoded.value is None


@settings(max_examples=examples(300))
@given(text=TEXTS, calls=st.booleans())
def test_nothing_raises_on_any_text(text, calls):
    """Whatever a model writes is read or refused, with every place inside the text."""
    options = DecodeOptions(calls=calls)
    check(text, decode(text, options=options))
    check(text, decode(text, options=options, end=len(text)))
    check(text, find_value(text, options=options).decoded)
    check(text, decode_nested(text, options=options))
    for decoded in decode_all(text, options=options):
        check(text, decoded)


@settings(max_examples=examples(300))
@given(value=VALUES, indent=st.sampled_from([None, 0, 2]), ascii_only=st.booleans())
def test_valid_json_is_read_as_it_stands(value, indent, ascii_only):
    """The value comes back, nothing is repaired, and every object's span is its text."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    for options in (STRICT, LENIENT):
        decoded = decode(text, options=options)
        assert decoded.ok
        assert same(decoded.value, value)
        assert (decoded.repairs, decoded.issues, decoded.cut, decoded.end) == ((), (), (), len(text))
        assert all(same(json.loads(span.of(text)), part) for part, span in decoded.located)
        assert len(decoded.located) == sum(1 for _ in objects(value))


def objects(value):
    """Yield every object in a value."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(part)


@settings(max_examples=examples(400))
@given(data=st.data(), value=VALUES)
def test_strict_reading_agrees_with_the_standard_library(data, value):
    """On valid, broken and arbitrary texts alike: what it reads is read, what it refuses is refused."""
    text = data.draw(TEXTS) if data.draw(st.booleans()) else mutated(data, json.dumps(value))
    expected = loaded(text)
    decoded = decode(text, options=STRICT)
    is_read = decoded.ok and not text[decoded.end :].strip(" \t\r\n")
    assert is_read == (expected is not None)
    if expected is not None:
        assert same(decoded.value, expected[0])
        lenient = decode(text)
        assert same(lenient.value, expected[0])
        assert lenient.repairs == ()


@settings(max_examples=examples(400))
@given(data=st.data(), value=VALUES)
def test_what_is_not_valid_is_never_read_without_a_word(data, value):
    """A reading that needed no repair is valid JSON."""
    text = mutated(data, json.dumps(value, ensure_ascii=False))
    decoded = decode(text)
    check(text, decoded)
    if decoded.ok and not decoded.repairs:
        assert loaded(text[decoded.start : decoded.end]) is not None


@pytest.fixture
def only_token_by_token(monkeypatch):
    """Return a function that reads without the shortcut that mends faults one by one."""

    def read(text):
        with monkeypatch.context() as patched:
            patched.setattr(
                containers, "read_regular", lambda _, start, *__: Look(None, Notes(), start, [start], [])
            )
            return decode(text)

    return read


def test_the_shortcut_reads_what_the_reader_reads(only_token_by_token, broken_texts, faults):
    """Mending faults one by one is faster and nothing else: same value, same repairs, same places."""
    for fault in faults:
        for _, text in broken_texts(fault, seed=11, count=60):
            quick, thorough = decode(text), only_token_by_token(text)
            assert quick.ok == thorough.ok, text
            if quick.ok:
                assert (quick.value, quick.end, quick.cut) == (thorough.value, thorough.end, thorough.cut), (
                    text
                )
                assert quick.repairs == thorough.repairs, text
                assert [span for _, span in quick.located] == [span for _, span in thorough.located], text


def test_floats_of_all_kinds_survive():
    """Numbers that only look odd are numbers."""
    text = "[0.1, -0.0, 1e-320, 1E5, 12345678901234567890]"
    assert decode(text).value == json.loads(text)
    assert math.copysign(1, decode(text).value[1]) == -1
