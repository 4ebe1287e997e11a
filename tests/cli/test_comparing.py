"""``compare``: runs turn by turn, else sets side by side, and why."""

import shutil
from pathlib import Path

import pytest

import actionledger as al
from actionledger.rates import shown_p
from actionledger.replay.statistics import mcnemar, session_test

RUN = "reparse gembrain-standard"


@pytest.fixture(scope="module")
def ledger(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded ledger with a rereading, and another one of the coder's turns alone; and calls without a text."""
    path = tmp_path_factory.mktemp("compared") / "team.duckdb"
    shutil.copy(recorded, path)
    shutil.copytree(f"{recorded}.d", f"{path}.d")
    call = al.RecordedTurn(0, "", calls=(al.RecordedCall("1", "read", {}),), capture=al.Capture.CALLS)
    with al.open_ledger(path) as opened:
        al.reparse(opened, parser="gembrain-standard", within=al.Filter(profiles=("assistant",)))
        al.reparse(opened, parser="go-tags", within=al.Filter(profiles=("coder",)))
        session = al.RecordedSession("calls", "assistant", "silent", "", (call,), source="trials")
        al.import_sessions(opened, [session])
    return path


def test_runs_over_the_same_turns_pair(run, ledger):
    """Buckets, both tests, and a turn by the name of its session; the run by its own name."""
    done = run("compare", "first", RUN, "-p", "assistant", "-l", ledger)
    assert done.code == 0
    assert "5 turns that both have read" in done.out
    assert "success before 75.0%  too few sessions, after 50.0%  too few sessions" in done.out
    assert f"{shown_p(session_test({-1: 1}))} by the sign-flip test over sessions" in done.out
    assert f"{shown_p(mcnemar(1, 0))} by the exact McNemar test" in done.out
    assert "a#1" in next(line for line in done.out.splitlines() if line.startswith("lost"))


def test_turns_are_shown_field_by_field(run, ledger):
    """Of one bucket, as many as are asked for."""
    done = run("compare", "first", RUN, "-l", ledger, "--bucket", "lost", "--show", "1")
    assert "repaired → failed" in done.out
    assert "removed list_tasks" in done.out
    value = run("compare", "first", RUN, "-l", ledger, "--bucket", "lost", "--json").value
    assert [each["kind"] for each in value["differences"][0]["actions"]] == ["removed"]
    assert (value["kind"], value["counts"]["lost"], value["p_value"]) == ("comparison", 1, 1)
    assert value["unpaired_before"] == 2


def test_models_are_compared_as_sets(run, ledger):
    """It says that nothing pairs, and why; and what was never auditable."""
    done = run("compare", "--before-model", "silent", "--after-source", "demo", "-l", ledger)
    assert done.out.startswith(
        "No turn pairs: the sides are different responses, by model and source. They are compared as sets."
    )
    assert "the two share no task" in done.out
    assert "not auditable, and in no parse rate: 1 before, 0 after" in done.out
    value = run("compare", "--before-model", "silent", "--after-source", "demo", "-l", ledger, "--json").value
    assert (value["kind"], value["not_auditable"]) == ("contrast", {"before": 1, "after": 0})


def test_runs_over_other_turns_do_not_pair(run, ledger):
    """They are two sets, and it says so."""
    done = run("compare", RUN, "reparse go-tags", "-l", ledger)
    assert (done.code, done.out.splitlines()[0]) == (
        0,
        "No turn pairs: the runs have read none of the same turns. They are compared as sets.",
    )


def test_markdown(run, ledger):
    """Of both kinds; a session's id and its actions are code."""
    paired = run("compare", "first", RUN, "-l", ledger, "--bucket", "lost", "--markdown")
    assert "| lost | 1 |" in paired.out
    assert "  - `removed list_tasks`" in paired.out
    sets = run("compare", RUN, "reparse go-tags", "-l", ledger, "--markdown")
    assert "| measure | before | after |" in sets.out


def test_what_does_not_compare_is_refused(sentence, ledger):
    """With one sentence each."""
    assert "Name both runs" in sentence("compare", RUN, "-l", ledger)
    assert "name 'first' before the run" in sentence("compare", RUN, "first", "-l", ledger)
    assert "Both sides are the same responses" in sentence("compare", "-l", ledger)
    assert "There is no bucket 'gone'" in sentence("compare", "first", RUN, "--bucket", "gone", "-l", ledger)
    assert "either --json or --markdown" in sentence(
        "compare", "first", RUN, "--json", "--markdown", "-l", ledger
    )
    assert "would stand on both sides" in sentence("compare", "--before-source", "demo", "-l", ledger)
