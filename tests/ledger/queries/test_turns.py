"""The turns of a session, all of one turn, its neighbours, and where a text occurs."""

import json
from pathlib import Path

import pytest

from actionledger import Runtime, open_ledger, render
from actionledger.core.ids import derived_id
from actionledger.core.values import Conversion, FieldError, Repair, Span
from actionledger.core.vocabulary import ExecutionStatus, Outcome, Reason, RepairKind, RunKind
from actionledger.ledger import queries
from actionledger.ledger.queries.scopes import scope

ONE = derived_id("session", "one")
TWO = derived_id("session", "two")
THREE = derived_id("session", "three")
LIVE = derived_id("run", "live")
AGAIN = derived_id("run", "again")
MISSING = FieldError(Reason.MISSING_FIELD, "path", "", "a path")
UNKNOWN = FieldError(Reason.UNKNOWN_ACTION, "", "", "create_file or read_file")


def test_list_is_light_and_complete(world: queries.Queryable) -> None:
    """Each turn has its outcome and counts, also the one that nothing has read."""
    rows = queries.turns(world, ONE)
    assert [(row.index, row.outcome, row.actions, row.executions, row.failed) for row in rows] == [
        (0, Outcome.CLEAN, 1, 1, 0),
        (1, Outcome.REPAIRED, 2, 3, 2),
        (2, Outcome.FAILED, 0, 0, 0),
        (3, Outcome.NO_ACTION, 0, 0, 0),
    ]
    assert [row.has_error for row in rows] == [False, True, True, False]
    assert [row.outcome for row in queries.turns(world, THREE)] == [Outcome.CLEAN, Outcome.FAILED, None]
    second, third = queries.turns(world, TWO), queries.turns(world, THREE)
    assert [row.errors for row in second] == [0, 2, 0, 0]
    assert [(row.checked, row.valid, row.refused) for row in second[:2]] == [(1, 1, 0), (2, 0, 2)]
    assert (third[0].actions, third[0].checked, third[0].valid, third[0].refused) == (1, 0, 0, 0)


def test_of_another_run_shows_its_readings(world: queries.Queryable) -> None:
    """What the run has not read is there, without an outcome."""
    assert [row.outcome for row in queries.turns(world, ONE, AGAIN)][2] is Outcome.CLEAN
    assert [row.outcome for row in queries.turns(world, TWO, AGAIN)] == [
        None,
        Outcome.FAILED,
        None,
        None,
    ]


def test_of_an_unknown_session_are_none(world: queries.Queryable) -> None:
    """A mistyped link finds nothing."""
    assert queries.turns(world, LIVE) == queries.turns(world, "x") == queries.turns(world, ONE, "x") == []


@pytest.mark.parametrize("run_id", [None, AGAIN])
def test_an_error_is_what_the_filter_calls_failing_in_that_reading(
    world: queries.Queryable, run_id: str | None
) -> None:
    """What failed of another reading's actions is no failure of this one."""
    condition, parameters = scope(queries.Filter(run_id=run_id, is_failing=True))
    failing = world.sql(
        f"SELECT session_id::VARCHAR, turn_index FROM parse_attempts WHERE {condition}",
        parameters,
    ).fetchall()
    with_error = {
        (session, row.index)
        for session in (ONE, TWO, THREE)
        for row in queries.turns(world, session, run_id)
        if row.has_error and row.outcome is not None
    }
    assert with_error == set(failing)
    assert with_error


@pytest.mark.parametrize("form", ["urn:uuid:{}", "{{{}", "{}}}"])
def test_an_identifier_in_another_form_finds_nothing(world: queries.Queryable, form: str) -> None:
    """Python takes more for an identifier than DuckDB does, whose error ended a page."""
    assert queries.turns(world, form.format(ONE)) == []
    assert queries.turn(world, form.format(ONE), 0) is None


