"""Events become lines that can be read again."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from actionledger.core.errors import EventTooLargeError, UsageError
from actionledger.core.events import EVENT
from actionledger.ledger.storage import encoding
from actionledger.ledger.storage.encoding import Unmasked, encode, masked_lines, waiting

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
