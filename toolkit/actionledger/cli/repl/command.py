"""``repl``: a conversation in the terminal whose actions a person reviews before they run."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Protocol

import typer

from actionledger.cli.options import (
    LedgerOption,
    LineNumbersOption,
    ModelOption,
    NetworkOption,
    UnconfinedOption,
    check_model,
    ledger_of_agent,
    opened_model,
)
from actionledger.cli.repl.chat import Chat
from actionledger.cli.repl.progress import Progress, visible
from actionledger.cli.repl.repl import OWN, Prompts, Repl
from actionledger.core.errors import require
from actionledger.core.files import state_folder
from actionledger.ledger import open_ledger
from actionledger.profiles import profile_named
from actionledger.profiles.coder import CODER, coder_profile
from actionledger.runtime.commands import CommandSettings
from actionledger.runtime.execution.policy_file import load_policy
from actionledger.runtime.execution.profile import Profile, prompt_of
from actionledger.runtime.models import Model

PROMPT = "> "


class Lines(Protocol):
    """A source of input lines."""

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
    """Return the source of typed lines, with completion and a history."""
    require("Typing into the REPL", "repl", "prompt_toolkit")
    from prompt_toolkit import PromptSession  # noqa: PLC0415 - an optional dependency
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion  # noqa: PLC0415
    from prompt_toolkit.document import Document  # noqa: PLC0415
    from prompt_toolkit.history import FileHistory  # noqa: PLC0415
    from prompt_toolkit.shortcuts import CompleteStyle  # noqa: PLC0415

    class Commands(Completer):
        """Completes commands and their arguments."""

        def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002 - the interface's
            typed = document.text_before_cursor
            begun = typed.rpartition(" ")[2]
            for word in completions(repl, typed):
                yield Completion(word, start_position=-len(begun))

    class TypedLines:
        """Prompts a person for lines."""

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
    """Yield completions of a line: command names, or a command's words."""
    if not typed.startswith("/"):
        return
    name, blank, rest = typed[1:].partition(" ")
    if not blank:
        yield from (f"/{known}" for known in repl.commands if known.startswith(name))
    elif name in repl.commands:
        begun = rest.rpartition(" ")[2]
        yield from (word for word in repl.commands[name].words() if word.startswith(begun))


def loop(repl: Repl, lines: Lines) -> None:
    """Handle lines until the input ends or a line ends it."""
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
    """Print a text and flush it."""
    sys.stdout.write(text)
    sys.stdout.flush()


def repl(
    *,
    model: ModelOption = None,
    workdir: Annotated[Path, typer.Option("--workdir", "-w", help="Folder that actions may change")] = Path(),
    ledger: LedgerOption = None,
    profile: Annotated[str, typer.Option("--profile", "-p", help="Profile to run under")] = CODER.name,
    prompts: Annotated[
        Path | None, typer.Option("--prompts", help="Folder with system prompts, NAME.md or NAME.txt")
    ] = None,
    prompt: Annotated[str, typer.Option("--prompt", help="System prompt to begin with")] = OWN,
    policy: Annotated[
        Path | None, typer.Option("--policy", help="Policy file; default: the profile's")
    ] = None,
    auto: Annotated[bool, typer.Option("--auto", help="Run actions as soon as they are parsed")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what actions would do, and do nothing")
    ] = False,
    unconfined_commands: UnconfinedOption = False,
    command_network: NetworkOption = False,
    line_numbers: LineNumbersOption = False,
) -> None:
    """Chat with a model, run its actions and undo them, recorded."""
    commands = CommandSettings(unconfined=unconfined_commands, network=command_network)
    chosen = _profile(profile, commands, line_numbers=line_numbers)
    known = Prompts(prompt_of(chosen), prompts)
    system = known.named(prompt)
    rules = load_policy(policy, chosen.catalogue) if policy else None
    # Not in the working directory: actions must not reach their own record.
    recorded_in = ledger_of_agent(ledger or state_folder() / "repl.duckdb", workdir)
    if model:
        check_model(model, recorded_in)
    with ExitStack() as stack:
        opened = stack.enter_context(open_ledger(recorded_in))
        progress = Progress(lambda line: write(f"{line}\n"))

        def make_model(spec: str) -> Model:
            return opened_model(spec, opened, stack)

        chat = Chat(
            chosen,
            ledger=opened,
            workspace=workdir,
            system=system,
            policy=rules,
            model=make_model(model) if model else None,
            listen=progress.hear,
        )
        chat.auto, chat.dry_run = auto, dry_run
        repl = Repl(chat, progress=progress, prompts=known, write=write, make_model=make_model)
        with _closing(chat):
            _greet(chat, recorded_in)
            lines = typed_lines(repl, state_folder() / "repl_history") if sys.stdin.isatty() else PipedLines()
            loop(repl, lines)


def _profile(name: str, commands: CommandSettings, *, line_numbers: bool) -> Profile:
    if name != CODER.name:
        return profile_named(name)
    return coder_profile(
        name,
        commands=commands,
        on_output=lambda _stream, text: write(visible(text)),
        line_numbers=line_numbers,
    )


def _greet(chat: Chat, ledger: Path) -> None:
    name = chat.model.name if chat.model else "none; choose one with /model"
    write(f"Model: {visible(name)}\nWorking directory: {chat.workspace}\nLedger: {ledger}\n")
    write(f"Auto-execution is {'on' if chat.auto else 'off'}. /help shows all commands.\n")


@contextmanager
def _closing(chat: Chat) -> Iterator[None]:
    try:
        yield
    finally:
        chat.close()
