"""Which chain a host's commits go on with: its own, begun at its first commit.

The folder beside the ledger's name keeps how far it has come. That is one ingester's alone, so that no two commits ever give a chain
the same link; and what it keeps lies where whoever changes the lake does not reach it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError, UsageError
from actionledger.ledger.storage.chain import SPAN, Chain, Head, begin
from actionledger.ledger.storage.connections import transaction
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles
from actionledger.ledger.storage.lake.loading import claim, tried_again
from actionledger.ledger.storage.lake.place import LakePlace
from actionledger.ledger.upkeep.proofs.heads import heads_in


class OwnChain:
    """The chain that one host's commits go on with; of the holder of the ingest lock.

    Args:
        place: where the lake is.
        files: what the host has of the ledger.
    """

    def __init__(self, place: LakePlace, files: LedgerFiles) -> None:
        self._place = place
        self._files = files
        self._left: Head | None = None

    @contextmanager
    def gone_on_with(self, connection: DuckDBPyConnection) -> Iterator[Chain]:
        """Give the chain for some commits; at the end, how far it has come is kept."""
        kept = kept_heads(self._files)
        chain = self._found(connection, kept)
        if chain is None:
            chain = Chain(connection, _begun(connection, self._place))
            kept = (*kept, chain.head)
            _keep(self._files, kept)  # whatever comes of the commit, the next one goes on with this chain
        self._files.committing.touch(mode=0o600)
        yield chain
        if chain.head != kept[-1]:
            _keep(self._files, (*kept[:-1], chain.head))
        self._files.committing.unlink(missing_ok=True)
        self._left = chain.head

    def _found(self, connection: DuckDBPyConnection, kept: tuple[Head, ...]) -> Chain | None:
        """Return the chain whose head was kept last; None where there is none, or the lake has another one in its place."""
        if not kept:
            return None
        if kept[-1] == self._left and not self._files.committing.exists():
            # Nobody of this host has committed since: the lake need not be asked.
            return Chain(connection, self._left)
        return _in_lake(connection, kept[-1])


def kept_heads(files: LedgerFiles) -> tuple[Head, ...]:
    """Return how far the chains of this host had come at its last commit, the one that it goes on with last.

    A host that was killed right behind a commit has kept the head before; no head that is kept is ahead of the lake.
    """
    try:
        return heads_in(files.heads.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, UsageError) as error:
        raise LedgerError(
            f"{files.heads} says how far this host's chain has come, and can't be read ({error}): remove it, and the host begins another chain."
        ) from error


def _in_lake(connection: DuckDBPyConnection, kept: Head) -> Chain | None:
    """Return the chain of a head that was kept, as far as it has come since; None where the lake hasn't that head."""
    end = (kept.link // SPAN + 1) * SPAN
    found = connection.execute(
        f"SELECT link, head FROM links WHERE link >= {kept.link} AND link < {end} ORDER BY link"
    ).fetchall()
    return Chain(connection, Head(*found[-1])) if found and found[0] == kept else None


def _begun(connection: DuckDBPyConnection, place: LakePlace) -> Head:
    """Begin another chain; hosts that do so at once collide, and get one each."""
    for attempt in tried_again():
        with attempt, transaction(connection):
            claim(connection)
            [(last,)] = connection.execute("SELECT coalesce(max(link), 0) FROM links").fetchall()
            head = begin(connection, number=(last // SPAN + 1) * SPAN, host=place.host)
    return head


def _keep(files: LedgerFiles, heads: tuple[Head, ...]) -> None:
    beside = files.folder / f"{TEMPORARY}heads"
    beside.touch(mode=0o600)
    beside.write_text("".join(f"{head}\n" for head in heads), encoding="utf-8")
    beside.replace(files.heads)
