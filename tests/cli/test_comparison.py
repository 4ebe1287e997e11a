"""``compare``: runs turn by turn, else sets side by side, and why."""

import shutil
from pathlib import Path

import pytest

import actionledger as al
from actionledger.cli.exits import ExitCode
from actionledger.core.rates import shown_p
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
    assert "success before 75.0% too few sessions, after 50.0% too few sessions" in done.out
    assert f"{shown_p(session_test({-1: 1}))} by the sign-flip test over sessions" in done.out
    assert f"{shown_p(mcnemar(1, 0))} by the exact McNemar test" in done.out
    assert "a#1" in next(line for line in done.out.splitlines() if line.startswith("lost"))


def test_turns_are_shown_field_by_field(run, ledger):
    """Of one bucket, as many as are asked for."""
    done = run("compare", "first", RUN, "-l", ledger, "--bucket", "lost", "--show", "1")
    assert "parsed with repairs → unparseable" in done.out
    assert "removed list_tasks" in done.out
    value = run("compare", "first", RUN, "-l", ledger, "--bucket", "lost", "--json").value
    assert [each["kind"] for each in value["differences"][0]["actions"]] == ["removed"]
    assert (value["kind"], value["counts"]["lost"], value["p_value"]) == ("comparison", 1, 1)
    assert value["unpaired_before"] == 2


def test_models_are_compared_as_sets(run, ledger):
    """It says that nothing pairs, and why; and what was never auditable."""
    done = run("compare", "model=silent", "source=demo", "-l", ledger)
    assert done.out.startswith(
        "No turn pairs: the sides are different responses, by model and source. They are compared as sets."
    )
    assert "the two share no task" in done.out
    assert "not auditable, and in no parse rate: 1 before, 0 after" in done.out
    value = run("compare", "model=silent", "source=demo", "-l", ledger, "--json").value
    assert (value["kind"], value["not_auditable"]) == ("contrast", {"before": 1, "after": 0})


def test_runs_over_other_turns_do_not_pair(run, ledger):
    """They are two sets, and it says so."""
    done = run("compare", RUN, "reparse go-tags", "-l", ledger)
    assert (done.code, done.out.splitlines()[0]) == (
        0,
        "No turn pairs: the runs have read none of the same turns. They are compared as sets.",
    )


def test_a_turn_is_found_in_its_source(run, ledger):
    """Each example of a bucket that changed has its session's own name."""
    value = run("compare", "first", RUN, "-l", ledger, "--json").value
    [lost] = value["examples"]["lost"]
    assert (lost["external_id"], lost["turn_index"], lost["before"]) == ("a", 1, "repaired")
    assert "same" not in value["examples"]


@pytest.mark.parametrize(
    ("sides", "options", "why"),
    [
        (("profile=assistant", "profile=coder"), (), "by profile"),
        (("model=silent", "source=demo&task="), (), None),
        (
            ("profile=assistant", f"run={RUN}&profile=coder"),
            (),
            "No recorded response fits profile coder, run",
        ),
        (("label=x", "label=y"), (), "No recorded response fits label x"),
        (("first", "modle=small"), (), "Nor is it a filter: those have profile, model, task"),
        (("first", "model=a&modle=small"), (), "There is no filter 'modle'. Did you mean 'model'?"),
        (("model=a", "model=b"), ("-m", ""), "and the options both say model; say it in one place"),
        (("first", "since=soon"), (), "since=soon can't be taken"),
        (("stage=reading", "source=trials"), (), "would be a rate within its own outcome"),
        (("first", "run=a&run=b"), (), "names 2 runs"),
    ],
)
def test_a_side_is_a_filter_as_in_a_link(run, ledger, sides, options, why):
    """One language: what it can't say is refused with what it can."""
    done = run("compare", *sides, *options, "-l", ledger)
    said = " ".join((done.err or done.out).split())
    assert why is None or why in said
    assert (done.code == 0) is (why in {None, "by profile"})


def test_the_options_narrow_both_sides(run, ledger):
    """Any filter that was given before a response was read."""
    whole = run("compare", "first", RUN, "-l", ledger, "--json").value
    some = run("compare", "first", RUN, "--source", "demo", "--capture", "text", "-l", ledger, "--json").value
    none = run("compare", "first", RUN, "--until", "1990-01-01", "-l", ledger)
    assert whole["pairs"] == some["pairs"] == 5
    assert (none.code, "No recorded response fits" in none.err) == (ExitCode.WRONG_USE, True)


def test_markdown(run, ledger):
    """Of both kinds; a session's id and its actions are code."""
    paired = run("compare", "first", RUN, "-l", ledger, "--bucket", "lost", "--markdown")
    assert "| lost | 1 |" in paired.out
    assert "  - `removed list_tasks`" in paired.out
    sets = run("compare", RUN, "reparse go-tags", "-l", ledger, "--markdown")
    assert "| measure | before | after |" in sets.out


def test_what_does_not_compare_is_refused(run, sentence, ledger):
    assert run("compare", RUN, "-l", ledger).code == ExitCode.WRONG_USE
    assert "name 'first' before the run" in sentence("compare", RUN, "first", "-l", ledger)
    assert "Both sides are the same responses" in sentence("compare", RUN, RUN, "-l", ledger)
    assert "There is no bucket 'gone'" in sentence("compare", "first", RUN, "--bucket", "gone", "-l", ledger)
    assert "either --json or --markdown" in sentence(
        "compare", "first", RUN, "--json", "--markdown", "-l", ledger
    )
    assert "would stand on both sides" in sentence("compare", "source=demo", f"run={RUN}", "-l", ledger)
