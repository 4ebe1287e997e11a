"""Of a long response a part is drawn, around what a reader is led to; what is not drawn is said, and every place stays that of the whole."""

from dataclasses import replace
from itertools import pairwise

import pytest
from one_turn import BLOCK, DETAIL

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger_dashboard.viewer.marks import SHOWN, part_of
from actionledger_dashboard.viewer.reading import reading_data

LENGTH = 500_000
FAULT = Span(400_000, 400_010)
TEXT = "\u202e" + "é" * (LENGTH - 1)
LONG = replace(
    DETAIL,
    response=replace(DETAIL.response, text=TEXT),
    blocks=(
        replace(BLOCK, span=Span(10, 400_020), repairs=()),
        replace(BLOCK, index=1, span=Span(490_000, 490_100)),
    ),
    issues=(Issue(Reason.UNKNOWN_FIELD, Span(20, 30)), Issue(Reason.MISSING_COMMA, FAULT)),
    actions=(),
)


def test_what_is_wrong_is_drawn_and_the_rest_is_counted() -> None:
    """A browser took seconds to lay out five megabytes, and what was wrong stood in one of them."""
    drawn = reading_data(LONG)
    first, last = drawn["from"], drawn["from"] + len(drawn["text"])
    assert len(drawn["text"]) == SHOWN
    assert drawn["text"] == TEXT[first:last]
    [mark] = drawn["marks"]
    assert (mark["start"], mark["end"]) == (first, 400_020)
    assert [(spot["start"], spot["end"]) for spot in mark["spots"]] == [(FAULT.start, FAULT.end)]
    assert [token["code"] for token in drawn["tokens"]] == [
        f"{first:,} characters before are not shown",
        f"{LENGTH - last:,} characters behind are not shown",
    ]


@pytest.mark.parametrize("at", [0, 1, SHOWN, 234_567, LENGTH - 1, LENGTH])
def test_what_is_asked_for_goes_before_what_is_wrong(at: int) -> None:
    """Wherever it is, it is drawn, and so is as much as there is room for."""
    drawn = reading_data(LONG, at=Span(at, at))
    assert drawn["from"] <= at <= drawn["from"] + len(drawn["text"])
    assert len(drawn["text"]) == SHOWN


@pytest.mark.parametrize("where", ["before", "behind"])
def test_every_character_is_reached_by_the_ways_on(where: str) -> None:
    """What stands for the text behind a part leads to where that part ends, and so on to the end; the same back to the beginning."""
    length = 5 * SHOWN + 7
    text = replace(LONG, response=replace(LONG.response, text="x" * length), blocks=(), issues=())
    at, seen = (0 if where == "behind" else length), []
    while at is not None:
        drawn = reading_data(text, at=Span(at, at))
        seen.append(Span(drawn["from"], drawn["from"] + len(drawn["text"])))
        at = next((each["gap"][0] for each in drawn["tokens"] if f" {where} " in each["code"]), None)
    in_order = sorted(seen)
    assert in_order == (seen if where == "behind" else seen[::-1])
    assert (in_order[0].start, in_order[-1].end, len(seen)) == (0, length, 6)
    assert all(one.end >= other.start for one, other in pairwise(in_order))


def test_a_page_of_its_own_has_all_of_it() -> None:
    """Nobody can be asked for more there."""
    drawn = reading_data(LONG, is_whole=True)
    assert drawn["text"] == TEXT
    assert [token["code"] for token in drawn["tokens"]] == ["U+202E"]
    assert len(drawn["marks"]) == 2


@pytest.mark.parametrize("length", [0, 1, SHOWN - 1, SHOWN])
def test_a_short_response_is_drawn_whole(length: int) -> None:
    """With nothing said of what is not there."""
    drawn = reading_data(
        replace(DETAIL, response=replace(DETAIL.response, text="x" * length), blocks=(), actions=())
    )
    assert (len(drawn["text"]), drawn["from"], drawn["tokens"]) == (length, 0, [])
    assert part_of(length, length) == Span(0, length)
