"""Episodes of InterCode: an action is a turn, with what it gave and whether it could be run."""

import json

import pytest

from actionledger.core.events import Event, ResponseParsed
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, Outcome, Reason
from actionledger.imports.formats.intercode import SOURCE, read, recognise
from actionledger.imports.importer import Importer
from actionledger.imports.reading import AS_IT_SAYS
from actionledger.imports.sources.base import Refusal, Sample
from actionledger.imports.sources.wordings import judged
from actionledger.ledger.queries.recorded import Known

NAME = "ic_bash_multiturn_gpt-4_10_turns_fs_1"


def episode(*steps: tuple, environment: str = "ic_bash", **fields) -> dict:
    actions, observations, valid = (
        (list(each) for each in zip(*steps, strict=True)) if steps else ([], [], [])
    )
    history = {"actions": actions, "observations": observations, "rewards": [0], "valid_action": valid}
    whole = {"environment": environment, "dataset": "d", "task_id": 0, "query": "Find it.\nNow."}
    return whole | {"turn_history": history, "summary": {"max_reward": 1.0}} | fields


@pytest.fixture
def items(tmp_path):
    """Return what is read of a file of episodes."""

    def read_all(whole: object) -> list:
        path = tmp_path / f"{NAME}.json"
        path.write_text(json.dumps(whole))
        return list(read(path))

    return read_all


def test_an_action_is_a_turn(items):
    """The file's name says which run it is of, and which model."""
    held = episode(("ls", "a.py", True), ("cat b", "cat: b: No such file or directory", False))
    (session,) = items({"7": held})
    assert (session.external_id, session.model, session.task) == (f"{NAME}/7", "gpt-4", "Find it.")
    assert (session.success, session.scores) == (True, {"max_reward": 1})
    first, last = session.turns
    assert (first.capture, first.calls[0].name, first.calls[0].arguments) == (
        Capture.CALLS,
        "bash",
        {"command": "ls"},
    )
    assert [judged(turn.results[0], SOURCE.wordings)[1:] for turn in (first, last)] == [
        (None, False),
        (Reason.NOT_FOUND, False),
    ]


@pytest.mark.parametrize("name", ["ic_ctf_multiturn_gpt-4_10_turns", "ic_ctf_gpt-4_25_turns"])
def test_a_name_may_say_how_often_the_model_was_asked(name, tmp_path):
    """That is no part of the model's name."""
    (tmp_path / f"{name}.json").write_text(json.dumps({"7": episode(("ls", "a.py", True))}))
    (session,) = read(tmp_path / f"{name}.json")
    assert session.model == "gpt-4"


def test_episodes_may_stand_within_logs_and_have_thoughts(items):
    """Beside a note of how they were made."""
    held = episode(("execute[ls]", "", True))
    held["turn_history"]["thoughts"] = ["I look."]
    (session,) = items({"meta": {"seed": 1}, "logs": {"0": held}})
    assert session.turns[0].text == "I look."


@pytest.mark.parametrize(
    "told", ["No SQL code was found in your last response.\n", "Format your SQL command as follows:\n"]
)
def test_a_response_without_an_action_has_no_call(told, items):
    """It stands in the action's place."""
    (session,) = items({"0": episode(("I think so.", told, False), environment="ic_sql")})
    (turn,) = session.turns
    assert (turn.text, turn.calls, turn.results, turn.feedback) == ("I think so.", (), (), told)


def test_a_response_without_an_action_is_lost_and_was_meant(items):
    """The environment asks for an action in each and says what it misses: that is no response that meant none."""
    held = episode(
        ("I think so.", "No SQL code was found in your last response.\n", False),
        ("SELECT 1", "1", True),
        environment="ic_sql",
    )
    (session,) = items({"0": held})
    events: list[Event] = []
    importer = Importer(
        events.append,
        source="intercode",
        origin="",
        known=Known(),
        wordings=SOURCE.wordings,
        read_as=AS_IT_SAYS,
    )
    importer.take(session)
    read = [event for event in events if isinstance(event, ResponseParsed)]
    assert [(each.outcome, each.capture, [issue.code for issue in each.issues]) for each in read] == [
        (Outcome.FAILED, Capture.CALLS, [Reason.NO_ACTION_FOUND]),
        (Outcome.CLEAN, Capture.CALLS, []),
    ]


@pytest.mark.parametrize(
    ("environment", "observation", "valid", "expected"),
    [
        ("ic_bash", "", False, (Reason.COMMAND_FAILED, False)),
        ("ic_bash", "x: -c: line 1: unexpected EOF while", False, (Reason.CODE_ERROR, False)),
        ("ic_ctf", "Malformed command", False, (Reason.SCHEMA_ERROR, False)),
        ("ic_sql", "Error executing query: Table 'a' doesn't exist", False, (Reason.NOT_FOUND, False)),
        ("ic_sql", "Error executing query: 1064", False, (Reason.CODE_ERROR, False)),
        ("ic_sql", "", False, (Reason.TOOL_ERROR, False)),
        ("ic_python", "{'output': '', 'error': 'NameError'}", None, (Reason.CODE_ERROR, True)),
        ("ic_python", "{'output': 'Error', 'error': ''}", None, (None, True)),
    ],
)
def test_what_failed_has_its_reason(environment, observation, valid, expected, items):
    """By what the episode says, and its words; of a program that failed without a word, that it failed."""
    (session,) = items({"0": episode(("x", observation, valid), environment=environment)})
    found = judged(session.turns[0].results[0], SOURCE.wordings)
    assert (found.reason, found.is_inferred) == expected


def test_an_action_that_gave_nothing_yet_has_no_result(items):
    """A run that was stopped in the middle."""
    held = episode(("ls", "a.py", True))
    held["turn_history"]["actions"].append("pwd")
    (session,) = items({"0": held})
    assert [len(turn.results) for turn in session.turns] == [1, 0]


def test_what_is_none_is_refused(items):
    assert [type(each) for each in items({"0": episode(), "1": 5})] == [RecordedSession, Refusal]
    assert [type(each) for each in items([])] == [Refusal]
    assert recognise(Sample(None, json.dumps({"0": episode()}).encode())) == 1
    assert recognise(Sample(None, b'{"environment": 1, "task_id": 2}')) == 0
