"""What is known of open brackets is what reading on from each of them says."""

import json

import pytest
from hypothesis import given, settings, strategies as st

from actionledger.reading.dialects.parts import value_faults
from actionledger.reading.dialects.parts.json_values import _json_ahead, json_ahead
from actionledger.reading.dialects.parts.value_faults import OpenBrackets
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import LENIENT

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('[]{}",\\ab\n漢🙂', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("ab[{", max_size=2), inner, max_size=3)
    ),
    max_leaves=30,
)


@settings(max_examples=100)
@given(VALUES, st.data())
def test_each_bracket_is_answered_as_if_it_were_the_only_one(value, data):
    text = "x " + json.dumps(value, ensure_ascii=False, indent=data.draw(st.sampled_from([None, 1])))
    end = data.draw(st.integers(2, len(text)))
    behind = data.draw(st.sampled_from(["", "}", '"', "] [{"]))
    source = Source(text[:end] + behind)
    for at in range(2, len(source.text)):
        if source.text[at] in "[{":
            told = json_ahead(source, at, len(source.text), LENIENT)
            alone = _json_ahead(source.text, at, len(source.text), LENIENT.max_depth)
            assert told == alone


@pytest.mark.parametrize("behind", ["", " !", '"', "\\"])
def test_beyond_the_levels_of_the_scanner_only_valid_text_is_known_to_be_open(behind, monkeypatch):
    monkeypatch.setattr(value_faults, "_LEVELS", 3)
    text = '[{"a": ' * 10 + behind
    brackets = OpenBrackets()
    brackets.note(text, 0, len(text))
    is_valid = behind in {"", '"'}
    assert [brackets.hold(at, len(text)) for at in (0, 1, 7, 2)] == [False, is_valid, is_valid, False]
