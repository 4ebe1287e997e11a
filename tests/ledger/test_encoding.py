"""Events become lines of segments that can be read again."""

import fcntl
import json
import pickle
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from actionledger.core.errors import EventTooLargeError, UsageError
from actionledger.core.events import EVENT, SessionFinished
from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import RepairKind
from actionledger.ledger.storage import encoding, preparation, segments
from actionledger.ledger.storage.batch import SMALL_CHARACTERS, Batch
from actionledger.ledger.storage.encoding import Unmasked, encode, masked_lines, waiting
from actionledger.ledger.storage.preparation import decode
from actionledger.ledger.storage.segments import Line, batches, remove_finished, segment_sizes

HARD_TEXTS = [
    "nul \x00 nul",
    "漢字 和 한국어",
    "😀👩‍👩‍👧",
    "a\r\nb\rc\n",
    "\u2028\u2029\x85",
    '"\\"',
    "\x7f\x1b[0m",
    "",
]


@pytest.mark.parametrize("text", HARD_TEXTS)
def test_a_text_comes_back_as_it_was(make, text) -> None:
    """Control characters, line breaks and characters of all lengths survive, on one line."""
    event = make.response(text)
    line = encode(event)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert EVENT.validate_json(line) == event


def test_every_kind_comes_back_as_it_was(make) -> None:
    """An event of any kind is equal to what its line says."""
    events = make.one_of_each()
    assert [EVENT.validate_json(encode(event)) for event in events] == events


def test_half_a_character_is_replaced_one_for_one(make) -> None:
    """A lone surrogate becomes U+FFFD, so that spans hold, and the text says that it isn't exact."""
    event = EVENT.validate_json(encode(make.response("a\ud800b\udfffc", prompt="\ud83d")))
    assert (event.text, event.prompt, event.text_is_exact) == ("a\ufffdb\ufffdc", "\ufffd", False)


def test_half_a_character_is_replaced_anywhere(make) -> None:
    """A lone surrogate is replaced in whatever string of an event it stands, keys included."""
    note = EVENT.validate_json(encode(make.note(detail={"\ud800": ["\udc00", {"x": "\ud800"}]})))
    assert note.detail == {"\ufffd": ["\ufffd", {"x": "\ufffd"}]}
    parsed = EVENT.validate_json(encode(make.parsed(actions=(make.action(name="\ud800"),))))
    assert parsed.actions[0].name == "\ufffd"


def test_a_masked_text_says_that_it_is_not_exact(make) -> None:
    """A response with a secret is recorded without it, and says so, even if its text looks like that very mark."""
    text = '"text_is_exact":true password=hunter2 '
    event = EVENT.validate_json(encode(make.response(text)))
    assert event.text == '"text_is_exact":true password=******* '
    assert not event.text_is_exact
    assert EVENT.validate_json(encode(make.response("no secret"))).text_is_exact


def test_events_are_masked_together_as_each_by_itself(make) -> None:
    """What is flushed together is the lines that each event makes alone; only what was masked says that it is not exact."""
    texts = ["no secret", "password=hunter2", "漢字", "half \ud800", "a token"]
    events = [*map(make.response, texts), *make.one_of_each()]
    lines = masked_lines([waiting(event) for event in events])
    assert lines == b"".join(map(encode, events))
    exact = [json.loads(line)["text_is_exact"] for line in lines.splitlines()[: len(texts)]]
    assert exact == [True, False, True, False, True]


@pytest.mark.parametrize("text", [*HARD_TEXTS, "half \ud800", "password=hunter2"])
def test_a_response_is_written_when_it_is_flushed(make, text) -> None:
    """Whoever records a response of usual length does not wait for it to be written as JSON."""
    event = make.response(text, input_tokens=10**30, latency_ms=float("inf"))
    assert waiting(event) is event


@pytest.mark.parametrize(
    "other",
    [{"text": "x" * 100_001}, {"text": "x" * 50_001, "prompt": "y" * 50_000}, {"model": "漢" * 100_001}],
)
def test_a_long_response_is_written_at_once(make, other) -> None:
    """What may be larger than a ledger takes is refused by whoever records it, not by a later flush."""
    assert isinstance(waiting(replace(make.response("a"), **other)), Unmasked)


class _Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "other",
    [
        {"task": ["may", "change"]},
        {"text": bytearray(b"a")},
        {"text": _Text("a")},
        {"occurred_at": datetime(2026, 1, 2, tzinfo=UTC)},
    ],
)
def test_a_response_of_other_values_is_written_at_once(make, other) -> None:
    """What can change until it is flushed, or perhaps can't be written, does not wait."""
    assert isinstance(waiting(replace(make.response("a"), **other)), Unmasked)
    with pytest.raises(UsageError, match="response_received holds a value that JSON has no form for"):
        waiting(replace(make.response("a"), task=object()))


