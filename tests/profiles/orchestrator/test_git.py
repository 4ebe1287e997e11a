"""Branches in real repositories: created, left alone, or refused; and nothing of the repository's own runs."""

import os
import stat

import pytest

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.orchestrator.handlers import Repository


def refused(repository, name, base="main"):
    """Return why a branch is not created."""
    with pytest.raises(ActionError) as caught:
        Repository(repository).create(name, base)
    return caught.value


@pytest.mark.parametrize("name", ["feature/jwt-auth", "größe", "a.b", "x" * 200])
def test_a_branch_is_created_at_its_base(repository, git, name):
    """It points at the base's commit, and what is checked out stays."""
    branch = Repository(repository).create(name, "main")
    assert (branch.name, branch.is_new, branch.base) == (name, True, "main")
    assert branch.commit == git("rev-parse", f"refs/heads/{name}") == git("rev-parse", "main")
    assert git("symbolic-ref", "--short", "HEAD") == "main"


def test_a_branch_that_is_there_at_the_same_commit_is_left_as_it_is(repository):
    """Asking twice does no more than asking once, and says so."""
    first = Repository(repository).create("x", "main")
    assert Repository(repository).create("x", "main") == first._replace(is_new=False)


def test_a_branch_at_another_commit_is_never_moved(repository, git):
    git("branch", "x")
    before = git("rev-parse", "x")
    git("commit", "--quiet", "--allow-empty", "-m", "second")
    error = refused(repository, "x")
    assert error.reason is Reason.ALREADY_EXISTS
    assert git("rev-parse", "x") == before


HOSTILE = [
    "",
    "-d",
    "--force",
    "-",
    "HEAD",
    "@{-1}",
    "@",
    "a..b",
    "a b",
    "a\nb",
    "a\0b",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[b",
    "a\\b",
    "/a",
    "a/",
    "a//b",
    "a.lock",
    ".a",
    "a/.b",
    "a.",
    "../../etc/passwd",
    "$(touch x)",
    "x" * 201,
    "x" * 100_000,
    "\ud800",
    "a\x7f",
    "a\u202eb",
]


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: ascii(name)[:30])
def test_a_name_that_is_none_is_refused(repository, git, name):
    """As a branch and as a base: nothing is created, and the message shows how names are written."""
    for error in (refused(repository, name), refused(repository, "fine", base=name)):
        assert error.reason is Reason.BAD_FORMAT
        assert "feature/jwt-auth" in str(error)
        assert len(str(error)) < 1500
    assert git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_the_base_must_exist(repository):
    error = refused(repository, "x", base="develop")
    assert error.reason is Reason.NOT_FOUND
    assert "'develop'" in str(error)
    assert "main" in str(error)


def test_a_tag_is_no_base(repository, git):
    """A branch starts from a branch."""
    git("tag", "v1")
    assert refused(repository, "x", base="v1").reason is Reason.NOT_FOUND


def test_a_remote_branch_is_a_base(repository, git):
    """What was fetched can be started from by its name."""
    git("update-ref", "refs/remotes/origin/dev", "HEAD")
    assert Repository(repository).create("x", "origin/dev").base == "origin/dev"


def test_a_branch_cannot_be_the_folder_of_another(repository):
    """Git's own sentence reaches the model."""
    Repository(repository).create("a", "main")
    error = refused(repository, "a/b")
    assert error.reason is Reason.ALREADY_EXISTS
    assert "refs/heads/a" in str(error)


def test_a_repository_without_a_commit_has_no_base(tmp_path, git):
    """There is nothing to start from, and the message says why."""
    (tmp_path / "repository").mkdir()
    git("init", "--quiet", "--initial-branch=main")
    error = refused(tmp_path / "repository", "x")
    assert error.reason is Reason.NOT_FOUND
    assert "no commit yet" in str(error)


def test_a_folder_that_is_no_repository_is_refused(tmp_path, repository):
    """Neither one that is missing nor one below a repository stands for it."""
    below = repository / "below"
    below.mkdir()
    for folder in (tmp_path / "missing", tmp_path, below):
        error = refused(folder, "x")
        assert error.reason is Reason.NOT_FOUND
        assert "no git repository" in str(error)


def test_a_machine_without_git_is_refused(repository, tmp_path, monkeypatch):
    """The model hears that it can't have a branch, and nothing crashes."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refused(repository, "x").reason is Reason.UNAVAILABLE


def test_a_git_that_cannot_be_run_is_refused(repository, tmp_path, monkeypatch):
    """So it is with a program of that name that the system won't start."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text("not a program")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    assert refused(repository, "x").reason is Reason.UNAVAILABLE


def test_hooks_and_configured_programs_do_not_run(repository, git, tmp_path):
    """A repository whose hooks and settings name programs creates a branch without starting any."""
    witness = tmp_path / "ran"
    program = repository / ".git" / "hooks" / "reference-transaction"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\ntouch {witness}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    git("config", "core.fsmonitor", str(program))
    git("config", "core.pager", str(program))
    git("update-ref", "refs/heads/control", "HEAD")
    assert witness.exists(), "the hook must be able to run, or the test shows nothing"
    witness.unlink()
    Repository(repository).create("x", "main")
    assert not witness.exists()


def test_the_callers_environment_does_not_lead_git_elsewhere(repository, tmp_path, monkeypatch):
    """GIT_DIR and a configuration by environment are not handed on."""
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "no number")
    assert Repository(repository).create("x", "main").is_new
    assert "GIT_DIR" in os.environ


def test_a_plan_of_a_branch_creates_none(repository, git):
    """A preview checks all that the creation checks, and changes nothing."""
    planned = Repository(repository).planned("x", "main")
    assert (planned.is_new, planned.commit) == (True, git("rev-parse", "main"))
    assert git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
