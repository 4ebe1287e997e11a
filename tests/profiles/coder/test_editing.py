"""What the document wished for, done and in a dry run."""

import pytest

from actionledger.core.values import Observation
from actionledger.core.vocabulary import ExecutionStatus, Reason

EDITS = """\
<<<<<<< SEARCH
one
=======
1
>>>>>>> REPLACE

<<<<<<< SEARCH
three
=======
3
drei
>>>>>>> REPLACE
"""


def test_several_edits_are_made_at_once(session):
    """The result says in which line each was."""
    session.write("x", "one\ntwo\nthree\n")
    assert session.done("edit_file", path="x", edits=EDITS) == {"path": "x", "lines": [1, 3]}
    assert session.read("x") == "1\ntwo\n3\ndrei\n"


@pytest.mark.parametrize(
    ("text", "reason"), [("one\n", Reason.NO_MATCH), ("one\nthree\nthree\n", Reason.SEVERAL_MATCHES)]
)
def test_of_several_edits_all_are_made_or_none(session, text, reason):
    """The model is told which one is in the way."""
    session.write("x", text)
    observation = session.run("edit_file", path="x", edits=EDITS)
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, reason)
    assert observation.message.startswith("Edit 2 of 2:")
    assert session.read("x") == text


def test_a_block_of_the_edit_dialect_changes_a_file(session):
    """A response may be written with SEARCH/REPLACE blocks as well as with tags, and with both."""
    session.write("app.py", "import flask\nrun()\n")
    text = (
        "app.py\n```python\n<<<<<<< SEARCH\nimport flask\n=======\nimport fastapi\n>>>>>>> REPLACE\n```\n"
        "<delete_file><path>old.py</path></delete_file>\n"
    )
    session.write("old.py", "")
    turn = session.runtime.handle(text)
    assert [each.status for each in turn.observations] == [ExecutionStatus.SUCCEEDED] * 2
    assert session.tree() == {"app.py": "import fastapi\nrun()\n"}


def test_a_block_that_searches_nothing_makes_a_file(session):
    """As that format has it; one that is there is not overwritten so."""
    session.done("search_replace", path="new.py", search="", replace="pass\n")
    assert session.read("new.py") == "pass\n"
    assert session.run("search_replace", path="new.py", search="", replace="x\n").reason is Reason.NO_MATCH


def test_a_regular_expression_changes_every_place(session):
    """Or the first one; groups stand for what they fitted."""
    session.write("x", "def a_old(): a_old()\n")
    done = session.done(
        "replace_in_file", path="x", pattern=r"(\w)_old", replacement=r"\1_new", every="false"
    )
    assert (done["occurrences"], done["changed"]) == (2, 1)
    assert session.read("x") == "def a_new(): a_old()\n"
    session.done("replace_in_file", path="x", pattern=r"(\w)_(old|new)", replacement=r"\1")
    assert session.read("x") == "def a(): a()\n"


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [("(", Reason.BAD_FORMAT), ("(a+)+$", Reason.TIMEOUT), ("nowhere", Reason.NO_MATCH)],
)
def test_a_regular_expression_that_does_not_work_changes_nothing(session, pattern, reason):
    """Neither one that is none, nor one that would take for ever."""
    session.write("x", "a" * 40 + "!\n")
    assert session.run("replace_in_file", path="x", pattern=pattern, replacement="").reason is reason
    assert session.read("x") == "a" * 40 + "!\n"


def test_a_file_is_deleted_and_a_folder_only_if_that_is_meant(session):
    """An empty folder is gone like a file."""
    session.write("a/x", "x")
    session.write("y", "y")
    assert session.done("delete_file", path="y") == {"path": "y", "deleted": 1}
    assert session.run("delete_file", path="a").reason is Reason.NOT_EMPTY
    assert session.done("delete_file", path="a", recursive="true") == {"path": "a", "deleted": 2}
    assert session.tree() == {}


def test_a_file_is_moved_and_overwrites_only_if_that_is_meant(session):
    """Folders above its new place are made."""
    session.write("x", "x")
    session.write("y", "y")
    assert session.run("move_file", path="x", target="y").reason is Reason.ALREADY_EXISTS
    session.done("move_file", path="x", target="a/b/x")
    assert session.done("move_file", path="a/b/x", target="y", overwrite="true")["overwritten"] is True
    assert session.tree() == {"y": "x"}


