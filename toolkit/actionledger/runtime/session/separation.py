"""What an agent works in and what is recorded of it must lie apart: who can write the record can write a person's decision."""

import os
from pathlib import Path

from actionledger.core.errors import UsageError
from actionledger.ledger.files import LedgerFiles


def refuse_reachable(ledger: Path, workspace: Path) -> None:
    """Raise where a ledger lies in a workspace, or a workspace in a ledger's folder.

    Args:
        ledger: the ledger's file; it need not be there.
        workspace: the folder that actions may change; it need not be there.

    Raises:
        UsageError: one lies in the other; says how to go on.
    """
    files = LedgerFiles.at(ledger)
    if lies_in(files.published, workspace) or lies_in(files.folder, workspace):
        raise UsageError(
            f"The ledger {files.published} lies in the workspace {workspace.resolve()}, where actions could change what is "
            "recorded of them, decisions of persons included: take a ledger outside of it (--ledger, ACTIONLEDGER_LEDGER or "
            "open_ledger), or another workspace."
        )
    if lies_in(workspace, files.folder):
        raise UsageError(
            f"The workspace {workspace.resolve()} lies in the folder of the ledger {files.published}, which belongs to the ledger "
            "alone: take another workspace."
        )


def lies_in(path: Path, folder: Path) -> bool:
    """Return whether a path is a folder or lies in it, whatever links, mounts or capitals lead there."""
    inner, outer = path.resolve(), folder.resolve()
    if inner.is_relative_to(outer):
        return True
    try:
        wanted = outer.stat()
    except OSError:
        return False
    # The same folder may go by two resolved names: mounted twice, or written in other capitals.
    return any(_is(parent, wanted) for parent in (inner, *inner.parents))


def _is(path: Path, wanted: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), wanted)
    except OSError:
        return False
