"""From values to events: ids are derived, texts can be written, and dimensions come along."""

from dataclasses import replace
from datetime import datetime

import pytest

import actionledger as al
from actionledger.core import recording
from actionledger.core.events import EVENT
from actionledger.core.recording import RunKey, SessionKey, TurnKey, turn_id_of, turns
from actionledger.core.vocabulary import Reason, RunKind

SESSION = SessionKey(
    session_id="5e551011-0000-4000-8000-000000000000", profile="assistant", model="m", task="t"
)
LIVE = RunKey(run_id="00000000-0000-4000-8000-000000000001", kind=RunKind.LIVE)
IMPORT = RunKey(run_id="00000000-0000-4000-8000-000000000002", kind=RunKind.IMPORT)
REPARSE = RunKey(run_id="00000000-0000-4000-8000-000000000003", kind=RunKind.REPARSE)
AGAIN = RunKey(run_id="00000000-0000-4000-8000-000000000004", kind=RunKind.REPARSE)
NOON = datetime.fromisoformat("2026-05-04T12:00:00")
TURN = TurnKey(session=SESSION, turn_id=turn_id_of(SESSION, 2), index=2, occurred_at=NOON)

COMPACTION = {"trigger": "auto", "tokens_before": 900, "tokens_after": None}

GOOD = '```actions\n{"actions": [{"type": "list_tasks"}, {"type": "fly"}]}\n```'


def parsed(text: str, run: RunKey = LIVE):
    return turns.response_parsed(al.parse(text, profile="assistant"), TURN, run, 12)


def one_of_each(run: RunKey) -> list:
    """Every event that is made here, for one run."""
    return [
        recording.run_started(run, name="n", source="s"),
        recording.run_finished(run, turns=1),
        recording.parser_used(al.parser("assistant"), run.run_id),
        recording.session_started(SESSION, run.run_id, external_id="x", source="s", started_at=NOON),
        recording.session_finished(SESSION, run.run_id, success=True, reason="", finished_at=NOON),
        recording.response_received(TURN, run.run_id, "text", None),
        parsed(GOOD, run),
        recording.context_compacted(TURN, run.run_id, COMPACTION),
        recording.turn_finished(TURN, run.run_id, "feedback", NOON),
    ]


def test_a_compaction_is_said_with_what_is_known_of_it():
    """What brought it about is a recording's word: of a long one the beginning is kept."""
    said = recording.context_compacted(TURN, LIVE.run_id, COMPACTION)
    assert (said.message, said.detail) == (
        "Context compacted (auto): 900 tokens.",
        {"trigger": "auto", "tokens_before": 900},
    )
    long = recording.context_compacted(TURN, LIVE.run_id, COMPACTION | {"trigger": "x" * 10_000_000})
    assert (len(long.message) < 200, len(long.detail["trigger"])) == (True, 80)


def test_the_same_thing_gets_the_same_ids():
    """So a repeated import writes the same events, and no two kinds of event share an id."""
    first, second = one_of_each(LIVE), one_of_each(LIVE)
    assert [event.event_id for event in first] == [event.event_id for event in second]
    assert len({event.event_id for event in first}) == len(first)


def test_what_is_about_a_session_does_not_depend_on_the_run():
    """Whichever run takes a turn in, it is the same turn, read for the first time once."""
    of_session = slice(2, None)
    live, imported = one_of_each(LIVE)[of_session], one_of_each(IMPORT)[of_session]
    assert [event.event_id for event in live] == [event.event_id for event in imported]
    assert {event.run_id for event in imported} == {IMPORT.run_id}


def test_each_rereading_is_an_attempt_of_its_own():
    """A turn is read for the first time once, and again by as many runs as like to."""
    made = [turns.attempt_id_of(TURN, run) for run in (LIVE, IMPORT, REPARSE, AGAIN)]
    assert made[0] == made[1]
    assert len(set(made)) == 3


