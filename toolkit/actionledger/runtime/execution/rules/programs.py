"""Find the programs that a command starts through other programs, as far as its words show. Pure."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from actionledger.core.patterns import regex


class Fit(IntEnum):
    """Whether a condition holds; the maximum combines alternatives, the minimum combines requirements."""

    NO = 0
    PERHAPS = 1
    YES = 2


_BETWEEN_COMMANDS = frozenset(";&|\n()`")
_FILLED_IN = frozenset("$*?[{~!")
_RESERVED = frozenset({"if", "then", "else", "elif", "do", "while", "until", "{", "}", "!", "time", "coproc"})
_ASSIGNMENT = regex(r"[A-Za-z_]\w*\+?=")


class Word(NamedTuple):
    """One word of a command."""

    text: str  # the word without quotes
    # whether the word is literal: a shell would insert no variable, file name or output
    is_plain: bool = True


Command: TypeAlias = tuple[Word, ...]


class CommandLine(NamedTuple):
    """The commands of a command line."""

    # the commands in order, without assignments before them and without output redirections
    commands: tuple[Command, ...]
    is_read: bool  # whether all quotes are closed
    # whether nothing was left out: no variables, shell keywords, redirections, comments, and no background execution
    is_whole: bool


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0
    quote: str = ""
    piece: str = ""
    is_open: bool = False
    is_plain: bool = True
    is_target: bool = False
    is_whole: bool = True

    def read(self) -> CommandLine:
        commands: list[Command] = []
        words: list[Word] = []
        ended = False
        while self.at < len(self.text):
            sign = self.text[self.at]
            if self.quote or sign in "\\'\"":
                ended = self._quoted(sign)
            elif sign in _BETWEEN_COMMANDS:
                self.is_plain = self.is_plain and sign != "`"
                # A command in the background is not a plain command.
                self.is_whole = self.is_whole and sign != "&"
                self._end_word(words)
                commands.append(tuple(words))
                words.clear()
            elif self.text.startswith("<<<", self.at):
                # A here-string is input for the command, which may execute it.
                self._end_word(words)
                self.is_whole = False
                self.at += 2
            elif sign.isspace() or sign in "<>":
                self._end_word(words)
                self.is_target = self.is_target or sign in "<>"
                self.is_whole = self.is_whole and not self.is_target
            elif sign == "#" and not self.is_open:
                self.is_whole = False
                while self.at + 1 < len(self.text) and self.text[self.at + 1] != "\n":
                    self.at += 1
            else:
                is_home = sign == "~" and self.is_open
                self.is_plain = self.is_plain and (is_home or sign not in _FILLED_IN)
                self._take(sign)
            self.at += 1
        self._end_word(words)
        commands.append(tuple(words))
        bare = [_without_beginning(command) for command in commands]
        is_whole = self.is_whole and bare == commands
        return CommandLine(
            tuple(command for command in bare if command), not self.quote and not ended, is_whole
        )

    def _quoted(self, sign: str) -> bool:
        """Consume a quote or a quoted character; return whether the text ends inside quotes."""
        following = self.text[self.at + 1 : self.at + 2]
        if sign == self.quote:
            self.quote = ""
        elif sign == "\\" and self.quote != "'":
            self.at += 1
            if following != "\n":
                self._take(following if not self.quote or following in '$`"\\' else sign + following)
            return not following
        elif self.quote:
            self.is_plain = self.is_plain and (self.quote == "'" or sign not in "$`")
            self._take(sign)
        else:
            self.quote = sign
            self._take("")
        return False

    def _take(self, text: str) -> None:
        self.piece += text
        self.is_open = True

    def _end_word(self, words: list[Word]) -> None:
        if self.is_open and not self.is_target:
            words.append(Word(self.piece, self.is_plain))
        if self.is_open:
            self.is_target = False
        self.piece, self.is_open, self.is_plain = "", False, True


def commands_in(text: str) -> CommandLine:
    """Return the commands of a line, including those in ``$(…)``."""
    return _Reader(text).read()


def _without_beginning(command: Command) -> Command:
    """Return a command without leading shell keywords and variable assignments."""
    rest = list(command)
    while rest and (rest[0].text in _RESERVED or _ASSIGNMENT.match(rest[0].text)):
        rest.pop(0)
    return tuple(rest)


SHELLS = frozenset(
    {"sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "ash", "rbash", "pwsh", "powershell"}
)
_WRAPPERS = frozenset(
    {
        *(
            "env",
            "nice",
            "ionice",
            "nohup",
            "timeout",
            "stdbuf",
            "setsid",
            "command",
            "exec",
            "builtin",
            "sudo",
        ),
        *(
            "doas",
            "busybox",
            "toybox",
            "chrt",
            "taskset",
            "xargs",
            "time",
            "unshare",
            "fakeroot",
            "caffeinate",
        ),
    }
)
"""Programs that start the first of their words that is not an option, number or variable."""

_INTERPRETERS = regex(
    r"(python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|luajit|awk|gawk|mawk|nawk|osascript|tclsh|rscript|r|ghci|guile"
    r"|groovy|jshell|scala|elixir|erl|julia|vim|vi|nvim|ex|emacs|sed|gdb|expect|ipython)[\d.]*"
)
_CODE_OPTION = regex(
    r"-[a-z]*[cerp]|-{1,2}(eval|execute|expression|command|exec|print|run)(=.*)?|\+.*", re.IGNORECASE
)
_STARTERS = regex(
    r"system|popen|subprocess|exec|eval|spawn|fork|compile|import_|__|getattr|importlib|ctypes|\bpty\b|child_process|shell"
    r"|getline|syscall|qx|%x|`|\bos\b|\\x|fromhex|b64|base64|\bchr\b|\brun\b|:!|\brunpy\b|\bopen\s*\(?\s*['\"]?\|",
    re.IGNORECASE,
)
"""Parts of source code that may start a program, or create code that does."""

_SED_STARTS = regex(r"(^|[\d$/;{}\s])e(\s|;|$)|/[gpmi\d]*e[gpmi\d]*\s*(;|$)", re.IGNORECASE)

INERT = frozenset(
    {
        *(
            "echo",
            "printf",
            "grep",
            "egrep",
            "fgrep",
            "cat",
            "ls",
            "head",
            "tail",
            "wc",
            "cut",
            "uniq",
            "tr",
            "diff",
        ),
        *(
            "cmp",
            "test",
            "[",
            "true",
            "false",
            "pwd",
            "mkdir",
            "rmdir",
            "touch",
            "rm",
            "chmod",
            "stat",
            "file",
            "which",
        ),
        *(
            "basename",
            "dirname",
            "realpath",
            "readlink",
            "date",
            "sleep",
            "whoami",
            "id",
            "uname",
            "du",
            "df",
            "seq",
        ),
        *("md5sum", "sha1sum", "sha256sum", "tee", "nl", "tac", "jq", "type"),
    }
)
"""Programs that start no other program, whatever their words are."""

_MOST_DEEP = 4
_LONGEST_OPTION = 9
_MOST_INNER = 20
"""The maximum number of a command's words taken for programs, so that comparison stays linear in a line's length."""
_SUBSTITUTION = regex(r"[$<>]\(|[`()]")


class Started(NamedTuple):
    """A command that a line starts, or may start."""

    words: Command  # its words; the first is the program
    is_sure: bool = True  # whether the line clearly starts it
    is_open: bool = False  # whether it gets words that the line doesn't show


class Starts(NamedTuple):
    """All commands that a line starts."""

    commands: tuple[Started, ...]  # the commands that could be determined
    is_known: bool  # whether these are all; otherwise the line runs unknown code


def folded(text: str) -> str:
    """Normalise a text: fold letter case and Unicode forms, and remove invisible characters."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", text).casefold())
    return "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")


