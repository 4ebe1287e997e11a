"""``gate`` and ``bless``: exit codes, what is written where, and the step for continuous integration of the page."""

import json
import re
import shlex
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

import actionledger
from actionledger.cli.exits import ExitCode

PAGE = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")
ANY = ("--min-acting", "1")
WORSE = ("--candidate", "gembrain-standard", "-p", "assistant", *ANY)
SAME = ("--candidate", "assistant", "-p", "assistant", *ANY)


@pytest.fixture
def ledger(recorded: Path, tmp_path: Path) -> Path:
    """A copy of the recorded ledger, to be written to."""
    shutil.copy(recorded, tmp_path / "team.duckdb")
    shutil.copytree(f"{recorded}.d", tmp_path / "team.duckdb.d")
    return tmp_path / "team.duckdb"


def copied_package(folder: Path) -> Path:
    """Copy this package's source into a folder, and return where it is there."""
    package = Path(actionledger.__file__).parent
    place = folder / "toolkit" / "actionledger"
    shutil.copytree(package, place, ignore=shutil.ignore_patterns("__pycache__"))
    return place


def code_blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_exit_code_says_whether_it_passes(run, ledger):
    """0 and 4, each condition with its numbers on the standard output."""
    good = run("gate", "--baseline", "first", *SAME, "-l", ledger)
    assert (good.code, good.err) == (ExitCode.DONE, "")
    assert "The gate passes: assistant against the first readings, over 5 turns." in good.out
    bad = run("gate", "--baseline", "first", *WORSE, "-l", ledger)
    assert (bad.code, bad.err) == (ExitCode.GATE, "")
    assert re.search(r"NOT MET +lost +asked: at most 0 turns; found: 1 of 5", bad.out)
    assert "lost: a#1 parsed with repairs → unparseable" in bad.out
    assert run("gate", "--baseline", "first", *WORSE, "-l", ledger, "--max-lost", 1, "--allow-few").code == 0
    assert run("gate", "--baseline", "first", *WORSE, "-l", ledger, "--max-lost", 1).code == ExitCode.GATE


def test_a_gate_needs_turns_that_meant_to_act(run, ledger):
    """Few of them, or none, are no evidence: 5, and how many it takes is said; what is worse stays 4."""
    asked = ("gate", "--baseline", "first", "--candidate", "assistant", "-l", ledger)
    few = run(*asked, "-p", "assistant", "--json", "gate.json")
    assert few.code == ExitCode.EVIDENCE
    assert "The gate does not pass: too little evidence: assistant" in few.out
    assert re.search(
        r"NOT MET +turns that meant to act +asked: at least 10 turns .*found: 4 of 5; with", few.out
    )
    assert json.loads(Path("gate.json").read_text())["lacks_evidence"] is True
    bound = run(*asked, "-p", "assistant", "--min-rate", "0.7", "--min-acting", "1")
    assert (bound.code, "(all of them read, 70 % takes" in bound.out) == (ExitCode.EVIDENCE, True)
    assert run(*asked, "-p", "assistant", "--min-acting", "5").code == ExitCode.EVIDENCE
    assert run(*asked, "-p", "assistant", "--min-acting", "4").code == ExitCode.DONE
    assert run("gate", "--baseline", "first", *WORSE[:-2], "-l", ledger).code == ExitCode.GATE


def test_a_share_of_too_few_sessions_does_not_pass(run, ledger):
    """It is said; with --allow-few the share itself is taken."""
    asked = ("gate", "--baseline", "first", *SAME, "-l", ledger, "--min-rate", "0.7")
    few = run(*asked)
    assert (few.code, "too few sessions for an interval (2 sessions)" in few.out) == (ExitCode.EVIDENCE, True)
    assert run(*asked, "--allow-few").code == 0
    assert run(*asked[:-1], "0.76", "--allow-few").code == ExitCode.GATE


def test_what_is_written(run, ledger, tmp_path):
    """JSON, XML and Markdown into files, or one of them instead of the text."""
    files = ("--json", tmp_path / "out/gate.json", "--junit", tmp_path / "out/gate.xml")
    done = run("gate", "--baseline", "first", *WORSE, "-l", ledger, *files, "--markdown", "-")
    assert (done.code, done.out.startswith("### The gate does not pass")) == (ExitCode.GATE, True)
    value = json.loads((tmp_path / "out/gate.json").read_text())
    assert (value["passed"], value["counts"]["lost"], value["conditions"][0]["value"]) == (False, 1, 1)
    suite = ET.parse(tmp_path / "out/gate.xml").getroot()[0]
    assert suite.get("failures") == str(len(suite.findall("testcase/failure"))) != "0"
    printed = run("gate", "--baseline", "first", *SAME, "-l", ledger, "--json", "-")
    assert printed.value["passed"] is True
    assert {each["name"] for each in printed.value["conditions"]} >= {"lost", "not_worse", "read_again"}


def test_a_baseline_goes_without_the_ledger(run, ledger, tmp_path):
    """Written once, it passes and fails where nothing else is left."""
    done = run("bless", "--to", "gate/base.json", "--with-texts", "-l", ledger)
    assert (done.code, done.out.splitlines()[0]) == (0, "gate/base.json: 6 turns of 3 sessions")
    shutil.rmtree(f"{ledger}.d")
    ledger.unlink()
    assert run("gate", "--baseline", "gate/base.json", *SAME).code == 0
    assert run("gate", "--baseline", "gate/base.json", *WORSE).code == ExitCode.GATE
    (tmp_path / "gate/base.texts.jsonl.gz").rename(tmp_path / "texts.gz")
    assert run("gate", "--baseline", "gate/base.json", *SAME, "--texts", "texts.gz").code == 0


