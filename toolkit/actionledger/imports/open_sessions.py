"""The sessions that an import has begun and not ended: what their pieces say of their end."""

from collections.abc import Collection
from dataclasses import asdict, replace
from functools import cached_property
from math import isfinite
from typing import NamedTuple

from actionledger.core.canonical import json_text
from actionledger.core.ids import derived_id
from actionledger.core.recording import (
    SessionKey,
    details_id_of,
    session_described,
    session_finished,
    session_started,
)
from actionledger.core.values.recordings import NO_DETAILS, RecordedSession
from actionledger.imports.details import details_of
from actionledger.imports.import_run import ImportRun
from actionledger.ledger.queries.recorded import Known


class OpenSession(NamedTuple):
    """A session that goes on.

    Args:
        key: the session, as records carry it.
        session: what its pieces have said of its end so far, without their turns.
        file: the file that the last of them stands in.
    """

    key: SessionKey
    session: RecordedSession
    file: str


class OpenSessions:
    """Begins sessions that are new, or have something new, and ends those that it has begun.

    Args:
        run: records the events.
        source: what records name the source.
        known: what the ledger has.

    Attributes:
        started: the identifiers of those that were begun.
        going_on: those that are not over, by their identifiers.
    """

    def __init__(self, run: ImportRun, source: str, known: Known) -> None:
        self._run = run
        self._source = source
        self._known = known
        self.started: set[str] = set()
        self.going_on: dict[str, OpenSession] = {}
        self._under_first_name: set[tuple[str, str]] = set()
        self._under_earlier_name: dict[str, str] = {}

    def id_of(self, external_id: str) -> str:
        """Return the identifier of a session, by its name where it comes from."""
        return derived_id("session", self._source, external_id)

    def named(self, item: RecordedSession) -> RecordedSession:
        """Return a session under the name that it was begun as, where that is known, or its parent is; else as it is."""
        item = self._earlier(item)
        first = item.begun_as
        if item.parent:
            is_moved = (item.parent, first) in self._under_first_name
            return replace(item, parent=first) if is_moved else item
        if first in {"", item.external_id} or not self._is_there(first):
            return item
        self._under_first_name.add((item.external_id, first))
        return replace(item, external_id=first)

    def _earlier(self, item: RecordedSession) -> RecordedSession:
        """Return a session under the name that an earlier version gave it, where the ledger has it under that one; so its parent."""
        name, earlier = item.external_id, self._under_earlier_name
        if item.formerly not in {"", name} and not self._is_there(name) and self._is_there(item.formerly):
            earlier[name] = item.formerly
        if name not in earlier and item.parent not in earlier:
            return item
        return replace(
            item, external_id=earlier.get(name, name), parent=earlier.get(item.parent, item.parent)
        )

    def is_to_begin(self, item: RecordedSession, session_id: str) -> bool:
        """Return whether a session begins before anything new of it is found: what has two names may be known under the other one."""
        if self._known.is_done(session_id):
            return False
        return not item.begun_as or session_id in self._unended

    def start(self, item: RecordedSession, key: SessionKey) -> bool:
        """Record that a session begins, unless this import has said so; return whether it had not."""
        if key.session_id in self.started:
            return False
        self.started.add(key.session_id)
        event = session_started(
            key,
            self._run.key.run_id,
            external_id=item.external_id,
            source=self._source,
            started_at=item.started_at or (item.turns[0].occurred_at if item.turns else None),
            metadata=json_text(item.metadata),
            parent_session_id=self.id_of(item.parent) if item.parent else None,
            relation=item.relation,
        )
        self._run.record(event)
        return True

    def go_on(self, item: RecordedSession, key: SessionKey, file: str) -> int:
        """Note what a piece says of its session's end, and end the session if it is the last one."""
        before = self.going_on.get(key.session_id)
        merged = _merged(before, item)
        self.going_on[key.session_id] = OpenSession(key, merged, file)
        if item.is_last:
            self._end(self.going_on[key.session_id])
        told = before.session.scores if before else {}
        return sum(name not in told and not isfinite(score) for name, score in item.scores.items())

    def end_all(self, *, but: Collection[str] = ()) -> None:
        """End those that are not over."""
        for each in list(self.going_on.values()):
            if each.file not in but:
                self._end(each)

    @cached_property
    def _unended(self) -> set[str]:
        return self._known.unended()

    def _is_there(self, external_id: str) -> bool:
        session_id = self.id_of(external_id)
        there = (self.started, self._known.forgotten, self._unended)
        return self._known.is_done(session_id) or any(session_id in each for each in there)

    def _describe(self, key: SessionKey, session: RecordedSession) -> None:
        """Record what a session is called and where it ran, unless that is recorded as the last that was said of it."""
        if session.details == NO_DETAILS and not session.parent:
            return
        said = asdict(session.details)
        if session.parent:  # an older toolkit may have begun it without
            said |= {"parent_session_id": self.id_of(session.parent), "relation": session.relation}
        details_id = details_id_of(key.session_id, said)
        if not self._known.is_done(details_id):
            before = self._known.details_of(key.session_id) if self._known.was_done(key.session_id) else ""
            self._known.add_done(details_id)
            self._run.record(session_described(key.session_id, self._run.key.run_id, said, before))

    def _end(self, ended: OpenSession) -> None:
        key, session, _ = ended
        del self.going_on[key.session_id]
        if key.session_id in self.started or self._known.is_done(key.session_id):
            self._describe(key, session)
        if key.session_id not in self.started:
            return
        self._known.add_done(key.session_id)
        event = session_finished(
            key,
            self._run.key.run_id,
            success=session.success,
            reason=session.reason,
            finished_at=session.finished_at,
            scores={name: score for name, score in session.scores.items() if isfinite(score)},
            labels=session.labels,
        )
        self._run.record(event)


def _merged(before: OpenSession | None, piece: RecordedSession) -> RecordedSession:
    """Return what is known of a session's end by its pieces so far, without their turns."""
    last = piece.turns[-1].occurred_at if piece.turns else None
    earlier = before.session if before else None
    return replace(
        piece,
        turns=(),
        results=(),
        success=piece.success if piece.success is not None or earlier is None else earlier.success,
        reason=piece.reason or (earlier.reason if earlier else ""),
        scores={**(earlier.scores if earlier else {}), **piece.scores},
        labels=tuple(dict.fromkeys((*(earlier.labels if earlier else ()), *piece.labels))),
        finished_at=piece.finished_at or last or (earlier.finished_at if earlier else None),
        details=(earlier.details if earlier else NO_DETAILS).then(details_of(piece)),
    )
