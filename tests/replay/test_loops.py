"""Recorded sessions looked through for loops: what the live guard noted is found again, and what nobody ran is not called free of them."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar, Literal
from uuid import UUID

import pytest
from pydantic import ConfigDict
from repetition_sessions import LOOPS, ORDINARY, Call, Session

import actionledger as al
from actionledger.core.errors import ActionError
from actionledger.core.recording import RunKey, SessionKey
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Reason, RunKind
from actionledger.imports import Importer
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.recorded import Known
from actionledger.reading.parsers import parser_for
from actionledger.runtime.execution.approval import Policy, Verdict
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.runtime import SessionRuntime
from actionledger.runtime.repetition.limits import NO_REPETITION, Pattern
from actionledger.runtime.workspace import Workspace

SESSIONS = {**ORDINARY, **LOOPS}
KEYS = {name: str(UUID(int=number, version=4)) for number, name in enumerate(SESSIONS, start=1)}
RUN = RunKey(run_id="00000000-0000-4000-8000-000000000001", kind=RunKind.LIVE)
LOOK = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'


def action_named(name: str, required: str = "") -> type[al.Action]:
    """Return an action that takes whatever it is given, and needs one field where that is said."""
    kinds: dict[str, Any] = {"type": Literal[name]} | ({required: str} if required else {})  # type: ignore[valid-type]
    body = {
        "__annotations__": {"example": ClassVar[dict[str, str]], **kinds},
        "__doc__": f"Do what {name} does.",
        "__module__": __name__,
        "example": {required: "x"} if required else {},
        "model_config": ConfigDict(extra="allow"),
    }
    return type(name, (al.Action,), body)


def key_of(name: str, arguments: dict[str, Any]) -> str:
    return json.dumps([name, arguments], sort_keys=True)


def profile_of(calls: list[Call], answers: dict[str, Call]) -> Profile:
    """Return a profile whose actions come to what the session says."""
    done = sorted({name for name, _, _, how in calls if how != "refused"})
    needing = [action_named("add", "content")] if any(call[0] == "add" for call in calls) else []
    actions = (*map(action_named, done), *needing) or (action_named("wait_for"),)

    def answer(action: Any, _context: al.Context) -> Any:
        arguments = {field: value for field, value in action.model_dump().items() if field != "type"}
        _, _, outcome, how = answers[key_of(action.type, arguments)]
        if how == "failed":
            raise ActionError(Reason.NOT_FOUND, outcome)
        return outcome

    handlers = {action.model_fields["type"].annotation.__args__[0]: answer for action in actions}  # type: ignore[union-attr]
    return Profile(
        "scripted",
        parser_for(("actions",)),
        al.Catalogue(name="scripted", actions=actions),
        Policy((("*", Verdict.APPROVE),)),
        lambda _workspace: Handlers(handlers),
    )


def written(turn: list[Call]) -> str:
    """Return what a model would write for a turn."""
    if turn[0][0] == "":
        return f"```actions\n{{{turn[0][1]}\n```"
    actions = [{"type": name, **arguments} for name, arguments, _, _ in turn]
    return f"```actions\n{json.dumps({'actions': actions})}\n```"


def play(session: Session, key: str, ledger: Ledger, folder: Path) -> None:
    """Have a session happen live, and be recorded."""
    answers: dict[str, Call] = {}
    profile = profile_of([call for turn in session for call in turn or []], answers)
    runtime = SessionRuntime(
        profile=profile,
        session=SessionKey(session_id=key, profile="scripted", model="m", task="t"),
        run=RUN,
        workspace=Workspace(folder),
        record=ledger.record,
        sleep=lambda _seconds: None,
    )
    prompt: str | None = "Please."
    with closing(runtime):
        for turn in session:
            if turn is None:
                prompt = "Please."
                continue
            answers |= {key_of(call[0], call[1]): call for call in turn if call[0]}
            runtime.handle(written(turn), occurred_at=None, prompt=prompt)
            prompt = None


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A ledger of all scripted sessions, played live."""
    folder = tmp_path_factory.mktemp("loops")
    with open_ledger(folder / "team.duckdb") as opened:
        for name, session in SESSIONS.items():
            play(session, KEYS[name], opened, folder / "workspace")
        yield opened


@pytest.fixture(scope="module")
def report(ledger: Ledger) -> al.LoopReport:
    """What is found in them."""
    return al.loops(ledger)


NOTES = "SELECT code, detail::VARCHAR FROM events WHERE session_id = $id AND starts_with(code, 'repetition_') ORDER BY recorded_at"


def noted(ledger: Ledger, name: str) -> list[tuple[str, str, int, str]]:
    """Return what the live guard noted of a session: code, pattern, count and action, in order."""
    notes = ledger.sql(NOTES, {"id": KEYS[name]}).fetchall()
    values = [(code, json.loads(detail)) for code, detail in notes]
    return [(code, value["pattern"], value["count"], value["action"]) for code, value in values]


@pytest.mark.parametrize("name", SESSIONS)
def test_what_the_live_guard_noted_is_found_in_the_record(name, ledger, report):
    """The same patterns with the same counts, stopped where it stopped; of ordinary work nothing is."""
    live = noted(ledger, name)
    found = [loop for loop in report.loops if loop.session_id == KEYS[name]]
    highest = {pattern: max(each[2] for each in live if each[1] == pattern) for _, pattern, _, _ in live}
    assert {
        pattern: max(each.count for each in found if each.pattern is pattern)
        for pattern in {loop.pattern for loop in found}
    } == highest
    assert {loop.name for loop in found} <= {action for *_, action in live}
    stopped = {pattern for code, pattern, _, _ in live if code == "repetition_stopped"}
    assert {loop.pattern.value for loop in found if loop.is_stop} == stopped
    assert bool(stopped) == (name in LOOPS)