def name_of(word: str) -> str:
    """Return a program's name in lower case, without its folder and ``.exe``."""
    return folded(re.split(r"[/\\]", word)[-1]).removesuffix(".exe").rstrip(". ")


def is_inert(program: str) -> bool:
    """Return whether a program starts no other program."""
    return program in INERT


def started_by(text: str) -> Starts:
    """Return the commands that a line starts, directly and through other programs."""
    return _Unfolding().of_text(text, 0, is_sure=True)


def started_by_words(words: Command) -> Starts:
    """Return the commands that a command with known words starts."""
    return _Unfolding().of_command(words, 0, is_sure=True, is_open=False)


class _Unfolding:
    def of_text(self, text: str, depth: int, *, is_sure: bool) -> Starts:
        if depth > _MOST_DEEP:
            return Starts((), is_known=False)
        line = commands_in(text)
        parts = [self.of_command(words, depth, is_sure=is_sure, is_open=False) for words in line.commands]
        return _together(parts, is_known=line.is_read)

    def of_command(self, words: Command, depth: int, *, is_sure: bool, is_open: bool) -> Starts:
        if depth > _MOST_DEEP:
            return Starts((), is_known=False)
        own = Starts((Started(words, is_sure, is_open),), is_known=True)
        inner = [
            self.of_text(_SUBSTITUTION.sub(";", word.text), depth + 1, is_sure=False)
            for word in words
            if not word.is_plain and _SUBSTITUTION.search(word.text)
        ]
        program = name_of(words[0].text)
        if not words[0].is_plain or is_inert(program):
            parts = []
        elif program in SHELLS:
            parts = [self._of_shell(words, depth, is_sure=is_sure)]
        elif program == "eval":
            parts = [self.of_text(" ".join(word.text for word in words[1:]), depth + 1, is_sure=is_sure)]
        elif _INTERPRETERS.fullmatch(program):
            parts = [Starts((), is_known=not _runs_code(program, words[1:]))]
        elif program == "git":
            parts = []
        else:
            parts = list(self._of_others(program, words, depth))
        return _together([own, *inner, *parts], is_known=True)

    def _of_shell(self, words: Command, depth: int, *, is_sure: bool) -> Starts:
        rest = list(words[1:])
        for place, word in enumerate(rest):
            if re.fullmatch(r"[-+][a-z]*c[a-z]*|--?command", word.text, re.IGNORECASE):
                texts = [each for each in rest[place + 1 :] if not each.text.startswith(("-", "+"))]
                if not texts or not texts[0].is_plain:
                    return Starts((), is_known=False)
                return self.of_text(texts[0].text, depth + 1, is_sure=is_sure)
        # Without a file the interpreter runs its input, which is unknown here.
        has_file = any(not word.text.startswith(("-", "+")) and word.is_plain for word in rest)
        return Starts((), is_known=has_file or any(word.text == "--version" for word in rest))

    def _of_others(self, program: str, words: Command, depth: int) -> Iterator[Starts]:
        """Yield the possible commands in a program's words: each may be a program that it starts, or a shell line."""
        is_first = program in _WRAPPERS
        for place in range(1, len(words)):
            word = words[place]
            if re.search(r"\s", word.text):
                yield self.of_text(word.text, depth + 1, is_sure=False)
            elif (
                not word.text.startswith(("-", "+"))
                and is_first
                and not bool(re.fullmatch(r"[\d.]+[a-z]?|\w+=.*", word.text, re.DOTALL))
            ):
                is_open = program == "xargs"
                yield self.of_command(words[place:], depth + 1, is_sure=not is_open, is_open=is_open)
                is_first = False
        places = [place for place in range(1, len(words)) if _is_program_that_runs(words[place])]
        for place in places[:_MOST_INNER]:
            yield self.of_command(words[place:], depth + 1, is_sure=False, is_open=False)
        if len(places) > _MOST_INNER:
            yield Starts((), is_known=False)


