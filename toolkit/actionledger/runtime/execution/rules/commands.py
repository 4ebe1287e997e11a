"""Compare commands with the condition of a restricting rule, including git's command line and push targets. Pure."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from actionledger.core.patterns import regex
from actionledger.runtime.execution.rules.programs import (
    Fit,
    Started,
    Starts,
    Word,
    folded,
    is_inert,
    name_of,
)

_GLOB = regex(r"[*?\[]")
_COPIERS = frozenset({"cp", "mv", "ln", "install", "rsync", "dd", "link"})


def words_restrict(wanted: Sequence[str], starts: Starts) -> Fit:
    """Return whether a started command begins with these words, or may."""
    fits = [_begins(wanted, command) for command in starts.commands]
    return max([Fit.NO if starts.is_known else Fit.PERHAPS, *fits])


def glob_restricts(pattern: str, text: str, starts: Starts) -> Fit:
    """Return whether a glob matches a line or a command that it starts, or may."""
    if text and fnmatchcase(text, pattern):
        return Fit.YES
    tokens = pattern.lstrip("* ").split()
    lead = []
    while tokens and not _GLOB.search(tokens[0]):
        lead.append(tokens.pop(0))
    fits = [_globbed(pattern, lead, tokens, command) for command in starts.commands]
    return max([Fit.NO if starts.is_known else Fit.PERHAPS, *fits])


def _globbed(pattern: str, lead: Sequence[str], rest: Sequence[str], command: Started) -> Fit:
    words = [name_of(command.words[0].text), *(word.text for word in command.words[1:])]
    text = " ".join(words)
    if fnmatchcase(text, pattern):
        return Fit.YES if command.is_sure and command.words[0].is_plain else Fit.PERHAPS
    if fnmatchcase(folded(text), folded(pattern)):
        return Fit.PERHAPS
    if not lead:
        return _perhaps(not command.words[0].is_plain or _all_fit(rest, words))
    fit = _begins(lead, command)
    rest = [token for token in rest if token.strip("*")]
    if fit is Fit.NO or not rest:
        return fit
    if command.is_open or any(not word.is_plain for word in command.words):
        return Fit.PERHAPS
    pieces = list(words)
    if "push" in lead and lead[0] == "git":
        found = pieces_of_push(words)
        if found is None:
            return Fit.PERHAPS
        pieces += found
        if any(
            fnmatchcase(f"git push {remote} {piece}", pattern) for remote in words[2:3] for piece in found
        ):
            return fit
    return _perhaps(_all_fit(rest, pieces))


def _all_fit(tokens: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether each token of a glob matches some word, or a part of one."""
    pieces = [folded(piece) for word in words for piece in _pieces(word)]
    return all(any(fnmatchcase(piece, folded(token)) for piece in pieces) for token in tokens)


def _pieces(word: str) -> Iterator[str]:
    yield word
    yield from re.split(r"[:=,;\s'\"()\[\]+]+", word)
    yield re.sub(r"(^|/)(\./+)+|/{2,}", r"\1", word)
    yield from word.split("/")


def _begins(wanted: Sequence[str], command: Started) -> Fit:
    """Return whether a command begins with words, wherever its options are."""
    first = command.words[0]
    if not first.is_plain:
        return Fit.PERHAPS
    given, program = name_of(first.text), name_of(wanted[0])
    if given.startswith(f"{program}-") and len(wanted) > 1:
        words: Sequence[Word] = (Word(program), Word(given.removeprefix(f"{program}-")), *command.words[1:])
    elif given == program:
        words = command.words
    else:
        return _perhaps(_mentions(given, wanted, command))
    fit = _after(wanted, words, is_open=command.is_open)
    # Letter case: a name that is a program on one system may not exist on another.
    is_same = name_of(wanted[0]) == wanted[0].rpartition("/")[2] and folded(first.text) == first.text
    return fit if command.is_sure and is_same else min(fit, Fit.PERHAPS)


def _after(wanted: Sequence[str], words: Sequence[Word], *, is_open: bool) -> Fit:
    """Compare the words after the program."""
    if len(wanted) == 1:
        return Fit.YES
    texts = [word.text for word in words]
    if texts[: len(wanted)] == list(wanted) and all(word.is_plain for word in words[: len(wanted)]):
        return Fit.YES
    if is_open:
        return Fit.PERHAPS
    if wanted[0] == "git":
        rest, is_plain = without_program_options(words)
        if not rest or not is_plain or not rest[0].is_plain:
            return _perhaps(bool(rest) or not is_plain)
        if [word.text for word in rest[: len(wanted) - 1]] == list(wanted[1:]):
            return Fit.YES
        subcommand = folded(rest[0].text)
        if subcommand != folded(wanted[1]):
            return _perhaps(_may_become(subcommand, wanted, rest))
        wanted, words = ("git", *wanted[2:]), (words[0], *rest[1:])
    return _spelled_otherwise(wanted[1:], words[1:])


