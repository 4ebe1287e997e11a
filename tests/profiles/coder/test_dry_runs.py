"""In a dry run each action says what it would do, on what those before it would leave; nothing is done."""

import pytest

from actionledger.core.vocabulary import ExecutionStatus


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
    """They say what they would do."""
    open_session().done("execute_command", command="git init --quiet --initial-branch=main .")
    committed, switched, status = results(
        dry.handle(("git_commit", {"message": "x"}), ("git_branch", {"name": "y"}), ("git_status", {}))
    )
    assert committed["would_commit"] == "x"
    assert committed["files"] == [{"path": "x", "state": "??"}]
    assert switched == {"would_switch_to": "y", "would_create": True}
    assert status == {"branch": "main", "files": [{"path": "x", "state": "??"}]}
