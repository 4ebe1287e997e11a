"""``loops``: which recorded sessions go in circles."""

import pytest

import actionledger as al

LOOK = al.render([("list_tasks", {})], "actions")


@pytest.fixture
def ledger(tmp_path):
    """A ledger of one live session that goes in circles."""
    with (
        al.open_ledger(tmp_path / "team.duckdb") as opened,
        al.Runtime("assistant", ledger=opened) as runtime,
    ):
        for _ in range(4):
            runtime.handle(LOOK)
    return tmp_path / "team.duckdb"


def test_loops_are_printed_with_their_rate(run, ledger):
    """Each with its turns, and below them the shares."""
    done = run("loops", "-l", ledger)
    assert (done.code, done.err) == (0, "")
    row = next(line for line in done.out.splitlines() if "same_action" in line).split()
    assert row[1:] == ["0", "3", "same_action", "4", "list_tasks", "stopped"]
    assert "sessions with a loop to stop 100.0% [20.7%, 100.0%] (1), " in done.out
    assert "of 1 session; also, with results not recorded: 0 sessions" in done.out


def test_the_same_as_json(run, ledger):
    """With the session's id and what it is called."""
    value = run("loops", "-l", ledger, "--json").value
    [loop] = value["loops"]
    assert (loop["pattern"], loop["count"], loop["first_turn"], loop["last_turn"]) == ("same_action", 4, 0, 3)
    assert loop["session_id"].startswith(loop["session"])
    assert (value["rate"]["successes"], value["rate"]["count"], value["not_recorded"]) == (1, 1, 0)


def test_what_was_only_read_is_not_recorded(run, recorded):
    """An import says nothing of loops, and that is said."""
    value = run("loops", "-l", recorded, "-p", "coder", "--json").value
    assert (value["loops"], value["sessions"] + value["not_recorded"]) == ([], 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("--run", "last week"), "There is no run 'last week'"), (("-l", "nowhere.duckdb"), "nowhere.duckdb")],
)
def test_what_cannot_be_done_is_said_in_one_sentence(sentence, ledger, arguments, said):
    assert said in sentence("loops", "-l", ledger, *arguments)
