"""``reasoner``: a persona on the command line."""

import json
from pathlib import Path

import pytest

import actionledger as al

PLAN = """```json
{"actions": [{"action": "think", "context": "What they need."},
             {"action": "update_mood", "context": "Worried."},
             {"action": "speak", "context": "Ask."}], "can_extend": false, "reasoning": "So."}
```"""
MOOD = '{"mood": "worried", "intensity": "low"}'
HOSTILE = "Oh no. [bold]What[/bold] \x1b[31mhappened?"
NOTHING = '```json\n{"actions": [], "can_extend": false, "reasoning": "Nothing."}\n```'

CHAINS = """[comfort]
when = "The user is sad."
[[comfort.actions]]
action = "speak"
context = "Comfort them."
"""


@pytest.fixture
def process(run, script):
    """Has something happen to the persona in the folder ``robin``: takes the responses, then what the command takes."""

    def happen(responses, *words, **given):
        return run(
            "reasoner", "process", *words, "--model", script(*responses), "--workspace", "robin", **given
        )

    return happen


def rows(query):
    with al.open_ledger("actionledger.duckdb", read_only=True) as ledger:
        return ledger.sql(query).fetchall()


def test_what_it_thinks_changes_and_says_is_shown_and_recorded(process):
    """A model's text as text; the state under its status."""
    done = process([PLAN, "They need to be heard.", MOOD, HOSTILE], "I lost my job.")
    assert done.code == 0, done
    assert done.out.splitlines() == [
        "(thinks) They need to be heard.",
        "[succeeded] I feel worried (low).",
        r"Oh no. [bold]What[/bold] \x1b[31mhappened?",
    ]
    assert rows("SELECT profile, task FROM sessions") == [("reasoner", "I lost my job.")]
    assert rows("SELECT name, status FROM executions ORDER BY started_at") == [
        ("think", "succeeded"),
        ("update_mood", "succeeded"),
        ("speak", "succeeded"),
    ]


def test_the_persona_lives_on_between_commands(process, run):
    """Its steps are shown, and one can go back to any."""
    process([PLAN, "Hm.", MOOD, "Oh."], "I lost my job.")
    assert "Mood: worried (low)" in run("reasoner", "persona", "robin").out
    history = run("reasoner", "persona", "robin", "--history", "--json").value
    assert [step["action"] for step in history] == ["begin", "update_mood"]
    assert "Step 3 is like step 1" in run("reasoner", "restore", "robin", "1").out
    assert "Mood: calm (medium)" in run("reasoner", "persona", "robin").out


def test_other_things_than_words_can_happen(process):
    """The planner is told what kind of thing it was, and nobody is made to have said it."""
    done = process([NOTHING], "Tea is ready.", "--trigger", "timer", "--source", "kitchen")
    assert (done.code, done.out) == (0, "")
    [(prompt,)] = rows("SELECT prompt FROM turns")
    assert "A timer has gone off (kitchen):\nTea is ready." in prompt
    assert "(nothing yet)" in prompt


def test_lines_are_taken_one_after_the_other(process):
    """Without a text, each line that is typed is one thing that happens."""
    speak = PLAN.replace('{"action": "think", "context": "What they need."},', "").replace(
        '{"action": "update_mood", "context": "Worried."},', ""
    )
    done = process([speak, "One.", speak, "Two."], stdin="Hello.\n\nAre you there?\n")
    assert done.out.splitlines() == ["One.", "Two."]
    assert rows("SELECT count(*) FROM sessions") == [(1,)]


def test_a_chain_is_carried_out_without_planning(process, tmp_path):
    """By its name, from a file."""
    (tmp_path / "chains.toml").write_text(CHAINS)
    given = ("--chains", str(tmp_path / "chains.toml"))
    assert process(["There, there."], "I am sad.", *given, "--chain", "comfort").out == "There, there.\n"
    wrong = process(["There, there."], "I am sad.", *given, "--chain", "confort")
    assert wrong.code == 2
    assert "confort" in wrong.err
    assert "comfort" in wrong.err


def test_events_can_be_read_by_a_program(process):
    """One JSON object a line, each with what kind of event it is."""
    done = process([PLAN, "Hm.", MOOD, "Oh."], "Well?", "--json")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [event["event"] for event in events] == ["AgentText", "ToolStarted", "ToolFinished", "AgentText"]
    assert events[2]["status"] == "succeeded"


def test_a_silent_one_is_not_offered_speech(process):
    """What it says all the same is refused, and that is shown."""
    done = process([PLAN, "Hm.", MOOD, NOTHING], "Well?", "--silent")
    assert done.code == 0
    assert "[action_refused] speak" in done.out


def test_a_planner_that_never_plans_ends_in_an_error(process):
    """Prose is shown as no plan, is asked about again, and in the end the command fails and says why."""
    done = process(["I will think."] * 5, "Well?")
    assert done.code == 1
    assert done.out.count("[plan_unreadable]") == 3
    assert (
        "[planning_failed] 3 responses of the planner in a row held nothing that could be done." in done.out
    )
    assert rows("SELECT count(*) FROM turns") == [(3,)]
    assert rows("SELECT success, reason FROM sessions") == [(False, "planning_failed")]


def test_a_planner_that_plans_when_asked_again_is_no_error(process):
    """The event stays, the code is that of what came of it."""
    done = process(["I will think.", PLAN, "Hm.", MOOD, "Oh."], "Well?")
    assert done.code == 0
    assert "Oh." in done.out


def test_a_planner_that_says_nothing_is_an_error_and_recorded(process):
    """The script is at its end: one sentence, exit code 1."""
    done = process([], "Well?")
    assert done.code == 1
    assert len(done.err.splitlines()) == 1
    assert rows("SELECT code FROM events WHERE kind = 'system_noted'") == [("model_failed",)]


@pytest.mark.parametrize("words", [("persona", "nowhere"), ("restore", "nowhere", "1")])
def test_a_folder_without_a_persona_is_said(run, words):
    """And none is made by looking."""
    done = run("reasoner", *words)
    assert done.code == 2
    assert "No persona is kept in 'nowhere'" in done.err
    assert not Path("nowhere").exists()


def test_a_step_that_is_not_there_is_said(process, run):
    """With those that are."""
    process([NOTHING], "Well?")
    assert "has no step 9; its steps are 1 to 1" in run("reasoner", "restore", "robin", "9").err


def test_what_was_learned_is_said(process, run):
    """Nothing yet; as a list for a program."""
    process([NOTHING], "Well?")
    assert run("reasoner", "suggestions").out == "The recorded sessions suggest nothing.\n"
    assert run("reasoner", "suggestions", "--json").value == []
