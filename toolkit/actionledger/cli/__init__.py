"""The command line: one thin module per group of commands; ``exits`` has all exit codes."""

import atexit
import gc
import os
import sys
import traceback
from typing import Annotated

import typer

from actionledger import __version__
from actionledger.cli.commands import Commands
from actionledger.cli.exits import EPILOG, ExitCode, code_of, let_readers_leave
from actionledger.core.errors import ActionLedgerError

app = typer.Typer(
    name="actionledger",
    cls=Commands,
    help="Record, measure and replay what language models do with tools.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog=EPILOG,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"actionledger {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version")
    ] = False,
) -> None:
    pass


TRACEBACK_VARIABLE = "ACTIONLEDGER_TRACEBACK"
"""The environment variable that shows where an unforeseen error comes from, if it is set to anything."""


def main() -> None:
    """Run the command line; every error ends in a sentence and an exit code."""
    let_readers_leave()
    # Until the command is loaded (``Commands``): collecting garbage among lasting objects takes a tenth of a start, and of an end.
    gc.disable()
    atexit.register(gc.freeze)
    try:
        app(prog_name="actionledger")
    except SystemExit as ended:
        if ended.code == ExitCode.STOPPED and _was_interrupted(ended):
            from actionledger.cli.tables import print_note  # noqa: PLC0415 - slow to load, and most runs end without

            print_note("Stopped. Everything recorded so far is kept.")
        raise
    except ActionLedgerError as error:
        _say_error(str(error))
        sys.exit(code_of(error))
    except OSError as error:
        what = f" {error.filename!r}" if error.filename else ""
        _say_error(f"The system refuses{what}: {error.strerror or error}.")
        sys.exit(ExitCode.FAULT)
    except Exception as error:  # noqa: BLE001 - any error is reported as a sentence
        if os.environ.get(TRACEBACK_VARIABLE):
            traceback.print_exc()
        _say_error(_unforeseen(error))
        sys.exit(ExitCode.FAULT)
    finally:
        gc.enable()


def _say_error(sentence: str) -> None:
    from actionledger.cli.tables import print_error  # noqa: PLC0415 - the same

    print_error(sentence)


def _unforeseen(error: Exception) -> str:
    from actionledger.ledger.storage.connections import damage_sentence, is_damage  # noqa: PLC0415 - the same

    # A command's own SQL is valid, so if DuckDB can't read it, the file is damaged.
    if is_damage(error):
        return damage_sentence("the ledger's file", error)
    return f"A fault of actionledger itself: {type(error).__name__}: {error}. With {TRACEBACK_VARIABLE}=1 it says where."


def _was_interrupted(ended: SystemExit) -> bool:
    """Return whether only typer has seen the user's interrupt."""
    heard = ended.__context__
    return heard is not None and isinstance(heard.__cause__, KeyboardInterrupt)
