"""What is marked, found and drawn of a response."""

from dataclasses import replace
from itertools import pairwise

import pytest
from one_turn import ACTION, BLOCK, DETAIL, LOOSE, TEXT

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import ActionStatus, BlockStatus, Evidence, Reason
from actionledger.ledger.queries import Mention
from actionledger_dashboard.viewer.marks import (
    MOST,
    SHOWN,
    calls_of,
    found_data,
    marks_of,
    occurrences,
    part_of,
    span_of,
)
from actionledger_dashboard.viewer.reading import reading_data


def test_a_mark_is_exactly_its_block() -> None:
    """Text between a mark's offsets is the block's, and its title says what, how and where."""
    [mark] = reading_data(DETAIL)["marks"]
    assert TEXT[mark["start"] : mark["end"]] == "<a>1,</a>"
    assert mark["why"] == "xml_tags · repaired · repaired: trailing comma · [2, 11) · a: not checked"


def test_an_issue_outside_of_every_block_is_marked_too() -> None:
    """What is wrong is seen in the text, also where no block was found."""
    marks = reading_data(replace(DETAIL, issues=(LOOSE,)))["marks"]
    assert [TEXT[mark["start"] : mark["end"]] for mark in marks] == ["<a>1,</a>", "<b"]
    assert marks[1]["look"] == "bad"


def test_spots_lie_within_their_block_in_text_order_and_never_overlap() -> None:
    """A repair and an issue at the same place are one spot; one that is all of the block is none."""
    issues = (
        Issue(Reason.MALFORMED_JSON, Span(5, 6)),
        Issue(Reason.TRAILING_COMMA, Span(6, 7)),
        Issue(Reason.WRONG_SHAPE, BLOCK.span),
    )
    [mark] = reading_data(replace(DETAIL, issues=issues))["marks"]
    assert [(spot["start"], spot["end"]) for spot in mark["spots"]] == [(5, 6), (6, 7)]


def test_marks_that_touch_are_both_drawn_and_overlap_nothing() -> None:
    """Blocks side by side, and an issue that ends where a block begins or begins where it ends, are marks of their own."""
    second = replace(BLOCK, index=1, span=Span(11, 13), body=Span(12, 12), repairs=())
    issues = (Issue(Reason.UNCLOSED_TAG, Span(0, 2), "before"), Issue(Reason.UNCLOSED_TAG, Span(13, 16), "b"))
    data = reading_data(replace(DETAIL, blocks=(BLOCK, second), issues=issues))
    found = [(mark["start"], mark["end"], mark["block"]) for mark in data["marks"]]
    assert found == [(0, 2, ""), (2, 11, "0"), (11, 13, "1"), (13, 16, "")]
    cards = {lane["title"]: lane["cards"] for lane in data["lanes"]}["Issues"]
    assert [card["block"] for card in cards] == [None, None]


def test_an_issue_is_tied_to_a_block_that_it_shares_a_character_with() -> None:
    """It has no mark of its own then."""
    issues = (Issue(Reason.UNCLOSED_TAG, Span(0, 3), "before"), Issue(Reason.UNCLOSED_TAG, Span(10, 16), "b"))
    data = reading_data(replace(DETAIL, issues=issues))
    assert [(mark["start"], mark["end"]) for mark in data["marks"]] == [(2, 11)]
    cards = {lane["title"]: lane["cards"] for lane in data["lanes"]}["Issues"]
    assert [card["block"] for card in cards] == ["0", "0"]


def test_spots_that_touch_are_both_drawn_and_of_two_that_overlap_the_first() -> None:
    """From edge to edge of their block, each character in one of them at most."""
    places = [Span(2, 4), Span(4, 6), Span(5, 8), Span(8, 11), Span(10, 12)]
    issues = tuple(Issue(Reason.MALFORMED_JSON, place) for place in places)
    [mark] = reading_data(replace(DETAIL, blocks=(replace(BLOCK, repairs=()),), issues=issues))["marks"]
    assert [(spot["start"], spot["end"]) for spot in mark["spots"]] == [(2, 4), (4, 6), (8, 11)]


@pytest.mark.parametrize(
    ("status", "look"),
    [(ActionStatus.VALID, "mended"), (ActionStatus.INVALID, "bad"), (ActionStatus.ILLUSTRATION, "mended")],
)
def test_a_mark_looks_like_the_worst_of_its_block_and_actions(status: ActionStatus, look: str) -> None:
    """A block that was read but holds an invalid action is not green."""
    [mark] = reading_data(replace(DETAIL, actions=(replace(ACTION, status=status),)))["marks"]
    assert mark["look"] == look


