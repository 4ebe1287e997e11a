"""Nothing that a repository says starts a program: not for any action on it, of any profile, done or only tried."""

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import actionledger as al
from actionledger.errors import ActionError
from actionledger.execution.approval import Policy, Verdict
from actionledger.profiles.orchestrator.git import Repository
from actionledger.vocabulary import ExecutionStatus, Reason

from .programs_of_git import TRAPS, Trap, Trapped, git, hooks, lay, program, repository

ACTIONS = [
    ("git_status", {}),
    ("git_diff", {}),
    ("git_diff", {"path": "x", "staged": True}),
    ("git_commit", {"message": "Said", "paths": ["x"]}),
    ("git_commit", {"message": "All"}),
    ("git_branch", {"name": "other"}),
    ("git_branch", {"name": "fresh", "base": "main"}),
    ("git_push", {"branch": "main"}),
]
TRIED = list({name: (name, arguments) for name, arguments in ACTIONS}.values())
"""One of each: a dry run looks, and does nothing else."""

ANYTHING = Policy((("*", Verdict.APPROVE),))


def statuses(root: Path, *, dry_run: bool = False) -> dict[str, str]:
    """Do every action of every profile on a repository; return what came of each."""
    seen = {}
    with al.Runtime("coder", workspace=root, policy=ANYTHING, dry_run=dry_run) as runtime:
        for number, (name, arguments) in enumerate(TRIED if dry_run else ACTIONS):
            if name != "git_branch":
                (root / "x").write_text(f"{number}\n")
                (root / f"new {number}").write_text("new\n")
            (observation,) = runtime.handle(al.render([(name, arguments)], dialect="xml_tags")).observations
            seen[f"{name} {number}"] = f"{observation.status} {observation.message or ''}".strip()
    for act in (Repository(root).planned, *([] if dry_run else [Repository(root).create])):
        try:
            act("made", "main")
        except ActionError as error:
            seen[act.__name__] = str(error)
    return seen


@pytest.fixture
def trapped(tmp_path) -> Trapped:
    """A repository without a trap, so far."""
    repository(tmp_path / "work")
    return Trapped(tmp_path / "work")


def sprung(trapped: Trapped) -> list[str]:
    """Return the traps whose program has run, after all actions were tried and then done."""
    statuses(trapped.root, dry_run=True)
    statuses(trapped.root)
    return trapped.caught


def test_the_actions_do_what_they_say_where_there_is_no_trap(trapped):
    """Otherwise the tests below would show nothing."""
    assert set(statuses(trapped.root, dry_run=True).values()) == {"dry_run"}
    done = statuses(trapped.root)
    assert [word for word in done.values() if not word.startswith("succeeded")] == []
    assert git(trapped.root, "--git-dir=.git/remote", "log", "-1", "--format=%s", "main") == "All"


SOMEWHERE_ELSE = [name for name, trap in TRAPS.items() if trap.push_to != Trap({}).push_to]
TOGETHER = [name for name in TRAPS if name not in SOMEWHERE_ELSE]
GROUPS = 5
"""So many repositories have the traps between them: those that would hide each other lie in different ones."""

Caught = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def caught_beside(tmp_path_factory) -> Caught:
    """Return what tells which traps were sprung in the repository that one lies in; each is gone through once."""

    @cache
    def caught(names: tuple[str, ...]) -> list[str]:
        root = tmp_path_factory.mktemp("traps") / "work"
        repository(root)
        (root / ".git/attributes").write_text("* filter=a\n")
        for name in names:
            lay(root, name, TRAPS[name])
        return sprung(Trapped(root))

    def beside(name: str) -> list[str]:
        # There is but one address to push to.
        if name in SOMEWHERE_ELSE:
            return caught((name,))
        return caught(tuple(TOGETHER[TOGETHER.index(name) % GROUPS :: GROUPS]))

    return beside


@pytest.mark.parametrize("name", TRAPS)
def test_a_setting_starts_nothing(caught_beside, name):
    """In the repository's own configuration."""
    assert name not in caught_beside(name)


@pytest.mark.parametrize("place", ["included", "included by condition", "worktree"])
def test_a_setting_elsewhere_starts_nothing(trapped, place):
    """All of them at once, in a file that the configuration includes, or in that of the working tree."""
    root = trapped.root
    (root / ".git/attributes").write_text("* filter=a\n")
    file = root / ".git" / ("config.worktree" if place == "worktree" else "elsewhere")
    for name, trap in TRAPS.items():
        lay(root, name, trap, file)
    key = {"included": "include.path", "included by condition": "includeIf.gitdir:**.path"}.get(place)
    git(root, "config", *([key, str(file)] if key else ["extensions.worktreeConfig", "true"]))
    assert sprung(trapped) == []