def test_ids_differ_by_what_they_are_about():
    """Another session, another place, another attempt: another id."""
    other = replace(SESSION, session_id="5e551011-0000-4000-8000-000000000001")
    ids = {turn_id_of(SESSION, 1), turn_id_of(SESSION, 11), turn_id_of(other, 1)}
    assert len(ids) == 3
    assert len({turns.action_id_of(turn, index) for turn in ids for index in range(3)}) == 9


def test_ids_stay_as_they_are():
    """They are in people's ledgers: another way of deriving them would double every session at its next import."""
    assert turn_id_of(SESSION, 2) == "b981e047-8b3e-5852-9e81-1c1d78cb0164"
    assert turns.attempt_id_of(TURN, LIVE) == "69a10c2f-6668-57a0-90f7-f389fae8534e"
    assert turns.attempt_id_of(TURN, REPARSE) == "ada7346f-6c7a-5822-b3e3-c96f72db1eee"
    assert turns.action_id_of("a", 0) == "883a55db-f8ae-5b77-a590-eea0a1186eef"


def test_the_dimensions_are_in_every_event_of_a_turn():
    """No statistic needs a join."""
    for event in (recording.response_received(TURN, LIVE.run_id, "text", "prompt"), parsed(GOOD)):
        assert (event.run_id, event.session_id, event.turn_id) == (
            LIVE.run_id,
            SESSION.session_id,
            TURN.turn_id,
        )
        assert (event.turn_index, event.profile, event.model, event.task) == (2, "assistant", "m", "t")
        assert event.occurred_at == NOON


def test_a_parse_attempt_is_recorded_whole():
    """Blocks, actions with their errors, and what was found in which dialect."""
    event = parsed(GOOD)
    assert (event.dialect, event.outcome, event.reason) == ("actions", "clean", None)
    assert (event.parser_name, event.catalogue, event.duration_us) == ("assistant", "assistant", 12)
    assert len(event.blocks) == 1
    first, second = event.actions
    assert (first.name, first.status, first.arguments, first.errors) == ("list_tasks", "valid", "{}", ())
    assert (second.name, second.status, second.reason) == ("fly", "unknown", "unknown_action")
    assert [action.index for action in event.actions] == [0, 1]
    assert first.action_id != second.action_id


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", None),
        ("Good morning.", None),
        (GOOD, None),
        ('```actions\n{"actions": [],}\n```', None),
        ("```actions\n{oops\n```", Reason.MALFORMED_JSON),
        ("```actions\n\n```", Reason.EMPTY_BLOCK),
        (GOOD + "\n```actions\n[1]\n```", Reason.WRONG_SHAPE),
    ],
)
def test_the_reason_says_why_something_was_not_read(text, reason):
    """It is the code of the first block that was lost; a response that was read has none."""
    assert parsed(text).reason is reason


def test_a_protocol_that_demands_an_action_says_so():
    """Where nothing was found at all, that is the reason."""
    result = al.parse("I am done.", profile="assistant-iterative")
    event = turns.response_parsed(result, TURN, LIVE, 1)
    assert (event.outcome, event.reason, event.dialect) == ("failed", Reason.NO_ACTION_FOUND, "")


def test_the_dialect_is_that_of_most_blocks():
    """Blocks that were not meant don't count; of several with as many, the first wins."""
    iteration = '```iteration\n{"iteration": 1, "next_actions": [], "is_final": true}\n```'
    assert parsed("Nothing.").dialect == ""
    assert parsed(f"{iteration}\n{GOOD}\n{GOOD}").dialect == "actions"
    assert parsed(f"{iteration}\n{GOOD}").dialect == "iteration"


def test_a_hostile_response_can_be_recorded():
    """Whatever stands in text and arguments, the event can be written and read again."""
    text = '```actions\n{"actions": [{"type": "create_task", "content": "\\ud83d \\u0000", "x": 1e999, "y": NaN}]}\n```'
    event = parsed(text)
    assert EVENT.validate_json(EVENT.dump_json(event)) == event