def test_a_mark_says_its_dialect_rule_evidence_and_offsets() -> None:
    """What is not recorded is left out."""
    block = replace(
        BLOCK,
        status=BlockStatus.MALFORMED,
        reason=Reason.UNCLOSED_TAG,
        evidence=Evidence.SENTENCE,
        repairs=(),
    )
    [mark] = marks_of(replace(DETAIL, blocks=(block,), actions=()))
    dialect, status, rule, evidence, offsets = mark["why"].split(" · ")
    assert (dialect, status, evidence, offsets) == ("xml_tags", "malformed", "evidence: sentence", "[2, 11)")
    assert rule.startswith("unclosed_tag: ")


def test_only_what_is_faulty_is_tinted() -> None:
    """A block is where nothing within it says what is wrong; one with a wrong place in it, or a repaired one, is not."""
    broken = replace(BLOCK, status=BlockStatus.MALFORMED, repairs=())
    within = (Issue(Reason.MALFORMED_JSON, Span(5, 6)),)
    whole = (Issue(Reason.UNCLOSED_TAG, BLOCK.span),)
    tinted = [
        marks_of(replace(DETAIL, blocks=(block,), issues=issues, actions=()))[0]["faulty"]
        for block, issues in ((BLOCK, ()), (broken, within), (broken, whole), (broken, ()))
    ]
    assert tinted == [False, False, True, True]


def test_actions_have_their_own_stretches() -> None:
    """Several in one block are told apart; of two at the same characters one is drawn."""
    second = replace(ACTION, index=1, span=Span(5, 7))
    third = replace(ACTION, index=2, span=Span(7, 11))
    first = replace(ACTION, span=Span(2, 5))
    calls = calls_of(replace(DETAIL, actions=(first, second, third, replace(third, index=3))))
    assert [(call["call"], TEXT[call["start"] : call["end"]]) for call in calls] == [
        ("0", "<a>"),
        ("1", "1,"),
        ("2", "</a>"),
    ]


def test_what_is_wrong_at_a_place_that_was_mended_is_seen() -> None:
    """An issue that says no more than the repair is none."""
    comma = Span(6, 7)
    said = [
        marks_of(replace(DETAIL, issues=(Issue(code, comma),)))[0]["spots"][0]["look"]
        for code in (Reason.TRAILING_COMMA, Reason.TRUNCATED)
    ]
    assert said == ["mended", "wrong"]


LENGTH = 500_000
FAULT = Span(400_000, 400_010)
EXCERPT_TEXT = "\u202e" + "é" * (LENGTH - 1)
LONG = replace(
    DETAIL,
    response=replace(DETAIL.response, text=EXCERPT_TEXT),
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
    assert drawn["text"] == EXCERPT_TEXT[first:last]
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
    assert drawn["text"] == EXCERPT_TEXT
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


FINDING_TEXT = "👩‍💻 e\u0301 漢字\r\n\x00 Needle 🏁 needle"


def test_a_link_means_code_points() -> None:
    """As Python counts them: an emoji of three, a combining mark, CR LF and NUL."""
    start = FINDING_TEXT.index("Needle")
    span = span_of(f"{start}-{start + 6}", FINDING_TEXT)
    assert span is not None
    assert span.of(FINDING_TEXT) == "Needle"
    assert span_of(f"{len(TEXT)}-{len(TEXT)}", FINDING_TEXT) == Span(len(FINDING_TEXT), len(FINDING_TEXT))


@pytest.mark.parametrize(
    "written", ["", "5", "5-", "-5", "7-5", "0-999", "a-b", "1-2-3", " 1-2", "٣-٤", "1" * 400 + "-2"]
)
def test_what_is_no_span_of_the_text_is_none(written: str) -> None:
    """A mistyped link is said to be one, and breaks nothing."""
    assert span_of(written, FINDING_TEXT) is None


def test_occurrences_are_exactly_the_text() -> None:
    """Whatever the case; a text is no pattern, an empty one is nowhere, and a thousand are cut."""
    assert [FINDING_TEXT[start:end] for start, end in occurrences("needle", FINDING_TEXT)] == [
        "Needle",
        "needle",
    ]
    assert occurrences(".", FINDING_TEXT) == occurrences("", FINDING_TEXT) == []
    assert len(occurrences("a", "a" * (MOST + 7))) == MOST


def test_a_search_says_where_it_is() -> None:
    """Which turns have it, and in what of the one that is shown."""
    mentions = [Mention(3, ("arguments", "result")), Mention(9, ("response",))]
    found = found_data("x", mentions, 3)
    assert found is not None
    assert (found["turns"], found["here"]) == ([3, 9], "arguments, result")
    assert (found_data("x", mentions, 4) or {})["here"] == ""
    assert found_data("", mentions, 3) is None
