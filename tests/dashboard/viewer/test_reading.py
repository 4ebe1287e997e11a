"""What is drawn of one reading, and its repairs as a difference of texts."""

from dataclasses import replace
from typing import Any

from one_turn import ACTION, BLOCK, DETAIL, LOOSE, lanes_of

from actionledger.core.values import Conversion, FieldError, Issue, Repair, Span
from actionledger.core.vocabulary import ActionStatus, Capture, Evidence, Outcome, Reason, RepairKind, RunKind
from actionledger.ledger.queries import Reader
from actionledger_dashboard.viewer.looks import VALUE_CHARACTERS
from actionledger_dashboard.viewer.marks import AROUND, differences
from actionledger_dashboard.viewer.reading import TOKENS, attempt_lane, reading_data


def test_a_field_that_was_left_out_is_a_note() -> None:
    """It kept nothing from being done, and doesn't look as if it had."""
    issues = (Issue(Reason.UNKNOWN_FIELD, BLOCK.span), LOOSE)
    lanes = {lane["title"]: lane["cards"] for lane in reading_data(replace(DETAIL, issues=issues))["lanes"]}
    assert [card["look"] for card in lanes["Issues"]] == ["mended", "bad"]


def test_an_action_without_a_catalogue_is_not_checked() -> None:
    """Nobody can say that it is valid, so it doesn't look so."""
    looks = ((ActionStatus.VALID, "valid", "good"), (ActionStatus.NOT_CHECKED, "not checked", "idle"))
    for kept, status, look in looks:
        detail = replace(DETAIL, actions=(replace(ACTION, status=kept),))
        [card] = reading_data(detail)["lanes"][1]["cards"]
        assert (card["status"], card["look"]) == (status, look)


def test_a_value_too_long_to_show_says_how_much_is_missing() -> None:
    """Nothing is cut in silence."""
    long = replace(ACTION, arguments="x" * (VALUE_CHARACTERS + 1500))
    [card] = reading_data(replace(DETAIL, actions=(long,)))["lanes"][1]["cards"]
    assert card["value"].endswith("… and 1,500 more characters")


def test_a_turn_that_nothing_has_read_says_so() -> None:
    """The text is shown without marks, with the reason for it."""
    unread = replace(DETAIL, attempt=None, blocks=(), actions=(), executions=(), readers=())
    assert reading_data(unread)["verdict"] == "recorded, but never read"
    assert reading_data(replace(unread, readers=DETAIL.readers))["verdict"] == "not read by this run"


def test_what_nobody_sees_is_named_and_moves_nothing() -> None:
    """Tokens have the places and the characters of the text itself; arguments and repairs name them too."""
    text = "\ufeff😀 <a>\u202e1,</a>"
    response = replace(DETAIL.response, text=text)
    hidden = replace(BLOCK, repairs=(Repair(RepairKind.TRAILING_COMMA, Span(8, 9), "\u200b,", "\u202e"),))
    action = replace(ACTION, name="a\u200b", arguments='{"n":"\u2066"}')
    data = reading_data(replace(DETAIL, response=response, blocks=(hidden,), actions=(action,)))
    assert data["text"] == text
    assert [(found["at"], found["code"]) for found in data["tokens"]] == [(0, "U+FEFF"), (6, "U+202E")]
    assert all(text[found["at"] : found["end"]] == found["text"] for found in data["tokens"])
    lanes = {lane["title"]: lane["cards"][0] for lane in data["lanes"]}
    codes = [
        piece["code"]
        for part in (
            *(
                one["text"]
                for side in ("before", "after")
                for one in lanes["Repairs"]["difference"][side]
                if one["changed"]
            ),
            lanes["Actions"]["name"],
            lanes["Actions"]["value"],
        )
        for piece in part
        if isinstance(piece, dict)
    ]
    assert codes == ["U+200B", "U+202E", "U+200B", "U+2066"]


