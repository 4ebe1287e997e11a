"""The thin shell around a REPL: where lines come from, and where what it says goes."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from actionledger.cli.repl.repl import Repl
from actionledger.core.extras import require

PROMPT = "> "


class Lines(Protocol):
    """Where lines come from."""

    def next(self) -> str:
        """Return the next line."""


class PipedLines:
    """The lines of a file or a pipe."""

    def next(self) -> str:
        """Return the next line; see ``Lines``."""
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line


def typed_lines(repl: Repl, history: Path) -> Lines:
    """Return the lines that a person types, with completion and a history."""
    require("Typing into the REPL", "repl", "prompt_toolkit")
    from prompt_toolkit import PromptSession  # noqa: PLC0415 - an optional dependency
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion  # noqa: PLC0415
    from prompt_toolkit.document import Document  # noqa: PLC0415
    from prompt_toolkit.history import FileHistory  # noqa: PLC0415
    from prompt_toolkit.shortcuts import CompleteStyle  # noqa: PLC0415

    class Commands(Completer):
        """Completes commands and their words."""

        def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002 - the interface's
            typed = document.text_before_cursor
            begun = typed.rpartition(" ")[2]
            for word in completions(repl, typed):
                yield Completion(word, start_position=-len(begun))

    class TypedLines:
        """Asks a person."""

        def __init__(self) -> None:
            history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            history.touch(mode=0o600)
            self._session: PromptSession[str] = PromptSession(
                history=FileHistory(str(history)),
                completer=Commands(),
                complete_while_typing=False,
                complete_style=CompleteStyle.READLINE_LIKE,
            )

        def next(self) -> str:
            return self._session.prompt(PROMPT)

    return TypedLines()


def completions(repl: Repl, typed: str) -> Iterator[str]:
    """Yield what a line may go on with: a command's name, or what may follow it."""
    if not typed.startswith("/"):
        return
    name, blank, rest = typed[1:].partition(" ")
    if not blank:
        yield from (f"/{known}" for known in repl.commands if known.startswith(name))
    elif name in repl.commands:
        begun = rest.rpartition(" ")[2]
        yield from (word for word in repl.commands[name].words() if word.startswith(begun))


def loop(repl: Repl, lines: Lines) -> None:
    """Take lines until there are none any more, or one of them ends it."""
    while not repl.is_over:
        try:
            line = lines.next()
        except EOFError:
            return
        except KeyboardInterrupt:
            continue
        try:
            repl.take(line)
        except KeyboardInterrupt:
            write("\nStopped.\n")


def write(text: str) -> None:
    """Show a text at once."""
    sys.stdout.write(text)
    sys.stdout.flush()
