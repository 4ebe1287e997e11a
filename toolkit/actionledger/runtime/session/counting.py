"""How often a session has done what: rates live with the session, not with the process that has it open."""

from actionledger.core.ids import now
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import recently_begun
from actionledger.runtime.execution.limits import Counter, Limits, LocalCounter
from actionledger.runtime.session.resumption import Earlier


def counter_of(ledger: Ledger | None, earlier: Earlier | None, limits: Limits) -> Counter:
    """Return what counts the actions of a session against its rates: those that it began before it was reopened are counted."""
    if ledger and limits.shared:
        return ledger.internals.counter()
    counter = LocalCounter()
    if ledger and earlier and limits.longest_rate:
        counter.taken_before(recently_begun(ledger, earlier.session_id, now(), limits.longest_rate))
    return counter