def test_detail_has_everything(world: queries.Queryable) -> None:
    """Text, block, repair, actions, executions and the runs that have read the turn."""
    found = queries.turn(world, ONE, 1)
    assert found is not None
    assert found.response.text == "漢字 <create_file>b"
    [block] = found.blocks
    assert block.span.of(found.response.text) == "<create_file>b"
    assert block.repairs == (Repair(RepairKind.UNCLOSED_TAG, Span(17, 17), "", "</create_file>"),)
    assert [(action.name, json.loads(action.arguments)) for action in found.actions] == [
        ("create_file", {"path": "b"}),
        ("wait", {}),
    ]
    assert [(run.name, run.kind, run.outcome) for run in found.readers] == [
        ("live", RunKind.LIVE, Outcome.REPAIRED),
        ("again", RunKind.REPARSE, Outcome.CLEAN),
    ]
    tries = [(tried.action_index, tried.try_number, tried.status) for tried in found.executions]
    assert (0, 2, ExecutionStatus.SUCCEEDED) in tries
    assert len(tries) == 3


def test_detail_of_a_failed_turn_has_its_issue(world: queries.Queryable) -> None:
    """An issue keeps its span, in code points behind an emoji."""
    found = queries.turn(world, ONE, 2)
    assert found is not None
    [issue] = found.issues
    assert issue.span is not None
    assert issue.span.of(found.response.text) == "{"


def test_detail_of_an_invalid_action_has_its_errors(world: queries.Queryable) -> None:
    """A refused field is with its action."""
    found = queries.turn(world, TWO, 1)
    assert found is not None
    assert [action.errors for action in found.actions] == [(MISSING,), (UNKNOWN,)]


def test_detail_has_what_the_model_was_told(world: queries.Queryable) -> None:
    """The prompt before and the feedback after, or None where there was none."""
    first = queries.turn(world, ONE, 0)
    third = queries.turn(world, THREE, 0)
    assert first is not None
    assert third is not None
    assert (first.response.prompt, first.response.feedback) == ("Look.", None)
    assert third.response.feedback == "Go on."
    assert third.executions[0].reason is Reason.NEVER_FINISHED


def test_detail_of_another_run_keeps_the_recorded_executions(world: queries.Queryable) -> None:
    """A re-reading shows its own actions beside what was done under the first one."""
    found = queries.turn(world, ONE, 1, AGAIN)
    assert found is not None
    assert found.attempt is not None
    assert found.attempt.run_id == AGAIN
    assert json.loads(found.actions[0].arguments) == {"path": "B"}
    assert {tried.attempt_id for tried in found.executions} != {found.attempt.attempt_id}


@pytest.mark.parametrize(("session_id", "index"), [(LIVE, 0), ("x", 0), (ONE, 4), (ONE, -1), (ONE, 2**40)])
def test_detail_of_an_unknown_turn_is_none(world: queries.Queryable, session_id: str, index: int) -> None:
    """A mistyped link finds nothing."""
    assert queries.turn(world, session_id, index) is None


def test_detail_of_an_unread_turn_has_no_attempt(world: queries.Queryable) -> None:
    """The text is there even where nothing has read it."""
    found = queries.turn(world, THREE, 2)
    assert found is not None
    assert found.response.text == "never read"
    assert found.attempt is None
    assert found.readers == ()


def test_a_conversion_is_no_error(tmp_path: Path) -> None:
    """What was written in another type is told as before and after, beside what is refused."""
    text = render([("create_task", {"content": "x", "id": 7})], "actions")
    with (
        open_ledger(tmp_path / "l.duckdb") as ledger,
        Runtime("assistant", ledger=ledger, workspace=tmp_path / "w") as runtime,
    ):
        runtime.handle(text)
        found = queries.turn(ledger, runtime.session_id, 0)
    assert found is not None
    [action] = found.actions
    assert (action.conversions, action.errors) == ((Conversion("id", "7", '"7"'),), ())