def test_a_part_of_a_file_is_read(session):
    """By its lines, with how many there are: what is too long for one message is read in several."""
    session.write("x", "".join(f"{number}\n" for number in range(1, 101)))
    done = session.done("read_file", path="x", first_line="99", last_line="200")
    assert done == {"path": "x", "first_line": 99, "last_line": 100, "lines": 100, "content": "99\n100\n"}
    assert session.done("read_file", path="x", last_line="1")["content"] == "1\n"
    assert session.done("read_file", path="x", first_line="101")["content"] == ""


@pytest.mark.parametrize(
    "path", [".git/config", "a/.GIT/hooks/pre-commit", ".git", "sub/.git./x", "x\\.git\\config"]
)
@pytest.mark.parametrize(
    "name",
    [
        "create_file",
        "create_directory",
        "modify_file",
        "edit_file",
        "search_replace",
        "replace_in_file",
        "delete_file",
        "move_file",
    ],
)
def test_the_folder_of_git_is_gits_own(session, name, path):
    """What an action wrote there, git would run as somebody's program."""
    session.write(".git/config", "kept")
    given = {
        "create_file": {"content": "x"},
        "create_directory": {},
        "modify_file": {"search": "k", "replace": "x"},
        "edit_file": {"edits": EDITS},
        "search_replace": {"search": "kept", "replace": "x"},
        "replace_in_file": {"pattern": "k", "replacement": "x"},
        "delete_file": {},
        "move_file": {"target": "x"},
    }[name]
    observation = session.run(name, path=path, **given)
    assert observation.reason is Reason.PATH_REFUSED
    assert session.read(".git/config") == "kept"


def test_nothing_is_moved_into_the_folder_of_git(session):
    """The target counts as well."""
    session.write("hook", "x")
    assert session.run("move_file", path="hook", target=".git/hooks/pre-commit").reason is Reason.PATH_REFUSED


@pytest.mark.parametrize("path", ["/etc/hostname", "../secret", "a/../../secret", "~/secret"])
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("edit_file", {"edits": EDITS}),
        ("search_replace", {"search": "secret\n", "replace": ""}),
        ("replace_in_file", {"pattern": "s", "replacement": ""}),
        ("delete_file", {"recursive": "true"}),
        ("move_file", {"target": "x"}),
    ],
)
def test_no_action_leaves_the_workspace(session, name, given, path):
    secret = session.root.parent / "secret"
    secret.write_text("secret\n")
    session.write("own", "own")
    assert session.run(name, path=path, **given).reason is Reason.PATH_REFUSED
    assert session.run("move_file", path="own", target=path).reason is Reason.PATH_REFUSED
    assert secret.read_text() == "secret\n"
    assert session.tree() == {"own": "own"}


def statuses(observations: tuple[Observation, ...]) -> dict[int, str]:
    return {each.action_index: each.status.value for each in observations}


def test_actions_run_in_the_order_that_they_ask_for(session):
    """An action that waits for another comes behind it; where that one fails it isn't run."""
    turn = session.handle(
        ("read_file", {"path": "x", "depends_on": "make"}),
        ("create_file", {"path": "x", "content": "made", "id": "make"}),
        ("read_file", {"path": "missing", "id": "look"}),
        ("delete_file", {"path": "x", "depends_on": '["look"]'}),
    )
    assert statuses(turn.observations) == {0: "succeeded", 1: "succeeded", 2: "failed", 3: "skipped"}
    assert session.tree() == {"x": "made"}


def test_content_may_hold_what_came_of_an_action_before(session):
    """The output of a command, or a part of what was read; other text that looks alike stays as it is."""
    session.write("name", "Ada")
    turn = session.handle(
        ("read_file", {"path": "name"}),
        ("create_file", {"path": "hello.sh", "content": "echo ${HOME} ${action_1.content}\n"}),
        ("create_file", {"path": "copy", "content": "${action_2.bytes}"}),
    )
    assert statuses(turn.observations)[1] == "succeeded", turn.observations[1].message
    assert session.read("hello.sh") == "echo ${HOME} Ada\n"


@pytest.fixture
def dry(open_session):
    session = open_session(dry_run=True)
    session.write("x", "one\ntwo\n")
    return session


