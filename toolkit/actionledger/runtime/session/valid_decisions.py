"""Which recorded decisions count: those that this user signed, in this ledger, about this very action, and that were not used yet.

A ledger can be written to by whoever can write its files. So what it calls a decision is a claim, and the signature is what
shows that a person made it. A policy's own decisions are made anew each time.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from actionledger.core.errors import DecisionKeyError
from actionledger.core.values import Approval
from actionledger.ledger import Ledger
from actionledger.ledger.queries.approvals import approvals_called, approvals_of_turn, open_approvals
from actionledger.runtime.execution.execution_events import POLICY
from actionledger.runtime.session.signatures import is_signed, known_key


@dataclass(frozen=True, slots=True)
class DecisionStatus:
    """The status of a request for a decision.

    Args:
        approval: the request; with the decision, if one counts.
        claim: the last decision that is recorded and doesn't count; None if there is none.
        doubt: why it doesn't; a clause.
    """

    approval: Approval
    claim: Approval | None = None
    doubt: str = ""

    @property
    def sentence(self) -> str:
        """What is to be told of a decision that doesn't count; empty if there is none."""
        if self.claim is None:
            return ""
        return f"What is recorded as {self.claim.decision} by {self.claim.decided_by!r} doesn't count: {self.doubt}."


def waiting_approvals(ledger: Ledger) -> list[Approval]:
    """Return the actions that wait for a decision, those that have waited longest first."""
    return [each.approval for each in open_decisions(ledger) if each.approval.decision is None]


def decided_approvals(ledger: Ledger) -> list[Approval]:
    """Return the actions about which a decision was made that nobody has carried out yet."""
    return [each.approval for each in open_decisions(ledger) if each.approval.decision is not None]


def open_decisions(ledger: Ledger) -> list[DecisionStatus]:
    """Return the statuses of the requests about actions that wait, those that have waited longest first."""
    return _last(_statuses(ledger, open_approvals(ledger)))


def decisions_of_turn(ledger: Ledger, turn_id: str, distrust: str = "") -> dict[int, DecisionStatus]:
    """Return the status of the last request about each action of a turn, by the action's place."""
    found = _statuses(ledger, approvals_of_turn(ledger, turn_id), distrust)
    return {each.approval.action_index: each for each in _last(found)}


def decisions_called(ledger: Ledger, prefix: str, distrust: str = "") -> list[DecisionStatus]:
    """Return the statuses of the requests whose identifiers begin so."""
    return _statuses(ledger, approvals_called(ledger, prefix), distrust)


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
    """Return the status of one request, by all that is recorded of it: the first decision that counts does."""
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
