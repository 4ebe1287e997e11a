"""Whether a lake holds what was taken in: every host's chain, this host's segments, and the heads that somebody has kept."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.chain import SPAN, Head
from actionledger.ledger.storage.connections import offsets_in
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.lake.tables import create_everything, is_older_than_chains
from actionledger.ledger.storage.schema import SCHEMA_VERSION, lacking
from actionledger.ledger.storage.segments import qualified_name
from actionledger.ledger.storage.versions import version_in
from actionledger.ledger.storage.withdrawing import withdrawn_in
from actionledger.ledger.upkeep.proofs.heads import faults_since
from actionledger.ledger.upkeep.proofs.of_segments import faults_of_segments
from actionledger.ledger.upkeep.proofs.report import Fault, Verification
from actionledger.ledger.upkeep.proofs.shape import shape_of
from actionledger.ledger.upkeep.proofs.walk import Walk, walk

_OLDER = (
    "The lake was recorded before its hosts kept proofs. Whoever opens it for writing begins a chain with what is there, and from then on it is "
    "proven."
)


def verify_lake(connection: DuckDBPyConnection, kept: Sequence[Head]) -> Verification:
    """Look whether a state of a lake holds what was taken in up to it."""
    if is_older_than_chains(connection):
        return Verification(tuple(faults_since(kept, {})), (_OLDER,))
    shape = shape_of(connection, create_everything, lacks=lacking(version_in(connection) or SCHEMA_VERSION))
    if not shape.can_be_walked:
        return Verification(shape.faults, shape.notes)
    walks = walk(connection)
    beyond = [head for head in kept if head.link // SPAN >= len(walks)]
    of_chains = (fault for chain, found in enumerate(walks) for fault in _of_chain(chain, found, kept))
    counts = withdrawn_in(connection)
    return Verification(
        faults=(*shape.faults, *of_chains, *faults_since(beyond, {})),
        notes=shape.notes,
        chains=tuple(proven for found in walks for proven in found.proven),
        superseded=counts.get("superseded", 0),
        forgotten=counts.get("forgotten", 0),
    )


def faults_of_host(connection: DuckDBPyConnection, files: LedgerFiles, host: str) -> list[Fault]:
    """Return which of a host's segments were cut."""
    prefix = qualified_name(host, "")
    offsets = offsets_in(connection)
    return faults_of_segments(
        files, {name.removeprefix(prefix): end for name, end in offsets.items() if name.startswith(prefix)}
    )


def _of_chain(chain: int, found: Walk, kept: Sequence[Head]) -> Iterator[Fault]:
    """Yield what is wrong with a chain, with the name of its host."""
    of_host = f"Of host {found.host}: " if found.host else ""
    since = faults_since([head for head in kept if head.link // SPAN == chain], found.heads)
    for fault in (*found.faults, *since):
        yield replace(fault, sentence=f"{of_host}{fault.sentence}")
