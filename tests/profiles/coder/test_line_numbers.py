"""A file told with line numbers, for a coder that is asked to: they are no part of the text, and no part of the catalogue."""

import re

import pytest
from typer.testing import CliRunner

import actionledger as al
from actionledger.cli import app
from actionledger.profiles.coder import CODER, coder_profile, with_commands
from actionledger.runtime.commands import CommandSettings

TEXT = "".join(f"line {number}\n" for number in range(1, 13))
READ = "<read_file><path>a.txt</path></read_file>"


@pytest.fixture
def session(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    with al.Runtime(coder_profile("coder", line_numbers=True), workspace=tmp_path, auto=True) as opened:
        yield opened


def modify(search):
    return f"<modify_file><path>a.txt</path><search>\n{search}\n</search><replace>\nnew\n</replace></modify_file>"


def test_each_line_is_told_behind_its_number(session):
    """To the right, with a tab; what is recorded is the text alone."""
    turn = session.handle(READ)
    assert "a.txt, 12 lines, each behind its number" in turn.feedback
    shown = turn.feedback.partition("```\n")[2].removesuffix("```")
    assert shown.startswith(" 1\tline 1\n 2\tline 2\n")
    assert re.sub(r"^ *\d+\t", "", shown, flags=re.MULTILINE) == TEXT
    assert turn.observations[0].result["content"] == TEXT


def test_a_part_is_counted_from_its_first_line(session):
    """As the file counts them."""
    told = session.handle(READ.replace("</path>", "</path><first_line>9</first_line>")).feedback
    assert "```\n 9\tline 9\n10\tline 10\n" in told


def test_what_is_cut_says_once_where_to_go_on(session, tmp_path):
    """The numbers take their part of the room."""
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 20_000)))
    told = session.handle(READ).feedback
    (further,) = re.findall(r"read on with first_line (\d+)", told)
    assert int(re.findall(r"^ *(\d+)\t", told, re.MULTILINE)[-1]) + 1 == int(further)


def test_a_dry_run_tells_them_too(tmp_path):
    """It is what the real run would be."""
    (tmp_path / "a.txt").write_text(TEXT)
    numbered = coder_profile("coder", line_numbers=True)
    with al.Runtime(numbered, workspace=tmp_path, auto=True, dry_run=True) as opened:
        assert "\n 1\tline 1\n" in opened.handle(READ).feedback


@pytest.mark.parametrize("copied", [" 2\tline 2\n 3\tline 3", "2| line 2\n\n", "\t2\tline 2"])
def test_numbers_in_an_edit_are_told(session, copied):
    """Nothing is changed: they may be the file's own."""
    told = session.handle(modify(copied)).feedback
    assert "The numbers before its lines are not part of the file: leave them out." in told
    assert "2| line 2" in told
    assert (session.workspace / "a.txt").read_text() == TEXT


def test_numbers_that_the_file_has_are_its_own(session):
    """A table may begin with them."""
    (session.workspace / "a.txt").write_text("1\tone\n2\ttwo\n")
    assert "succeeded" in session.handle(modify("2\ttwo")).feedback
    assert "numbers" not in session.handle(modify("three\n4\tfour")).feedback


def test_who_does_not_ask_has_none(tmp_path):
    """The catalogue and its parser are the same for both."""
    numbered = coder_profile("coder", line_numbers=True)
    assert (numbered.parser.id, numbered.catalogue) == (CODER.parser.id, CODER.catalogue)
    assert with_commands("coder", CommandSettings()) == "coder"
    assert with_commands("assistant", CommandSettings(), line_numbers=True) == "assistant"


@pytest.mark.parametrize("options", [["--line-numbers"], []])
def test_the_command_line_asks_for_them(tmp_path, options):
    """For ``run``; ``repl`` has the same option."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work/a.txt").write_text(TEXT)
    (tmp_path / "response.txt").write_text(READ)
    words = ["run", "coder", "--response", str(tmp_path / "response.txt"), "--auto"]
    places = ["--workspace", str(tmp_path / "work"), "--ledger", str(tmp_path / "l.duckdb")]
    told = CliRunner().invoke(app, [*words, *places, *options])
    assert told.exit_code == 0, told.output
    assert ("12 lines, each behind its number" in told.output) == bool(options)
