"""``doctor`` and ``forget``: what they print, and what a script is told. Each fault: ``tests/ledger/health``."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from actionledger.cli import app
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.upkeep.forgetting.intent import Intent


@pytest.fixture
def copied(recorded, tmp_path) -> LedgerFiles:
    """A ledger that may be damaged, with its folder."""
    files = LedgerFiles.at(tmp_path / "team.duckdb")
    shutil.copyfile(recorded, files.published)
    shutil.copytree(f"{recorded}.d", files.folder)
    return files


def test_a_ledger_that_is_well_ends_with_0(run, copied):
    """Each check is a line; the verdict stands beside, for who pipes the table on."""
    done = run("doctor", "team.duckdb")
    assert (done.code, done.err) == (0, "All good.\n")
    assert "published file  " in done.out
    assert "needs you" not in done.out


def test_what_needs_a_person_ends_with_3_and_what_is_mended_does_not(run, copied):
    """Nothing is done unless it is asked for."""
    copied.published.unlink()
    done = run("doctor", "-l", "team.duckdb")
    assert (done.code, "--fix mends some of it" in done.err) == (3, True)
    assert not copied.published.exists()
    done = run("doctor", "-l", "team.duckdb", "--fix")
    assert (done.code, done.err) == (0, "Published what the working file holds.\nAll good.\n")
    assert copied.published.exists()


def test_the_figures_are_there_for_a_program(run, copied):
    """With what each check says, and what was mended."""
    copied.published.write_text("no ledger")
    done = run("doctor", "team.duckdb", "--json")
    assert done.code == 3
    assert done.value["needs_person"] is True
    assert done.value["health"]["findings"][0]["level"] == "needs you"
    assert done.value["health"]["schema_version"] is None


def test_what_is_not_mended_is_said(run, sentence, copied):
    """A file that may be somebody else's stays."""
    copied.published.write_text("no ledger")
    assert "Nothing is mended" in sentence("doctor", "team.duckdb", "--fix")
    assert copied.published.read_text() == "no ledger"


def test_nothing_at_all_is_no_ledger(sentence):
    """Neither the file nor a folder of its name."""
    assert "There is no ledger at none.duckdb" in sentence("doctor", "none.duckdb")


def test_a_bundle_is_a_file_for_its_owner(run, copied, tmp_path):
    """With what was asked for, whatever the checks say; nothing is printed for a program."""
    copied.published.unlink()
    done = run("doctor", "team.duckdb", "--bundle", "bundle.json")
    assert (done.code, done.out) == (0, "")
    assert "no text of a model" in done.err
    made = tmp_path / "bundle.json"
    assert json.loads(made.read_text("utf-8"))["has_text"] is False
    assert made.stat().st_mode & 0o077 == 0
    assert not copied.published.exists()
    assert "no text of a model" in run("doctor", "team.duckdb", "--bundle", "none.json", "--with-text").err


def test_texts_are_in_a_bundle_that_asks_for_them(run, copied, tmp_path):
    assert "texts of models" in run("doctor", "team.duckdb", "--bundle", "more.json", "--with-text").err
    assert json.loads((tmp_path / "more.json").read_text("utf-8"))["text"]["responses"]


def test_a_bundle_replaces_nothing_and_does_nothing_else(sentence, copied, tmp_path):
    """What is wrong with the words is said before anything is done."""
    (tmp_path / "bundle.json").write_text("mine")
    assert "already exists" in sentence("doctor", "team.duckdb", "--bundle", "bundle.json")
    assert (tmp_path / "bundle.json").read_text() == "mine"
    assert "without --fix" in sentence("doctor", "team.duckdb", "--bundle", "b.json", "--fix")
    assert "--bundle FILE" in sentence("doctor", "team.duckdb", "--with-text")
    assert "can't be written" in sentence("doctor", "team.duckdb", "--bundle", "no/b.json")


@pytest.fixture
def cut_off(tmp_path: Path) -> tuple[Path, str]:
    """A ledger, and a session of which it is written down that it is being forgotten."""
    path = tmp_path / "team.duckdb"
    with open_ledger(path) as ledger:
        for name in ("bad", "worse", "good"):
            ledger.record_turn(name, "One.")
        ledger.flush()
        asked = "SELECT session_id::VARCHAR FROM sessions WHERE external_id = 'bad'"
        [(bad,)] = ledger.sql(asked).fetchall()
        ledger.ingest()
    Intent.of([bad], [], ["bad"], forgotten_by="ann", why="").save(LedgerFiles.at(path))
    return path, bad


@pytest.mark.parametrize("name", ["its name", "its id", "its id's beginning", "nothing"])
def test_the_same_command_again_goes_on_and_succeeds(cut_off, name) -> None:
    """The session is not in the ledger any more: it is no stranger for that."""
    path, bad = cut_off
    called = {"its name": ["bad"], "its id": [bad], "its id's beginning": [bad[:9]], "nothing": []}[name]
    done = CliRunner().invoke(app, ["forget", *called, "--ledger", str(path), "--yes", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["forgotten"]["sessions"] == [bad]


def test_what_is_named_beside_it_is_forgotten_as_well(cut_off) -> None:
    """And what nothing is called is an error, as ever."""
    path, bad = cut_off
    done = CliRunner().invoke(app, ["forget", "bad", "worse", "--ledger", str(path), "--yes"])
    assert done.exit_code == 0, done.output
    with open_ledger(path, read_only=True) as ledger:
        assert ledger.sql("SELECT external_id FROM sessions").fetchall() == [("good",)]
    Intent.of([bad], [], ["bad"], forgotten_by="ann", why="").save(LedgerFiles.at(path))
    done = CliRunner().invoke(app, ["forget", "bad", "nobody", "--ledger", str(path), "--yes"])
    assert "no session 'nobody'" in str(done.exception)
