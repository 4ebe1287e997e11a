"""Load lines into a lake while other hosts do the same."""

from collections.abc import Iterable, Sequence

from duckdb import DuckDBPyConnection

from actionledger.core.events import Event, RunStarted, SessionStarted
from actionledger.core.vocabulary import RunKind
from actionledger.ledger.storage.chain import Chain
from actionledger.ledger.storage.connections import BASE, offsets_in
from actionledger.ledger.storage.insertion import Staging
from actionledger.ledger.storage.lake.connection import filled_tables_of
from actionledger.ledger.storage.lake.tables import claim, tried_again
from actionledger.ledger.storage.loading import LoadCounts, Loader
from actionledger.ledger.storage.old_events import ReversalAsTry
from actionledger.ledger.storage.preparation import Prepared
from actionledger.ledger.storage.segments import Line

_OF_ANYBODY = frozenset({"approval_decided"})
"""Kinds of events that any host may record; the first one counts."""

_ALONE = frozenset({"reviewed", "session_forgotten", "system_noted"})
"""Kinds of events in a run of their own that has no start; each one is new."""

_ONCE_EACH = frozenset({"parser_used"})
"""Kinds of events that are claimed if their row is new."""

_KEPT = 10_000


class OwnSessions:
    """Remembers which run began each live session of one ingester.

    Such facts never change, so each is queried from the lake once.
    """

    def __init__(self) -> None:
        self._begun_by: dict[str, str] = {}
        self._is_live: dict[str, bool] = {}

    def has_all(self, connection: DuckDBPyConnection, events: Iterable[Event | ReversalAsTry]) -> bool:
        """Return whether no other host can have recorded any of some events."""
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
        """Remember the runs and sessions that begin in some events, and query those that began before."""
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


class LakeLoader(Loader):
    """Loads lines into a lake, each event once, however many hosts do the same.

    DuckLake has no unique keys, and two commits that only append never conflict. Events that only this host can have recorded (see the top of this
    file) need no check. Events that another host may ingest at the same time, such as a recording that both import or a parser that both use, are
    claimed. The second commit then conflicts, and checks again what is known.
    """

    def __init__(
        self,
        connection: DuckDBPyConnection,  # a connection whose current database is a lake
        chain: Chain,  # this host's chain, which gets a link for each commit
        own: OwnSessions | None = None,  # the live sessions known to be this host's own
        *,
        # whether another process may ingest the same lines, as a committer and its host may: then each commit is
        # claimed, and lines that are already known are skipped
        shares_segments: bool = False,
    ) -> None:
        super().__init__(connection, chain=chain)
        self._own = own or OwnSessions()
        self._shares_segments = shares_segments
        self._is_shared = False
        self._has_claimed = False
        self._filled: frozenset[str] | None = None

    def load(self, lines: Sequence[Line]) -> None:
        """Ingest lines, and try again if another host was first; see ``Loader.load``."""
        for attempt in tried_again():
            with attempt:
                super().load(lines)

    def load_prepared(self, prepared: Prepared) -> None:
        """Ingest events, and try again if another host was first; see ``Loader.load_prepared``."""
        for attempt in tried_again():
            with attempt:
                super().load_prepared(prepared)

    def _commit(
        self, lines: Sequence[Line], *, refusal: str | None = None, prepared: Prepared | None = None
    ) -> None:
        self._has_claimed = False
        self._filled = None
        super()._commit(lines, refusal=refusal, prepared=prepared)

    def _take_in(self, lines: Sequence[Line], refusal: str | None, tally: LoadCounts) -> None:
        if self._shares_segments:
            self._claim()
            known = offsets_in(self._connection)
            lines = [line for line in lines if line.start >= known.get(line.segment, 0)]
            if not lines and refusal is not None:
                return
        super()._take_in(lines, refusal, tally)

    def _insert(self, prepared: Prepared, tally: LoadCounts) -> None:
        self._claim()  # such events come from recordings, which another host may import, too
        super()._insert(prepared, tally)

    def _claim(self) -> None:
        if not self._has_claimed:
            claim(self._connection)
            self._has_claimed = True

    def _may_have(self, table: str) -> bool:
        # The catalog is queried after the lake in each transaction, so that it is no older than the state that the transaction sees.
        if self._filled is None:
            found = self._connection.execute(filled_tables_of(BASE)).fetchall()
            self._filled = frozenset(name for (name,) in found)
        return table in self._filled or table in self.tables

    def _known_events(self, events: Sequence[Event | ReversalAsTry]) -> set[str]:
        known = super()._known_events(events)
        new = [event for event in events if event.event_id.lower() not in known]
        self._is_shared = not self._own.has_all(self._connection, new)
        return known

    def _finish(self, lines: Sequence[Line], staging: Staging) -> None:
        if self._is_shared or "parsers" in staging.tables:
            self._claim()
        super()._finish(lines, staging)

    def _note(self, offsets: dict[str, int]) -> None:
        # Rows are only added, so that nothing conflicts; the largest offset of a segment counts.
        self._connection.execute(
            "INSERT INTO segments SELECT unnest(?::VARCHAR[]), unnest(?::BIGINT[])",
            [list(offsets), list(offsets.values())],
        )
