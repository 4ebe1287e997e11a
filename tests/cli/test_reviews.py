"""``reviews``: saying something of turns from the command line, and seeing what others say."""

import getpass
from pathlib import Path

import pytest

import actionledger as al

HOSTILE = "[bold]x[/nope] \x1b[31mred"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger with a session of two turns."""
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        for _ in range(2):
            ledger.record_turn("s#1", "Well.", profile="mint")
    return tmp_path / "team.duckdb"


def test_what_is_said_is_listed(run, path) -> None:
    """By whom, of which turn; hostile words are words."""
    done = run("reviews", "add", "s#1#0", "--ledger", path, "--by", "ann", "--verdict", "wrong")
    assert done.out.startswith("verdict given by ann: ")
    run("reviews", "add", "s#1#0", "--ledger", path, "--comment", HOSTILE, "--span", 0, 4)
    shown = run("reviews", "list", "--ledger", path).out
    assert "s#1#0" in shown
    assert r"[bold]x[/nope] \x1b[31mred" in shown
    assert "\x1b" not in shown
    verdict, comment = run("reviews", "list", "--ledger", path, "--json").value
    assert (verdict["reviewer"], verdict["value"], verdict["step"]) == ("ann", "wrong", "given")
    assert (comment["reviewer"], comment["value"], comment["quote"]) == (getpass.getuser(), HOSTILE, "Well")
    assert (
        run("reviews", "list", "--ledger", path, "--aspect", "label").out
        == "Nothing was said of any turn that this picks.\n"
    )


def test_what_is_assigned_is_open_until_it_is_done(run, path) -> None:
    """And another may change to whom."""
    run("reviews", "add", "s#1#1", "--ledger", path, "--by", "ann", "--assign", "bob")
    [task] = run("reviews", "list", "--ledger", path, "--open", "--assigned-to", "bob", "--json").value
    run("reviews", "change", task["review_id"], "cem", "--ledger", path, "--by", "bob")
    done = run("reviews", "done", task["review_id"], "--ledger", path, "--by", "cem")
    assert done.out == "assignment done by cem: cem\n"
    assert run("reviews", "list", "--ledger", path, "--open", "--json").value == []


def test_what_is_withdrawn_is_still_in_the_record(run, path) -> None:
    """For who asks for it."""
    run("reviews", "add", "s#1#0", "--ledger", path, "--by", "ann", "--label", "odd")
    [label] = run("reviews", "list", "--ledger", path, "--json").value
    run("reviews", "withdraw", label["review_id"], "--ledger", path, "--by", "ann")
    assert run("reviews", "list", "--ledger", path, "--json").value == []
    [left] = run("reviews", "list", "--ledger", path, "--withdrawn", "--json").value
    assert left["step"] == "withdrawn"


def test_agreement_says_what_it_rests_on(run, path) -> None:
    """Or what is missing."""
    run("reviews", "add", "s#1#0", "--ledger", path, "--by", "ann", "--verdict", "wrong")
    assert (
        "No reading was judged by two people yet. Judged so far: ann 1."
        in run("reviews", "agreement", "--ledger", path).out
    )
    for turn, name, verdict in ((0, "bob", "wrong"), (1, "ann", "right"), (1, "bob", "wrong")):
        run("reviews", "add", f"s#1#{turn}", "--ledger", path, "--by", name, "--verdict", verdict)
    shown = run("reviews", "agreement", "--ledger", path).out
    assert "1 of 2 readings" in shown
    assert "Cohen's kappa 0.00 too few sessions" in shown
    found = run("reviews", "agreement", "--ledger", path, "--json").value
    assert found["coefficients"] == [{"name": "Cohen's kappa", "value": 0.0, "interval": None}]
    assert found["pairs"][0]["rate"]["count"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "s", "--label", "x"], "names no turn; write SESSION#TURN"),
        (["add", "s#1#7", "--label", "x"], "has no turn 7"),
        (["add", "s#1#0"], "one thing at a time"),
        (["withdraw", "nothing"], "Nothing was said under 'nothing'"),
    ],
)
def test_a_wrong_use_is_a_sentence(sentence, path, arguments, said) -> None:
    """With what to do instead."""
    assert said in sentence("reviews", *arguments, "--ledger", path)