def _may_become(subcommand: str, wanted: Sequence[str], rest: Sequence[Word]) -> bool:
    """Return whether a git subcommand may act like another one."""
    kind = SUBCOMMANDS.get(subcommand)
    if kind == "inert":
        return False
    if kind == "runs":
        text = folded(" ".join(word.text for word in rest[1:]))
        return folded(wanted[1]) in text or "!" in text or any(not word.is_plain for word in rest)
    return True


def _spelled_otherwise(wanted: Sequence[str], words: Sequence[Word]) -> Fit:
    """Return whether words are contained in others, in another order or form."""
    if all(any(_may_be(want, word, words) for word in words) for want in wanted):
        return Fit.PERHAPS
    return Fit.NO


def _may_be(want: str, word: Word, words: Sequence[Word]) -> bool:
    if not word.is_plain or folded(word.text) == folded(want):
        return True
    given = word.text
    if not want.startswith("-"):
        return folded(want) in {folded(piece) for piece in _pieces(given)}
    if want.startswith("--"):
        stem = given.partition("=")[0]
        is_short = (
            stem.startswith("--") and len(stem) > 2 and (want.startswith(stem) or stem.startswith(want))
        )
        letters = given[1:] if re.fullmatch(r"-[A-Za-z]+", given) else ""
        return is_short or want[2] in letters.lower() or (want == "--force" and given.startswith("+"))
    given_letters = {
        letter for each in words if re.fullmatch(r"-[A-Za-z]+", each.text) for letter in each.text[1:].lower()
    }
    given_letters |= {each.text[2].lower() for each in words if re.match(r"--\w", each.text)}
    return set(want[1:].lower()) <= given_letters


def _mentions(given: str, wanted: Sequence[str], command: Started) -> bool:
    """Return whether another program's words contain the rule's program, so that it may be started."""
    if is_inert(given):
        return False
    program = name_of(wanted[0])
    if given == "git":
        texts = [
            word.text
            for word in command.words[2:]
            if re.search(r"\s|!", word.text) or (word.text in _WITH_VALUE)
        ]
        rest, _ = without_program_options(command.words)
        if rest and SUBCOMMANDS.get(folded(rest[0].text)) == "inert":
            return False
        if rest and SUBCOMMANDS.get(folded(rest[0].text)) == "runs":
            texts = [word.text for word in rest[1:]]
    else:
        texts = [word.text for word in command.words[1:]]
    if given != "git" and any(name_of(text) == program for text in texts):
        return len(wanted) == 1 or given not in _COPIERS or "/" in "".join(texts)
    tokens = re.findall(r"[\w./-]+", folded(" ".join(texts)))
    names = [name_of(token) for token in tokens]
    if any(f"{program}-{word}" in names for word in map(folded, wanted[1:2])):
        return True
    return program in names and all(folded(word) in tokens for word in wanted[1:])


def _perhaps(is_so: bool) -> Fit:
    return Fit.PERHAPS if is_so else Fit.NO


_WITH_VALUE = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"}
)
_REMAKES = ("-c", "--config-env", "--exec-path")
"""Options that may change the meaning of a subcommand."""

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
"""``inert`` subcommands do what their name says, ``runs`` may start programs named in their words; any other may be an alias."""

_ALL = ("--all", "--mirror", "--branches", "--follow-tags", "--tags", "--prune", "--delete", "-d", "--stdin")
_PUSH_WITH_VALUE = frozenset({"-o", "--push-option", "--receive-pack", "--exec", "--repo"})


def without_program_options(words: Sequence[Word]) -> tuple[Sequence[Word], bool]:
    """Return a git command from its subcommand on, and whether nothing before the subcommand can change its meaning."""
    at, is_plain = 1, True
    while at < len(words) and (words[at].text.startswith("-") or not words[at].text):
        is_plain = is_plain and words[at].is_plain and not words[at].text.startswith(_REMAKES)
        at += 2 if words[at].text in _WITH_VALUE else 1
    rest = words[at:]
    # A setting on the command line matters if the subcommand may be an alias, or may start the program that the setting names.
    if rest and not is_plain and SUBCOMMANDS.get(rest[0].text) == "inert":
        is_plain = all("alias." not in word.text and word.is_plain for word in words[1:at])
    return rest, is_plain


def pieces_of_push(words: Sequence[str]) -> list[str] | None:
    """Return the targets of a push, in the forms in which a rule may name them; None if they can't be determined."""
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
