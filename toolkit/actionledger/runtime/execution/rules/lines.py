"""Split a shell command line into commands, in any notation, without any expansion. Pure."""

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
