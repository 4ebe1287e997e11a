"""Events that are recorded together: each as if it had been alone, and none that leaves this process unmasked."""

import json
import pickle
from dataclasses import replace

import pytest

from actionledger.core.errors import EventTooLargeError, UsageError
from actionledger.core.events import SessionFinished
from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import RepairKind
from actionledger.ledger.storage import encoding, preparation
from actionledger.ledger.storage.batch import SMALL_CHARACTERS, Batch
from actionledger.ledger.storage.encoding import encode

KEY = "sk-proj-" + "a1B2" * 12


def test_lines_are_those_that_each_event_has_alone(make) -> None:
    """Whatever is asked together, every line is whole; an event that comes twice is there once."""
    events = [make.response(text=KEY if number % 4 == 1 else f"nothing {number}") for number in range(10)]
    batch = Batch()
    for event in (*events, events[0]):
        batch.add(event)
    assert batch.lines() == [encode(event) for event in events]
    assert batch.prepared().events == len(events)
    assert not any(KEY.encode() in line for line in batch.lines())


@pytest.mark.parametrize("together", [1, 3, 1000])
def test_no_secret_is_handed_to_another_process(make, monkeypatch, together) -> None:
    """Whatever is asked together: in a text, in what a text was repaired from, in what a source has named."""
    monkeypatch.setattr(preparation, "_TOGETHER", together)
    repair = Repair(RepairKind.DROPPED_TAIL, Span(0, 2), "x " * 240 + KEY, "")
    batch = Batch()
    for event in (
        make.response(text="nothing"),
        make.response(text=KEY),
        make.parsed(blocks=(make.block(repairs=(repair,)),)),
        *[
            replace(event, labels=(KEY,))
            for event in make.one_of_each()
            if isinstance(event, SessionFinished)
        ],
    ):
        batch.add(event)
    handed = pickle.dumps(batch.prepared())
    assert b"nothing" in handed
    assert b"sk-proj" not in handed


def test_what_has_no_form_takes_nothing_else_along(make) -> None:
    """One event that can't be written is named; its neighbours are all there."""
    for ask in (Batch.lines, Batch.prepared):
        batch = Batch()
        for text, latency in (("before", 1), ("bad", object()), ("behind", 2)):
            batch.add(make.response(text, latency_ms=latency))
        with pytest.raises(UsageError, match="no form"):
            ask(batch)
        assert [json.loads(line)["text"] for line in batch.lines()] == ["before", "behind"]
        assert batch.prepared().events == 2


def test_an_event_that_is_too_large_is_refused_at_once(make, monkeypatch) -> None:
    """Whoever hands it over records less of it then."""
    monkeypatch.setattr(encoding, "LINE_LIMIT", SMALL_CHARACTERS)
    with pytest.raises(EventTooLargeError):
        Batch().add(make.response("x" * (SMALL_CHARACTERS + 1)))