def results(turn):
    assert {each.status for each in turn.observations} == {ExecutionStatus.DRY_RUN}
    return [each.result or each.message for each in turn.observations]


def test_each_action_shows_what_it_would_change(dry):
    """As a difference to what is there; the next action sees what the one before it would leave."""
    turn = dry.handle(
        ("modify_file", {"path": "x", "search": "two", "replace": "2"}),
        ("read_file", {"path": "x"}),
        ("create_file", {"path": "a/new", "content": "new\n"}),
        ("move_file", {"path": "a/new", "target": "moved"}),
        ("delete_file", {"path": "x"}),
    )
    modified, read, created, moved, deleted = results(turn)
    assert modified["line"] == 2
    assert "changed x\n--- a/x\n+++ b/x\n" in modified["diff"]
    assert "-two\n+2" in modified["diff"]
    assert read == {"path": "x", "content": "one\n2\n"}
    assert "created a/new" in created["diff"]
    assert "+new" in created["diff"]
    assert moved["diff"] == "moved moved\n(moved from a/new)"
    assert "deleted x" in deleted["diff"]
    assert "-one\n-2" in deleted["diff"]
    assert dry.tree() == {"x": "one\ntwo\n"}


def test_a_file_that_is_made_and_changed_differs_from_what_the_one_before_would_leave(dry):
    """Not from nothing, and not from what is on the disk: each action shows its own share, one that changes nothing none."""
    turn = dry.handle(
        ("create_file", {"path": "new", "content": "1\n2\n"}),
        ("create_file", {"path": "new", "content": "1\nzwei\n"}),
        ("modify_file", {"path": "new", "search": "1", "replace": "eins"}),
        ("create_file", {"path": "x", "content": "three\n"}),
        ("create_file", {"path": "x", "content": "one\ntwo\n"}),
        ("create_file", {"path": "x", "content": "one\ntwo\n"}),
        ("delete_file", {"path": "new"}),
    )
    made, again, modified, other, back, same, deleted = results(turn)
    assert (made["created"], again["created"]) == (True, False)
    assert made["diff"].splitlines()[0] == "created new"
    assert again["diff"].splitlines() == [
        "changed new", "--- a/new", "+++ b/new", "@@ -1,2 +1,2 @@", " 1", "-2", "+zwei"
    ]  # fmt: skip
    assert modified["diff"].splitlines()[-3:] == ["-1", "+eins", " zwei"]
    assert "-one\n-two\n+three" in other["diff"]
    assert "-three\n+one\n+two" in back["diff"]
    assert same["diff"] == ""
    assert deleted["diff"].splitlines()[0] == "deleted new"
    assert dry.tree() == {"x": "one\ntwo\n"}


def test_the_next_turn_begins_with_what_is_there(dry):
    """What a dry run would have done is forgotten."""
    dry.handle(("delete_file", {"path": "x"}))
    assert results(dry.handle(("read_file", {"path": "x"}))) == [{"path": "x", "content": "one\ntwo\n"}]


def test_what_would_fail_says_so(dry):
    """With the sentence that the model would get."""
    (told,) = results(dry.handle(("modify_file", {"path": "x", "search": "three", "replace": "3"})))
    assert told.startswith("It would fail. The search text does not occur in 'x'.")


@pytest.mark.parametrize(
    ("command", "told"), [("touch made", ["touch", "made"]), ("touch made; ls", "It would fail.")]
)
def test_a_command_is_only_split_into_words(dry, command, told):
    """Or refused as it would be."""
    (result,) = results(dry.handle(("execute_command", {"command": command})))
    assert result["would_run"] == told if isinstance(result, dict) else result.startswith(told)
    assert dry.tree() == {"x": "one\ntwo\n"}


def test_actions_on_a_repository_look_and_change_nothing(open_session, dry):
    open_session().done("execute_command", command="git init --quiet --initial-branch=main .")
    committed, switched, status = results(
        dry.handle(("git_commit", {"message": "x"}), ("git_branch", {"name": "y"}), ("git_status", {}))
    )
    assert committed["would_commit"] == "x"
    assert committed["files"] == [{"path": "x", "state": "??"}]
    assert switched == {"would_switch_to": "y", "would_create": True}
    assert status == {"branch": "main", "files": [{"path": "x", "state": "??"}]}
