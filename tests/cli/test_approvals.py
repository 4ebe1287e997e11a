"""``approvals`` and ``reviews``: what people decide and say of turns on the command line."""

import getpass
import json
from pathlib import Path

import pytest

import actionledger as al


def create(path: str, content: str = "one") -> str:
    return f"<create_file><path>{path}</path><content>{content}</content></create_file>\n"


@pytest.fixture
def waiting(tmp_path: Path) -> tuple[Path, Path, al.Turn]:
    """A ledger with a closed session in which two files wait to be written, and the session's folder."""
    path, work = tmp_path / "team.duckdb", tmp_path / "work"
    with al.open_ledger(path) as ledger, al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(create("a", "[bold]\x1b[31mred") + create("b"))
    return path, work, turn


@pytest.fixture
def ids(run, waiting) -> list[str]:
    """The ids of what waits, in the order of the actions."""
    return [each["approval_id"] for each in run("approvals", "list", "--ledger", waiting[0], "--json").value]


def test_what_waits_is_listed(run, waiting):
    """With its arguments; a model's text is shown as text."""
    done = run("approvals", "list", "--ledger", waiting[0])
    assert done.code == 0
    assert done.out.count("create_file") == 2
    assert "waits" in done.out
    assert r"[bold]" in done.out
    assert "\x1b" not in done.out


def test_a_list_in_a_pipe_is_not_cut(run, tmp_path):
    """A program finds all of what is to be run."""
    path = tmp_path / "team.duckdb"
    with al.open_ledger(path) as ledger, al.Runtime("coder", ledger=ledger, workspace="work") as runtime:
        runtime.handle(create("a", "word " * 200 + "end"))
    assert 'word end"}' in run("approvals", "list", "--ledger", path).out


def test_one_is_shown_whole(run, waiting, ids):
    shown = run("approvals", "show", "--ledger", waiting[0], ids[0][:12]).out
    assert f"approval_id: {ids[0]}" in shown
    assert "None" not in shown
    assert all(line.partition(": ")[2] for line in shown.splitlines())
    assert "\x1b" not in shown
    assert run("approvals", "show", "--ledger", waiting[0], ids[1], "--json").value["name"] == "create_file"


def test_what_is_approved_runs_and_what_is_rejected_does_not(run, waiting, ids):
    """Deciding and carrying out are two steps; the second says what came of it."""
    path, work, _ = waiting
    approved = run("approvals", "approve", "--ledger", path, ids[1], "--by", "ada", "--why", "Fine.")
    assert "create_file approved by ada." in approved.out
    assert f"Next: actionledger approvals run {ids[1][:8]} --ledger {path}" in approved.out
    assert list(work.iterdir()) == []
    run("approvals", "reject", "--ledger", path, ids[0], "--by", "ada", "--why", "Never.")
    listed = run("approvals", "list", "--ledger", path).out
    assert "approved" in listed
    assert "rejected" in listed
    carried_out = run("approvals", "run", "--ledger", path).out
    assert "create_file succeeded" in carried_out
    assert "create_file denied: ada has decided against it: Never." in carried_out
    assert [file.name for file in work.iterdir()] == ["b"]
    assert "Nothing that was decided" in run("approvals", "run", "--ledger", path).out
    assert "Nothing waits" in run("approvals", "list", "--ledger", path).out


