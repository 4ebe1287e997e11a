"""``repl``: a conversation in the terminal, whose actions a person looks at before they run."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.ledgers import ledger_of_agent
from actionledger.cli.options import (
    LedgerOption,
    ModelOption,
    NetworkOption,
    UnconfinedOption,
    check_model,
    opened_model,
)
from actionledger.cli.repl.chat import Chat
from actionledger.cli.repl.progress import Progress
from actionledger.cli.repl.prompts import OWN, Prompts
from actionledger.cli.repl.repl import Repl
from actionledger.cli.repl.terminal import PipedLines, loop, typed_lines, write
from actionledger.cli.repl.wording import visible
from actionledger.core.files import state_folder
from actionledger.ledger import open_ledger
from actionledger.profiles import profile_named
from actionledger.profiles.coder import CODER, coder_profile
from actionledger.runtime.commands import CommandSettings
from actionledger.runtime.execution.policy_file import load_policy
from actionledger.runtime.execution.profile import Profile, prompt_of
from actionledger.runtime.models import Model


def repl(
    *,
    model: ModelOption = None,
    workdir: Annotated[
        Path, typer.Option("--workdir", "-w", help="The folder that actions may touch.")
    ] = Path(),
    ledger: LedgerOption = None,
    profile: Annotated[str, typer.Option("--profile", "-p", help="The profile to run under.")] = CODER.name,
    prompts: Annotated[
        Path | None, typer.Option("--prompts", help="A folder with system prompts, NAME.md or NAME.txt.")
    ] = None,
    prompt: Annotated[str, typer.Option("--prompt", help="The system prompt to begin with.")] = OWN,
    policy: Annotated[
        Path | None, typer.Option("--policy", help="A policy file; the profile's otherwise.")
    ] = None,
    auto: Annotated[bool, typer.Option("--auto", help="Run actions as soon as they are read.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what actions would do.")] = False,
    unconfined_commands: UnconfinedOption = False,
    command_network: NetworkOption = False,
) -> None:
    """Talk with a model; look at the actions that it asks for, run them, take them back. All of it is recorded."""
    commands = CommandSettings(unconfined=unconfined_commands, network=command_network)
    chosen = _profile(profile, commands)
    known = Prompts(prompt_of(chosen), prompts)
    system = known.named(prompt)
    rules = load_policy(policy, chosen.catalogue) if policy else None
    # Away from any working directory: actions must not reach their own record.
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


def _profile(name: str, commands: CommandSettings) -> Profile:
    if name != CODER.name:
        return profile_named(name)
    return coder_profile(name, commands=commands, on_output=lambda _stream, text: write(visible(text)))


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
