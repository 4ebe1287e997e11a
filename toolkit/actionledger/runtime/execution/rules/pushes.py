"""What is known of git's command line: its own options, what its subcommands may start, and where a push goes. Pure."""

from collections.abc import Sequence

from actionledger.runtime.execution.rules.lines import Word

_WITH_VALUE = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"}
)
_REMAKES = ("-c", "--config-env", "--exec-path")
"""Options by which a subcommand may come to mean another one."""

SUBCOMMANDS = dict.fromkeys(
    (
        *(
            "status",
            "diff",
            "log",
            "show",
            "add",
            "commit",
            "branch",
            "switch",
            "checkout",
            "restore",
            "reset",
            "tag",
        ),
        *(
            "rev-parse",
            "ls-files",
            "ls-tree",
            "cat-file",
            "describe",
            "blame",
            "shortlog",
            "merge",
            "init",
            "mv",
            "rm",
        ),
        *(
            "cherry-pick",
            "revert",
            "clean",
            "apply",
            "am",
            "reflog",
            "merge-base",
            "rev-list",
            "show-ref",
            "grep",
        ),
        *(
            "check-ignore",
            "check-attr",
            "for-each-ref",
            "hash-object",
            "symbolic-ref",
            "update-ref",
            "version",
            "help",
        ),
        *(
            "fetch",
            "pull",
            "clone",
            "stash",
            "fsck",
            "gc",
            "prune",
            "count-objects",
            "archive",
            "format-patch",
            "notes",
        ),
    ),
    "inert",
) | dict.fromkeys(
    (
        "config",
        "rebase",
        "bisect",
        "submodule",
        "filter-branch",
        "difftool",
        "mergetool",
        "remote",
        "worktree",
        "replace",
    ),
    "runs",
)
"""``inert`` ones do what they are called, ``runs`` may run others that their words name; any other may be an alias."""

_ALL = ("--all", "--mirror", "--branches", "--follow-tags", "--tags", "--prune", "--delete", "-d", "--stdin")
_PUSH_WITH_VALUE = frozenset({"-o", "--push-option", "--receive-pack", "--exec", "--repo"})


def takes_value(word: str) -> bool:
    """Return whether an option of git's own is followed by its value."""
    return word in _WITH_VALUE


def without_program_options(words: Sequence[Word]) -> tuple[Sequence[Word], bool]:
    """Return a command of git from its subcommand on, and whether nothing before that can change what it means."""
    at, is_plain = 1, True
    while at < len(words) and (words[at].text.startswith("-") or not words[at].text):
        is_plain = is_plain and words[at].is_plain and not words[at].text.startswith(_REMAKES)
        at += 2 if words[at].text in _WITH_VALUE else 1
    rest = words[at:]
    # A setting given on the line matters where the subcommand may be an alias, or may start what the setting names.
    if rest and not is_plain and SUBCOMMANDS.get(rest[0].text) == "inert":
        is_plain = all("alias." not in word.text and word.is_plain for word in words[1:at])
    return rest, is_plain


def pieces_of_push(words: Sequence[str]) -> list[str] | None:
    """Return what a push writes to, in the forms in which a rule may name it; None if that can't be read off."""
    if "push" not in words:
        return None
    rest = iter(words[words.index("push") + 1 :])
    given: list[str] = []
    for word in rest:
        if word.startswith(_ALL) or word == "":
            return None
        if word in _PUSH_WITH_VALUE:
            next(rest, None)
        elif not word.startswith("-"):
            given.append(word)
    pieces: list[str] = []
    for spec in given[1:]:
        source, sign, target = spec.lstrip("+").partition(":")
        name = target if sign else source
        if (
            not name
            or any(mark in name for mark in "*?[@^~{")
            or name.upper() in {"HEAD", "FETCH_HEAD", "ORIG_HEAD"}
        ):
            return None
        pieces += [name, name.removeprefix("refs/heads/"), name.removeprefix("refs/").removeprefix("heads/")]
    return pieces or None
