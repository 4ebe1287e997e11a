"""What the transcript draws: spans that are exactly the text's, the worst first, and nothing left out in silence."""

from dataclasses import replace
from datetime import datetime

import pytest

from actionledger.events import ActionRecord
from actionledger.ledger.queries import (
    ActionReversal,
    Attempt,
    Execution,
    Reader,
    Response,
    Told,
    TurnDetail,
    TurnRow,
)
from actionledger.values import Block, Conversion, FieldError, Issue, Repair, Span
from actionledger.vocabulary import (
    ActionStatus,
    BlockStatus,
    ExecutionStatus,
    Outcome,
    Reason,
    RepairKind,
    Reversal,
    RunKind,
)
from actionledger_dashboard.components.transcript_data import LISTED, VALUE_CHARACTERS, list_data, turn_data

TEXT = "😀 <a>1,</a> 好 <b"
BLOCK = Block(
    0,
    "xml_tags",
    BlockStatus.REPAIRED,
    Span(2, 11),
    Span(5, 7),
    repairs=(Repair(RepairKind.TRAILING_COMMA, Span(6, 7), ",", ""),),
)
ACTION = ActionRecord(
    block=0,
    dialect="xml_tags",
    span=Span(2, 11),
    action_id="a1",
    index=0,
    name="a",
    status=ActionStatus.VALID,
    reason=None,
    arguments='{"n":1}',
)
RUN = Execution("x", 0, "a", 1, ExecutionStatus.SUCCEEDED, None, 2.5, '{"ok":true}', "", None)  # type: ignore[arg-type]
DETAIL = TurnDetail(
    Response("t", "s", 0, None, TEXT, True, None, ()),
    Attempt("x", "r", "coder", None, "xml_tags", Outcome.REPAIRED, None, 1500),
    blocks=(BLOCK,),
    issues=(),
    actions=(ACTION,),
    executions=(RUN,),
    reversals=(),
    readers=(Reader("r", "live", RunKind.LIVE, "coder", Outcome.REPAIRED),),
)
UNDONE = ActionReversal("x", 0, "create_file", Reversal.UNDONE, ("a",), 3, datetime(2026, 1, 2, 3, 4, 5))
LOOSE = Issue(Reason.UNCLOSED_TAG, Span(14, 16), "b")


def test_what_was_undone_stays_beside_what_was_done() -> None:
    """A card of its own behind the executions, with what was changed and when."""
    lane = turn_data(replace(DETAIL, reversals=(UNDONE,)))["lanes"][-1]
    *_, card = lane["cards"]
    assert (card["name"], card["status"], card["where"]) == (
        "create_file",
        "undone",
        "2026-01-02 03:04:05 UTC",
    )
    assert card["lines"] == ["a", "and 2 more"]


def test_an_action_says_that_it_was_undone_and_redone() -> None:
    """In order and with when; what another reading's action went through is no word on this one's card."""
    again = replace(UNDONE, kind=Reversal.REDONE, reversed_at=datetime(2026, 1, 2, 3, 5))
    other = replace(UNDONE, attempt_id="y")
    lanes = turn_data(replace(DETAIL, reversals=(UNDONE, again, other)))["lanes"]
    [action] = lanes[-2]["cards"]
    assert action["lines"] == ["undone 2026-01-02 03:04:05 UTC", "redone 2026-01-02 03:05:00 UTC"]
    assert [card["block"] for card in lanes[-1]["cards"]] == ["0", "0", "0", None]


def test_a_conversion_is_shown_as_what_it_is() -> None:
    """What was written and what it was taken as; the action is mended and not wrong."""
    action = replace(ACTION, status=ActionStatus.COERCED, conversions=(Conversion("n", '"1"', "1"),))
    lane = turn_data(replace(DETAIL, actions=(action,)))["lanes"][1]
    [card] = lane["cards"]
    assert (card["lines"], card["look"]) == (['n: "1" converted → 1'], "mended")


def test_a_field_that_was_left_out_is_a_note() -> None:
    """It kept nothing from being done, and doesn't look as if it had."""
    issues = (Issue(Reason.UNKNOWN_FIELD, BLOCK.span), LOOSE)
    lanes = {lane["title"]: lane["cards"] for lane in turn_data(replace(DETAIL, issues=issues))["lanes"]}
    assert [card["look"] for card in lanes["Issues"]] == ["mended", "bad"]


def test_a_mark_is_exactly_its_block() -> None:
    """Text between a mark's offsets is the block's, and its title says what, how and where."""
    [mark] = turn_data(DETAIL)["marks"]
    assert TEXT[mark["start"] : mark["end"]] == "<a>1,</a>"
    assert mark["why"] == "xml_tags · repaired · [2, 11) · a: valid"


def test_an_issue_outside_of_every_block_is_marked_too() -> None:
    """What is wrong is seen in the text, also where no block was found."""
    marks = turn_data(replace(DETAIL, issues=(LOOSE,)))["marks"]
    assert [TEXT[mark["start"] : mark["end"]] for mark in marks] == ["<a>1,</a>", "<b"]
    assert marks[1]["look"] == "bad"