def test_what_can_not_be_done_is_one_sentence(run, sentence, ledger, tmp_path):
    """Wrong use is 2, a file that can't be used is 1."""
    gate = ("gate", "--baseline", "first", *SAME)
    assert "There is no ledger at" in sentence(*gate)
    assert "write BUCKET=N" in sentence(*gate, "-l", ledger, "--max", "lost")
    assert "There is no bucket 'gone'" in sentence(*gate, "-l", ledger, "--max", "gone=1")
    assert "Only one of" in sentence(*gate, "-l", ledger, "--json", "-", "--markdown", "-")
    assert "can't be written" in sentence("bless", "--to", ledger / "x.json", "-l", ledger)
    (tmp_path / "base.json").write_text("{}")
    assert "is not a baseline" in sentence("gate", "--baseline", "base.json", *SAME)
    assert run("gate", "--baseline", "base.json", *SAME).code == ExitCode.FAULT
    assert "is not a file" in sentence("gate", "--baseline", "gone.json", *SAME, "-l", ledger)


def test_which_turns_are_judged_is_one_filter(run, sentence, ledger):
    """Of a ledger by all that was given; of a file by what it says of its turns. What picks nothing is no gate that passes."""
    gate = ("gate", "--baseline", "first", "--candidate", "assistant", "-l", ledger)
    assert "over 5 turns" in run(*gate, "--profile", "assistant", "--capture", "text").out
    assert "No recorded turn fits" in sentence(*gate, "--until", "1990-01-01")
    assert "No such option" in run(*gate, "--outcome", "failed").err
    done = run("bless", "--to", "base.json", "--with-texts", "--run", "first", "-p", "coder", "-l", ledger)
    assert done.out.startswith("base.json: 1 turn of 1 session")
    assert run("gate", "--baseline", "base.json", "--candidate", "coder", "-p", "coder", *ANY).code == 0
    said = sentence(
        "gate", "--baseline", "base.json", "--candidate", "coder", "--task", "x", "--until", "2026-01-01"
    )
    assert "nothing of task x, until 2026-01-01 00:00; take a run of the ledger as the baseline" in said


@pytest.mark.soak  # makes an environment
def test_another_version_is_a_candidate(run, sentence, ledger, tmp_path, monkeypatch):
    """The same source as it is passes, and a broken copy doesn't: against a run, and against a file without a ledger."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    run("bless", "--to", "base.json", "--with-texts", "-p", "assistant", "-l", ledger)
    for name, code in (("whole", ExitCode.DONE), ("broken", ExitCode.GATE)):
        source = copied_package(tmp_path / name)
        if name == "broken":
            dialect = source / "reading" / "dialects" / "json_fences.py"
            text = dialect.read_text()
            assert 'label = "actions"' in text
            dialect.write_text(text.replace('label = "actions"', 'label = "axtions"'))
        for baseline, where in (("first", ("-l", ledger)), ("base.json", ())):
            asked = ("gate", "--baseline", baseline, *SAME, "--against", tmp_path / name, *where)
            done = run(*asked)
            assert (done.code, f"passes: assistant @ {actionledger.__version__} " in done.out) == (
                code,
                name == "whole",
            ), done
    assert "not a wheel, a folder, or a commit" in sentence(
        "gate", "--baseline", "base.json", *SAME, "--against", "x"
    )
    wrong = ("gate", "--baseline", "base.json", "--candidate", "asistant", "--against", tmp_path / "whole")
    assert "There is no parser of that version 'asistant'. Did you mean 'assistant'" in sentence(*wrong)


def test_a_limit_of_any_bucket(run, ledger):
    """Named, it may have so many turns."""
    done = run("gate", "--baseline", "first", *WORSE, "-l", ledger, "--max", "recovered=0", "--json", "-")
    assert [each["limit"] for each in done.value["conditions"] if each["name"] == "recovered"] == [0]


def test_the_step_of_the_page_runs(run, ledger):
    """The YAML is a workflow; its gate, and the shell's line, are run as they stand, with what 'bless' wrote as the page says."""
    [page] = code_blocks("yaml")
    steps = yaml.safe_load(page)["jobs"]["gate"]["steps"]
    [step] = [each["run"] for each in steps if each.get("name") == "Gate"]
    [line] = code_blocks("sh")
    blessing = code_blocks("bash")[1].splitlines()[1]
    words = shlex.split(blessing, comments=True)
    assert run(*words[1:], "-l", ledger).code == 0
    for command in (step, line):
        Path("gate.xml").unlink(missing_ok=True)
        done = run(*shlex.split(command)[1:], *ANY)  # the page means a larger baseline
        assert (done.code, done.err) == (0, "")
        assert ET.parse("gate.xml").getroot().get("failures") == "0"
        assert Path("gate.md").read_text().startswith("### The gate passes")
    uploaded = next(each["with"]["path"] for each in steps if "upload-artifact" in each.get("uses", ""))
    assert all(Path(name).exists() for name in uploaded.split())