def test_a_conversion_is_shown_as_what_it_is() -> None:
    """What was written and what it was taken as; the action is mended and not wrong."""
    action = replace(ACTION, status=ActionStatus.COERCED, conversions=(Conversion("n", '"1"', "1"),))
    [card] = reading_data(replace(DETAIL, actions=(action,)))["lanes"][1]["cards"]
    assert card["look"] == "mended"
    assert card["fields"] == [{"path": "n", "said": "converted", "read": "1", "value": '"1"'}]


def test_errors_of_an_action_stand_by_their_paths() -> None:
    """Every refused field says where, what is wrong and what was expected; the action itself is one, too."""
    errors = (
        FieldError(Reason.MISSING_FIELD, "issues.0.path", "", "a text"),
        FieldError(Reason.WRONG_TYPE, "", "7", "an object"),
    )
    invalid = replace(ACTION, status=ActionStatus.INVALID, reason=errors[0].code, errors=errors)
    [card] = reading_data(replace(DETAIL, actions=(invalid,)))["lanes"][1]["cards"]
    assert card["lines"] == []
    assert [(row["path"], row["expected"], row["value"]) for row in card["fields"]] == [
        ("issues.0.path", "a text", ""),
        ("(all)", "an object", "7"),
    ]
    assert card["fields"][0]["said"] == "A required field is missing."


def test_lanes_of_a_repaired_turn() -> None:
    """An action and its execution are tied to their block and to each other."""
    lanes = {lane["title"]: lane["cards"] for lane in lanes_of(DETAIL)}
    assert list(lanes) == ["Repairs", "Actions", "Executions"]
    assert lanes["Actions"][0]["value"] == '{\n  "n": 1\n}'
    assert lanes["Executions"][0]["where"] == "try 1 · 2.5 ms"
    assert {card["block"] for cards in lanes.values() for card in cards} == {"0"}
    assert [lanes[title][0]["call"] for title in ("Actions", "Executions")] == ["0", "0"]


def test_an_action_says_what_is_evidence_of_it() -> None:
    """Where it stands without its format's own marks."""
    [card] = reading_data(replace(DETAIL, actions=(replace(ACTION, evidence=Evidence.LAST),)))["lanes"][1][
        "cards"
    ]
    assert card["lines"] == ["Evidence that it was meant, or not: last."]


def test_each_parse_attempt_has_a_card_the_shown_one_first() -> None:
    """With the parser, the run and what came of it."""
    again = Reader("r2", "again", RunKind.REPARSE, "strict", Outcome.FAILED)
    readers = (*DETAIL.readers, again)
    lane = attempt_lane(replace(DETAIL, readers=readers))
    assert [(card["name"], card["status"], card["where"]) for card in lane["cards"]] == [
        ("coder", "parsed with repairs", "shown here"),
        ("strict", "unparseable", "another reading"),
    ]
    other = replace(DETAIL, readers=readers, attempt=replace(DETAIL.attempt, run_id="r2"))  # type: ignore[type-var]
    assert [card["name"] for card in attempt_lane(other)["cards"]] == ["strict", "coder"]


def test_a_response_of_which_the_calls_alone_were_kept_is_not_called_empty() -> None:
    """Nobody knows what its text was."""
    response = replace(DETAIL.response, text="")
    assert reading_data(replace(DETAIL, response=response))["whenEmpty"] == "The response is empty."
    kept = replace(response, capture=Capture.CALLS)
    assert reading_data(replace(DETAIL, response=kept))["whenEmpty"].startswith("Tool calls only")


def test_a_time_stands_where_something_was_read() -> None:
    """Of calls that came apart nothing is; a short time is not none."""
    assert "read in 1.5 ms" in str(reading_data(DETAIL)["about"])
    assert DETAIL.attempt
    short = replace(DETAIL, attempt=replace(DETAIL.attempt, duration_us=12))
    assert "read in less than 0.1 ms" in str(reading_data(short)["about"])
    calls = replace(short, response=replace(DETAIL.response, capture=Capture.CALLS))
    assert "ms" not in str(reading_data(calls)["about"]) + str(attempt_lane(calls))


