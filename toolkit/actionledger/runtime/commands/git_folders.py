"""A stand-in for the shared folder of a repository: all of it by links, but its hooks, and of its configuration data alone.

Git reads its configuration from the folder that ``GIT_COMMON_DIR`` names. The stand-in has a configuration of ours there, and no
hooks; objects and references are the repository's own. So nothing that a repository says can start a program: git never reads it.
"""

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from actionledger.core.errors import ActionError
from actionledger.core.ids import new_id
from actionledger.core.patterns import regex
from actionledger.core.text import to_any_bytes
from actionledger.core.vocabulary import Reason

_TAKEN = regex(
    r"core\.(bare|filemode|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|checkroundtripencoding|whitespace"
    r"|logallrefupdates|sparsecheckout|sparsecheckoutcone|abbrev|bigfilethreshold|compression|loosecompression"
    r"|trustctime|checkstat|protecthfs|protectntfs|sharedrepository)"
    r"|i18n\.commitencoding|index\.(version|sparse|threads)"
    r"|(user|author|committer)\.(name|email)"
    r"|remote\..+\.(url|pushurl|fetch)|branch\..+\.(remote|merge)"
    r"|diff\.(algorithm|context|interhunkcontext|indentheuristic|renames|renamelimit|mnemonicprefix|noprefix)"
    r"|status\.renames|receive\.(denynonfastforwards|denydeletes)",
    re.DOTALL,
)
"""The settings that git is told as the repository has them, by the names that git lists. A setting that is new to git is not among
them, so what it may start stays unknown to the git that runs here."""

_FORMATS = {"extensions.objectformat": {"sha1", "sha256"}, "extensions.refstorage": {"files", "reftable"}}
"""Without these a repository can't be read; each has a closed list of values."""

_OURS = """\
[core]
	hooksPath = /dev/null
	fsmonitor = false
	untrackedCache = false
	pager = cat
	editor = false
	sshCommand = false
	askPass =
	quotePath = false
	alternateRefsCommand = true
[gc]
	auto = 0
[maintenance]
	auto = false
[receive]
	autogc = false
	denyCurrentBranch = refuse
[submodule]
	recurse = false
[push]
	recurseSubmodules = no
[diff]
	ignoreSubmodules = dirty
[credential]
	helper =
[protocol]
	allow = never
[protocol "https"]
	allow = always
[protocol "http"]
	allow = always
[protocol "ssh"]
	allow = always
[protocol "git"]
	allow = always
"""
"""What holds in every repository: what git would start by default is not started either."""


class Setting(NamedTuple):
    """One setting.

    Args:
        name: as git lists it: section and key in small letters, what stands between them as it is.
        value: its value; None where a file names it alone, which means true.
    """

    name: str
    value: str | None


def has_worktree_file(settings: Iterable[Setting]) -> bool:
    """Return whether a repository says that its working trees have settings of their own."""
    said = [each.value for each in settings if each.name == "extensions.worktreeconfig"]
    return bool(said) and (said[-1] or "true").lower() in {"true", "yes", "on", "1"}


def told(settings: Iterable[Setting], *, local_pushes: bool = False) -> str:
    """Return the configuration that git is told instead of a repository's own."""
    settings = list(settings)
    formats = [
        each
        for each in settings
        if each.value is not None and each.value.lower() in _FORMATS.get(each.name, ())
    ]
    head = [Setting("core.repositoryformatversion", "1" if formats else "0"), *formats]
    taken = [each for each in settings if _TAKEN.fullmatch(each.name)]
    lines = [line for each in (*head, *taken) for line in _lines(each)]
    file = f'[protocol "file"]\n\tallow = {"always" if local_pushes else "never"}\n'
    return "\n".join(lines) + "\n" + _OURS + file


def _lines(setting: Setting) -> Iterator[str]:
    section, _, rest = setting.name.partition(".")
    middle, _, key = rest.rpartition(".")
    escaped = middle.replace("\\", "\\\\").replace('"', '\\"')
    yield f'[{section} "{escaped}"]' if middle else f"[{section}]"
    if setting.value is None:
        yield f"\t{key}"
    else:
        value = (
            setting.value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        )
        yield f'\t{key} = "{value}"'


Ask: TypeAlias = Callable[[Sequence[str], Mapping[str, str]], str]
"""Runs words in an environment and returns what they print; raises ``ActionError`` where they fail."""

_LONGEST_KEPT = 2**20
"""A longer configuration, in bytes, is listed anew each time."""

_LINKED = ("objects", "refs", "packed-refs", "reftable", "logs", "info", "shallow", "worktrees")
_LONGEST_POINTER = 4096

GIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "LC_ALL": "C.UTF-8",
}
"""What git is told of its surroundings beside what every command sees."""


class Listings:
    """The settings in git's files, as git lists them; git runs again only where a file has changed.

    Args:
        ask: runs git without the repository.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._known: dict[Path, tuple[bytes, list[Setting]]] = {}

    def of(self, file: Path) -> list[Setting]:
        """Return what a file sets; what it would include is not looked at."""
        if not file.is_file():
            return []
        held = _digest(file)
        known, settings = self._known.get(file, (b"", []))
        if held and held == known:
            return list(settings)
        words = ["git", "--no-pager", "config", "--file", str(file), "--no-includes", "--list", "-z"]
        # No repository is looked for, so that nothing else is read on the way.
        # The settings that ``git config --list -z`` printed, in their order.
        pairs = (
            entry.partition("\n") for entry in self._ask(words, {"GIT_DIR": os.devnull}).split("\0") if entry
        )
        settings = [Setting(name, value if sign else None) for name, sign, value in pairs]
        # Only what stayed as it was, while git read it, is known to be what git has read.
        if held == _digest(file):
            self._known[file] = held, settings
        return list(settings)


class Folders(NamedTuple):
    """Where a repository is.

    Args:
        own: what belongs to this working tree: HEAD and the index.
        common: what all working trees of the repository share; the same folder where there is but one.
    """

    own: Path
    common: Path


class Opened(NamedTuple):
    """A repository as one command meets it.

    Args:
        words: what the command line begins with.
        environment: what git is told beside ``GIT_ENVIRONMENT``.
        settings: what the repository's own files set.
    """

    words: list[str]
    environment: Mapping[str, str]
    settings: list[Setting]


def opened(
    top: Path,
    listings: Listings,
    home: Path,
    *,
    within: Path | None = None,
    local_pushes: bool = False,
    otherwise: Sequence[Setting] = (),
) -> Opened:
    """Return how git is run on a repository so that nothing of the repository's own is started."""
    folders = folders_of(top, within=within)
    settings = settings_of(folders, listings)
    common = stand_in(folders.common, [*otherwise, *settings], home, local_pushes=local_pushes)
    words = ["git", "--no-pager", f"--git-dir={folders.own}", f"--work-tree={top}"]
    return Opened(words, {"GIT_COMMON_DIR": str(common)}, settings)


def has_repository(folder: Path) -> bool:
    """Return whether a folder is the top of a git repository."""
    return (folder / ".git").exists()


def folders_of(top: Path, *, within: Path | None = None) -> Folders:
    """Return where the repository of a working tree is."""
    own = top / ".git"
    if own.is_file():
        own = top / _pointer(own).removeprefix("gitdir:").strip()
    if not own.is_dir():
        message = "The workspace is not a git repository. Run git init first, with execute_command."
        raise ActionError(Reason.NOT_FOUND, message)
    own = own.resolve()
    pointer = own / "commondir"
    common = (own / _pointer(pointer).strip()).resolve() if pointer.is_file() else own
    for folder in {own, common}:
        if within is not None and not folder.is_relative_to(within.resolve()):
            message = (
                "The workspace's .git leads out of the workspace; there is no repository here to work with."
            )
            raise ActionError(Reason.PATH_REFUSED, message)
    return Folders(own, common)


def settings_of(folders: Folders, listings: Listings) -> list[Setting]:
    """Return what a repository's own files set; what they would include is not looked at."""
    settings = listings.of(folders.common / "config")
    if has_worktree_file(settings):
        settings += listings.of(folders.own / "config.worktree")
    return settings


def stand_in(common: Path, settings: Sequence[Setting], home: Path, *, local_pushes: bool = False) -> Path:
    """Return a folder that stands for the shared folder of a repository."""
    place = home / f"git-{hashlib.sha256(os.fsencode(common)).hexdigest()[:16]}-{int(local_pushes)}"
    place.mkdir(parents=True, exist_ok=True)
    for name in _LINKED:
        try:
            (place / name).symlink_to(common / name)
        except FileExistsError:
            continue
    fresh = place / f"config.{new_id()}"
    fresh.write_bytes(to_any_bytes(told(settings, local_pushes=local_pushes)))
    fresh.replace(place / "config")
    return place


def _digest(file: Path) -> bytes:
    """Return what tells a file's content from any other; nothing where it is no file of its own or too long a one."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        content = opened.read(_LONGEST_KEPT + 1)
    return hashlib.sha256(content).digest() if len(content) <= _LONGEST_KEPT else b""


def _pointer(file: Path) -> str:
    with file.open("rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            return ""
        return os.fsdecode(opened.read(_LONGEST_POINTER)).splitlines()[0]
