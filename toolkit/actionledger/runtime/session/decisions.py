"""Decisions on pending actions: made once, about exactly the requested action, signed, and counted only if the signature is valid."""

import hashlib
import hmac
import json
import os
import secrets
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from actionledger.core.canonical import json_text
from actionledger.core.errors import DecisionKeyError, LedgerError, UsageError
from actionledger.core.events import EVENT, ApprovalDecided
from actionledger.core.files import state_folder
from actionledger.core.ids import new_id
from actionledger.core.privacy import mask
from actionledger.core.values import Approval
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import approvals_called, approvals_of_turn, open_approvals
from actionledger.ledger.storage.encoding import encode
from actionledger.runtime.execution.approval import Decision, content_hash, hash_of_shown
from actionledger.runtime.execution.execution_events import POLICY, approval_decided, decision_event_id


@dataclass(frozen=True, slots=True)
class DecisionStatus:
    """The status of an approval request."""

    approval: Approval  # the request, including the decision if one counts
    claim: Approval | None = None  # the last recorded decision that doesn't count; None if there is none
    doubt: str = ""  # why that decision doesn't count; a clause

    @property
    def sentence(self) -> str:
        """The sentence about a decision that doesn't count; empty if there is none."""
        if self.claim is None:
            return ""
        return f"What is recorded as {self.claim.decision} by {self.claim.decided_by!r} doesn't count: {self.doubt}."


def pending_approvals(ledger: Ledger) -> list[Approval]:
    """Return the pending approvals, oldest first."""
    return [each.approval for each in open_decisions(ledger) if each.approval.decision is None]


def decided_approvals(ledger: Ledger) -> list[Approval]:
    """Return the actions that were decided but not yet carried out."""
    return [each.approval for each in open_decisions(ledger) if each.approval.decision is not None]


def open_decisions(ledger: Ledger) -> list[DecisionStatus]:
    """Return the statuses of pending requests, oldest first."""
    return _last(_statuses(ledger, open_approvals(ledger)))


def decisions_of_turn(ledger: Ledger, turn_id: str, distrust: str) -> dict[int, DecisionStatus]:
    """Return the status of the last request about each action of a turn, by the action's index."""
    found = _statuses(ledger, approvals_of_turn(ledger, turn_id), distrust)
    return {each.approval.action_index: each for each in _last(found)}


def _last(statuses: Iterable[DecisionStatus]) -> list[DecisionStatus]:
    """Return the last request about each action, in the order of the requests."""
    last = {(each.approval.turn_id, each.approval.action_index): each for each in statuses}
    return [each for each in statuses if each in last.values()]


def _statuses(ledger: Ledger, recorded: Sequence[Approval], distrust: str = "") -> list[DecisionStatus]:
    """Return the status of each request, in the order of the requests."""
    by_id: dict[str, list[Approval]] = {}
    for each in recorded:
        by_id.setdefault(each.approval_id, []).append(each)
    return [_status(ledger, claims, distrust) for claims in by_id.values()]


def _status(ledger: Ledger, claims: Sequence[Approval], distrust: str) -> DecisionStatus:
    """Return the status of one request from all its records; the first decision that counts wins."""
    asked = replace(
        claims[0],
        decision=None,
        decided_by="",
        why="",
        decided_hash="",
        changed_arguments="",
        decided_at=None,
        signature="",
    )
    status = DecisionStatus(asked)
    for claim in claims:
        if claim.decision is None:
            continue
        doubt = distrust or _doubt(claim, ledger)
        if not doubt:
            return DecisionStatus(claim)
        if claim.decided_by != POLICY or claim.signature:
            status = DecisionStatus(asked, claim, doubt)
    return status


def _doubt(claim: Approval, ledger: Ledger) -> str:
    """Return why a recorded decision doesn't count; empty if it does."""
    if not claim.signature:
        return "nobody has signed it"
    try:
        key = known_key()
    except DecisionKeyError as error:
        return error.why
    if not is_signed(claim, ledger.path, key):
        return "it isn't signed with this user's key, for this action, in this ledger and as it stands"
    return ""


_PURPOSE = "actionledger decision 1"
"""The prefix of every signed text, so that a signature for another purpose or format is never accepted."""

_BYTES = 32
_CHARACTERS = 2 * _BYTES


def key_path() -> Path:
    """Return the path of this user's key."""
    return state_folder() / "decisions.key"


def signing_key() -> bytes:
    """Return this user's key; create it if missing."""
    path = key_path()
    try:
        if not path.is_symlink() and not path.exists():
            _make(path)
    except OSError as error:
        raise DecisionKeyError(
            path, f"can't be made ({error.strerror})", "make its folder writable"
        ) from error
    return known_key()


