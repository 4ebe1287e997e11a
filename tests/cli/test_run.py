"""``run`` and ``reasoner``: sessions from the command line, with an exit code that a script can use."""

import json
from pathlib import Path
from typing import Any

import pytest

import actionledger as al

GOOD = '```actions\n{"actions": [{"type": "create_task", "content": "a"}]}\n```'
MISSING = '```actions\n{"actions": [{"type": "get_task", "task_id": 7}]}\n```'
WAITS = "<execute_command><command>ls</command></execute_command>"
FINAL = '```iteration\n{"next_actions": [{"type": "list_tasks"}], "is_final": true}\n```'
HOSTILE = "[bold]no markup[/nope] \x1b[31mred\x07"


def rows(query: str) -> list[Any]:
    with al.open_ledger("actionledger.duckdb", read_only=True) as ledger:
        return ledger.sql(query).fetchall()


def test_one_response_is_run_and_recorded(run):
    """From standard input; all succeeded is exit code 0."""
    done = run("run", "assistant", "Plan.", "--response", "-", stdin=GOOD)
    assert done.code == 0, done
    assert "create_task" in done.out
    assert rows("SELECT prompt, count(*) FROM turns GROUP BY ALL") == [("Plan.", 1)]
    assert rows("SELECT status FROM executions") == [("succeeded",)]


@pytest.mark.parametrize(
    ("profile", "text", "code"),
    [
        ("assistant", GOOD, 0),
        ("assistant", "Just prose.", 0),
        ("assistant", MISSING, 1),
        ("assistant", GOOD + "\n" + MISSING, 1),
        ("assistant", '```actions\n{"actions": [{"type": "create_task"}]}\n```', 1),
        ("assistant", '```actions\n{"actions": [{"type"\n```', 1),
        ("assistant-iterative", "Prose where a step is due.", 1),
        ("coder", WAITS, 3),
    ],
)
def test_the_exit_code_says_what_came_of_it(run, tmp_path, profile, text, code):
    """0 all succeeded, 1 something failed or was lost, 3 something waits."""
    (tmp_path / "response.md").write_text(text)
    assert run("run", profile, "--response", "response.md", "--workspace", "w").code == code


@pytest.mark.parametrize(
    "arguments",
    [
        ["assistant"],
        ["assistant", "Plan.", "--model", "scripted:x", "--response", "-"],
        ["nobody", "--response", "-"],
        ["assistant", "Plan.", "--model", "telepathy:now"],
        ["assistant", "--model", "ollama:x"],
        ["assistant", "Plan.", "--model", "ollama:x", "--max-turns", "0"],
        [],
    ],
)
def test_wrong_usage_is_exit_code_2(run, arguments):
    done = run("run", *arguments)
    assert done.code == 2, done
    assert done.err or not arguments


def test_a_file_that_is_not_there_is_one_sentence(sentence):
    assert "nowhere.md" in sentence("run", "assistant", "--response", "nowhere.md")


def test_a_model_works_until_it_is_done(run, script):
    """The turns are shown, then why it ended."""
    done = run("run", "assistant", "Plan.", "--model", script(GOOD, "That is all."))
    assert done.code == 0, done
    assert "That is all." in done.out
    assert "Ended (answered)" in done.out
    assert rows("SELECT model, reason FROM sessions") == [("script", "answered")]


def test_a_failure_on_the_way_is_exit_code_1(run, script):
    """Even where the model mends it: a script is told that not all succeeded."""
    assert run("run", "assistant", "Plan.", "--model", script(MISSING, GOOD, "Done.")).code == 1


def test_the_number_of_turns_can_be_limited(run, script):
    """A conversation that was cut off is no success."""
    model = script(*[GOOD.replace('"a"', f'"{name}"') for name in "abcd"])
    done = run("run", "assistant", "Plan.", "--model", model, "--max-turns", "2")
    assert done.code == 1
    assert "Ended (turn_limit)" in done.out
    assert rows("SELECT count(*) FROM turns") == [(2,)]


def test_json_is_one_value(run, script):
    """Session, ending and each turn with what came of its actions; pieces go to standard error."""
    done = run("run", "assistant-iterative", "Go.", "--model", script(FINAL), "--json", "--stream")
    assert done.code == 0
    assert (done.value["ending"], len(done.value["turns"])) == ("final", 1)
    assert done.value["turns"][0]["observations"][0]["result"] == {"tasks": []}
    assert rows("SELECT session_id::VARCHAR FROM sessions") == [(done.value["session_id"],)]
    assert "is_final" in done.err


def test_a_dry_run_does_nothing(run, script, tmp_path):
    """It says what would come of it."""
    done = run("run", "assistant", "Plan.", "-m", script(GOOD, "Done."), "--dry-run", "-w", "w")
    assert done.code == 0
    assert "dry run" in done.out
    assert list((tmp_path / "w").iterdir()) == []


