"""Programs whose exit status 1 is an answer and no failure: nothing found, something different, not so.

Only where the status is provably that program's: one command and nothing else, without a pipe, a list, a subshell or an input
from a file. Where the shell fills in names or variables, which can fail with 1 as well, nothing may have been printed: a
shell says what it can't fill in.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from actionledger.core.errors import ActionError

ANSWERS: Mapping[str, tuple[str, str]] = {
    "grep": ("no line was selected", "POSIX.1-2024, grep, EXIT STATUS"),
    "egrep": ("no line was selected", "GNU grep manual, 2.3 Exit Status"),
    "fgrep": ("no line was selected", "GNU grep manual, 2.3 Exit Status"),
    "rg": ("no match was found", "rg(1), EXIT STATUS"),
    "pgrep": ("no process matched", "pgrep(1) of procps-ng, EXIT STATUS"),
    "diff": ("differences were found", "POSIX.1-2024, diff, EXIT STATUS"),
    "cmp": ("the files are not the same", "POSIX.1-2024, cmp, EXIT STATUS"),
    "test": ("the expression is false", "POSIX.1-2024, test, EXIT STATUS"),
    "[": ("the expression is false", "POSIX.1-2024, test, EXIT STATUS"),
    "git diff --exit-code": ("there are differences", "git-diff(1), --exit-code, --quiet and --no-index"),
}
"""What 1 means by the program, and where that is documented: docs/sources.md has the same table."""

SHELL_TOOLS = frozenset(
    {
        *("bash", "shell", "local_shell", "shell_command", "exec_command", "container.exec"),
        *("run_shell_command", "execute_command", "run_commands", "run_terminal_cmd", "run_in_terminal"),
        *("developer__shell", "execute_bash", "terminal"),
    }
)
"""The tools of agents that run a command of their arguments, in small letters."""

MOST = 20_000
"""A longer command is nothing of the kind, in characters."""

_KEYS = ("command", "cmd", "commands")
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_SCRIPT = re.compile(r"-l?c")
_QUIET = re.compile(r"(?:\s+(?:2>&1|&?>\s?/dev/null|[12]>\s?/dev/null))+\s*\Z")
_DIFFERS = frozenset({"--exit-code", "--quiet", "--no-index"})
_GIT_FLAGS = frozenset({"--no-pager", "-P", "--paginate", "-p", "--no-optional-locks", "--literal-pathspecs"})
_PRINTED = re.compile(r"^Output:[^\S\n]*$", re.MULTILINE)
_FRAME = re.compile(
    r"^(?:(?:Exit code:?|Process exited with code|Command exited with code|Exit Code:) 1"
    r"|\((?:no output|empty)\)|Output: \(empty\)|Wall time:? [^\n]{1,40}|</?(?:shell_metadata|bash_metadata)>)?[^\S\n]*$",
    re.MULTILINE,
)


def command_of(name: str, arguments: object) -> str | list[str]:
    """Return the command that a call runs, as a line for a shell or as words; empty where it is none that is known."""
    if name.lower() not in SHELL_TOOLS or not isinstance(arguments, Mapping):
        return ""
    given: Any = next((arguments[key] for key in _KEYS if key in arguments), "")
    if isinstance(given, str):
        return given if len(given) <= MOST else ""
    if not isinstance(given, list) or not all(isinstance(word, str) for word in given):
        return ""
    if sum(map(len, given)) > MOST:
        return ""
    if len(given) == 1:
        return str(given[0])
    if len(given) == 3 and _base(given[0]) in _SHELLS and _SCRIPT.fullmatch(given[1]):
        return str(given[2])
    return list(given) if "commands" not in arguments else ""


def is_answer(command: str | Sequence[str], text: str) -> bool:
    """Return whether exit status 1 of a command is an answer."""
    if not isinstance(command, str):
        return _answers(command)
    quiet = _QUIET.search(command)
    line = command[: quiet.start()] if quiet else command
    words = _words(line, expands=False)
    if words is None and not (quiet and "/dev/null" in quiet[0]) and not _printed(text):
        words = _words(line, expands=True)
    return words is not None and _answers(words)


def _words(line: str, *, expands: bool) -> list[str] | None:
    from actionledger.runtime.commands.words import words_of  # noqa: PLC0415 - of few imports, and it needs a room that starts programs

    try:
        return words_of(line, expands=expands)
    except ActionError:
        return None


def _answers(words: Sequence[str]) -> bool:
    program = _base(words[0]) if words else ""
    if program == "git":
        return _compares(words[1:])
    return program in ANSWERS


def _compares(arguments: Sequence[str]) -> bool:
    """Return whether arguments of git are a ``diff`` that says by its status whether there are differences."""
    rest = iter(arguments)
    for word in rest:
        if word in {"-C", "-c"}:
            next(rest, None)
        elif word == "diff":
            return any(each in _DIFFERS for each in _options(rest))
        elif word not in _GIT_FLAGS:
            return False
    return False


def _options(rest: Iterator[str]) -> Iterator[str]:
    for word in rest:
        if word == "--":
            return
        yield word


def _base(program: str) -> str:
    return program.rpartition("/")[2]


def _printed(text: str) -> str:
    """Return what a program or its shell has printed, without the words that agents put around it."""
    begins = _PRINTED.search(text)
    shown = text[begins.end() :] if begins else text
    return _FRAME.sub("", shown).strip()