def known_key() -> bytes:
    """Return this user's existing key."""
    path = key_path()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise DecisionKeyError(path, "isn't there", "decide again, which makes one") from None
    except OSError as error:
        why = "is a symbolic link" if path.is_symlink() else f"can't be read ({error.strerror})"
        raise DecisionKeyError(path, why, _ANEW) from error
    try:
        _check_owner(path, os.fstat(descriptor))
        content = os.read(descriptor, 2 * _CHARACTERS)
    finally:
        os.close(descriptor)
    try:
        key = bytes.fromhex(content.decode())
    except ValueError:
        key = b""
    if len(content) != _CHARACTERS or len(key) != _BYTES:
        raise DecisionKeyError(path, "is damaged", _ANEW)
    return key


def signed(decided: Approval, ledger: Path, key: bytes) -> str:
    """Return the signature of a decision."""
    nonce = secrets.token_hex(16)
    return f"{nonce}:{_code(decided, ledger, nonce, key)}"


def is_signed(decided: Approval, ledger: Path, key: bytes) -> bool:
    """Return whether a recorded decision has a valid signature by a key, for its content and this ledger."""
    nonce, _, code = decided.signature.partition(":")
    return hmac.compare_digest(code.encode(), _code(decided, ledger, nonce, key).encode())


def spend(signature: str) -> bool:
    """Mark a decision as carried out; return False if it already was."""
    path = state_folder() / "carried-out" / signature.partition(":")[0]
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return False
    except OSError as error:
        why = f"can't be noted as used ({error.strerror})"
        raise DecisionKeyError(path, why, "make its folder writable") from error
    return True


_ANEW = "remove it, and decide again, which makes a new one"


def _make(path: Path) -> None:
    """Create a key if there is none; another process may do so first."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            os.write(descriptor, secrets.token_hex(_BYTES).encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        # A link appears with its full content or not at all, and replaces nothing.
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()


def _check_owner(path: Path, status: os.stat_result) -> None:
    """Raise if another user may know the key."""
    if not stat.S_ISREG(status.st_mode):
        raise DecisionKeyError(path, "is not a file", _ANEW)
    if status.st_uid != os.geteuid():
        raise DecisionKeyError(path, "belongs to another user", _ANEW)
    if status.st_mode & 0o077:
        mode = stat.S_IMODE(status.st_mode)
        raise DecisionKeyError(path, f"is open to other users (mode {mode:04o}), who may have read it", _ANEW)


def _code(decided: Approval, ledger: Path, nonce: str, key: bytes) -> str:
    said = (
        _PURPOSE,
        nonce,
        os.fspath(ledger),
        decided.approval_id,
        decided.session_id,
        decided.turn_id,
        decided.action_index,
        decided.name,
        decided.decided_hash,
        decided.decision,
        decided.changed_arguments,
        decided.decided_by,
        decided.why,
        decided.decided_at.isoformat() if decided.decided_at else "",
    )
    return hmac.new(key, json.dumps(said).encode(), hashlib.sha256).hexdigest()


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
    """Record a decision on a pending action (its id or a clear beginning), signed with this user's key unless this process carries it out itself."""
    lock = ledger.internals.decisions_lock()
    if not lock.acquire(_PATIENCE_SECONDS):
        raise LedgerError(f"Somebody else is deciding in {ledger.path}; try again.")
    try:
        asked = decision_called(ledger, approval_id, distrust).approval
        refuse_unfit(asked, decision)
        # The decision as it will be recorded, with any secret in its reason masked.
        recorded = EVENT.validate_json(encode(approval_decided(asked, decision, run_id or new_id())))
        assert isinstance(recorded, ApprovalDecided)
        event = recorded
        decided = _with_decision(asked, event)
        decided = replace(decided, signature=_signature(decided, ledger, needed=not carried_out_here))
        event_id = decision_event_id(decided)
        ledger.record(replace(event, event_id=event_id, signature=decided.signature))
        ledger.flush()
    finally:
        lock.release()
    return decided


def _signature(decided: Approval, ledger: Ledger, *, needed: bool) -> str:
    """Return the signature of a decision; empty if it is optional and there is no key."""
    try:
        return signed(decided, ledger.path, signing_key())
    except DecisionKeyError:
        if needed:
            raise
        return ""


def decide_unrecorded(approval: Approval, decision: Decision) -> Approval:
    """Return a request with its decision, for a session without a ledger."""
    refuse_unfit(approval, decision)
    return _with_decision(approval, approval_decided(approval, decision, new_id()))


def decision_called(ledger: Ledger, approval_id: str, distrust: str = "") -> DecisionStatus:
    """Return the status of the request with an id or its beginning."""
    found = _statuses(ledger, approvals_called(ledger, approval_id), distrust)
    if len(found) == 1:
        return found[0]
    what = "No approval has" if not found else f"{len(found)} approvals have"
    raise UsageError(
        f"{what} an id that begins with {approval_id!r}; 'actionledger approvals list' shows the ids."
    )


def refuse_unfit(approval: Approval, decision: Decision) -> None:
    """Raise if nothing is left to decide, or the decision can't be recorded as it is."""
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
