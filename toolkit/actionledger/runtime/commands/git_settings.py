"""What of a repository's own configuration git is told: a list of settings that are data, and nothing that could name a program. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_TAKEN = re.compile(
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


def settings_in(listing: str) -> list[Setting]:
    """Return the settings that ``git config --list -z`` printed, in their order."""
    pairs = (entry.partition("\n") for entry in listing.split("\0") if entry)
    return [Setting(name, value if sign else None) for name, sign, value in pairs]


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
