"""Split a command into words; reject syntax that needs a shell, with advice on alternatives. Pure."""

import re
import shlex
from collections.abc import Iterable

from actionledger.core.errors import ActionError
from actionledger.core.patterns import regex
from actionledger.core.text import first_unseen
from actionledger.core.vocabulary import Reason

_ONE_EACH = "Write an action of its own for each command."
_IN_QUOTES = "Put it in single quotes if it is meant as it stands."

_SIGNS = (
    (regex(r"&&|\|\||;"), f"commands can't be chained. {_ONE_EACH}"),
    (regex(r"\|"), "there are no pipes. Have one command write a file, or use a program's own options."),
    (
        regex(r"[<>]"),
        "there are no redirections. All output is in the result; use create_file to write a file.",
    ),
    (
        regex(r"&"),
        "there are no jobs in the background; what a command leaves running is ended with it.",
    ),
    (regex(r"[\r\n]"), f"it has several lines. {_ONE_EACH}"),
)
"""Shell syntax outside of quotes, and the advice for each."""

_FILLED_IN = (
    (regex(r"[*?]|\[[^\]\s]*\]"), f"names are not expanded. Name the files. {_IN_QUOTES}"),
    (regex(r"(?<!\S)~"), "paths are relative to the workspace, which has no home folder."),
)
"""The same for words that a shell would expand."""

_SUBSTITUTION = regex(r"`|\$\(")
_VARIABLE = regex(r"\$(?=[\w{@*#?!$-])")
_ASSIGNMENT = regex(r"[A-Za-z_]\w*=")

_BUILT_IN = {
    "cd": "every command begins in the workspace's root. Use paths from there, or an option such as make -C DIR.",
    "export": "every command has the same environment. Write env NAME=VALUE PROGRAM.",
    "source": "nothing is kept from one command to the next. Run the program by its path, such as .venv/bin/python.",
}
_BUILT_IN |= dict.fromkeys((".", "pushd", "popd"), _BUILT_IN["cd"]) | dict.fromkeys(
    ("set", "unset", "alias", "eval", "exec", "ulimit", "umask", "trap"), _BUILT_IN["source"]
)
"""Shell keywords and builtins that are not programs."""

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "ash", "pwsh", "powershell"})
_TAKE_A_VALUE = frozenset({"--rcfile", "--init-file"})


def words_of(command: str, *, expands: bool = False) -> list[str]:
    """Return a command's program and arguments.

    Quotes and backslashes are parsed as in a POSIX shell; nothing else is interpreted.
    """
    text = command.strip()
    _check_signs(text, expands=expands)
    try:
        words = shlex.split(text)
        text.encode()
    except ValueError as error:
        raise _refused(f"it can't be read ({error}). Close every quote, and write plain text.") from error
    if not words or not words[0]:
        raise _refused("it names no program.")
    if "\0" in text:
        raise _refused("it holds a character with the number 0, which no argument can.")
    for word in words:
        if unseen := first_unseen(word):
            raise ActionError(
                Reason.COMMAND_REFUSED,
                f"The command was not run: {word[:60]!r} holds {unseen}, which nobody who reads it sees. Write it without that.",
            )
    program = words[0].rpartition("/")[2].lower().removesuffix(".exe")
    if program in _BUILT_IN:
        raise _refused(f"{program!r} is not a program: {_BUILT_IN[program]}")
    if _ASSIGNMENT.match(words[0]):
        raise _refused(
            f"it begins with a variable ({words[0][:60]!r}). {_BUILT_IN['export'].partition('. ')[2]}"
        )
    if program in _SHELLS and not _runs_a_file(words[1:]):
        raise _refused(
            f"{program!r} would run text as a script. Write the commands as actions, or a script file."
        )
    return words


def _check_signs(text: str, *, expands: bool) -> None:
    """Raise if text outside of single quotes has a meaning only in a shell."""
    quote, at = "", 0
    while at < len(text):
        sign = text[at]
        if quote == "'" or (quote and sign == quote):
            quote = "" if sign == quote else quote
        elif sign == "\\":
            at += 1
        elif found := _SUBSTITUTION.match(text, at):
            raise _refused(f"{found[0]!r} puts nothing in. Run that command first, in an action of its own.")
        elif _VARIABLE.match(text, at) and not expands:
            raise _refused(f"variables ('$') are not filled in. Write the value. {_IN_QUOTES}")
        elif not quote and sign in "'\"":
            quote = sign
        elif not quote:
            _check_sign(text, at, _SIGNS if expands else (*_SIGNS, *_FILLED_IN))
        at += 1


def _check_sign(text: str, at: int, signs: Iterable[tuple[re.Pattern[str], str]]) -> None:
    for pattern, why in signs:
        if found := pattern.match(text, at):
            raise _refused(f"{found[0]!r}: {why}")


def _runs_a_file(arguments: list[str]) -> bool:
    """Return whether a shell runs a script file, and not a text."""
    rest = iter(arguments)
    for argument in rest:
        if argument.startswith("--"):
            if argument in _TAKE_A_VALUE:
                next(rest, None)
        elif argument.startswith("-"):
            if set(argument.lower()) & set("cis"):
                return False
            if argument.lower().endswith("o"):
                next(rest, None)
        elif not argument.startswith("+"):
            return True
    return False


def _refused(why: str) -> ActionError:
    return ActionError(Reason.COMMAND_REFUSED, f"The command was not run, for there is no shell here: {why}")
