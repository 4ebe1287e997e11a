"""``python -m actionledger_dashboard --ledger team.duckdb``."""

import argparse
import sys
from pathlib import Path

from actionledger.core.errors import ActionLedgerError
from actionledger_dashboard.server import serve


def main() -> int:
    """Parse the command line and serve; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="actionledger_dashboard", description="Show a ledger in the browser."
    )
    parser.add_argument("--ledger", type=Path, required=True, help="the ledger's file, NAME.duckdb")
    parser.add_argument(
        "--port", type=int, help="where to listen on 127.0.0.1 (default: a free port from 8501 on)"
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.add_argument("--read-only", action="store_true", help="let nobody write anything from a page")
    chosen = parser.parse_args()
    try:
        return serve(chosen.ledger, chosen.port, headless=not chosen.open, read_only=chosen.read_only)
    except ActionLedgerError as error:
        parser.exit(2, f"{error}\n")


if __name__ == "__main__":
    sys.exit(main())
