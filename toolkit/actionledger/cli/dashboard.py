"""``dashboard``: the ledger in a browser."""

import os
import socket
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.options import AlertsOption, LedgerOption, alert_clock, existing
from actionledger.cli.tables import print_note
from actionledger.core.errors import UsageError, require
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.choices import dimensions

ADDRESS = "127.0.0.1"


def dashboard(
    path: Annotated[Path | None, typer.Argument(help="Ledger file; same as --ledger")] = None,
    ledger: LedgerOption = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Port; 0: any free port; default: the first free one from 8501",
        ),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the browser")] = False,
    *,
    read_only: Annotated[
        bool,
        typer.Option(
            "--read-only",
            help="Pages write nothing: no reviews, decisions, saved queries or views",
        ),
    ] = False,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo",
            help="Show the sample sessions; makes demo.duckdb if no ledger is named",
        ),
    ] = False,
    decide: Annotated[
        bool,
        typer.Option("--decide", help="Let people with a code from this terminal decide waiting actions"),
    ] = False,
    alerts: AlertsOption = None,
    cases: Annotated[
        Path | None, typer.Option("--cases", help="Folder for cases from the playground")
    ] = None,
) -> None:
    """Serve the dashboard on this machine."""
    require("The dashboard", "dashboard", "streamlit", "altair", "pandas", "pyarrow")
    if read_only and decide:
        raise UsageError("With --read-only no page decides anything; leave --decide out, or --read-only.")
    if read_only and alerts is not None:
        raise UsageError(
            "With --read-only nothing is recorded, not even an alert; leave --alerts out, or --read-only."
        )
    shown = _demo_ledger(path or ledger) if demo else existing(path or ledger)
    with open_ledger(shown, read_only=True):
        pass  # reports a file that is not a ledger before the slow start of Streamlit
    chosen = None if port is None else _listenable(port)
    from actionledger_dashboard.permissions import CASES_VARIABLE, allow_deciding  # noqa: PLC0415 - an optional dependency
    from actionledger_dashboard.server import serve  # noqa: PLC0415

    if cases is not None:
        os.environ[CASES_VARIABLE] = str(cases.resolve())
    if decide:
        print_note(f"To decide on the page of reviews, type this code there: {allow_deciding()}")
    with alert_clock(shown, alerts):
        code = serve(shown, chosen, headless=not open_browser, read_only=read_only)
    raise typer.Exit(code)


def _demo_ledger(path: Path | None) -> Path:
    """Return the ledger of the sample sessions, creating it if missing."""
    from actionledger.cli.demo import DEMO_LEDGER, fill  # noqa: PLC0415 - needed only to run the samples
    from actionledger.demo import SOURCE, sample_sessions  # noqa: PLC0415

    shown = path or DEMO_LEDGER
    if not shown.exists():
        with open_ledger(shown) as opened:
            fill(opened, shown, list(sample_sessions()))
    with open_ledger(shown, read_only=True) as opened:
        if SOURCE not in dimensions(opened).sources:
            raise UsageError(
                f"{shown} has none of the sample sessions; name another file for them, or show this one without --demo."
            )
    return shown


def _listenable(port: int) -> int:
    """Return a free port; for 0, one chosen by the system."""
    with closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError as error:
            raise UsageError(
                f"Nothing can be served on port {port}: {error.strerror}; choose another with --port, or none."
            ) from error
        return int(probe.getsockname()[1])
