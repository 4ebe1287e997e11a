"""Lines that are written and masked together: each as if it had been alone, and none that leaves this process unmasked."""

import json
import pickle

import pytest

from actionledger.errors import EventTooLargeError, UsageError
from actionledger.ledger import batch as batch_module, encoding
from actionledger.ledger.batch import Batch
from actionledger.ledger.encoding import encode
from actionledger.ledger.smallness import SMALL_CHARACTERS

KEY = "sk-proj-" + "a1B2" * 12


def test_lines_are_those_that_each_event_has_alone(make, monkeypatch) -> None:
    """Whatever is asked together: what holds a secret goes apart, and every line is whole."""
    for together in (1, 3, 1000):
        monkeypatch.setattr(batch_module, "_TOGETHER_EVENTS", together)
        events = [make.response(text=KEY if number % 4 == 1 else f"nothing {number}") for number in range(10)]
        batch = Batch()
        for event in (*events, events[0]):
            batch.add(event)
        assert sorted(line.data for line in batch.lines()) == sorted(map(encode, events))
        assert [len(batch.others), *(each.count for each in batch.of_kinds)] == [3, 7]
        assert not any(KEY.encode() in line.data for line in batch.lines())


def test_no_secret_is_handed_to_another_process(make) -> None:
    """A batch with events that nobody has asked for yet is masked before it is written out."""
    batch = Batch()
    batch.add(make.response(text=KEY))
    handed = pickle.dumps(batch)
    assert KEY.encode() not in handed
    assert [line.data for line in pickle.loads(handed).lines()] == [line.data for line in batch.lines()]


def test_what_has_no_form_takes_nothing_else_along(make) -> None:
    """One event that can't be written is named when its neighbours are; they are all there."""
    batch = Batch()
    for event in (
        make.response("before"),
        make.response("bad", latency_ms=object()),
        make.response("behind"),
    ):
        batch.add(event)
    with pytest.raises(UsageError, match="no form"):
        batch.lines()
    assert [json.loads(line.data)["text"] for line in batch.lines()] == ["before", "behind"]


def test_an_event_that_is_too_large_is_refused_at_once(make, monkeypatch) -> None:
    """Whoever hands it over records less of it then."""
    monkeypatch.setattr(encoding, "LINE_LIMIT", SMALL_CHARACTERS)
    with pytest.raises(EventTooLargeError):
        Batch().add(make.response("x" * (SMALL_CHARACTERS + 1)))
