"""Nothing that a repository says starts a program: not for any action on it, of any profile, done or only tried."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from effort import soaked

import actionledger as al
from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.profiles.orchestrator.handlers import Repository
from actionledger.runtime.execution.approval import Policy, Verdict

from .programs_of_git import TRAPS, Trap, Trapped, git, hooks, lay, program, repository

ACTIONS = {
    "status": ("git_status", {}),
    "diff": ("git_diff", {}),
    "diff staged": ("git_diff", {"path": "x", "staged": True}),
    "commit of paths": ("git_commit", {"message": "Said", "paths": ["x"]}),
    "commit": ("git_commit", {"message": "All"}),
    "switch": ("git_branch", {"name": "other"}),
    "branch": ("git_branch", {"name": "fresh", "base": "main"}),
    "push": ("git_push", {"branch": "main"}),
}
"""Each calls git in a way that no other does. A trap is tried with those that could spring it, each of them once."""

LOOK_INTO_FILES = ("status", "diff", "commit")
ANYTHING = Policy((("*", Verdict.APPROVE),))


def statuses(root: Path, *which: str, dry_run: bool = False) -> dict[str, str]:
    """Do some actions on a repository, all where none is named; return what came of each."""
    seen = {}
    with al.Runtime("coder", workspace=root, policy=ANYTHING, dry_run=dry_run) as runtime:
        for each in which or ACTIONS:
            name, arguments = ACTIONS[each]
            if name != "git_branch":
                (root / "x").write_text(f"{each}\n")
                (root / f"new {each}").write_text("new\n")
            (observation,) = runtime.handle(al.render([(name, arguments)], dialect="xml_tags")).observations
            seen[each] = f"{observation.status} {observation.message or ''}".strip()
    return seen


def orchestrated(root: Path) -> None:
    """Make a branch as an orchestrator does, with whatever comes of it."""
    with suppress(ActionError):
        Repository(root).create("made", "main")


@pytest.fixture
def trapped(tmp_path) -> Trapped:
    """A repository without a trap, so far."""
    repository(tmp_path / "work")
    return Trapped(tmp_path / "work")


def sprung(trapped: Trapped, *which: str) -> list[str]:
    """Return the traps whose program has run, after some actions were done, or all."""
    statuses(trapped.root, *which)
    if not which:
        orchestrated(trapped.root)
    return trapped.caught


def test_the_actions_do_what_they_say_where_there_is_no_trap(trapped):
    """Otherwise the tests below would show nothing."""
    assert set(statuses(trapped.root, dry_run=True).values()) == {"dry_run"}
    done = statuses(trapped.root)
    assert [word for word in done.values() if not word.startswith("succeeded")] == []
    assert Repository(trapped.root).create("made", "main").is_new
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
        # Where another address matters, only a push asks for it.
        which = ["push"] if set(names) <= set(SOMEWHERE_ELSE) else [*LOOK_INTO_FILES, "switch", "push"]
        return sprung(Trapped(root), *which)

    def beside(name: str) -> list[str]:
        # There is but one address to push to.
        if name in SOMEWHERE_ELSE:
            return caught((name,))
        return caught(tuple(TOGETHER[TOGETHER.index(name) % GROUPS :: GROUPS]))

    return beside


@pytest.mark.parametrize("name", TRAPS)
def test_a_setting_starts_nothing(caught_beside, name):
    assert name not in caught_beside(name)


def test_no_action_starts_anything(trapped):
    """Tried and then done, each of them: all the traps lie in their way at once."""
    root = trapped.root
    (root / ".git/attributes").write_text("* filter=a\n")
    for name in TOGETHER:
        lay(root, name, TRAPS[name])
    statuses(root, dry_run=True)
    assert sprung(trapped) == []


@pytest.mark.parametrize("place", soaked(["included", "included by condition", "worktree"], ["worktree"]))
def test_a_setting_elsewhere_starts_nothing(trapped, place):
    """All of them at once, in a file that the configuration includes, or in that of the working tree."""
    root = trapped.root
    (root / ".git/attributes").write_text("* filter=a\n")
    file = root / ".git" / ("config.worktree" if place == "worktree" else "elsewhere")
    for name, trap in TRAPS.items():
        lay(root, name, trap, file)
    key = {"included": "include.path", "included by condition": "includeIf.gitdir:**.path"}.get(place)
    git(root, "config", *([key, str(file)] if key else ["extensions.worktreeConfig", "true"]))
    assert sprung(trapped, "status", "commit", "push") == []


ATTRIBUTES = [".gitattributes", ".git/info/attributes", "folder/.gitattributes"]


@pytest.mark.parametrize("place", soaked(ATTRIBUTES, [".git/info/attributes"]))
def test_an_attribute_starts_nothing(trapped, place):
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
    assert sprung(trapped, *LOOK_INTO_FILES, "switch") == []


def test_a_hook_starts_nothing(trapped):
    """Where git looks for hooks by itself; and in the remote's folder, where a push would start them."""
    hooks(trapped.root, trapped.root / ".git/hooks", "hook")
    hooks(trapped.root, trapped.root / ".git/remote/hooks", "remote-hook")
    done = statuses(trapped.root, "commit", "switch", "push")
    assert "with hooks, which are not run" in done["push"]
    orchestrated(trapped.root)
    assert trapped.caught == []


