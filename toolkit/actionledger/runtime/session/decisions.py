"""Deciding about what waits: once, about exactly what was asked, and signed."""

from dataclasses import replace

from actionledger.core.canonical import json_text
from actionledger.core.errors import DecisionKeyError, LedgerError, UsageError
from actionledger.core.events import EVENT, ApprovalDecided
from actionledger.core.ids import new_id
from actionledger.core.privacy import mask
from actionledger.core.values import Approval
from actionledger.ledger import Ledger
from actionledger.ledger.encoding import encode
from actionledger.runtime.execution.approval import Decision, content_hash, hash_of_shown
from actionledger.runtime.execution.execution_events import approval_decided, decision_event_id
from actionledger.runtime.session.signatures import signed, signing_key
from actionledger.runtime.session.valid_decisions import DecisionStatus, decisions_called

_PATIENCE_SECONDS = 10.0


def decide(
    ledger: Ledger,
    approval_id: str,
    decision: Decision,
    *,
    run_id: str | None = None,
    distrust: str = "",
    carried_out_here: bool = False,
) -> Approval:
    """Record what somebody decides about an action that waits, signed with this user's key.

    Args:
        ledger: where it waits.
        approval_id: the request, or enough of the beginning of its id.
        decision: the decision.
        run_id: the run that it belongs to; a fresh one if not given.
        distrust: why nothing counts that another process has decided before; empty if it may.
        carried_out_here: whether this process carries it out itself: then it needs no key.

    Returns:
        The request with the decision.

    Raises:
        UsageError: nothing waits by that id, or it was decided about already; says by whom.
        DecisionKeyError: the key can't be used, so that no other process would know the decision for this user's.
        LedgerError: the decision can't be recorded.
    """
    lock = ledger.internals.decisions_lock()
    if not lock.acquire(_PATIENCE_SECONDS):
        raise LedgerError(f"Somebody else is deciding in {ledger.path}; try again.")
    try:
        asked = decision_called(ledger, approval_id, distrust).approval
        refuse_unfit(asked, decision)
        event = _as_recorded(approval_decided(asked, decision, run_id or new_id()))
        decided = _with_decision(asked, event)
        decided = replace(decided, signature=_signature(decided, ledger, needed=not carried_out_here))
        event_id = decision_event_id(decided)
        ledger.record(replace(event, event_id=event_id, signature=decided.signature))
        ledger.flush()
    finally:
        lock.release()
    return decided


def _signature(decided: Approval, ledger: Ledger, *, needed: bool) -> str:
    """Return the signature of a decision; empty if it can be done without one and there is no key."""
    try:
        return signed(decided, ledger.path, signing_key())
    except DecisionKeyError:
        if needed:
            raise
        return ""


def decide_unrecorded(approval: Approval, decision: Decision) -> Approval:
    """Return a request with the decision about it, where nothing is recorded."""
    refuse_unfit(approval, decision)
    return _with_decision(approval, approval_decided(approval, decision, new_id()))


def decision_called(ledger: Ledger, approval_id: str, distrust: str = "") -> DecisionStatus:
    """Return the status of the request whose id begins so.

    Args:
        ledger: where it is recorded.
        approval_id: its id, or enough of the beginning.
        distrust: why nothing counts that another process has decided; empty if it may.

    Raises:
        UsageError: there is none, or more than one.
    """
    found = decisions_called(ledger, approval_id, distrust)
    if len(found) == 1:
        return found[0]
    what = "No approval has" if not found else f"{len(found)} approvals have"
    raise UsageError(
        f"{what} an id that begins with {approval_id!r}; 'actionledger approvals list' shows the ids."
    )


def refuse_unfit(approval: Approval, decision: Decision) -> None:
    """Raise where nothing is left to be decided, or a decision can't be recorded as it is."""
    if approval.decision is not None:
        raise UsageError(
            f"The action {approval.name!r} was {approval.decision} by {approval.decided_by} at "
            f"{approval.decided_at:%Y-%m-%d %H:%M:%S} UTC already; a decision stands."
        )
    shown = content_hash(approval.name, approval.arguments, approval.policy_version)
    if shown != hash_of_shown(approval.content_hash):
        raise UsageError(
            f"The record of the request {approval.approval_id} contradicts itself: the arguments that it shows are not those that "
            "its hash is of. Don't decide about it; somebody may have changed the ledger."
        )
    changed = "" if decision.arguments is None else json_text(decision.arguments)
    if mask(changed.encode()) != changed.encode():
        raise UsageError(
            "The changed arguments hold a secret, which is masked in a record: change them so that the action reads it elsewhere."
        )


def _as_recorded(event: ApprovalDecided) -> ApprovalDecided:
    """Return a decision as it will stand in the record, where a secret in its reason is masked."""
    recorded = EVENT.validate_json(encode(event))
    assert isinstance(recorded, ApprovalDecided)
    return recorded


def _with_decision(approval: Approval, event: ApprovalDecided) -> Approval:
    return replace(
        approval,
        decision=event.decision,
        decided_by=event.decided_by,
        why=event.why,
        decided_hash=event.decided_hash,
        changed_arguments=event.changed_arguments,
        decided_at=event.recorded_at,
    )
