"""One import as a run of a ledger, which begins with its first event."""

from collections.abc import Collection
from dataclasses import fields, replace
from datetime import date
from functools import cached_property
from math import isfinite
from typing import NamedTuple

from actionledger.core.canonical import JsonDict, JsonMap, json_text
from actionledger.core.events import Event
from actionledger.core.ids import derived_id, new_id
from actionledger.core.patterns import regex
from actionledger.core.privacy import mask_text
from actionledger.core.recording import (
    ParserIdentity,
    Recorder,
    RunKey,
    SessionKey,
    details_id_of,
    hash_of_tools,
    list_prices_used,
    parser_used,
    prices_used,
    run_finished,
    run_started,
    session_described,
    session_finished,
    session_started,
    tools_offered,
)
from actionledger.core.recordings import NO_DETAILS, RecordedSession, SessionDetails
from actionledger.core.vocabulary import RunKind, TitleOrigin
from actionledger.imports.sources.access import text_at
from actionledger.ledger.queries.recorded import Known
from actionledger.ledger.queries.versions import VERSIONS


class ImportRun:
    """Records the events of an import, and once each what they refer to.

    Args:
        record: records an event.
        source: the source's name in records.
        origin: the path that they come from.
        run_id: the run, if others record its beginning and end; None for a new one.

    Attributes:
        key: the run, as its events carry it.
        has_begun: whether the run has recorded anything.
    """

    def __init__(self, record: Recorder, source: str, origin: str, run_id: str | None = None) -> None:
        self._record = record
        self._source = source
        self._origin = origin
        self.key = RunKey(run_id=run_id or new_id(), kind=RunKind.IMPORT)
        self.has_begun = False
        self._is_ours = run_id is None
        self._parsers: set[str] = set()
        self._tools: set[str] = set()
        self._prices: set[tuple[str, date | None]] = set()

    def record(self, event: Event) -> None:
        self.begin()
        self._record(event)

    def begin(self) -> None:
        """Begin the run, unless it has begun."""
        if self.has_begun:
            return
        self.has_begun = True
        if self._is_ours:
            self._record(run_started(self.key, name=f"import {self._source}", source=self._origin))

    def note_parser(self, parser: ParserIdentity) -> None:
        """Record the parser of its texts."""
        if parser.id not in self._parsers:
            self._parsers.add(parser.id)
            self.record(parser_used(parser, self.key.run_id))

    def note_prices(self, dated: date | None) -> None:
        """Record that costs come from a price file, with its date."""
        if ("", dated) not in self._prices:
            self._prices.add(("", dated))
            self.record(prices_used(self.key.run_id, dated))

    def note_list_prices(self, package: str, dated: date) -> None:
        """Record that costs come from price lists, with their date."""
        if (package, dated) not in self._prices:
            self._prices.add((package, dated))
            self.record(list_prices_used(self.key.run_id, package, dated))

    def note_tools(self, tools: str) -> None:
        """Record the offered tools, given as JSON text; nothing if it is empty."""
        if tools and (tools_hash := hash_of_tools(tools)) not in self._tools:
            self._tools.add(tools_hash)
            self.record(tools_offered(tools, self.key.run_id))

    def finish(self, *, turns: int, refused: int) -> None:
        """End the run if it has begun and isn't ended by others."""
        if self.has_begun and self._is_ours:
            self._record(run_finished(self.key, turns=turns, refused=refused))


# A session's title and place: from its source's fields, then its metadata, then its first prompt.
_TITLE_CHARACTERS = 80
_LOOKED_AT = 2_000
_TAGGED = 16
_TAG = regex(r"<([a-z][a-z0-9_-]{0,60})>")

_BY_PERSON = frozenset({"user", "manual", "person"})
"""The sources' words for a title given by a person."""


_NO_BRANCH = "HEAD"
"""The branch that Claude Code and others record if none is checked out."""


def details_of(piece: RecordedSession) -> SessionDetails:
    """Return a piece's title and place of its session."""
    found = _in_metadata(piece.metadata, piece.source).then(piece.details)
    prompt = found.title if found.title_from is TitleOrigin.PROMPT else ""
    if not found.title and piece.turns and not piece.turns[0].index:
        prompt = piece.turns[0].prompt or ""
    title = title_of(prompt)
    return replace(found, title=title, title_from=TitleOrigin.PROMPT) if title else found


