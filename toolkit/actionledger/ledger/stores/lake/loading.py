"""Lines into a lake, beside other hosts that do the same."""

from collections.abc import Iterable, Sequence

import duckdb
import stamina
from duckdb import DuckDBPyConnection

from actionledger.ledger.loading import Loader, Tally
from actionledger.ledger.preparing import Prepared
from actionledger.ledger.proofs.chain import Chain
from actionledger.ledger.segments import Line
from actionledger.ledger.staging import Staging

_PATIENCE_SECONDS = 120.0
_CONFLICTS = ("conflict", "database is locked", "could not serialize", "deadlock")
_VERSION_PLACE, _RANDOM = 14, "7"


class LakeLoader(Loader):
    """Puts lines into a lake, each event once, however many hosts do it.

    DuckLake knows no unique keys, and two commits that only append never collide. What only this host can have made, it alone
    takes in. What another one may take in just now, a recording that both import or a parser that both use, is claimed: whoever
    commits second collides, and looks again at what is known.

    Args:
        connection: its current database is a lake.
        chain: this host's own, which gets a link for each commit.
    """

    def __init__(self, connection: DuckDBPyConnection, chain: Chain) -> None:
        super().__init__(connection, chain=chain)
        self._is_derived = False
        self._has_claimed = False

    def load(self, lines: Sequence[Line]) -> None:
        """Take in lines, again where another host was first; see ``Loader.load``."""
        for attempt in tried_again():
            with attempt:
                super().load(lines)

    def load_prepared(self, prepared: Prepared) -> None:
        """Take in events, again where another host was first; see ``Loader.load_prepared``."""
        for attempt in tried_again():
            with attempt:
                super().load_prepared(prepared)

    def _commit(
        self, lines: Sequence[Line], *, refusal: str | None = None, prepared: Prepared | None = None
    ) -> None:
        self._has_claimed = False
        super()._commit(lines, refusal=refusal, prepared=prepared)

    def _insert(self, prepared: Prepared, tally: Tally) -> None:
        self._claim()  # what comes so is derived from what was recorded elsewhere
        super()._insert(prepared, tally)

    def _claim(self) -> None:
        if not self._has_claimed:
            claim(self._connection)
            self._has_claimed = True

    def _known_events(self, event_ids: Sequence[str]) -> set[str]:
        self._is_derived = any(event_id[_VERSION_PLACE] != _RANDOM for event_id in event_ids)
        return super()._known_events(event_ids)

    def _finish(self, lines: Sequence[Line], staging: Staging) -> None:
        if self._is_derived or "parsers" in staging.tables:
            self._claim()
        super()._finish(lines, staging)

    def _note(self, offsets: dict[str, int]) -> None:
        # Rows that are only added are nobody's to collide with; the largest offset of a segment is what counts.
        self._connection.execute(
            "INSERT INTO segments SELECT unnest(?::VARCHAR[]), unnest(?::BIGINT[])",
            [list(offsets), list(offsets.values())],
        )


def claim(connection: DuckDBPyConnection) -> None:
    """Have this transaction collide with any other one that claims something.

    Args:
        connection: its current database is a lake; a transaction has begun.
    """
    connection.execute("UPDATE meta SET toolkit_version = toolkit_version")


def tried_again() -> Iterable[stamina.Attempt]:
    """Return the attempts at what may collide with another host's commit, a few minutes of them."""
    return stamina.retry_context(
        on=is_conflict, attempts=None, timeout=_PATIENCE_SECONDS, wait_initial=0.1, wait_max=5.0
    )


def is_conflict(error: Exception) -> bool:
    """Return whether another host was in the way, so that the same may go well the next time."""
    said = str(error).lower()
    return isinstance(error, duckdb.Error) and any(words in said for words in _CONFLICTS)