def test_what_a_folder_that_is_pushed_to_says_starts_nothing(trapped):
    """It is a repository as well."""
    remote = trapped.root / ".git/remote"
    for setting in ("core.fsmonitor", "core.alternateRefsCommand", "core.pager"):
        git(remote, "config", setting, program(trapped.root, setting))
    git(remote, "config", "core.hooksPath", hooks(trapped.root, trapped.root / ".git/of-the-remote", "hooks"))
    (remote / "objects/info").mkdir(exist_ok=True)
    (remote / "objects/info/alternates").write_text(str(trapped.root / ".git/objects") + "\n")
    assert sprung(trapped, "status", "push") == []


@pytest.mark.parametrize("settings", [("core.fsmonitor", "filter.c.clean"), ("core.worktree",)])
@pytest.mark.parametrize("ignore", soaked(["", "none"], ["none"]))
def test_a_submodule_starts_nothing(trapped, settings, ignore):
    """Git would look into it with a git of its own, whose configuration is the submodule's."""
    root = trapped.root
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(root / ".git"), "sub")
    git(root, "commit", "--quiet", "-m", "With a submodule")
    for setting in settings:
        git(root / "sub", "config", setting, program(root, setting))
    (root / ".git/modules/sub/info/attributes").write_text("* filter=c\n")
    # Of the same length, so that git has to look into it.
    (root / "sub/x").write_text("two\n")
    if ignore:
        git(root, "config", "--file", ".gitmodules", "submodule.sub.ignore", ignore)
        git(root, "config", "submodule.sub.ignore", ignore)
    assert sprung(trapped, *LOOK_INTO_FILES) == []


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
    assert sprung(trapped, *LOOK_INTO_FILES, "push") == []


def test_a_git_file_that_leads_out_is_refused(trapped, tmp_path):
    """Another repository's settings would hold, and another's branches be moved."""
    root = tmp_path / "elsewhere"
    lay(trapped.root, "core.fsmonitor", TRAPS["core.fsmonitor"])
    root.mkdir()
    (root / ".git").write_text(f"gitdir: {trapped.root}/.git\n")
    with al.Runtime("coder", workspace=root, policy=ANYTHING) as runtime:
        for name, arguments in ACTIONS.values():
            (observation,) = runtime.handle(al.render([(name, arguments)], dialect="xml_tags")).observations
            assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.PATH_REFUSED)
    assert trapped.caught == []


def test_a_git_file_that_stays_inside_is_followed(trapped):
    """And what it leads to starts nothing either."""
    root = trapped.root
    lay(root, "core.fsmonitor", TRAPS["core.fsmonitor"])
    shutil.move(root / ".git", root / "moved")
    (root / ".git").write_text("gitdir: moved\n")
    statuses(root, *LOOK_INTO_FILES)
    assert not list((root / "moved").glob("caught-*"))


def test_a_working_tree_elsewhere_is_not_read(trapped, tmp_path):
    """Git would commit the files of a folder that the configuration names."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private/secret").write_text("secret")
    git(trapped.root, "config", "core.worktree", str(tmp_path / "private"))
    statuses(trapped.root, *LOOK_INTO_FILES)
    assert "secret" not in git(trapped.root, "--work-tree=.", "log", "--all", "--name-only", "--format=")


def test_a_bare_repository_in_a_folder_starts_nothing(trapped):
    """It is a folder like others."""
    bare = trapped.root / "bare"
    git(trapped.root, "init", "--quiet", "--bare", str(bare))
    git(bare, "config", "core.fsmonitor", program(trapped.root, "bare"))
    assert sprung(trapped, *LOOK_INTO_FILES) == []