def test_spots_lie_within_their_block_in_text_order_and_never_overlap() -> None:
    """A repair and an issue at the same place are one spot; one that is all of the block is none."""
    issues = (
        Issue(Reason.MALFORMED_JSON, Span(5, 6)),
        Issue(Reason.TRAILING_COMMA, Span(6, 7)),
        Issue(Reason.WRONG_SHAPE, BLOCK.span),
    )
    [mark] = turn_data(replace(DETAIL, issues=issues))["marks"]
    assert [(spot["start"], spot["end"]) for spot in mark["spots"]] == [(5, 6), (6, 7)]


def test_marks_that_touch_are_both_drawn_and_overlap_nothing() -> None:
    """Blocks side by side, and an issue that ends where a block begins or begins where it ends, are marks of their own."""
    second = replace(BLOCK, index=1, span=Span(11, 13), body=Span(12, 12), repairs=())
    issues = (Issue(Reason.UNCLOSED_TAG, Span(0, 2), "before"), Issue(Reason.UNCLOSED_TAG, Span(13, 16), "b"))
    data = turn_data(replace(DETAIL, blocks=(BLOCK, second), issues=issues))
    found = [(mark["start"], mark["end"], mark["block"]) for mark in data["marks"]]
    assert found == [(0, 2, ""), (2, 11, "0"), (11, 13, "1"), (13, 16, "")]
    cards = {lane["title"]: lane["cards"] for lane in data["lanes"]}["Issues"]
    assert [card["block"] for card in cards] == [None, None]


def test_an_issue_is_tied_to_a_block_that_it_shares_a_character_with() -> None:
    """It has no mark of its own then."""
    issues = (Issue(Reason.UNCLOSED_TAG, Span(0, 3), "before"), Issue(Reason.UNCLOSED_TAG, Span(10, 16), "b"))
    data = turn_data(replace(DETAIL, issues=issues))
    assert [(mark["start"], mark["end"]) for mark in data["marks"]] == [(2, 11)]
    cards = {lane["title"]: lane["cards"] for lane in data["lanes"]}["Issues"]
    assert [card["block"] for card in cards] == ["0", "0"]


def test_spots_that_touch_are_both_drawn_and_of_two_that_overlap_the_first() -> None:
    """From edge to edge of their block, each character in one of them at most."""
    places = [Span(2, 4), Span(4, 6), Span(5, 8), Span(8, 11), Span(10, 12)]
    issues = tuple(Issue(Reason.MALFORMED_JSON, place) for place in places)
    [mark] = turn_data(replace(DETAIL, blocks=(replace(BLOCK, repairs=()),), issues=issues))["marks"]
    assert [(spot["start"], spot["end"]) for spot in mark["spots"]] == [(2, 4), (4, 6), (8, 11)]


@pytest.mark.parametrize(
    ("status", "look"),
    [(ActionStatus.VALID, "mended"), (ActionStatus.INVALID, "bad"), (ActionStatus.ILLUSTRATION, "mended")],
)
def test_a_mark_looks_like_the_worst_of_its_block_and_actions(status: ActionStatus, look: str) -> None:
    """A block that was read but holds an invalid action is not green."""
    [mark] = turn_data(replace(DETAIL, actions=(replace(ACTION, status=status),)))["marks"]
    assert mark["look"] == look


def test_lanes_of_a_repaired_turn() -> None:
    """Repairs say what was read as what; an action and its execution are tied to their block."""
    lanes = {lane["title"]: lane["cards"] for lane in turn_data(DETAIL)["lanes"]}
    assert list(lanes) == ["Repairs", "Actions", "Executions"]
    assert lanes["Repairs"][0]["lines"] == ['"," read as nothing']
    assert lanes["Actions"][0]["value"] == '{\n  "n": 1\n}'
    assert lanes["Executions"][0]["where"] == "try 1 · 2.5 ms"
    assert {card["block"] for cards in lanes.values() for card in cards} == {"0"}


def test_lanes_say_so_where_there_is_nothing() -> None:
    """A turn without actions and executions has sentences in their place."""
    lanes = turn_data(replace(DETAIL, blocks=(), actions=(), executions=()))["lanes"]
    assert [(lane["title"], lane["cards"], bool(lane["whenEmpty"])) for lane in lanes] == [
        ("Actions", [], True),
        ("Executions", [], True),
    ]


def test_errors_of_an_action_are_sentences() -> None:
    """Every refused field says where, what is wrong and what was expected."""
    error = FieldError(Reason.MISSING_FIELD, "path", "", "a text")
    invalid = replace(ACTION, status=ActionStatus.INVALID, reason=error.code, errors=(error,))
    [actions] = [
        lane for lane in turn_data(replace(DETAIL, actions=(invalid,)))["lanes"] if lane["title"] == "Actions"
    ]
    assert actions["cards"][0]["lines"] == ["path: A required field is missing. Expected a text."]


