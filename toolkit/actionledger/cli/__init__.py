"""The command line: one file a group of commands, each thin.

Exit codes: 0 done, 1 it can't be done (one sentence says why), 2 wrong usage, or done but some input lines were refused.
``run`` and ``orchestrator run`` tell more: 0 every action succeeded, 1 something failed, 2 wrong usage, 3 something waits for a
person, 130 stopped.
"""

import sys
from typing import Annotated

import typer
from rich.console import Console

from actionledger import __version__
from actionledger.cli import (
    approvals,
    importing,
    parsing,
    prompting,
    reasoning,
    replaying,
    reporting,
    running,
    serving,
    showing,
)
from actionledger.cli.orchestrator import app as orchestrator
from actionledger.cli.repl import repl
from actionledger.cli.tables import plain
from actionledger.errors import ActionLedgerError

app = typer.Typer(
    name="actionledger",
    help="Shows what a language model tried to do, what came of it, and what would have come of it otherwise.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)
app.command("demo")(showing.demo)
app.command("parse")(parsing.parse)
app.add_typer(importing.app, name="import")
app.command("ingest")(importing.ingest)
app.command("report")(reporting.report)
app.command("sql")(reporting.sql)
app.command("replay")(replaying.replay)
app.command("run")(running.run)
app.command("repl")(repl)
app.add_typer(orchestrator, name="orchestrator")
app.add_typer(reasoning.app, name="reasoner")
app.command("prompt")(prompting.prompt)
app.command("schema")(prompting.schema)
app.command("actions")(prompting.actions)
app.add_typer(approvals.app, name="approvals")
app.command("dashboard")(serving.dashboard)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"actionledger {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    try:
        app()
    except ActionLedgerError as error:
        sentence = " ".join(str(error).splitlines())
        Console(stderr=True).print(plain(f"actionledger: {sentence}"), style="red", soft_wrap=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
