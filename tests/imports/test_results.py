"""What came of calls, and to which call it belongs: one identifier for several calls, and results that come later."""

import pytest

from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture
from actionledger.imports import Importer, ImportReport
from actionledger.ledger import Ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.funnel import funnel
from actionledger.ledger.queries.recorded import known
from actionledger.ledger.queries.sessions import sessions
from actionledger.replay.failures import failures

ALIKE = (RecordedCall("d", "run", '{"cmd": "one"}'), RecordedCall("d", "run", '{"cmd": "two"}'))
BROKEN = RecordedCall("b", "run", '{"cmd": ')


def take(
    ledger: Ledger, *calls: RecordedCall, results: tuple[RecordedResult, ...] = (), later: bool = False
) -> ImportReport:
    """Import a session of one turn, as it stands in its file by now; later results belong to an earlier piece."""
    of_turn = () if later else results
    turn = RecordedTurn(0, "", external_id="t", capture=Capture.ARGUMENTS, calls=calls, results=of_turn)
    session = RecordedSession("s", None, "m", "", (turn,), ids="source", results=results if later else ())
    taking = Importer(ledger.record, source="codex", origin="x", known=known(ledger, "codex"))
    taking.take(session)
    return taking.finish()


def executions(ledger: Ledger) -> list[tuple]:
    return ledger.sql(
        "SELECT action_index, call_id, result, exit_status FROM executions ORDER BY action_index, result"
    ).fetchall()


@pytest.mark.parametrize("later", [False, True])
def test_calls_of_one_identifier_have_a_result_each(ledger, later):
    """In their order, whether the results stand with them or come behind; a second import doubles nothing."""
    results = (RecordedResult("d", "1"), RecordedResult("d", "2", exit_status=3))
    assert take(ledger, *ALIKE, results=results, later=later).results == 2
    assert executions(ledger) == [(0, "d", '"1"', None), (1, "d", '"2"', 3)]
    take(ledger, *ALIKE, results=results, later=later)
    assert len(executions(ledger)) == 2


def test_the_second_of_two_results_may_come_with_a_later_import(ledger):
    """The first call is answered by then, so it is the other one's."""
    take(ledger, *ALIKE, results=(RecordedResult("d", "1"),))
    take(ledger, *ALIKE, results=(RecordedResult("d", "2"),), later=True)
    assert [row[:3] for row in executions(ledger)] == [(0, "d", '"1"'), (1, "d", '"2"')]


def test_a_broken_call_keeps_its_own_result(ledger):
    """The one beside it has the same identifier, and could be read."""
    results = (RecordedResult("d", "refused", is_error=True), RecordedResult("d", "2"))
    take(ledger, RecordedCall("d", "run", "{"), ALIKE[1], results=results)
    assert [(index, result) for index, _, result, _ in executions(ledger)] == [(0, '"2"'), (1, '"refused"')]


def test_a_late_result_of_a_broken_call_is_taken_in_once(ledger):
    """Nothing in the ledger says that it is open: it is found in the turn, which is there already."""
    assert take(ledger, BROKEN).results == 0
    late = (RecordedResult("b", "can't be parsed", is_error=True),)
    assert [take(ledger, BROKEN, results=late).results for _ in range(3)] == [1, 0, 0]
    assert [(call_id, result) for _, call_id, result, _ in executions(ledger)] == [
        ("b", '"can\'t be parsed"')
    ]


def judgements(ledger: Ledger) -> list[tuple]:
    asked = "SELECT name, status, reason, exit_status FROM executions ORDER BY turn_index, action_index"
    return ledger.sql(asked).fetchall()


@pytest.mark.parametrize("later", [False, True])
def test_a_status_of_one_that_is_an_answer_is_no_failure(ledger, later):
    """What was searched isn't there: counted as such, also where the result comes with a later import, and in no failure."""
    calls = (
        RecordedCall("a", "exec_command", '{"cmd": "rg -n nothing src"}'),
        RecordedCall("b", "exec_command", '{"cmd": "rg -n nothing src | head"}'),
        RecordedCall("c", "write_stdin", '{"session_id": 3, "chars": ""}'),
    )
    results = tuple(RecordedResult(call.call_id, "Output:\n", exit_status=1) for call in calls)
    if later:
        take(ledger, *calls)
    take(ledger, *calls, results=results, later=later)
    assert judgements(ledger) == [
        ("exec_command", "succeeded", "no_result", 1),
        ("exec_command", "failed", "command_failed", 1),
        ("write_stdin", "failed", "command_failed", 1),
    ]
    report = failures(ledger)
    assert (report.answered, sum(group.count for group in report.groups)) == (1, 2)
    found = funnel(ledger).recorded_execution
    assert (found.successes, found.count) == (1, 3)
    assert len(sessions(ledger, Filter(reasons=("no_result",)))) == 1
    assert not sessions(ledger, Filter(reasons=("timeout",)))


def test_a_script_that_ran_nothing_but_answers_has_not_failed(ledger):
    """In code mode the script's call is the outer one; one command that has failed makes it a failure."""
    searched = (RecordedCall("1", "exec_command", {"cmd": "rg x"}), RecordedResult("1", "", exit_status=1))
    broken = (RecordedCall("2", "exec_command", {"cmd": "make"}), RecordedResult("2", "", exit_status=1))
    for call_id, within in (("a", (searched,)), ("b", (searched, broken))):
        result = RecordedResult(call_id, "", is_error=True, exit_status=1, within=within)
        turn = RecordedTurn(
            ord(call_id),
            "",
            external_id=call_id,
            capture=Capture.ARGUMENTS,
            calls=(RecordedCall(call_id, "exec", "{}"),),
            results=(result,),
        )
        taking = Importer(ledger.record, source="codex", origin="x", known=known(ledger, "codex"))
        taking.take(RecordedSession("s", None, "m", "", (turn,), ids="source"))
        taking.finish()
    assert [row[:3] for row in judgements(ledger)] == [
        ("exec", "succeeded", "no_result"),
        ("exec_command", "succeeded", "no_result"),
        ("exec", "failed", "command_failed"),
        ("exec_command", "succeeded", "no_result"),
        ("exec_command", "failed", "command_failed"),
    ]