def _is_program_that_runs(word: Word) -> bool:
    name = name_of(word.text)
    return name in SHELLS or name in {"eval", "git"} or bool(len(name) > 1 and _INTERPRETERS.fullmatch(name))


def _runs_code(program: str, words: Command) -> bool:
    """Return whether an interpreter runs code that may start a program, or reads code from its input."""
    if program.startswith(("sed", "awk", "gawk", "mawk", "nawk")):
        starters = _SED_STARTS if program.startswith("sed") else _STARTERS
        return any(starters.search(word.text) for word in words if not word.text.startswith("-"))
    texts = [word.text for word in words]
    if "-m" in texts[:1] and len(texts) > 1:
        return texts[1] in {"runpy", "timeit", "pdb", "trace", "cProfile", "code", "pty", "subprocess"}
    if not texts or texts[0] in {"-", "-i", "-s", "/dev/stdin"}:
        return True
    for place, text in enumerate(texts):
        if _CODE_OPTION.fullmatch(text) or re.match(r"-[a-zA-Z]*[cep].", text):
            glued = "" if re.fullmatch(r"-{1,2}\w+", text) and len(text) <= _LONGEST_OPTION else text
            code = [glued, *texts[place + 1 :]]
            is_plain = all(word.is_plain for word in words[place:])
            return not is_plain or any(_STARTERS.search(each) for each in code)
        if not text.startswith("-"):
            return False
    return False


def _together(parts: list[Starts], *, is_known: bool) -> Starts:
    commands = tuple(command for part in parts for command in part.commands)
    return Starts(commands, is_known and all(part.is_known for part in parts))