def test_auto_lets_run_what_would_wait(run, tmp_path):
    """The policy's question is answered beforehand."""
    text = "<create_file><path>a.txt</path><content>x</content></create_file>"
    waited = run("run", "coder", "--response", "-", "-w", "w", stdin=text)
    done = run("run", "coder", "--response", "-", "-w", "w", "--auto", stdin=text)
    assert (waited.code, done.code) in {(3, 0), (0, 0)}, (waited, done)
    assert (tmp_path / "w" / "a.txt").exists()


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_a_models_text_changes_no_terminal(run, script, stream):
    """Markup and escape sequences are shown, not obeyed."""
    done = run("run", "assistant", "Plan.", "--model", script(HOSTILE), *stream)
    assert done.code == 0
    assert "[bold]no markup[/nope] \\x1b[31mred\\x07" in done.out
    assert "\x1b" not in done.out + done.err


def test_a_ledger_can_be_named(run, script):
    """The session is there and nowhere else."""
    run("run", "assistant", "Plan.", "--model", script("Done."), "--ledger", "other.duckdb")
    assert Path("other.duckdb").exists()
    assert not Path("actionledger.duckdb").exists()


def test_a_recorded_session_can_be_run_again(run, script):
    """Its responses come from the ledger; another session is made of them."""
    first = run("run", "assistant", "Plan.", "--model", script(GOOD, "Done."), "--json").value
    again = run("run", "assistant", "Plan.", "--model", f"recorded:{first['session_id']}", "--json")
    assert again.code == 0
    assert again.value["session_id"] != first["session_id"]
    assert len(again.value["turns"]) == 2


PLAN = """```json
{"actions": [{"action": "think", "context": "What they need."},
             {"action": "update_mood", "context": "Worried."},
             {"action": "speak", "context": "Ask."}], "can_extend": false, "reasoning": "So."}
```"""
MOOD = '{"mood": "worried", "intensity": "low"}'
REASONER_HOSTILE = "Oh no. [bold]What[/bold] \x1b[31mhappened?"
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


def reasoner_rows(query):
    with al.open_ledger("actionledger.duckdb", read_only=True) as ledger:
        return ledger.sql(query).fetchall()


def test_what_it_thinks_changes_and_says_is_shown_and_recorded(process):
    """A model's text as text; the state under its status."""
    done = process([PLAN, "They need to be heard.", MOOD, REASONER_HOSTILE], "I lost my job.")
    assert done.code == 0, done
    assert done.out.splitlines() == [
        "(thinks) They need to be heard.",
        "[succeeded] I feel worried (low).",
        r"Oh no. [bold]What[/bold] \x1b[31mhappened?",
    ]
    assert reasoner_rows("SELECT profile, task FROM sessions") == [("reasoner", "I lost my job.")]
    assert reasoner_rows("SELECT name, status FROM executions ORDER BY started_at") == [
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
    [(prompt,)] = reasoner_rows("SELECT prompt FROM turns")
    assert "A timer has gone off (kitchen):\nTea is ready." in prompt
    assert "(nothing yet)" in prompt


def test_lines_are_taken_one_after_the_other(process):
    """Without a text, each line that is typed is one thing that happens."""
    speak = PLAN.replace('{"action": "think", "context": "What they need."},', "").replace(
        '{"action": "update_mood", "context": "Worried."},', ""
    )
    done = process([speak, "One.", speak, "Two."], stdin="Hello.\n\nAre you there?\n")
    assert done.out.splitlines() == ["One.", "Two."]
    assert reasoner_rows("SELECT count(*) FROM sessions") == [(1,)]


def test_a_chain_is_carried_out_without_planning(process, tmp_path):
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
    assert reasoner_rows("SELECT count(*) FROM turns") == [(3,)]
    assert reasoner_rows("SELECT success, reason FROM sessions") == [(False, "planning_failed")]


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
    assert reasoner_rows("SELECT code FROM events WHERE kind = 'system_noted'") == [("model_failed",)]


@pytest.mark.parametrize("words", [("persona", "nowhere"), ("restore", "nowhere", "1")])
def test_a_folder_without_a_persona_is_said(run, words):
    """And none is made by looking."""
    done = run("reasoner", *words)
    assert done.code == 2
    assert "No persona is kept in 'nowhere'" in done.err
    assert not Path("nowhere").exists()


def test_a_step_that_is_not_there_is_said(process, run):
    process([NOTHING], "Well?")
    assert "has no step 9; its steps are 1 to 1" in run("reasoner", "restore", "robin", "9").err


def test_what_was_learned_is_said(process, run):
    """Nothing yet; as a list for a program."""
    process([NOTHING], "Well?")
    assert run("reasoner", "suggestions").out == "The recorded sessions suggest nothing.\n"
    assert run("reasoner", "suggestions", "--json").value == []