def title_of(prompt: str) -> str:
    """Return the first words of a prompt, on one line."""
    prompt = prompt.lstrip()
    for _ in range(_TAGGED):
        tag = _TAG.match(prompt)
        end = prompt.find(f"</{tag[1]}>") if tag else -1
        if tag is None or end < 0:
            break
        prompt = prompt[end + len(tag[1]) + 3 :].lstrip()
    # Look at the beginning only: a prompt may be as long as a book.
    words = " ".join(mask_text(prompt[:_LOOKED_AT]).split())
    return words if len(words) <= _TITLE_CHARACTERS else f"{words[: _TITLE_CHARACTERS - 1].rstrip()}…"


def _in_metadata(metadata: JsonMap, source: str) -> SessionDetails:
    """Return the title and place in the metadata of an agent's session: others have no folder and no title of their own."""
    title = text_at(metadata, "title")
    project = _first(metadata, "cwd")
    if not title and not project:
        return NO_DETAILS
    by = TitleOrigin.PERSON if text_at(metadata, "title_source") in _BY_PERSON else TitleOrigin.AGENT
    branch = _first(metadata, "gitBranch", "branch")
    return SessionDetails(
        title=title,
        title_from=by if title else None,
        project=project,
        git_branch="" if branch == _NO_BRANCH else branch,
        git_commit=_first(metadata, "headCommit"),
        agent=_first(metadata, "agent") or source,
        agent_version=_first(metadata, *VERSIONS, "agent_version"),
    )


def _first(metadata: JsonMap, *keys: str) -> str:
    return next((value for key in keys if (value := text_at(metadata, key))), "")


_DETAILS = [each.name for each in fields(SessionDetails)]


class OpenSession(NamedTuple):
    """An open session."""

    key: SessionKey  # the session, as records carry it
    session: RecordedSession  # what its pieces have said of its end so far, without their turns
    file: str  # the file that holds the last piece


class OpenSessions:
    """Begins sessions that are new or have something new, and ends those that it has begun."""

    def __init__(self, run: ImportRun, source: str, known: Known) -> None:
        self._run = run
        self._source = source
        self._known = known
        self.started: set[str] = set()
        self.going_on: dict[str, OpenSession] = {}
        self._under_first_name: set[tuple[str, str]] = set()
        self._under_earlier_name: dict[str, str] = {}

    def id_of(self, external_id: str) -> str:
        """Return a session's identifier, from its name in the source."""
        return derived_id("session", self._source, external_id)

    def named(self, item: RecordedSession) -> RecordedSession:
        """Return a session under the name it was begun with, if it or its parent has been renamed; otherwise unchanged."""
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
        """Return a session and its parent under the names of an earlier version, if the ledger has them under those."""
        name, earlier = item.external_id, self._under_earlier_name
        if item.formerly not in {"", name} and not self._is_there(name) and self._is_there(item.formerly):
            earlier[name] = item.formerly
        if name not in earlier and item.parent not in earlier:
            return item
        return replace(
            item, external_id=earlier.get(name, name), parent=earlier.get(item.parent, item.parent)
        )

    def is_to_begin(self, item: RecordedSession, session_id: str) -> bool:
        """Return whether a session begins before anything new is found: one with two names may be known under the other."""
        if self._known.is_done(session_id):
            return False
        return not item.begun_as or session_id in self._unended

    def start(self, item: RecordedSession, key: SessionKey) -> bool:
        """Record that a session begins, once in an import; return whether it was recorded."""
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
        # What the pieces so far say of a session's end, without their turns.
        last = item.turns[-1].occurred_at if item.turns else None
        earlier = before.session if before else None
        merged = replace(
            item,
            turns=(),
            results=(),
            success=item.success if item.success is not None or earlier is None else earlier.success,
            reason=item.reason or (earlier.reason if earlier else ""),
            scores={**(earlier.scores if earlier else {}), **item.scores},
            labels=tuple(dict.fromkeys((*(earlier.labels if earlier else ()), *item.labels))),
            finished_at=item.finished_at or last or (earlier.finished_at if earlier else None),
            details=(earlier.details if earlier else NO_DETAILS).then(details_of(item)),
        )
        self.going_on[key.session_id] = OpenSession(key, merged, file)
        if item.is_last:
            self._end(self.going_on[key.session_id])
        told = before.session.scores if before else {}
        return sum(name not in told and not isfinite(score) for name, score in item.scores.items())

    def end_all(self, *, but: Collection[str] = ()) -> None:
        """End the open sessions, except those of some files."""
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
        """Record a session's title and place, unless the ledger's latest record says the same."""
        if session.details == NO_DETAILS and not session.parent:
            return
        said: JsonDict = {name: getattr(session.details, name) for name in _DETAILS}
        if session.parent:  # an older toolkit may have begun it without a parent
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
