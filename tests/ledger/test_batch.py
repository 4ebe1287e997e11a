"""Lines that are masked together: each as if it had been masked alone, and none that leaves this process unmasked."""

import pickle

from actionledger.ledger import batch as batch_module
from actionledger.ledger.batch import Batch
from actionledger.ledger.encoding import encode

KEY = "sk-proj-" + "a1B2" * 12


def test_lines_are_those_that_each_event_has_alone(make, monkeypatch) -> None:
    """Whatever is asked together: what holds a secret goes apart, and every line is whole."""
    for together in (1, 3, 1000):
        monkeypatch.setattr(batch_module, "_MASKED_EVENTS", together)
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