def test_a_text_of_invisible_characters_says_how_many_are_not_shown() -> None:
    """A browser could draw no million of them; none of them is hidden in silence."""
    text = "\u200b-" * (TOKENS + 5)
    response = replace(DETAIL.response, text=text)
    *drawn, last = reading_data(replace(DETAIL, response=response, blocks=(), actions=()))["tokens"]
    assert len(drawn) == TOKENS
    assert (last["at"], last["end"], last["code"]) == (2 * TOKENS, len(text), "10 characters")
    assert "5 more places" in last["name"]


def test_a_turn_says_which_model_wrote_it() -> None:
    """A session may go on with another than it began with."""
    response = replace(DETAIL.response, model="claude-haiku-4-5")
    for detail in (DETAIL, replace(DETAIL, attempt=None)):
        drawn = reading_data(replace(detail, response=response))
        assert "model claude-haiku-4-5" in str(drawn["about"])


def put_together(parts: list[dict[str, Any]]) -> str:
    """Return a side as one text."""
    return "".join(str(part["text"]) for part in parts)


def test_both_sides_are_lines_of_the_text() -> None:
    """The line as the model wrote it, and as it was read; what has changed is told apart."""
    [found] = differences(DETAIL.response.text, BLOCK)
    assert put_together(found["before"]) == "😀 <a>1,</a> 好 <b"
    assert put_together(found["after"]) == "😀 <a>1</a> 好 <b"
    assert [part["text"] for part in found["before"] if part["changed"]] == [","]
    assert (found["kinds"], found["where"]) == ("trailing comma", "[6, 7)")


def test_repairs_near_each_other_are_one_difference_and_lines_are_not_crossed() -> None:
    """Two on one line are told together; one on the next line stands alone."""
    text = "{a: 1, b: 2,}\n{c: 3}"
    places = ((1, "a"), (7, "b"), (15, "c"))
    repairs = tuple(
        Repair(RepairKind.UNQUOTED_KEY, Span(at, at + 1), name, f'"{name}"') for at, name in places
    )
    block = replace(BLOCK, span=Span(0, len(text)), repairs=repairs)
    one, other = differences(text, block)
    assert put_together(one["after"]) == '{"a": 1, "b": 2,}'
    assert put_together(other["after"]) == '{"c": 3}'


def test_a_long_line_is_cut_around_the_change_and_says_so() -> None:
    """A minified response of one line is no wall of text."""
    text = "x" * 500 + "," + "y" * 500
    block = replace(
        BLOCK, span=Span(0, 1001), repairs=(Repair(RepairKind.TRAILING_COMMA, Span(500, 501), ",", ""),)
    )
    [found] = differences(text, block)
    assert put_together(found["before"]) == f"…{'x' * AROUND},{'y' * AROUND}…"


def test_a_repair_that_is_no_replacement_of_its_text_is_shown_alone() -> None:
    """What it says stood there and what it was read as, without a line that was never read like that."""
    repair = Repair(RepairKind.NESTED_JSON, Span(2, 5), "another", "text")
    [found] = differences("a <b>c</b>", replace(BLOCK, repairs=(repair,)))
    assert [part["text"] for part in found["before"] if part["changed"]] == ["another"]
    assert put_together(found["after"]) == "a text"


def test_a_line_break_that_was_mended_is_seen() -> None:
    """A control character is no change that nobody sees."""
    text = '"a\nb"'
    block = replace(
        BLOCK, span=Span(0, 5), repairs=(Repair(RepairKind.CONTROL_CHARACTER, Span(2, 3), "\n", "\\n"),)
    )
    [found] = differences(text, block)
    assert put_together(found["before"]) == '"a↵\nb"'
    assert put_together(found["after"]) == '"a\\nb"'
