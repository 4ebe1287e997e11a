"""Events: whatever is recorded comes back from its JSON as it was."""

import dataclasses
import json
from datetime import datetime
from typing import get_args

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st
from pydantic import ValidationError

from actionledger.core import events
from actionledger.core.events import EVENT
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Outcome, Reason, RunKind

KINDS = get_args(events.Event)
SPANS = st.tuples(st.integers(0, 2**40), st.integers(0, 2**40)).map(lambda pair: Span(*sorted(pair)))
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
st.register_type_strategy(Span, SPANS)
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
st.register_type_strategy(datetime, st.datetimes())


def any_event(kind):
    """Return a strategy that makes any event of a kind."""
    fields = (
        {"detail": st.dictionaries(st.text(), JSON_VALUES, max_size=3)} if kind is events.SystemNoted else {}
    )
    return st.builds(kind, **fields)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@settings(max_examples=examples(60))
@given(data=st.data())
def test_an_event_comes_back_from_its_json(kind, data):
    """Type and every field are the same again, blocks, repairs and spans included."""
    event = data.draw(any_event(kind))
    again = EVENT.validate_json(EVENT.dump_json(event))
    assert type(again) is kind
    assert again == event


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_kind_has_a_word_of_its_own(kind):
    """The word in the record leads to the class, so it is derived from its name and used once."""
    (field,) = [field for field in dataclasses.fields(kind) if field.name == "kind"]
    words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in kind.__name__)
    assert field.default == words.removeprefix("_")


def test_spans_come_back_as_spans():
    """Not as lists: what reads them relies on their names."""
    at = datetime(2026, 11, 1, 12)
    issue = Issue(Reason.TRUNCATED, Span(1, 2))
    parsed = events.ResponseParsed(
        **dict.fromkeys(("event_id", "run_id", "session_id", "turn_id", "profile", "model", "task"), "x"),
        **dict.fromkeys(("attempt_id", "parser_id", "parser_name", "dialect"), "x"),
        recorded_at=at,
        turn_index=0,
        occurred_at=None,
        run_kind=RunKind.LIVE,
        catalogue=None,
        outcome=Outcome.FAILED,
        reason=None,
        duration_us=1,
        issues=(issue,),
    )
    again = EVENT.validate_json(EVENT.dump_json(parsed))
    assert again.issues == (issue,)
    assert again.issues[0].span.start == 1


@pytest.mark.parametrize("change", [{"kind": "something_else"}, {"turns": "many"}, {"event_id": None}])
def test_what_is_no_event_is_refused(change):
    """A line that another version wrote is told apart, not guessed at."""
    at = datetime(2026, 11, 1, 12)
    event = events.RunFinished(event_id="e", recorded_at=at, run_id="r", turns=3)
    line = json.loads(EVENT.dump_json(event))
    assert EVENT.validate_python(line) == event
    with pytest.raises(ValidationError):
        EVENT.validate_python(line | change)


def test_events_are_frozen():
    """What happened doesn't change afterwards."""
    assert all(kind.__dataclass_params__.frozen for kind in KINDS)
