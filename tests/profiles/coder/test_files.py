"""The coder's actions as a model asks for them, on the files of its workspace, with and without line numbers."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import actionledger as al
from actionledger.cli import app
from actionledger.core.values import Observation
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.profiles.coder import CODER, coder_profile, with_commands
from actionledger.runtime.commands import CommandSettings

NEEDS_APPROVAL = (
    "<create_file><path>x</path><content>x</content></create_file>",
    "<create_directory><path>x</path></create_directory>",
    "<modify_file><path>kept</path><search>k</search><replace>x</replace></modify_file>",
    "<execute_command><command>touch x</command></execute_command>",
)


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[al.Runtime]:
    """An automatic session: nobody is asked."""
    with al.Runtime("coder", workspace=tmp_path / "work", auto=True) as opened:
        yield opened


def run(runtime: al.Runtime, text: str) -> Observation:
    (observation,) = runtime.handle(text).observations
    return observation


def done(runtime: al.Runtime, text: str) -> object:
    observation = run(runtime, text)
    assert observation.status is ExecutionStatus.SUCCEEDED, observation.message
    return observation.result


def create(path: str, content: str) -> str:
    return f"<create_file>\n<path>{path}</path>\n<content>\n{content}</content>\n</create_file>"


def modify(path: str, search: str, replace: str) -> str:
    return (
        f"<modify_file>\n<path>{path}</path>\n<search>\n{search}\n</search>\n"
        f"<replace>\n{replace}\n</replace>\n</modify_file>"
    )


def read(path: str) -> str:
    return f"<read_file><path>{path}</path></read_file>"


def test_a_file_is_created_with_its_folders(runtime):
    """It holds just the content; the result counts bytes."""
    result = done(runtime, create("src/pkg/main.go", "package main\n\n// é\n"))
    assert result == {"path": "src/pkg/main.go", "bytes": 20, "created": True}
    assert (runtime.workspace / "src/pkg/main.go").read_text() == "package main\n\n// é\n"


def test_creating_a_file_again_overwrites_it(runtime):
    """The second content replaces all of the first, and the result says that the file was there."""
    done(runtime, create("x", "a long first content\n"))
    assert done(runtime, create("x", "")) == {"path": "x", "bytes": 0, "created": False}
    assert (runtime.workspace / "x").read_bytes() == b""


def test_a_directory_is_created_once(runtime):
    """Asking again is no error."""
    text = "<create_directory><path>a/b</path></create_directory>"
    assert done(runtime, text) == {"path": "a/b", "created": True}
    assert done(runtime, text) == {"path": "a/b", "created": False}
    assert (runtime.workspace / "a/b").is_dir()


def test_a_change_is_made_at_the_first_place_only(runtime):
    """The result says in which line, and how often the text was there, so that a wrong guess is noticed."""
    done(runtime, create("x", "one\ntwo\ntwo\ntwo\n"))
    assert done(runtime, modify("x", "two", "2")) == {"path": "x", "line": 2, "occurrences": 3}
    assert (runtime.workspace / "x").read_text() == "one\n2\ntwo\ntwo\n"


@pytest.mark.parametrize(
    ("search", "replace", "after"),
    [
        ("a.c", "X", "abc X\n"),
        ("abc", r"\g<0>\1\n", "\\g<0>\\1\\n a.c\n"),
        ("abc a.c", "", "\n"),
        ("abc", "abc", "abc a.c\n"),
    ],
)
def test_search_and_replace_are_plain_text(runtime, search, replace, after):
    """No character of them has a meaning of its own; a replacement may be empty."""
    (runtime.workspace / "x").write_text("abc a.c\n")
    text = f"<modify_file><path>x</path><search>{search}</search><replace>{replace}</replace></modify_file>"
    done(runtime, text)
    assert (runtime.workspace / "x").read_text() == after


def test_a_change_keeps_line_ends_and_permissions(runtime):
    """What isn't replaced stays byte for byte, and a script can still be run."""
    script = runtime.workspace / "run.sh"
    script.write_bytes(b"echo one\r\necho two\r\n")
    script.chmod(0o755)
    done(runtime, modify("run.sh", "two", "2"))
    assert script.read_bytes() == b"echo one\r\necho 2\r\n"
    assert script.stat().st_mode & 0o777 == 0o755


def test_a_text_that_is_not_there_is_not_replaced(runtime):
    """The file stays as it is, and the model is told to copy it exactly."""
    done(runtime, create("x", "hello\n"))
    observation = run(runtime, modify("x", "Hello", "x"))
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.NO_MATCH)
    assert "exactly" in observation.message
    assert (runtime.workspace / "x").read_text() == "hello\n"


