"""Verify a state of a lake: the chain of each host, and the tables' shape."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.chain import SPAN, Head
from actionledger.ledger.storage.lake.tables import create_everything, is_older_than_chains
from actionledger.ledger.storage.schema import SCHEMA_VERSION, lacking
from actionledger.ledger.storage.stored import withdrawn_in
from actionledger.ledger.upkeep.migrations import version_in
from actionledger.ledger.upkeep.proofs.file import shape_of
from actionledger.ledger.upkeep.proofs.report import Fault, Verification, faults_since
from actionledger.ledger.upkeep.proofs.walk import ChainWalk, walk

_OLDER = (
    "The lake was recorded before its hosts kept proofs. Whoever opens it for writing begins a chain with what is there, and from then on it is "
    "proven."
)


def verify_lake(connection: DuckDBPyConnection, kept: Sequence[Head]) -> Verification:
    """Verify that a state of a lake holds what was ingested up to it."""
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


def _of_chain(chain: int, found: ChainWalk, kept: Sequence[Head]) -> Iterator[Fault]:
    """Yield the faults of a chain, with the name of its host."""
    of_host = f"Of host {found.host}: " if found.host else ""
    since = faults_since([head for head in kept if head.link // SPAN == chain], found.heads)
    for fault in (*found.faults, *since):
        yield replace(fault, sentence=f"{of_host}{fault.sentence}")
