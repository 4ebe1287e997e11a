"""A stand-in for a repository's shared folder: links to its content, without its hooks and with only harmless settings.

Git reads its configuration from the folder in ``GIT_COMMON_DIR``. The stand-in has our configuration and no hooks; objects
and references are the repository's own. So a repository can't start a program by its settings: git never reads them.
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
"""The repository settings that are passed on to git, by the names that git lists. A setting that is new to git is not among
them, so that it can't start a program unknown to us."""

_FORMATS = {"extensions.objectformat": {"sha1", "sha256"}, "extensions.refstorage": {"files", "reftable"}}
"""Settings without which a repository can't be read; each has a fixed set of values."""

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
"""Settings for every repository: they also switch off programs that git would start by default."""


class Setting(NamedTuple):
    """One setting."""

    name: str  # the name that git lists: section and key in lower case, the part between them unchanged
    value: str | None  # its value; None if the file only names it, which means true


def has_worktree_file(settings: Iterable[Setting]) -> bool:
    """Return whether a repository declares separate settings for its working trees."""
    said = [each.value for each in settings if each.name == "extensions.worktreeconfig"]
    return bool(said) and (said[-1] or "true").lower() in {"true", "yes", "on", "1"}


def told(settings: Iterable[Setting], *, local_pushes: bool = False) -> str:
    """Return the configuration that replaces a repository's own."""
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
"""Runs a command in an environment and returns its output; raises ``ActionError`` if it fails."""

_LONGEST_KEPT = 2**20
"""The maximum size of a configuration that is cached, in bytes; a longer one is listed each time."""

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
"""Git's environment, in addition to every command's."""


class Listings:
    """The settings in git's files, as listed by git; git runs again only if a file has changed."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._known: dict[Path, tuple[bytes, list[Setting]]] = {}

    def of(self, file: Path) -> list[Setting]:
        """Return the settings in a file, without the files that it includes."""
        if not file.is_file():
            return []
        held = _digest(file)
        known, settings = self._known.get(file, (b"", []))
        if held and held == known:
            return list(settings)
        words = ["git", "--no-pager", "config", "--file", str(file), "--no-includes", "--list", "-z"]
        # Outside of any repository, so that git reads no other file on the way.
        # The settings in the output of ``git config --list -z``, in order.
        pairs = (
            entry.partition("\n") for entry in self._ask(words, {"GIT_DIR": os.devnull}).split("\0") if entry
        )
        settings = [Setting(name, value if sign else None) for name, sign, value in pairs]
        # Cache only if the file did not change while git read it.
        if held == _digest(file):
            self._known[file] = held, settings
        return list(settings)


class Folders(NamedTuple):
    """The folders of a repository."""

    own: Path  # the folder of this working tree: HEAD and the index
    common: Path  # the folder shared by all working trees; the same folder if there is only one


class Opened(NamedTuple):
    """A repository prepared for one command."""

    words: list[str]  # the beginning of the command line
    environment: Mapping[str, str]  # git's environment, in addition to `GIT_ENVIRONMENT`
    settings: list[Setting]  # the settings in the repository's own files


def opened(
    top: Path,
    listings: Listings,
    home: Path,
    *,
    within: Path | None = None,
    local_pushes: bool = False,
    otherwise: Sequence[Setting] = (),
) -> Opened:
    """Return how to run git on a repository without starting any program that it configures."""
    folders = folders_of(top, within=within)
    settings = settings_of(folders, listings)
    common = stand_in(folders.common, [*otherwise, *settings], home, local_pushes=local_pushes)
    words = ["git", "--no-pager", f"--git-dir={folders.own}", f"--work-tree={top}"]
    return Opened(words, {"GIT_COMMON_DIR": str(common)}, settings)


def has_repository(folder: Path) -> bool:
    """Return whether a folder is the top of a git repository."""
    return (folder / ".git").exists()


def folders_of(top: Path, *, within: Path | None = None) -> Folders:
    """Return the folders of a working tree's repository."""
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
    """Return the settings in a repository's own files, without the files that these include."""
    settings = listings.of(folders.common / "config")
    if has_worktree_file(settings):
        settings += listings.of(folders.own / "config.worktree")
    return settings


def stand_in(common: Path, settings: Sequence[Setting], home: Path, *, local_pushes: bool = False) -> Path:
    """Return a stand-in for a repository's shared folder."""
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
    """Return the hash of a file's content; empty if it is not a regular file or too long."""
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