def test_only_the_turn_that_is_named_is_carried_out(run, waiting, ids):
    """What was decided about other turns, of this session and of others, waits on until somebody asks for it."""
    path, work, turn = waiting
    with (
        al.open_ledger(path) as ledger,
        al.Runtime.reopen(ledger, turn.session_id) as same,
        al.Runtime("coder", ledger=ledger, workspace=work) as other,
    ):
        same.handle(create("c"))
        other.handle(create("d"))
    waits = run("approvals", "list", "--ledger", path, "--json").value
    later = [each["approval_id"] for each in waits if each["approval_id"] not in ids]
    for each in (*ids, *later):
        run("approvals", "approve", "--ledger", path, each)
    out = run("approvals", "run", "--ledger", path, ids[1][:8]).out
    assert out.count("create_file succeeded") == 2
    assert sorted(file.name for file in work.iterdir()) == ["a", "b"]
    left = run("approvals", "list", "--ledger", path, "--json").value
    assert sorted(each["approval_id"] for each in left) == sorted(later)
    assert {each["decision"] for each in left} == {"approved"}
    run("approvals", "run", "--ledger", path, later[1])
    assert sorted(file.name for file in work.iterdir()) == ["a", "b", "d"]
    assert "Nothing that was decided" in run("approvals", "run", "--ledger", path, ids[0]).out
    run("approvals", "run", "--ledger", path)
    assert sorted(file.name for file in work.iterdir()) == ["a", "b", "c", "d"]


def test_other_arguments_can_be_given(run, waiting, ids):
    """They run in place of the model's."""
    path, work, _ = waiting
    changed = json.dumps({"path": "c", "content": "two"})
    assert "modified by" in run("approvals", "approve", "--ledger", path, ids[0], "--arguments", changed).out
    run("approvals", "run", "--ledger", path, ids[0][:8])
    assert (work / "c").read_text() == "two"
    assert not (work / "a").exists()


def test_a_folder_can_be_given_where_the_recorded_one_is_gone(run, sentence, waiting, ids, tmp_path):
    """And the sentence says by which option."""
    path, work, _ = waiting
    run("approvals", "approve", "--ledger", path, ids[0])
    work.rmdir()
    assert "--workspace FOLDER" in sentence("approvals", "run", "--ledger", path)
    run("approvals", "run", "--ledger", path, "--workspace", tmp_path / "other")
    assert (tmp_path / "other" / "a").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("approve", "ffffffff"), "No approval has an id"),
        (("show", ""), "No approval has an id"),
        (("approve", "ff", "--ledger", "none.duckdb"), "There is no ledger"),
        (("approve", "{id}", "--arguments", "{"), "--arguments is not JSON"),
        (("approve", "{id}", "--arguments", "[]"), "not a JSON object"),
    ],
)
def test_a_slip_is_one_sentence(sentence, waiting, ids, arguments, words):
    given = [each.replace("{id}", ids[0]) for each in arguments]
    assert words in sentence("approvals", given[0], "--ledger", waiting[0], *given[1:])


def test_the_ledger_is_the_one_that_run_records_in(run, tmp_path):
    """Where none is named, both are ``actionledger.duckdb``, and what is printed says which one to go on with."""
    waited = run("run", "coder", "--response", "-", "--workspace", "w", stdin=create("a"))
    assert (waited.code, "'actionledger approvals list --ledger actionledger.duckdb'" in waited.out) == (
        3,
        True,
    )
    (approval,) = run("approvals", "list", "--json").value
    run("approvals", "approve", approval["approval_id"])
    assert "create_file succeeded" in run("approvals", "run").out
    assert (tmp_path / "w" / "a").exists()


def test_a_decision_stands(run, sentence, waiting, ids):
    """The second one is told the first."""
    run("approvals", "reject", "--ledger", waiting[0], ids[0], "--by", "ada")
    assert "was rejected by ada" in sentence(
        "approvals", "approve", "--ledger", waiting[0], ids[0], "--by", "bob"
    )


@pytest.mark.parametrize(("command", "code"), [("git nothing-of-the-kind", 1), ("git --version", 0)])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_command_that_fails_ends_it_with_1(run, tmp_path, command, code, at_once):
    """A script that carries out what was approved learns of it."""
    path, work = tmp_path / "team.duckdb", tmp_path / "work"
    with al.open_ledger(path) as ledger, al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        runtime.handle(f"<execute_command><command>{command}</command></execute_command>")
    [waits] = run("approvals", "list", "--ledger", path, "--json").value
    approve = ("approvals", "approve", "--ledger", path, waits["approval_id"])
    if at_once:
        done = run(*approve, "--run")
    else:
        run(*approve)
        done = run("approvals", "run", "--ledger", path)
    assert "execute_command" in done.out
    assert done.code == code