def test_sessions_are_counted_once(report):
    """Twenty of sixty-two are stopped, whatever number of loops each has; those that are only told of count apart."""
    assert (report.sessions, report.not_recorded) == (len(SESSIONS), 0)
    assert (report.rate.successes, report.rate.count) == (len(LOOPS), len(SESSIONS))
    assert report.told.successes > report.rate.successes


def test_a_loop_reaches_from_its_first_turn_to_its_last(report):
    """A look at each turn, from 0; a circle begins with its first round, and counts as far as the call that was stopped."""
    places = {loop.session_id: (loop.first_turn, loop.last_turn, loop.count) for loop in report.loops}
    assert places[KEYS["the same look"]] == (0, 5, 6)
    assert places[KEYS["to and fro"]] == (0, 9, 5)
    assert places[KEYS["to and fro within turns"]] == (0, 4, 4)


def imported(folder: Path, *names: str, run: bool, texts: tuple[str, ...] = (LOOK,) * 6) -> Ledger:
    """Return a ledger with an imported session of each name, whose feedback the source tells."""
    ledger = open_ledger(folder / "team.duckdb")
    importer = Importer(ledger.record, source="jsonl", origin="log.jsonl", known=Known())
    turns = tuple(RecordedTurn(index, text, feedback="Done.") for index, text in enumerate(texts))
    for name in names:
        session = RecordedSession(name, "assistant", "m", "t", turns)
        importer.take(session, Workspace(folder / "workspace") if run else None)
    importer.finish()
    return ledger


@pytest.mark.parametrize("text", [LOOK, "```actions\n{oops\n```", "Good morning."])
def test_a_session_that_nobody_ran_is_not_recorded(tmp_path, text):
    """Not free of loops, nor in a loop: whatever it says, else a rate over imports would be one of unreadable sessions."""
    with imported(tmp_path, "one", "two", run=False, texts=(text,) * 6) as ledger:
        report = al.loops(ledger)
    assert (report.loops, report.sessions, report.not_recorded) == ((), 0, 2)
    assert report.rate.value is None


def test_an_import_that_was_run_is_looked_through(tmp_path):
    with imported(tmp_path, "one", run=True) as ledger:
        report = al.loops(ledger)
    assert [(loop.pattern, loop.count, loop.is_stop) for loop in report.loops] == [
        (Pattern.SAME_ACTION, 6, True)
    ]


def test_a_filter_narrows_the_sessions_down(ledger):
    assert al.loops(ledger, Filter(models=("nobody",))) == al.LoopReport((), 0, 0)
    assert al.loops(ledger, limits=NO_REPETITION) == al.LoopReport((), len(SESSIONS), 0)


def live_and_found(ledger: Ledger) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Return the patterns and counts that the live guard noted last, and those that are found in the record."""
    notes = "SELECT detail ->> 'pattern', max((detail ->> 'count')::INTEGER) FROM events WHERE starts_with(code, 'repetition_') GROUP BY 1"
    return ledger.sql(notes).fetchall(), [(loop.pattern.value, loop.count) for loop in al.loops(ledger).loops]


def test_other_mistakes_are_other_mistakes(tmp_path):
    """What is wrong with an action's fields tells one mistake from the next."""
    with open_ledger(tmp_path / "team.duckdb") as opened, al.Runtime("assistant", ledger=opened) as runtime:
        for number in range(4):
            runtime.handle(al.render([("create_task", {"content": number})], "actions"))
        assert live_and_found(opened) == ([], [])


def test_feedback_that_is_handed_back_is_no_new_request(tmp_path):
    """Whatever stands around it; the record knows what the model was told."""
    with open_ledger(tmp_path / "team.duckdb") as opened, al.Runtime("assistant", ledger=opened) as runtime:
        turn = runtime.handle(LOOK, prompt="Please.")
        for _ in range(3):
            turn = runtime.handle(LOOK, prompt=f"Go on.\n{turn.feedback}")
        assert live_and_found(opened) == ([("same_action", 4)], [("same_action", 4)])


def test_a_session_that_is_opened_again_begins_anew(tmp_path):
    with open_ledger(tmp_path / "team.duckdb") as opened:
        with al.Runtime("assistant", ledger=opened, workspace=tmp_path / "work") as runtime:
            turns = [runtime.handle(LOOK) for _ in range(2)]
        with al.Runtime.reopen(opened, turns[0].session_id) as runtime:
            turns += [runtime.handle(LOOK) for _ in range(2)]
        assert len({turn.session_id for turn in turns}) == 1
        assert live_and_found(opened) == ([], [])


def test_a_decision_begins_anew(tmp_path):
    """What was looked at before a person decided is looked at again on purpose."""
    look = "<read_file><path>nowhere.txt</path></read_file>"
    with (
        open_ledger(tmp_path / "team.duckdb") as opened,
        al.Runtime("coder", ledger=opened, workspace=tmp_path / "work") as runtime,
    ):
        runtime.handle(look)
        waits = runtime.handle(
            f"{look}\n<create_file><path>a.txt</path><content>hello</content></create_file>"
        )
        runtime.resume(waits.turn_id, {1: al.Decision(al.DecisionKind.REJECTED, by="ada", why="no")})
        for _ in range(2):
            runtime.handle(look)
        assert [each.status.value for each in waits.observations] == ["failed", "pending"]
        assert live_and_found(opened) == ([], [])
