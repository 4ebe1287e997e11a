"""The command line: one file a group of commands, each thin. ``exits`` has the exit codes of all of them."""

import os
import sys
import traceback
from typing import Annotated

import typer

from actionledger import __version__
from actionledger.cli import (
    approvals,
    asking,
    importing,
    inspecting,
    parsing,
    prompting,
    reasoning,
    replaying,
    reporting,
    running,
    serving,
    showing,
)
from actionledger.cli.arguments import Command, as_written
from actionledger.cli.exits import EPILOG, ExitCode, code_of
from actionledger.cli.orchestrator import app as orchestrator
from actionledger.cli.repl import repl
from actionledger.cli.tables import print_error, print_note
from actionledger.errors import ActionLedgerError

app = typer.Typer(
    name="actionledger",
    help="Shows what a language model tried to do, what came of it, and what would have come of it otherwise.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog=EPILOG,
)
app.command("demo")(showing.demo)
app.command("parse")(parsing.parse)
app.add_typer(importing.app, name="import")
app.command("ingest")(importing.ingest)
app.command("show")(inspecting.show)
app.command("report")(reporting.report)
app.command("sql")(asking.sql)
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


TRACEBACK_VARIABLE = "ACTIONLEDGER_TRACEBACK"
"""The environment variable that shows where an unforeseen error comes from, if it is set to anything."""


def _make_alike(group: typer.Typer) -> None:
    """Give all commands what they have in common: how arguments are taken, and the exit codes below the help."""
    for command in group.registered_commands:
        assert command.callback
        command.cls, command.callback, command.epilog = Command, as_written(command.callback), EPILOG
    for inner in group.registered_groups:
        inner.epilog = EPILOG
        if inner.typer_instance:
            _make_alike(inner.typer_instance)


_make_alike(app)


def main() -> None:
    """Run the command line; whatever goes wrong ends in a sentence and one of the exit codes."""
    try:
        app(prog_name="actionledger")
    except SystemExit as ended:
        if ended.code == ExitCode.STOPPED and _was_interrupted(ended):
            print_note("Stopped. What was recorded until then is kept.")
        raise
    except ActionLedgerError as error:
        print_error(str(error))
        sys.exit(code_of(error))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(ExitCode.FAULT)
    except OSError as error:
        what = f" {error.filename!r}" if error.filename else ""
        print_error(f"The system refuses{what}: {error.strerror or error}.")
        sys.exit(ExitCode.FAULT)
    except Exception as error:  # noqa: BLE001 - a person is told in a sentence, whatever it is
        if os.environ.get(TRACEBACK_VARIABLE):
            traceback.print_exc()
        print_error(
            f"A fault of actionledger itself: {type(error).__name__}: {error}. With {TRACEBACK_VARIABLE}=1 it says where."
        )
        sys.exit(ExitCode.FAULT)


def _was_interrupted(ended: SystemExit) -> bool:
    """Return whether nobody but typer has heard that the user wants to stop."""
    heard = ended.__context__
    return heard is not None and isinstance(heard.__cause__, KeyboardInterrupt)
