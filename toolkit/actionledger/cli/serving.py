"""``dashboard``: the ledger in a browser."""

from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.options import DEFAULT_LEDGER, LedgerOption
from actionledger.extras import require


def dashboard(
    path: Annotated[Path | None, typer.Argument(help="The ledger's file; the same as --ledger.")] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    port: Annotated[
        int | None, typer.Option(help="Where to listen; the first free port where not given.")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the browser.")] = False,
) -> None:
    """Serve the dashboard to this machine until interrupted."""
    require("The dashboard", "dashboard", "streamlit", "altair", "pandas", "pyarrow")
    from actionledger_dashboard.server import serve  # noqa: PLC0415 - an optional dependency

    raise typer.Exit(serve(path or ledger, port, headless=not open_browser))
