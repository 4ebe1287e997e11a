"""The coder's actions on repositories, ordinary and odd ones: what git says, and nothing that the repository would have run."""

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


@pytest.fixture
def odd_repository(session):
    """A session whose workspace is a repository with one commit of ``x``."""
    odd_git(session, "init", "--quiet", "--initial-branch=main")
    session.write("x", "one\n")
    odd_git(session, "add", "x")
    odd_git(session, "commit", "--quiet", "-m", "First")
    return session


def odd_git(session, *words, folder="."):
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
    odd_git(session, "init", "--quiet", "--initial-branch=trunk")
    session.write("x", "one\n")
    assert session.done("git_status") == {"branch": "trunk", "files": [{"path": "x", "state": "??"}]}
    assert session.done("git_diff") == {"diff": ""}
    assert session.done("git_commit", message="First")["files"] == ["x"]


def test_a_head_that_is_on_no_branch(odd_repository):
    """Is said, and can be left."""
    odd_git(odd_repository, "checkout", "--quiet", "--detach")
    assert odd_repository.done("git_status")["branch"] == "HEAD (no branch)"
    odd_repository.write("x", "two\n")
    commit = odd_repository.done("git_commit", message="Loose")["commit"]
    assert odd_git(odd_repository, "rev-parse", "HEAD").strip() == commit
    assert odd_repository.done("git_branch", name="kept")["created"]
    assert odd_git(odd_repository, "rev-parse", "kept").strip() == commit


def test_a_submodule_that_moves_is_committed_and_one_that_is_dirty_is_not_looked_into(odd_repository):
    """What git stores of a submodule is one commit."""
    source = str(odd_repository.root / ".git")
    odd_git(
        odd_repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "deep/sub"
    )
    assert sorted(odd_repository.done("git_commit", message="Sub")["files"]) == [".gitmodules", "deep/sub"]
    odd_repository.write("deep/sub/x", "dirty\n")
    assert odd_repository.done("git_status")["files"] == []
    odd_git(odd_repository, "commit", "--quiet", "--all", "-m", "In it", folder="deep/sub")
    assert odd_repository.done("git_status")["files"] == [{"path": "deep/sub", "state": "M"}]
    assert "Subproject commit" in odd_repository.done("git_diff")["diff"]
    odd_repository.write("x", "two\n")
    assert odd_repository.done("git_commit", message="Moved", paths=["./deep/sub/"])["files"] == ["deep/sub"]
    inside = odd_git(odd_repository, "rev-parse", "HEAD", folder="deep/sub").strip()
    assert odd_git(odd_repository, "rev-parse", "HEAD:deep/sub").strip() == inside
    assert odd_repository.done("git_status")["files"] == [{"path": "x", "state": "M"}]
    subprocess.run(["rm", "-r", odd_repository.root / "deep"], check=True)
    assert odd_repository.done("git_commit", message="Gone")["files"] == ["deep/sub", "x"]


def test_a_renamed_name_that_is_not_ascii(odd_repository):
    """Both names are shown as they are."""
    odd_git(odd_repository, "mv", "x", "é 猫\t.txt")
    assert odd_repository.done("git_status")["files"] == [
        {"path": "x", "state": "D"},
        {"path": "é 猫\t.txt", "state": "A"},
    ]
    assert "é 猫" in odd_repository.done("git_diff", staged=True)["diff"]
    assert odd_repository.done("git_commit", message="Renamed")["files"]


@pytest.mark.parametrize(("setting", "stored"), [("true", b"a\nb\n"), ("false", b"a\r\nb\r\n")])
def test_ends_of_lines_are_what_the_repository_says(odd_repository, setting, stored):
    """That setting is data: it holds."""
    odd_git(odd_repository, "config", "core.autocrlf", setting)
    (odd_repository.root / "lines").write_bytes(b"a\r\nb\r\n")
    odd_repository.done("git_commit", message="Lines")
    blob = subprocess.run(
        ["git", "cat-file", "blob", "HEAD:lines"], cwd=odd_repository.root, capture_output=True, check=True
    ).stdout
    assert blob == stored
    assert odd_repository.done("git_status")["files"] == []


def test_a_difference_without_end_is_cut_and_a_status_is_not(odd_repository):
    """A difference is for reading; a status of which the middle is missing would name files that are none."""
    odd_repository.write("x", "".join(f"{number}\n" for number in range(200_000)))
    assert "characters left out" in odd_repository.done("git_diff")["diff"]
    for number in range(400):
        odd_repository.write(f"{'long' * 20}/{number}", "")
    files = odd_repository.runtime.handle("<git_status></git_status>").observations[0].result["files"]
    assert {each["state"] for each in files} == {"M", "??"}
    assert len(files) == 401


def test_a_repository_by_a_newer_hash(session):
    """The format of a repository is data as well."""
    odd_git(session, "init", "--quiet", "--initial-branch=main", "--object-format=sha256")
    session.write("x", "one\n")
    assert len(session.done("git_commit", message="First")["commit"]) == 64


def test_a_configuration_that_cannot_be_read_is_said(odd_repository):
    (odd_repository.root / ".git/config").write_text("[core\n")
    observation = odd_repository.run("git_status")
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.COMMAND_FAILED)
    assert "bad config" in observation.message


def test_settings_with_any_signs_arrive_as_they_are(odd_repository):
    """Quotes, backslashes, lines and signs of a comment; names of remotes with dots."""
    name = 'Ada "the first" \\ # ; Ł\tové\nlace'
    odd_git(odd_repository, "config", "user.name", name.replace("\n", " "))
    odd_git(odd_repository, "config", "user.email", "a#b;c@example.org")
    odd_git(odd_repository, "config", 'remote.a.b"c.url', "https://127.0.0.1:1/x")
    odd_repository.write("x", "two\n")
    odd_repository.done("git_commit", message="Signs")
    assert odd_git(odd_repository, "log", "-1", "--format=%ae").strip() == "a#b;c@example.org"
    assert 'Ada "the first" \\ # ; Ł' in odd_git(odd_repository, "log", "-1", "--format=%an")


def test_a_tree_beside_the_main_one(odd_repository, open_session):
    """A working tree whose repository lies elsewhere is refused, for an action could not be kept in its workspace."""
    odd_git(odd_repository, "worktree", "add", "--quiet", "../beside")
    beside = open_session(workspace=odd_repository.root.parent / "beside")
    assert beside.run("git_status").reason is Reason.PATH_REFUSED
    assert odd_repository.run("git_branch", name="beside").reason is Reason.COMMAND_FAILED


def test_what_a_filter_would_have_stored_otherwise_is_said(odd_repository):
    """Git LFS would store a reference; here it is the file itself."""
    odd_repository.write(".gitattributes", "*.bin filter=lfs -text\n")
    odd_repository.write("a.bin", "much")
    result = odd_repository.done("git_commit", message="Big")
    assert result["files"] == [".gitattributes", "a.bin"]
    assert "a filter for them, which is not run: a.bin." in result["notes"][0]
    odd_repository.write("x", "two\n")
    assert "notes" not in odd_repository.done("git_commit", message="Small")