def test_executions_of_another_reading_are_named_as_such() -> None:
    """What was done under the first reading was not done again by a later one."""
    again = replace(DETAIL, executions=(replace(RUN, attempt_id="of the first reading"),))
    lane = turn_data(again)["lanes"][-1]
    assert lane["title"] == "Executions, as recorded under the first reading"
    assert lane["cards"][0]["block"] is None


def test_a_value_too_long_to_show_says_how_much_is_missing() -> None:
    """Nothing is cut in silence."""
    long = replace(ACTION, arguments="x" * (VALUE_CHARACTERS + 1500))
    [card] = turn_data(replace(DETAIL, actions=(long,)))["lanes"][1]["cards"]
    assert card["value"].endswith("… and 1,500 more characters")


def test_a_turn_that_nothing_has_read_says_so() -> None:
    """The text is shown without marks, with the reason for it."""
    unread = replace(DETAIL, attempt=None, blocks=(), actions=(), executions=(), readers=())
    assert turn_data(unread)["verdict"] == "recorded, but never read"
    assert turn_data(replace(unread, readers=DETAIL.readers))["verdict"] == "not read by this run"


def test_the_list_holds_the_shown_turn_and_counts_the_rest() -> None:
    """A session of thousands is listed around the turn that is shown."""
    turns = [_row(index) for index in range(10_000)]
    listed = list_data(5_000, turns)
    indexes = [turn["index"] for turn in listed["turns"]]
    assert 5_000 in indexes
    assert len(indexes) == LISTED
    assert listed["before"] + len(indexes) + listed["after"] == 10_000
    assert (list_data(0, turns)["before"], list_data(9_999, turns)["after"]) == (0, 0)


def test_the_list_knows_the_next_errors_both_ways() -> None:
    """Stepping to the next turn with an error needs no search."""
    turns = [
        _row(index, Outcome.FAILED if index in {3, 700, 9_000} else Outcome.CLEAN) for index in range(10_000)
    ]
    assert list_data(700, turns)["errors"] == [3, 9_000]


def test_the_list_says_what_went_wrong_where_reading_did_not() -> None:
    """A turn that was read well and done badly doesn't look well."""
    [refused] = list_data(0, [replace(_row(0), actions=2, valid=1)])["turns"]
    [failed] = list_data(0, [replace(_row(0), executions=1, failed=1)])["turns"]
    assert (refused["outcome"], refused["look"]) == ("clean, not valid", "bad")
    assert (failed["outcome"], failed["look"]) == ("clean, not done", "bad")


def _row(index: int, outcome: Outcome = Outcome.CLEAN) -> TurnRow:
    return TurnRow(index, outcome, None, 10, 0, 0, 0, 0, 0)


def test_what_nobody_sees_is_named_and_moves_nothing() -> None:
    """Tokens have the places and the characters of the text itself; arguments and repairs name them too."""
    text = "\ufeff😀 <a>\u202e1,</a>"
    response = replace(DETAIL.response, text=text)
    hidden = replace(BLOCK, repairs=(Repair(RepairKind.TRAILING_COMMA, Span(8, 9), "\u200b,", "\u202e"),))
    action = replace(ACTION, name="a\u200b", arguments='{"n":"\u2066"}')
    data = turn_data(replace(DETAIL, response=response, blocks=(hidden,), actions=(action,)))
    assert data["text"] == text
    assert [(found["at"], found["code"]) for found in data["tokens"]] == [(0, "U+FEFF"), (6, "U+202E")]
    assert all(text[found["at"] : found["end"]] == found["text"] for found in data["tokens"])
    lanes = {lane["title"]: lane["cards"][0] for lane in data["lanes"]}
    codes = [
        piece["code"]
        for part in (lanes["Repairs"]["lines"][0], lanes["Actions"]["name"], lanes["Actions"]["value"])
        for piece in part
        if isinstance(piece, dict)
    ]
    assert codes == ["U+200B", "U+202E", "U+200B", "U+2066"]


@pytest.mark.parametrize(
    ("kind", "said"),
    [(RunKind.LIVE, "Nothing was executed."), (RunKind.IMPORT, "Not recorded: ")],
)
def test_a_turn_of_a_recording_does_not_say_that_nothing_was_done(kind: RunKind, said: str) -> None:
    """What another runtime did is not known where its recording doesn't say it."""
    detail = replace(DETAIL, executions=(), readers=(replace(DETAIL.readers[0], kind=kind),))
    assert turn_data(detail)["lanes"][-1]["whenEmpty"].startswith(said)


@pytest.mark.parametrize(
    ("at", "said"), [(datetime(2026, 1, 2), "Nothing was executed."), (None, "Not recorded: ")]
)
def test_an_import_that_runs_what_it_reads_knows_that_nothing_was_done(
    at: datetime | None, said: str
) -> None:
    """It told the model at a time of its own; what a recording says was told has none."""
    readers = (replace(DETAIL.readers[0], kind=RunKind.IMPORT),)
    response = replace(DETAIL.response, told=(Told("No action was found.", at, is_resumed=False),))
    detail = replace(DETAIL, response=response, executions=(), readers=readers)
    assert turn_data(detail)["lanes"][-1]["whenEmpty"].startswith(said)
