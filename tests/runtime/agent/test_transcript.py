"""What a model is shown of a long conversation: as much as fits, and each cut says so."""

import pytest

from actionledger.runtime.agent.transcript import Transcript


def transcript(room: int, *sizes: int) -> Transcript:
    made = Transcript("system", "request", room)
    for number, size in enumerate(sizes):
        made.add(f"response {number} " + "r" * size, f"told {number} " + "t" * size)
    return made


def test_what_fits_is_shown_whole():
    """Instructions, request, then responses and messages in turn."""
    messages = transcript(10_000, 10, 10).messages()
    assert [message.role for message in messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert messages[1].content == "request"
    assert messages[-1].content == "told 1 " + "t" * 10


def test_older_turns_give_way_and_are_counted():
    """The latest stay whole, those before are shown by their beginnings, with how much of them."""
    messages = transcript(12_000, *[1000] * 12).messages()
    first = messages[1].content
    whole = (len(messages) - 2) // 2
    assert 0 < whole < 12
    assert first.startswith("request\n\n")
    assert f"of your first {12 - whole:,} responses" in first
    assert "Response 1: response 0 rrr" in first
    assert "(cut: 160 of 1,011 characters are shown)" in first
    assert messages[-1].content == "told 11 " + "t" * 1000


def test_still_earlier_turns_are_left_out_and_counted():
    """However many there were, the list of beginnings stays short."""
    messages = transcript(8_000, *[500] * 200).messages()
    assert "Responses 1 to " in messages[1].content
    assert "left out" in messages[1].content


@pytest.mark.parametrize("room", [1000, 5000, 20_000, 60_000])
@pytest.mark.parametrize("sizes", [[100] * 300, [3000] * 40, [40_000] * 3, [10, 90_000], [90_000, 10]])
def test_it_stays_within_its_room(room, sizes):
    """But for the little that is always shown."""
    messages = transcript(room, *sizes).messages()
    assert sum(len(message.content) for message in messages) <= max(room, 1000) + 6500


def test_a_latest_turn_that_is_too_long_is_cut_in_its_middle():
    """Its beginning and its end are shown, and how much is missing."""
    made = Transcript("system", "request", 5000)
    made.add("BEGIN" + "r" * 50_000 + "END", "told")
    last = made.messages()[-2].content
    assert last.startswith("BEGIN")
    assert last.endswith("END")
    assert "of 50,008 characters are shown" in last
