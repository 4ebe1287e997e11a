"""Repositories that are not as most are: the coder's actions say what git itself says of them."""

import subprocess

import pytest

from actionledger.core.vocabulary import ExecutionStatus, Reason


@pytest.fixture
def repository(session):
    """A session whose workspace is a repository with one commit of ``x``."""
    git(session, "init", "--quiet", "--initial-branch=main")
    session.write("x", "one\n")
    git(session, "add", "x")
    git(session, "commit", "--quiet", "-m", "First")
    return session


def git(session, *words, folder="."):
    done = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words],
        cwd=session.root / folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_repository_without_a_commit(session):
    """Has a status, no difference, and can be committed to."""
    git(session, "init", "--quiet", "--initial-branch=trunk")
    session.write("x", "one\n")
    assert session.done("git_status") == {"branch": "trunk", "files": [{"path": "x", "state": "??"}]}
    assert session.done("git_diff") == {"diff": ""}
    assert session.done("git_commit", message="First")["files"] == ["x"]


def test_a_head_that_is_on_no_branch(repository):
    """Is said, and can be left."""
    git(repository, "checkout", "--quiet", "--detach")
    assert repository.done("git_status")["branch"] == "HEAD (no branch)"
    repository.write("x", "two\n")
    commit = repository.done("git_commit", message="Loose")["commit"]
    assert git(repository, "rev-parse", "HEAD").strip() == commit
    assert repository.done("git_branch", name="kept")["created"]
    assert git(repository, "rev-parse", "kept").strip() == commit


def test_a_submodule_that_moves_is_committed_and_one_that_is_dirty_is_not_looked_into(repository):
    """What git stores of a submodule is one commit."""
    source = str(repository.root / ".git")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "deep/sub")
    assert sorted(repository.done("git_commit", message="Sub")["files"]) == [".gitmodules", "deep/sub"]
    repository.write("deep/sub/x", "dirty\n")
    assert repository.done("git_status")["files"] == []
    git(repository, "commit", "--quiet", "--all", "-m", "In it", folder="deep/sub")
    assert repository.done("git_status")["files"] == [{"path": "deep/sub", "state": "M"}]
    assert "Subproject commit" in repository.done("git_diff")["diff"]
    repository.write("x", "two\n")
    assert repository.done("git_commit", message="Moved", paths=["./deep/sub/"])["files"] == ["deep/sub"]
    inside = git(repository, "rev-parse", "HEAD", folder="deep/sub").strip()
    assert git(repository, "rev-parse", "HEAD:deep/sub").strip() == inside
    assert repository.done("git_status")["files"] == [{"path": "x", "state": "M"}]
    subprocess.run(["rm", "-r", repository.root / "deep"], check=True)
    assert repository.done("git_commit", message="Gone")["files"] == ["deep/sub", "x"]


def test_a_renamed_name_that_is_not_ascii(repository):
    """Both names are shown as they are."""
    git(repository, "mv", "x", "é 猫\t.txt")
    assert repository.done("git_status")["files"] == [
        {"path": "x", "state": "D"},
        {"path": "é 猫\t.txt", "state": "A"},
    ]
    assert "é 猫" in repository.done("git_diff", staged=True)["diff"]
    assert repository.done("git_commit", message="Renamed")["files"]


@pytest.mark.parametrize(("setting", "stored"), [("true", b"a\nb\n"), ("false", b"a\r\nb\r\n")])
def test_ends_of_lines_are_what_the_repository_says(repository, setting, stored):
    """That setting is data: it holds."""
    git(repository, "config", "core.autocrlf", setting)
    (repository.root / "lines").write_bytes(b"a\r\nb\r\n")
    repository.done("git_commit", message="Lines")
    blob = subprocess.run(
        ["git", "cat-file", "blob", "HEAD:lines"], cwd=repository.root, capture_output=True, check=True
    ).stdout
    assert blob == stored
    assert repository.done("git_status")["files"] == []


def test_a_difference_without_end_is_cut_and_a_status_is_not(repository):
    """A difference is for reading; a status of which the middle is missing would name files that are none."""
    repository.write("x", "".join(f"{number}\n" for number in range(200_000)))
    assert "characters left out" in repository.done("git_diff")["diff"]
    for number in range(400):
        repository.write(f"{'long' * 20}/{number}", "")
    files = repository.runtime.handle("<git_status></git_status>").observations[0].result["files"]
    assert {each["state"] for each in files} == {"M", "??"}
    assert len(files) == 401


def test_a_repository_by_a_newer_hash(session):
    """The format of a repository is data as well."""
    git(session, "init", "--quiet", "--initial-branch=main", "--object-format=sha256")
    session.write("x", "one\n")
    assert len(session.done("git_commit", message="First")["commit"]) == 64


def test_a_configuration_that_cannot_be_read_is_said(repository):
    """In git's words, and nothing crashes."""
    (repository.root / ".git/config").write_text("[core\n")
    observation = repository.run("git_status")
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.COMMAND_FAILED)
    assert "bad config" in observation.message


def test_settings_with_any_signs_arrive_as_they_are(repository):
    """Quotes, backslashes, lines and signs of a comment; names of remotes with dots."""
    name = 'Ada "the first" \\ # ; Ł\tové\nlace'
    git(repository, "config", "user.name", name.replace("\n", " "))
    git(repository, "config", "user.email", "a#b;c@example.org")
    git(repository, "config", 'remote.a.b"c.url', "https://127.0.0.1:1/x")
    repository.write("x", "two\n")
    repository.done("git_commit", message="Signs")
    assert git(repository, "log", "-1", "--format=%ae").strip() == "a#b;c@example.org"
    assert 'Ada "the first" \\ # ; Ł' in git(repository, "log", "-1", "--format=%an")


def test_a_tree_beside_the_main_one(repository, open_session):
    """A working tree whose repository lies elsewhere is refused, for an action could not be kept in its workspace."""
    git(repository, "worktree", "add", "--quiet", "../beside")
    beside = open_session(workspace=repository.root.parent / "beside")
    assert beside.run("git_status").reason is Reason.PATH_REFUSED
    assert repository.run("git_branch", name="beside").reason is Reason.COMMAND_FAILED


def test_what_a_filter_would_have_stored_otherwise_is_said(repository):
    """Git LFS would store a reference; here it is the file itself."""
    repository.write(".gitattributes", "*.bin filter=lfs -text\n")
    repository.write("a.bin", "much")
    result = repository.done("git_commit", message="Big")
    assert result["files"] == [".gitattributes", "a.bin"]
    assert "a filter for them, which is not run: a.bin." in result["notes"][0]
    repository.write("x", "two\n")
    assert "notes" not in repository.done("git_commit", message="Small")