class TestStretches:
    def test_a_short_session_has_a_stretch_for_each_turn(self, world: queries.Queryable) -> None:
        """It has the same errors as the list of turns has."""
        found = queries.stretches(world, ONE)
        assert [(one.first, one.last, one.turns) for one in found] == [(n, n, 1) for n in range(4)]
        assert [one.errors for one in found] == [int(row.has_error) for row in queries.turns(world, ONE)]
        assert [(one.clean, one.repaired) for one in found] == [(1, 0), (0, 1), (0, 0), (0, 0)]

    def test_a_long_one_is_counted_in_equal_parts(self, world: queries.Queryable) -> None:
        """No turn is lost, and the first and last error of each part are named."""
        found = queries.stretches(world, ONE, most=2)
        assert [(one.first, one.last, one.turns, one.errors) for one in found] == [(0, 1, 2, 1), (2, 3, 2, 1)]
        assert [(one.first_error, one.last_error) for one in found] == [(1, 1), (2, 2)]

    def test_of_another_run_counts_its_readings(self, world: queries.Queryable) -> None:
        """What the run has not read is an error of its own: it was never read."""
        assert [one.errors for one in queries.stretches(world, TWO, AGAIN)] == [1, 1, 1, 1]

    def test_of_an_unknown_session_are_none(self, world: queries.Queryable) -> None:
        """A mistyped link finds nothing."""
        assert queries.stretches(world, LIVE) == queries.stretches(world, "x") == []


def test_turns_between_two_places_alone(world: queries.Queryable) -> None:
    """They are what the whole list has there."""
    assert queries.turns(world, ONE, between=(1, 2)) == queries.turns(world, ONE)[1:3]


def test_a_response_alone_is_that_of_its_turn(world: queries.Queryable) -> None:
    """And none where there is no such turn."""
    found = queries.turn(world, ONE, 1)
    assert found is not None
    assert queries.response(world, ONE, 1) == found.response
    assert queries.response(world, ONE, 99) is queries.response(world, "x", 0) is None


def test_it_has_every_response_in_order(world: queries.Queryable) -> None:
    """Texts, prompts and feedback as they were recorded; also of a turn that nothing has read."""
    found = queries.conversation(world, ONE)
    assert [(said.index, said.prompt) for said in found] == [(0, "Look."), (1, None), (2, None), (3, None)]
    assert found[1].text == "漢字 <create_file>b"
    assert [(said.text, said.feedback) for said in queries.conversation(world, THREE)] == [
        ("```actions\n[]\n```", "Go on."),
        ("100% sure", None),
        ("never read", None),
    ]


def test_of_an_unknown_session_there_is_none(world: queries.Queryable) -> None:
    """A mistyped link finds nothing."""
    assert queries.conversation(world, "x") == queries.conversation(world, derived_id("nobody")) == []


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[int, tuple[str, ...]]]]:
    """What is found of some texts in a session of three turns."""
    folder: Path = tmp_path_factory.mktemp("mentions")
    with (
        open_ledger(folder / "l.duckdb") as ledger,
        Runtime("coder", ledger=ledger, workspace=folder / "w", auto=True) as runtime,
    ):
        runtime.handle('<create_file><path>Needle.txt</path><content>😀 100% "so"</content></create_file>')
        runtime.handle("No NEEDLE here, and nothing to do.")
        runtime.handle("<read_file><path>Needle.txt</path></read_file>")
        return {
            text: [(each.index, each.places) for each in queries.mentions(ledger, runtime.session_id, text)]
            for text in ("needle", "😀", "100%", "%", "nowhere", "", '"so"', "'; DROP TABLE turns; --")
        }


def test_a_text_is_found_in_responses_arguments_and_results(found: dict[str, list[object]]) -> None:
    assert [index for index, _ in found["needle"]] == [0, 1, 2]  # type: ignore[misc]
    places = dict(found["needle"])  # type: ignore[call-overload]
    assert places[1] == ("response",)
    assert {"arguments", "response"} <= set(places[0])
    assert "result" in dict(found["😀"])[2]  # type: ignore[call-overload]


def test_a_quote_is_found_where_json_writes_it_otherwise(found: dict[str, list[object]]) -> None:
    """As the lists find it, so that what leads from them to a turn is found there too."""
    places = dict(found['"so"'])  # type: ignore[call-overload]
    assert "arguments" in places[0]
    assert "result" in places[2]


def test_a_text_is_no_pattern(found: dict[str, list[object]]) -> None:
    """A percent sign is one, an empty text is nowhere, and SQL is a text."""
    assert found["100%"]
    assert [index for index, _ in found["%"]] == [index for index, _ in found["100%"]]  # type: ignore[misc]
    assert found["nowhere"] == found[""] == found["'; DROP TABLE turns; --"] == []
