"""``replay``: recorded turns under another parser."""

import re
import shutil
from pathlib import Path

import pytest

from actionledger.rates import shown_p


@pytest.fixture
def ledger(recorded: Path, tmp_path: Path) -> Path:
    """A copy of the recorded ledger, to be written to."""
    shutil.copy(recorded, tmp_path / "team.duckdb")
    shutil.copytree(f"{recorded}.d", tmp_path / "team.duckdb.d")
    return tmp_path / "team.duckdb"


def test_what_changed_is_printed(run, ledger):
    """Rates before and after, the interval, the test, and each bucket with examples."""
    done = run("replay", "--parser", "gembrain-standard", "-p", "assistant", "-l", ledger)
    assert (done.code, done.err) == (0, "")
    assert "5 turns read again by gembrain-standard in " in done.out
    assert "over the 4 turns that both readings take for intent, in 2 sessions:" in done.out
    assert "success before 75.0%  too few sessions, after 50.0%  too few sessions" in done.out
    assert "difference too few sessions, p = 1 by the sign-flip test over sessions" in done.out
    assert "p = 1 by the exact McNemar test, which takes turns for independent" in done.out
    table = done.out[done.out.index("what changed") :]
    rows = dict(re.findall(r"(?m)^ ?(\w[\w ]*?) {2,}([\d,]+)\b", table))
    assert rows == {
        "same": "3",
        "recovered": "0",
        "lost": "1",
        "newly rejected": "0",
        "newly accepted": "0",
        "other actions": "0",
        "other arguments": "0",
        "newly taken for intent": "0",
        "no longer taken for intent": "0",
        "taken for intent by neither": "1",
    }


def test_turns_that_a_parser_is_not_for_are_said_before(run, ledger):
    """On the standard error, and in the value; what it makes of them is no loss, and there is nothing to compare."""
    done = run("replay", "--parser", "gembrain-standard", "-p", "coder", "-l", ledger)
    assert done.err == (
        "actionledger: 1 of the turns are of profiles whose formats gembrain-standard doesn't read: coder (1). "
        "What it makes of them says nothing; --profile picks others.\n"
    )
    assert "no turn that both readings take for intent: there is no success to compare" in done.out
    value = run("replay", "--parser", "gembrain-standard", "-p", "coder", "-l", ledger, "--json").value
    assert value["unfit"] == {"coder": 1}
    assert (value["counts"]["no_longer_intent"], value["counts"]["lost"]) == (1, 0)
    assert (value["before"]["rate"], value["difference"]) == (None, None)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "p < 0.001"), (1e-18, "p < 0.001"), (0.00099, "p < 0.001"), (0.0314, "p = 0.031"), (1.0, "p = 1")],
)
def test_a_probability_is_never_shown_as_nothing(value, text):
    """However small it is."""
    assert shown_p(value) == text


def test_the_same_as_json(run, ledger):
    """With the run that it was recorded as, to compare with later."""
    value = run("replay", "--parser", "gembrain-standard", "-p", "assistant", "-l", ledger, "--json").value
    assert {bucket: count for bucket, count in value["counts"].items() if count} == {
        "same": 3,
        "lost": 1,
        "no_intent": 1,
    }
    assert (value["turns"], value["intent"], value["parser"]) == (5, 4, "gembrain-standard")
    assert (value["p_value"], value["p_value_by_turn"], value["difference"]) == (1, 1, None)
    assert (value["before"]["successes"], value["after"]["successes"]) == (3, 2)
    back = run("replay", "--parser", "assistant", "--run", value["run_id"], "-l", ledger, "--json").value
    assert (back["counts"]["same"], back["counts"]["recovered"], back["counts"]["lost"]) == (3, 1, 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--parser", "gembrain"), "There is no parser 'gembrain'."),
        (("--parser", "coder", "-m", "nobody"), "No recorded turn fits"),
        (("--parser", "coder", "--run", "last week"), "is no run's id"),
        (("--parser", "coder", "--run", "00000000-0000-4000-8000-000000000009"), "No recorded turn fits"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(sentence, ledger, arguments, said):
    """With exit code 1 and without a traceback."""
    assert said in sentence("replay", *arguments, "-l", ledger)


def test_what_is_no_ledger_is_refused(sentence, log):
    """And stays as it is."""
    before = log.read_bytes()
    assert "is no DuckDB database" in sentence("replay", "--parser", "coder", "-l", log)
    assert log.read_bytes() == before
