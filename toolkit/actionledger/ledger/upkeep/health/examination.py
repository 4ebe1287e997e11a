"""How a ledger is: every check asked of the same facts."""

import os
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TypeAlias

from actionledger.core.clock import now
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.upkeep.health import file_checks, record_checks
from actionledger.ledger.upkeep.health.facts import Facts, gather
from actionledger.ledger.upkeep.health.report import Finding, Health, Waiting

Look: TypeAlias = Callable[[Facts], Iterator[Finding]]
"""One check: it finds something in any case, if only that all is fine."""

CHECKS: tuple[Look, ...] = (
    file_checks.published_file,
    file_checks.versions,
    file_checks.folder,
    record_checks.segments,
    record_checks.ingest,
    record_checks.locks,
    file_checks.held,
    record_checks.quarantine,
    record_checks.rollup,
    file_checks.leftovers,
    file_checks.disk,
    file_checks.extensions,
    record_checks.left_out,
)


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
