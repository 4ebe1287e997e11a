"""A line is an event again, or there is a reason why not."""

import pytest

from actionledger.core.events import EVENT
from actionledger.ledger.storage.preparation import decode
from actionledger.ledger.storage.segments import Line


def line(data: bytes, *, is_cut_off: bool = False) -> Line:
    return Line("w.jsonl", 0, data, is_cut_off)


def test_a_line_is_an_event_again(make) -> None:
    """What was dumped is read."""
    event = make.note()
    assert decode(line(EVENT.dump_json(event) + b"\n")) == event


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"kind": "system_noted", \n', "bad JSON: "),
        (b"\x00\x00\x00\n", "bad JSON: "),
        (b'{"kind": "run_started", "name": "\xff"}\n', "bad JSON: "),
        (b"\n", "bad JSON: "),
        (b'{"kind": "moon_landed"}\n', "unknown kind: 'moon_landed'"),
        (b'{"no": "kind"}\n', "no event: "),
        (b"[1]\n", "no event: "),
        (b'{"kind": "run_finished", "event_id": 1}\n', "bad field: run_finished.event_id: "),
    ],
)
def test_a_line_that_is_no_event_has_a_reason(data, reason) -> None:
    """Bad JSON, unknown kinds and bad fields are told apart."""
    with pytest.raises(ValueError, match=f"^{reason}"):
        decode(line(data))


def test_an_event_without_a_uuid_is_refused(make) -> None:
    """Events are told apart by their identifier, so it must be one."""
    with pytest.raises(ValueError, match="bad field: event_id is not a UUID: 'mine'"):
        decode(line(EVENT.dump_json(make.note(event_id="mine"))))


def test_a_line_that_was_cut_off_is_never_read(make) -> None:
    """Even if the rest happens to be complete: its writer didn't say so."""
    with pytest.raises(ValueError, match=r"^cut off$"):
        decode(line(EVENT.dump_json(make.note()), is_cut_off=True))
