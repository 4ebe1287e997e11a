"""Which ledger a command works on, where none is named.

It is ``actionledger.duckdb`` in the current folder. Where an agent works in that very folder its record must lie elsewhere: then
it is a file of this user's state folder that goes by the current folder, and commands that read look there as well.
"""

import hashlib
from pathlib import Path

from actionledger.cli.tables import print_note
from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.user_state import state_folder
from actionledger.runtime.session.separation import refuse_reachable

DEFAULT_LEDGER = Path("actionledger.duckdb")

_NAME_CHARACTERS = 40


def ledger_aside() -> Path:
    """Return the ledger of the current folder that lies outside of it."""
    here = Path.cwd().resolve()
    name = here.name[:_NAME_CHARACTERS] or "root"
    return state_folder() / "ledgers" / f"{name}-{hashlib.sha256(bytes(here)).hexdigest()[:12]}.duckdb"


def ledger_of_agent(ledger: Path | None, workspace: Path | None) -> Path:
    """Return the ledger of a command that lets an agent act; where nobody would look for it, that is said."""
    chosen = ledger or DEFAULT_LEDGER
    if workspace is None:
        return chosen
    try:
        refuse_reachable(chosen, workspace)
    except UsageError:
        if ledger is not None:
            raise
        aside = ledger_aside()
        print_note(f"Ledger: {aside} (an agent's record must not lie in its workspace)")
        return aside
    return chosen


def ledger_to_read(ledger: Path | None) -> Path:
    """Return the ledger of a command that reads one; it need not be there."""
    if ledger is not None:
        return ledger
    aside = ledger_aside()
    if not aside.exists():
        return DEFAULT_LEDGER
    if DEFAULT_LEDGER.exists():
        raise LedgerError(
            f"This folder has two ledgers: {DEFAULT_LEDGER} in it, and {aside}, of agents that work in it. Say which with --ledger."
        )
    return aside


def existing(ledger: Path | None) -> Path:
    """Return the path of a ledger that is there, for commands that would otherwise make an empty one."""
    found = ledger_to_read(ledger)
    if not found.exists():
        raise LedgerError(
            f"There is no ledger at {found}; 'actionledger import --help' says how to make one."
        )
    return found
