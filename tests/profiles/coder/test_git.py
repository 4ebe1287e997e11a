"""The coder's actions on a repository: real git, and nothing that the repository would have it run."""

import shutil
import subprocess

import pytest

import actionledger as al
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.runtime.execution.approval import Policy, Verdict


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """A repository that the coder has made, with one commit of ``x``."""
    root = tmp_path_factory.mktemp("committed")
    (root / "x").write_text("one\n")
    actions = [
        ("execute_command", {"command": "git init --quiet --initial-branch=main ."}),
        ("git_commit", {"message": "First"}),
    ]
    with al.Runtime("coder", workspace=root, auto=True) as runtime:
        done = runtime.handle(al.render(actions, dialect="xml_tags")).observations
    assert [one.status for one in done] == [ExecutionStatus.SUCCEEDED] * 2
    return root


@pytest.fixture
def repository(session, committed):
    """A session whose workspace is a copy of it."""
    shutil.copytree(committed, session.root, dirs_exist_ok=True)
    return session


def git(session, *words):
    return subprocess.run(
        ["git", *words], cwd=session.root, capture_output=True, text=True, check=True
    ).stdout


def test_a_commit_holds_all_that_has_changed(repository):
    """New, changed and deleted files; the result names the commit and its files."""
    repository.write("x", "two\n")
    repository.write("a b", "new\n")
    result = repository.done("git_commit", message="Second\n\nWith a body; and $(signs)")
    assert result == {"commit": git(repository, "rev-parse", "HEAD").strip(), "files": ["a b", "x"]}
    assert git(repository, "log", "-1", "--format=%B").strip() == "Second\n\nWith a body; and $(signs)"
    (repository.root / "x").unlink()
    assert repository.done("git_commit", message="Third")["files"] == ["x"]


def test_a_commit_may_be_of_some_paths_only(repository):
    """What is not named stays as it is."""
    for name in ("a", "b", "-c", "*"):
        repository.write(name, name)
    assert repository.done("git_commit", message="Some", paths="a\n-c\n*")["files"] == ["*", "-c", "a"]
    assert repository.done("git_status")["files"] == [{"path": "b", "state": "??"}]


def test_who_commits_is_what_the_repository_says(repository, monkeypatch):
    """Else what the environment says, else the toolkit itself."""
    assert (
        git(repository, "log", "-1", "--format=%an <%ae>").strip() == "actionledger <actionledger@localhost>"
    )
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Ada")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "ada@example.org")
    repository.write("y", "y")
    repository.done("git_commit", message="y")
    assert git(repository, "log", "-1", "--format=%an <%ae>").strip() == "Ada <ada@example.org>"
    git(repository, "config", "user.name", "Grace")
    repository.write("z", "x")
    repository.done("git_commit", message="z")
    assert git(repository, "log", "-1", "--format=%an <%ae>").strip() == "Grace <ada@example.org>"
    git(repository, "config", "user.email", "grace@example.org")
    repository.write("z", "z")
    repository.done("git_commit", message="z")
    assert git(repository, "log", "-1", "--format=%an <%ae>").strip() == "Grace <grace@example.org>"


def test_nothing_to_commit_is_said(repository):
    """An empty commit is none."""
    assert repository.run("git_commit", message="x").reason is Reason.NO_MATCH


def test_committed_names_are_shown_as_they_are(repository):
    """Git would write them with quotes and numbers otherwise."""
    repository.write("é 猫", "")
    assert repository.done("git_commit", message="x")["files"] == ["é 猫"]


def test_status_and_difference_are_shown(repository):
    """Paths as they are, the branch, and what has changed since the last commit."""
    repository.write("x", "two\n")
    repository.write("é 猫", "")
    assert repository.done("git_status") == {
        "branch": "main",
        "files": [{"path": "x", "state": "M"}, {"path": "é 猫", "state": "??"}],
    }
    assert "-one\n+two" in repository.done("git_diff", path="x")["diff"]
    assert repository.done("git_diff", staged="true")["diff"] == ""


def test_a_branch_is_made_once_and_switched_to(repository):
    """The next time it is only switched to."""
    assert repository.done("git_branch", name="feature/x") == {"branch": "feature/x", "created": True}
    assert repository.done("git_branch", name="main") == {"branch": "main", "created": False}
    assert repository.done("git_branch", name="feature/x") == {"branch": "feature/x", "created": False}
    assert repository.run("git_branch", name="y", base="nowhere").reason is Reason.COMMAND_FAILED


@pytest.mark.parametrize(
    "name", ["-d", "--orphan", "a..b", "a b", "HEAD~1", "@{-1}x", "x.lock", "HEAD", "@", "@{-1}"]
)
def test_what_is_no_name_of_a_branch_is_refused(repository, name):
    """Nor is an option of git's own, or what git takes for the branch of before."""
    git(repository, "switch", "--quiet", "--create", "before")
    git(repository, "switch", "--quiet", "main")
    git(repository, "branch", "--quiet", "-D", "before")
    assert repository.run("git_branch", name=name).reason is Reason.BAD_FORMAT
    assert repository.run("git_branch", name="y", base="-x").reason is Reason.BAD_FORMAT
    assert git(repository, "branch", "--format=%(refname:short)").split() == ["main"]


@pytest.mark.parametrize("name", ["git_status", "git_diff", "git_commit", "git_branch"])
def test_a_workspace_that_is_no_repository_is_said(session, name):
    """And none further up is taken for it."""
    subprocess.run(["git", "init", "--quiet", session.root.parent], check=True)
    given = {"git_commit": {"message": "x"}, "git_branch": {"name": "x"}}.get(name, {})
    assert session.run(name, **given).reason is Reason.NOT_FOUND


def test_nothing_is_pushed_unless_the_policy_allows_it(open_session):
    """In an automatic session neither; where it may, the branch arrives, without a hook."""
    session = open_session()
    session.done("execute_command", command="git init --quiet --initial-branch=main .")
    session.done("execute_command", command="git init --quiet --bare remote")
    session.done("execute_command", command="git remote add origin ./remote")
    session.write("x", "x")
    session.done("git_commit", message="x", paths="x")
    assert session.run("git_push", branch="main").status is ExecutionStatus.DENIED
    session.write(".git/hooks/pre-push", "#!/bin/sh\ntouch caught\n")
    (session.root / ".git/hooks/pre-push").chmod(0o755)
    allowing = open_session(policy=Policy((("*", Verdict.APPROVE),)))
    assert allowing.run("git_push", branch="main", remote="--mirror").reason is Reason.NOT_FOUND
    assert allowing.run("git_push", branch="+main").reason is Reason.NOT_FOUND
    assert allowing.done("git_push", branch="main") == {"remote": "origin", "branch": "main"}
    assert git(session, "-C", "remote", "log", "-1", "--format=%s", "main").strip() == "x"
    assert not (session.root / "caught").exists()


def test_a_commit_is_undone_as_if_it_had_never_been(repository):
    """The branch is back where it was, and so is what was about to be committed."""
    before = git(repository, "rev-parse", "HEAD")
    repository.write("x", "two and more\n")
    repository.done("git_commit", message="Second")
    repository.runtime.undo()
    assert git(repository, "rev-parse", "HEAD") == before
    assert git(repository, "status", "--porcelain") == " M x\n"
