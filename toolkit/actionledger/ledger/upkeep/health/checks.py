"""Which checks there are, in the order in which they are told."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from actionledger.ledger.upkeep.health import file_checks, record_checks
from actionledger.ledger.upkeep.health.facts import Facts
from actionledger.ledger.upkeep.health.report import Finding

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
