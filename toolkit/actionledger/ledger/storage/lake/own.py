"""Which events only the host that records them can have: those of a live session, of the run that began it.

Such a run's identifier is drawn by the process that acts, and so is the session's, whatever the events' own are derived from. All
others may come from elsewhere as well: a recording is imported on several hosts, an approval is decided by whoever gets to it, a
session is gone on with, a run is resumed.
"""

from collections.abc import Iterable

from duckdb import DuckDBPyConnection

from actionledger.core.events import Event, RunStarted, SessionStarted
from actionledger.core.vocabulary import RunKind
from actionledger.ledger.storage.old_events import ReversalAsTry

_OF_ANYBODY = frozenset({"approval_decided"})
"""What is decided by whoever is first."""

_ALONE = frozenset({"reviewed", "session_forgotten", "system_noted"})
"""What is recorded in a run of its own that nobody begins: each time it is something new."""

_ONCE_EACH = frozenset({"parser_used"})
"""What is claimed where its row is new, and else known."""

_KEPT = 10_000


class OwnSessions:
    """Remembers of live sessions which run began them; of one ingester.

    What it knows never changes, so that it is asked of the lake once.
    """

    def __init__(self) -> None:
        self._begun_by: dict[str, str] = {}
        self._is_live: dict[str, bool] = {}

    def has_all(self, connection: DuckDBPyConnection, events: Iterable[Event | ReversalAsTry]) -> bool:
        """Return whether no other host can have any of some events."""
        asked: list[Event] = []
        for event in events:
            if isinstance(event, ReversalAsTry) or event.kind in _OF_ANYBODY:
                return False
            if event.kind not in _ONCE_EACH:
                asked.append(event)
        self._learn(connection, asked)
        return all(map(self._is_own, asked))

    def _is_own(self, event: Event) -> bool:
        is_live = self._is_live.get(event.run_id)
        if is_live is None:
            return event.kind in _ALONE
        session = getattr(event, "session_id", None)
        return is_live and (session is None or self._begun_by.get(session) == event.run_id)

    def _learn(self, connection: DuckDBPyConnection, events: Iterable[Event]) -> None:
        """Note the runs and the sessions that begin in some events, and ask for those that began before."""
        if len(self._begun_by) + len(self._is_live) > _KEPT:
            self._begun_by.clear()
            self._is_live.clear()
        runs: set[str] = set()
        sessions: set[str] = set()
        for event in events:
            if isinstance(event, RunStarted):
                self._is_live[event.run_id] = event.run_kind is RunKind.LIVE
            elif isinstance(event, SessionStarted):
                self._begun_by.setdefault(event.session_id, event.run_id)
            runs.add(event.run_id)
            if session := getattr(event, "session_id", None):
                sessions.add(session)
        if unknown := runs - self._is_live.keys():
            found = _of(connection, "run_starts", "run_id", "run_kind", unknown)
            self._is_live |= {run: kind == RunKind.LIVE for run, kind in found.items()}
        own = {session for session in sessions if session not in self._begun_by}
        if own and any(self._is_live.get(run) for run in runs):
            self._begun_by |= _of(connection, "session_starts", "session_id", "run_id", own)


def _of(
    connection: DuckDBPyConnection, table: str, key: str, value: str, keys: Iterable[str]
) -> dict[str, str]:
    found = connection.execute(
        f"SELECT {key}::VARCHAR, {value}::VARCHAR FROM {table} SEMI JOIN "
        f"(SELECT unnest(string_split(?, ','))::UUID AS {key}) USING ({key})",
        [",".join(keys)],
    ).fetchall()
    return dict(found)
