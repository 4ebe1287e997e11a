"""``doctor``: what it prints, and what a script is told. Each fault: ``tests/ledger/health``."""

import json
import shutil

import pytest

from actionledger.ledger.storage.files import LedgerFiles


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
    """And the command says so."""
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
