"""Repairs as a difference of texts: put together, each side is the line as it was written or read."""

from dataclasses import replace
from typing import Any

from one_turn import BLOCK, DETAIL

from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import RepairKind
from actionledger_dashboard.viewer.marks import AROUND, differences


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