@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes", "folder/.gitattributes"])
def test_an_attribute_starts_nothing(trapped, place):
    """Wherever attributes may stand."""
    root = trapped.root
    names = (
        "filter.clean",
        "filter.smudge",
        "filter.process",
        "diff.command",
        "diff.textconv",
        "merge.driver",
    )
    (root / "folder").mkdir()
    (root / "folder/x").write_text("x")
    for name in names:
        lay(root, name, Trap(TRAPS[name].settings))
    with (root / place).open("a") as attributes:
        attributes.write("* filter=c diff=t merge=m\n* filter=s\nx filter=p\n")
    assert sprung(trapped) == []


def test_a_hook_starts_nothing(trapped):
    """Where git looks for hooks by itself; and in the remote's folder, where a push would start them."""
    hooks(trapped.root, trapped.root / ".git/hooks", "hook")
    assert sprung(trapped) == []
    hooks(trapped.root, trapped.root / ".git/remote/hooks", "remote-hook")
    assert "with hooks, which are not run" in statuses(trapped.root)["git_push 7"]
    assert trapped.caught == []


@pytest.mark.parametrize(
    "setting", ["core.hooksPath", "core.fsmonitor", "core.alternateRefsCommand", "core.pager"]
)
def test_what_a_folder_that_is_pushed_to_says_starts_nothing(trapped, setting):
    """It is a repository as well."""
    remote = trapped.root / ".git/remote"
    value = program(trapped.root, "remote")
    if setting == "core.hooksPath":
        value = hooks(trapped.root, trapped.root / ".git/of-the-remote", "remote")
    git(remote, "config", setting, value)
    (remote / "objects/info").mkdir(exist_ok=True)
    (remote / "objects/info/alternates").write_text(str(trapped.root / ".git/objects") + "\n")
    assert sprung(trapped) == []


@pytest.mark.parametrize("setting", ["core.fsmonitor", "filter.c.clean", "core.worktree"])
@pytest.mark.parametrize("ignore", ["", "none"])
def test_a_submodule_starts_nothing(trapped, setting, ignore):
    """Git would look into it with a git of its own, whose configuration is the submodule's."""
    root = trapped.root
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(root / ".git"), "sub")
    git(root, "commit", "--quiet", "-m", "With a submodule")
    git(root / "sub", "config", setting, program(root, "submodule"))
    (root / ".git/modules/sub/info/attributes").write_text("* filter=c\n")
    # Of the same length, so that git has to look into it.
    (root / "sub/x").write_text("two\n")
    if ignore:
        git(root, "config", "--file", ".gitmodules", "submodule.sub.ignore", ignore)
        git(root, "config", "submodule.sub.ignore", ignore)
    assert sprung(trapped) == []


def test_what_a_partial_clone_lacks_is_not_fetched(trapped):
    """The remote's ``uploadpack`` is a program."""
    root = trapped.root
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.partialCloneFilter": "blob:none",
        "remote.origin.uploadpack": program(root, "uploadpack"),
    }.items():
        git(root, "config", name, value)
    blob = git(root, "rev-parse", "main:x")
    (root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert sprung(trapped) == []


def test_a_git_file_that_leads_out_is_refused(trapped, tmp_path):
    """Another repository's settings would hold, and another's branches be moved."""
    root = tmp_path / "elsewhere"
    lay(trapped.root, "core.fsmonitor", TRAPS["core.fsmonitor"])
    root.mkdir()
    (root / ".git").write_text(f"gitdir: {trapped.root}/.git\n")
    with al.Runtime("coder", workspace=root, policy=ANYTHING) as runtime:
        for name, arguments in ACTIONS:
            (observation,) = runtime.handle(al.render([(name, arguments)], dialect="xml_tags")).observations
            assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.PATH_REFUSED)
    assert trapped.caught == []


def test_a_git_file_that_stays_inside_is_followed(trapped):
    """And what it leads to starts nothing either."""
    root = trapped.root
    lay(root, "core.fsmonitor", TRAPS["core.fsmonitor"])
    shutil.move(root / ".git", root / "moved")
    (root / ".git").write_text("gitdir: moved\n")
    statuses(root)
    assert not list((root / "moved").glob("caught-*"))


def test_a_working_tree_elsewhere_is_not_read(trapped, tmp_path):
    """Git would commit the files of a folder that the configuration names."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private/secret").write_text("secret")
    git(trapped.root, "config", "core.worktree", str(tmp_path / "private"))
    statuses(trapped.root)
    assert "secret" not in git(trapped.root, "--work-tree=.", "log", "--all", "--name-only", "--format=")


def test_a_bare_repository_in_a_folder_starts_nothing(trapped):
    """It is a folder like others."""
    bare = trapped.root / "bare"
    git(trapped.root, "init", "--quiet", "--bare", str(bare))
    git(bare, "config", "core.fsmonitor", program(trapped.root, "bare"))
    assert sprung(trapped) == []
