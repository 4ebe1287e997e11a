"""How a ledger is: every check asked of the same facts."""

import os
from itertools import chain

from actionledger.core.clock import now
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.upkeep.health.checks import CHECKS
from actionledger.ledger.upkeep.health.facts import Facts, gather
from actionledger.ledger.upkeep.health.report import Health, Waiting


def examine(path: str | os.PathLike[str]) -> Health:
    """Return how a ledger is, also of one that can't be opened; nothing of it is changed."""
    facts = gather(LedgerFiles.at(path))
    return Health(
        ledger=facts.files.published,
        examined_at=now(),
        findings=tuple(chain.from_iterable(check(facts) for check in CHECKS)),
        waiting=_waiting(facts),
        holders=facts.holders,
        sizes=facts.sizes,
        free_bytes=facts.free_bytes,
        schema_version=facts.records.version,
    )


def _waiting(facts: Facts) -> Waiting:
    waiting = [segment for segment in facts.segments if segment.waiting]
    return Waiting(
        segments=len(waiting),
        bytes=sum(segment.waiting for segment in waiting),
        seconds=max((segment.seconds for segment in waiting), default=None),
        live_segments=len(facts.held_by("segment")),
    )
