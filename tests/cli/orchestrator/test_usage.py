"""``orchestrator`` used wrongly: one sentence, and nothing is begun or changed."""

from pathlib import Path

import pytest

from actionledger.ledger import open_ledger


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Go."], "No layer has a model"),
        (["Go.", "--layer", "intern=scripted:x"], "There is no layer 'intern'"),
        (["Go.", "--layer", "2ic"], "write it as NAME=SPEC"),
        (["Go.", "--layer", "2ic=a:b", "--layer", "2ic=a:b"], "given twice for the layer '2ic'"),
        (["Go.", "--model", "telepathy:now"], "names no model"),
        ([" ", "--model", "{script}"], "directive is empty"),
        (["Go.", "--model", "{script}", "--price", "cheap"], "write it as PROMPT/COMPLETION"),
        (["Go.", "--model", "{script}", "--price", "nan/1"], "give numbers from 0"),
        (["Go.", "--model", "{script}", "--price", "1/1", "--price", "2/2"], "given twice for all"),
        (["Go.", "--layer", "2ic={script}", "--price", "team-lead=1/1"], "'team-lead', which takes no part"),
        (["Go.", "--model", "{script}", "--repository", "."], "not a git repository"),
        (["Go.", "--model", "{script}", "--max-turns", "0"], "--max-turns"),
    ],
)
def test_wrong_usage_is_exit_code_2(run, script, arguments, words):
    """A sentence on standard error, and nothing is begun."""
    done = run("orchestrator", "run", "work", *(each.replace("{script}", script) for each in arguments))
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())
    assert not Path("work").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Again.", "--model", "{script}"], "leave the directive out to go on"),
        ([], "No model plays the layer '2ic'"),
        (["--layer", "2ic={script}", "--layer", "team-lead={script}"], "who does: 2ic"),
        (["--model", "{script}", "--dry-run"], "given with the directive"),
        (["--model", "{script}", "--repository", "."], "given with the directive"),
        (["--model", "{script}", "--ledger", "other.duckdb"], "does not hold the 1 response "),
    ],
)
def test_what_is_there_is_gone_on_with_as_it_was_begun(run, script, arguments, words):
    """Anything else is wrong usage, and leaves it as it is."""
    run("orchestrator", "run", "work", "Go.", f"--layer=2ic={script}")
    open_ledger("other.duckdb").close()
    before = Path("work/state.json").read_bytes()
    done = run("orchestrator", "run", "work", *(each.replace("{script}", script) for each in arguments))
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())
    assert Path("work/state.json").read_bytes() == before


def test_a_mistyped_ledger_is_not_made(run, sentence, script):
    """What goes on is in a ledger that is there."""
    run("orchestrator", "run", "work", "Go.", f"--layer=2ic={script}")
    before = sorted(Path().iterdir())
    said = sentence("orchestrator", "run", "work", "--model", script, "--ledger", "mistyped.duckdb")
    assert "There is no ledger at mistyped.duckdb" in said
    assert sorted(Path().iterdir()) == before


def test_a_folder_that_can_not_be_made_is_exit_code_2(run, script, tmp_path):
    """A file is in its place; it stays."""
    (tmp_path / "work").write_text("mine")
    done = run("orchestrator", "run", "work", "Go.", "--model", script)
    assert (done.code, "can't be made: File exists; take another" in done.err) == (2, True)
    assert (tmp_path / "work").read_text() == "mine"


def test_a_store_that_can_not_be_opened_is_one_sentence(run, sentence, script, tmp_path):
    """A folder is in its place."""
    run("orchestrator", "run", "work", "Go.", f"--layer=2ic={script}")
    (tmp_path / "work" / "orchestrator.sqlite").mkdir()
    assert "'orchestrator.sqlite' can't be used: Is a directory" in sentence("orchestrator", "plan", "work")


@pytest.mark.parametrize("command", ["requests", "plan", "issues", "jobs"])
def test_a_folder_without_an_orchestration_is_one_sentence(sentence, command, tmp_path):
    """It says how one is begun, and nothing is made there."""
    (tmp_path / "my folder").mkdir()
    words = sentence("orchestrator", command, "my folder")
    assert (
        "no orchestration in 'my folder'; 'actionledger orchestrator run 'my folder' DIRECTIVE' begins"
        in words
    )
    assert list((tmp_path / "my folder").iterdir()) == []


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["run", "nowhere", "--model", "scripted:x"], "can't be loaded"),
        (["run", "work", "Go.", "--model", "scripted:nowhere.jsonl"], "nowhere.jsonl"),
        (["answer", "nowhere", "1", "Yes."], "no orchestration in 'nowhere'"),
        (["export", "nowhere", "issues.md"], "no orchestration in 'nowhere'"),
    ],
)
def test_what_is_not_there_is_one_sentence(sentence, command, words):
    assert words in sentence("orchestrator", *command)


def test_a_damaged_state_is_one_sentence(sentence, tmp_path):
    """It says where it is no longer what was saved, and leaves it."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "state.json").write_text('{"version": 7}')
    assert "not an orchestration of this version: version" in sentence(
        "orchestrator", "run", "work", "-m", "ollama:x"
    )
    assert (tmp_path / "work" / "state.json").read_text() == '{"version": 7}'