def test_an_event_beyond_the_limit_is_refused(make, monkeypatch) -> None:
    """A line may be as long as the limit and no longer; the error says how long both are."""
    event = make.response("x" * 1000)
    length = len(encode(event))
    monkeypatch.setattr(encoding, "LINE_LIMIT", length)
    assert len(encode(event)) == length
    monkeypatch.setattr(encoding, "LINE_LIMIT", length - 1)
    with pytest.raises(EventTooLargeError, match=f"response_received takes {length:,} bytes"):
        encode(event)


def test_a_value_without_a_form_in_json_is_refused(make) -> None:
    """A particular that JSON can't hold is the developer's error."""
    with pytest.raises(UsageError, match="system_noted holds a value that JSON has no form for"):
        encode(make.note(detail={"x": object()}))


def test_numbers_that_json_lacks_become_null(make) -> None:
    """NaN in the particulars doesn't make a line that others can't read."""
    assert (
        json.loads(encode(make.note(detail={"x": float("nan"), "\ud800": float("inf")})))["detail"]["x"]
        is None
    )


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


@pytest.fixture
def growing(tmp_path):
    """A segment whose writer is alive, with half a line at its end."""
    with (tmp_path / "b.jsonl").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(b"1\n22\nhal")
        file.flush()
        yield file


def read(folder, offsets=None, *, finish=True) -> list[Line]:
    return [line for batch in batches(folder, offsets or {}, finish=finish) for line in batch]


def test_a_growing_segment_gives_whole_lines(growing, tmp_path) -> None:
    """Half a line is left for later while its writer lives."""
    assert read(tmp_path) == [Line("b.jsonl", 0, b"1\n"), Line("b.jsonl", 2, b"22\n")]
    growing.write(b"f\n")
    growing.flush()
    assert read(tmp_path, {"b.jsonl": 5}) == [Line("b.jsonl", 5, b"half\n")]
    assert read(tmp_path, {"b.jsonl": 10}) == []


def test_a_dead_writers_last_line_is_cut_off(growing, tmp_path) -> None:
    """Once the lock is free, half a line is handed out as such to the ingester, and never to a reader."""
    growing.close()
    assert read(tmp_path)[-1] == Line("b.jsonl", 5, b"hal", is_cut_off=True)
    assert len(read(tmp_path, finish=False)) == 2


def test_batches_are_bounded(tmp_path, monkeypatch) -> None:
    """A batch ends with the line that reaches the limit, across segments, the oldest first; each may be twice the one before."""
    monkeypatch.setattr(segments, "BATCH_BYTES", 4)
    monkeypatch.setattr(segments, "LARGEST_BATCH_BYTES", 6)
    (tmp_path / "b.jsonl").write_bytes(b"4\n5\n6\n7\n8\n9\n")
    (tmp_path / "a.jsonl").write_bytes(b"1\n2\n3\n")
    (tmp_path / "c.txt").write_bytes(b"6\n")
    found = list(batches(tmp_path, {}, finish=True))
    assert [[line.data for line in batch] for batch in found] == [
        [b"1\n", b"2\n"],
        [b"3\n", b"4\n", b"5\n"],
        [b"6\n", b"7\n", b"8\n"],
        [b"9\n"],
    ]


def test_a_line_without_an_end_is_taken_in_pieces(tmp_path, monkeypatch) -> None:
    """A damaged file can't make a line longer than the limit."""
    monkeypatch.setattr(segments, "LINE_LIMIT", 4)
    (tmp_path / "a.jsonl").write_bytes(b"\x00" * 6 + b"\n")
    assert [line.data for line in read(tmp_path)] == [b"\x00" * 4, b"\x00\x00\n"]


def test_a_finished_segment_is_removed_when_all_of_it_is_published(growing, tmp_path) -> None:
    """A segment stays while it may grow or holds more than the published copy."""
    for name in ("a.jsonl", "c.jsonl", "d.jsonl"):
        (tmp_path / name).write_bytes(b"1\n22\nhal")
    (tmp_path / "e.jsonl").touch()
    remove_finished(tmp_path, {"a.jsonl": 8, "b.jsonl": 8, "c.jsonl": 5})
    assert list(segment_sizes(tmp_path)) == ["b.jsonl", "c.jsonl", "d.jsonl"]
