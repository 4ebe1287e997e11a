"""Options that several commands share, and what they stand for."""

import shlex
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from actionledger.cli.ledgers import existing

if TYPE_CHECKING:  # slow to load, and most commands take no model
    from actionledger.ledger import Ledger
    from actionledger.runtime.models import Model

LedgerOption = Annotated[
    Path | None,
    typer.Option(
        "--ledger",
        "-l",
        envvar="ACTIONLEDGER_LEDGER",
        help="The ledger's file, NAME.duckdb; by default the current folder's, actionledger.duckdb.",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", "-m", help="openai:NAME@BASE_URL, ollama:NAME, recorded:SESSION or scripted:FILE."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
AutoOption = Annotated[bool, typer.Option("--auto", help="Don't wait for a person's approval.")]
AgainstOption = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="WHEEL|FOLDER|COMMIT",
        help="Read with another version of actionledger: a wheel, a folder with its source, or a commit, branch or tag of the "
        "repository here. Its code is run with your rights, so take what you trust.",
    ),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done, and do nothing.")]
UnconfinedOption = Annotated[
    bool,
    typer.Option(
        "--unconfined-commands",
        help="Let commands run where nothing keeps them inside the workspace; on macOS that is everywhere.",
    ),
]
NetworkOption = Annotated[
    bool,
    typer.Option("--command-network", help="Let commands reach other machines, and what this one serves."),
]


def command_words(command: str, *values: object, ledger: Path | None = None) -> str:
    """Return a command as a person can type it."""
    option = [] if ledger is None else ["--ledger", str(ledger)]
    return f"actionledger {command} {shlex.join([*map(str, values), *option])}"


def check_model(spec: str, ledger: Path) -> None:
    """Refuse what names no model, before a ledger is made for it."""
    if spec.startswith("recorded:"):
        existing(ledger)
        return
    from actionledger.runtime.models import model_from  # noqa: PLC0415 - slow to load, and most commands take no model

    with ExitStack() as stack:
        model = model_from(spec)
        if isinstance(model, AbstractContextManager):
            stack.enter_context(model)


def opened_model(spec: str, ledger: "Ledger", stack: ExitStack) -> "Model":
    """Return the model that a text names, to be closed with the stack."""
    from actionledger.runtime.models import model_from  # noqa: PLC0415 - the same

    model = model_from(spec, ledger=ledger)
    if isinstance(model, AbstractContextManager):
        stack.enter_context(model)
    return model