def test_reading_gives_the_content(runtime):
    """It stands in the feedback that the model gets next."""
    done(runtime, create("x", "hello\n"))
    turn = runtime.handle(read("x"))
    assert turn.observations[0].result == {"path": "x", "content": "hello\n"}
    assert "hello" in turn.feedback


@pytest.mark.parametrize("text", [read("missing"), modify("missing", "a", "b"), read("no/such/folder")])
def test_what_is_not_there_is_not_found(runtime, text):
    """Neither to read nor to change; nothing is made by looking for it."""
    assert run(runtime, text).reason is Reason.NOT_FOUND
    assert list(runtime.workspace.iterdir()) == []


@pytest.mark.parametrize("path", ["/etc/hostname", "../secret", "a/../../secret", "~/secret", "C:\\secret"])
@pytest.mark.parametrize(
    "text",
    [
        "<create_file><path>{}</path><content>x</content></create_file>",
        "<create_directory><path>{}</path></create_directory>",
        "<modify_file><path>{}</path><search>s</search><replace>x</replace></modify_file>",
        "<read_file><path>{}</path></read_file>",
    ],
)
def test_no_action_leaves_the_workspace(runtime, text, path):
    """The path is refused, and nothing beside the workspace is made or changed."""
    secret = runtime.workspace.parent / "secret"
    secret.write_text("secret")
    observation = run(runtime, text.format(path))
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.PATH_REFUSED)
    assert secret.read_text() == "secret"
    assert sorted(path.name for path in runtime.workspace.parent.iterdir()) == ["secret", "work"]


def test_a_link_out_of_the_workspace_is_not_followed(runtime):
    """Not even one that somebody else put there."""
    secret = runtime.workspace.parent / "secret"
    secret.write_text("secret")
    (runtime.workspace / "link").symlink_to(secret)
    for text in (read("link"), create("link", "x"), modify("link", "s", "x")):
        assert run(runtime, text).reason is Reason.PATH_REFUSED
    assert secret.read_text() == "secret"


@pytest.mark.parametrize("text", NEEDS_APPROVAL)
def test_what_changes_something_waits_for_a_person(tmp_path, text):
    """Unless the session is automatic; until then nothing is changed."""
    (tmp_path / "kept").write_text("kept")
    with al.Runtime("coder", workspace=tmp_path) as runtime:
        assert run(runtime, text).status is ExecutionStatus.PENDING
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"kept": "kept"}


def test_reading_waits_for_nobody(tmp_path):
    """Looking changes nothing."""
    (tmp_path / "x").write_text("hello")
    with al.Runtime("coder", workspace=tmp_path) as runtime:
        assert done(runtime, read("x")) == {"path": "x", "content": "hello"}


def test_an_example_in_a_fence_is_not_run(runtime):
    """What the model shows is not what it does."""
    turn = runtime.handle(
        "Write it so:\n\n```xml\n" + create("shown", "x\n") + "\n```\n\n" + create("meant", "x\n")
    )
    assert [observation.result["path"] for observation in turn.observations] == ["meant"]
    assert [path.name for path in runtime.workspace.iterdir()] == ["meant"]


def test_a_file_of_ordinary_length_goes_back_whole(runtime):
    """A model can't change what it was shown the beginning of."""
    text = "".join(f"line {number}\n" for number in range(1500))
    (Path(runtime.workspace) / "long.txt").write_text(text)
    assert "line 1499" in runtime.handle("<read_file><path>long.txt</path></read_file>").feedback


TEXT = "".join(f"line {number}\n" for number in range(1, 13))
READ = "<read_file><path>a.txt</path></read_file>"


@pytest.fixture
def session(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    with al.Runtime(coder_profile("coder", line_numbers=True), workspace=tmp_path, auto=True) as opened:
        yield opened


def numbered_modify(search):
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
    told = session.handle(numbered_modify(copied)).feedback
    assert "The numbers before its lines are not part of the file: leave them out." in told
    assert "2| line 2" in told
    assert (session.workspace / "a.txt").read_text() == TEXT


def test_numbers_that_the_file_has_are_its_own(session):
    """A table may begin with them."""
    (session.workspace / "a.txt").write_text("1\tone\n2\ttwo\n")
    assert "succeeded" in session.handle(numbered_modify("2\ttwo")).feedback
    assert "numbers" not in session.handle(numbered_modify("three\n4\tfour")).feedback


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