HOSTILE = "[bold]x[/nope] \x1b[31mred"


@pytest.fixture
def reviews_path(tmp_path: Path) -> Path:
    """A ledger with a session of two turns."""
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        for _ in range(2):
            ledger.record_turn("s#1", "Well.", profile="mint")
    return tmp_path / "team.duckdb"


def test_what_is_said_is_listed(run, reviews_path) -> None:
    """By whom, of which turn; hostile words are words."""
    done = run("reviews", "add", "s#1#0", "--ledger", reviews_path, "--by", "ann", "--verdict", "wrong")
    assert done.out.startswith("verdict given by ann: ")
    run("reviews", "add", "s#1#0", "--ledger", reviews_path, "--comment", HOSTILE, "--span", 0, 4)
    shown = run("reviews", "list", "--ledger", reviews_path).out
    assert "s#1#0" in shown
    assert r"[bold]x[/nope] \x1b[31mred" in shown
    assert "\x1b" not in shown
    verdict, comment = run("reviews", "list", "--ledger", reviews_path, "--json").value
    assert (verdict["reviewer"], verdict["value"], verdict["step"]) == ("ann", "wrong", "given")
    assert (comment["reviewer"], comment["value"], comment["quote"]) == (getpass.getuser(), HOSTILE, "Well")
    assert (
        run("reviews", "list", "--ledger", reviews_path, "--aspect", "label").out
        == "Nothing was said of any turn that this picks.\n"
    )


def test_what_is_assigned_is_open_until_it_is_done(run, reviews_path) -> None:
    """And another may change to whom."""
    run("reviews", "add", "s#1#1", "--ledger", reviews_path, "--by", "ann", "--assign", "bob")
    [task] = run(
        "reviews", "list", "--ledger", reviews_path, "--open", "--assigned-to", "bob", "--json"
    ).value
    run("reviews", "change", task["review_id"], "cem", "--ledger", reviews_path, "--by", "bob")
    done = run("reviews", "done", task["review_id"], "--ledger", reviews_path, "--by", "cem")
    assert done.out == "assignment done by cem: cem\n"
    assert run("reviews", "list", "--ledger", reviews_path, "--open", "--json").value == []


def test_what_is_withdrawn_is_still_in_the_record(run, reviews_path) -> None:
    run("reviews", "add", "s#1#0", "--ledger", reviews_path, "--by", "ann", "--label", "odd")
    [label] = run("reviews", "list", "--ledger", reviews_path, "--json").value
    run("reviews", "withdraw", label["review_id"], "--ledger", reviews_path, "--by", "ann")
    assert run("reviews", "list", "--ledger", reviews_path, "--json").value == []
    [left] = run("reviews", "list", "--ledger", reviews_path, "--withdrawn", "--json").value
    assert left["step"] == "withdrawn"


def test_agreement_says_what_it_rests_on(run, reviews_path) -> None:
    run("reviews", "add", "s#1#0", "--ledger", reviews_path, "--by", "ann", "--verdict", "wrong")
    assert (
        "No reading was judged by two people yet. Judged so far: ann 1."
        in run("reviews", "agreement", "--ledger", reviews_path).out
    )
    for turn, name, verdict in ((0, "bob", "wrong"), (1, "ann", "right"), (1, "bob", "wrong")):
        run("reviews", "add", f"s#1#{turn}", "--ledger", reviews_path, "--by", name, "--verdict", verdict)
    shown = run("reviews", "agreement", "--ledger", reviews_path).out
    assert "1 of 2 readings" in shown
    assert "Cohen's kappa 0.00 too few sessions" in shown
    found = run("reviews", "agreement", "--ledger", reviews_path, "--json").value
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
def test_a_wrong_use_is_a_sentence(sentence, reviews_path, arguments, said) -> None:
    assert said in sentence("reviews", *arguments, "--ledger", reviews_path)
