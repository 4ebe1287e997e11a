"""Deciding about what waits: once, and about exactly what was asked."""

from dataclasses import replace

from actionledger.errors import LedgerError, UsageError
from actionledger.execution.approval import Ruling
from actionledger.execution.entries import approval_decided
from actionledger.ids import new_id
from actionledger.ledger import Ledger
from actionledger.ledger.privacy import mask
from actionledger.ledger.queries.approvals import approvals_called
from actionledger.recording import json_text, now
from actionledger.values import Approval

_PATIENCE_SECONDS = 10.0


def decide(ledger: Ledger, approval_id: str, ruling: Ruling, *, run_id: str | None = None) -> Approval:
    """Record what somebody decides about an action that waits.

    Args:
        ledger: where it waits.
        approval_id: the request, or enough of the beginning of its id.
        ruling: the decision.
        run_id: the run that it belongs to; a fresh one where not given.

    Returns:
        The request with the decision.

    Raises:
        UsageError: nothing waits by that id, or it was decided about already; says by whom.
        LedgerError: the decision can't be recorded.
    """
    lock = ledger.decisions_lock()
    if not lock.acquire(_PATIENCE_SECONDS):
        raise LedgerError(f"Somebody else is deciding in {ledger.path}; try again.")
    try:
        approval = one_approval(ledger, approval_id)
        decided = ruled(approval, ruling)
        ledger.record(approval_decided(approval, ruling, run_id or new_id()))
        ledger.flush()
    finally:
        lock.release()
    return decided


def one_approval(ledger: Ledger, approval_id: str) -> Approval:
    """Return the approval whose id begins so.

    Raises:
        UsageError: there is none, or more than one.
    """
    found = approvals_called(ledger, approval_id)
    if len(found) == 1:
        return found[0]
    what = "No approval has" if not found else f"{len(found)} approvals have"
    raise UsageError(
        f"{what} an id that begins with {approval_id!r}; 'actionledger approvals list' shows the ids."
    )


def ruled(approval: Approval, ruling: Ruling) -> Approval:
    """Return a request with the decision about it.

    Raises:
        UsageError: it was decided about already; or the changed arguments hold a secret, which no record keeps.
    """
    if approval.decision is not None:
        raise UsageError(
            f"The action {approval.name!r} was {approval.decision} by {approval.decided_by} at "
            f"{approval.decided_at:%Y-%m-%d %H:%M:%S} UTC already; a decision stands."
        )
    changed = "" if ruling.arguments is None else json_text(ruling.arguments)
    if mask(changed.encode()) != changed.encode():
        raise UsageError(
            "The changed arguments hold a secret, which is masked in a record: change them so that the action reads it elsewhere."
        )
    return replace(
        approval,
        decision=ruling.decision,
        decided_by=ruling.by,
        why=ruling.why,
        decided_hash=approval.content_hash,
        changed_arguments=changed,
        decided_at=now(),
    )
