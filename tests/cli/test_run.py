"""``run``: a live session or one response, with an exit code that a script can use."""

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
    """Said on standard error."""
    done = run("run", *arguments)
    assert done.code == 2, done
    assert done.err or not arguments


def test_a_file_that_is_not_there_is_one_sentence(sentence):
    """It names the file."""
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
