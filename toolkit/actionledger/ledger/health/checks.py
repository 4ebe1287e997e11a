"""Which checks there are, in the order in which they are told."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from actionledger.ledger.health import of_files, of_records
from actionledger.ledger.health.facts import Facts
from actionledger.ledger.health.report import Finding

Look: TypeAlias = Callable[[Facts], Iterator[Finding]]
"""One check: it finds something in any case, if only that all is fine."""

CHECKS: tuple[Look, ...] = (
    of_files.published_file,
    of_files.versions,
    of_files.folder,
    of_records.segments,
    of_records.ingest,
    of_records.locks,
    of_files.held,
    of_records.quarantine,
    of_records.rollup,
    of_files.leftovers,
    of_files.disk,
    of_files.extensions,
    of_records.left_out,
)
