"""``approvals``: deciding from the command line, and carrying out what was decided."""

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
    """By the beginning of its id."""
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
    """It says what would work."""
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
