"""Which session a response belongs to: the one that its client names, or else the one whose last response it goes on from.

Agents say whose a request is (``shapes/owners``): their retries, compactions and resumptions stay one session then, and a fork or a
sub-agent is linked. Without that, two requests that go on from one whole response are two ways on, the second a fork; what was cut
or empty is tried again. A conversation that begins with what a call hands on is a sub-agent's.
"""

import re
from collections import deque

from actionledger.core.vocabulary import Relation
from actionledger.imports.shapes.base import Message, Request
from actionledger.imports.shapes.injected import words_of
from actionledger.imports.shapes.places import Open, Place, Places, digest, opening_of, scope_of
from actionledger.imports.shapes.spawned import Spawned

_TASK = 200
_SUMMARY, _SUMMARY_ENDS, _LONGEST_SUMMARY = "<summary>", "</summary>", 65_536
_UNSETTLED = 64
"""So many sessions without a whole response may go on by being asked the same again."""

_BROKEN = frozenset(
    {
        "cut_by_server", "closed_by_client", "unreachable", "timeout", "unfinished", "in_progress", "error", "failed", "cancelled",
        "length", "max_tokens", "max_output_tokens", "MAX_TOKENS",
    }
)  # fmt: skip
"""The finish reasons of what is tried again."""


class Belonging:
    """Finds the sessions of the exchanges of one recording.

    Attributes:
        places: where the responses stand.
    """

    def __init__(self) -> None:
        self.places = Places()
        self._owned: dict[str, Open] = {}
        self._unsettled: deque[tuple[str, Open]] = deque(maxlen=_UNSETTLED)
        self._spawned: Spawned[Place] = Spawned()

    def session(self, request: Request, before: Place | None, answered: tuple[Message, ...]) -> Open:
        """Return the session that a response belongs to."""
        found = self._going_on(request, before, is_answered=bool(answered)) or self._new(
            request, before, answered
        )
        if request.owner.name and found.name == request.owner.name:
            self._owned[found.name] = found
        return found

    def add(self, request: Request, message: Message, place: Place) -> None:
        """Note a response, so that what follows it is found."""
        self.places.add(request, message, place)
        self._spawned.note(message.calls, place)
        if _is_whole(message):
            place.session.settled = place.number + 1
        elif not place.session.settled:
            self._unsettled.append((opening_of(request), place.session))
        if not message.calls:
            self._spawned.note_text(_summary(message.text) or message.text, place)

    def _going_on(self, request: Request, before: Place | None, *, is_answered: bool) -> Open | None:
        """Return the session that goes on with a request; None where another one begins."""
        owner = request.owner.name
        owned = self._owned.get(owner) if owner else None
        if before is None:
            if owned is not None:
                if self._is_beside(request, owned):
                    return None
                owned.has_tools = owned.has_tools or bool(request.tools)
                return owned
            return None if owner else self._tried_again(opening_of(request))
        is_same = not owner or before.session.owner.name in {"", owner}
        if not is_same:
            return owned
        is_sure = bool(owner) and before.session.owner.name == owner
        return before.session if is_sure or before.is_last or not is_answered else owned

    def _tried_again(self, opening: str) -> Open | None:
        """Return the session whose only answers were cut or empty, and that was asked the same; the client may have added to it."""
        unsettled = ((begun, session) for begun, session in reversed(self._unsettled) if not session.settled)
        return next((session for begun, session in unsettled if begun and opening.startswith(begun)), None)

    def _is_beside(self, request: Request, owned: Open) -> bool:
        """Return whether a request of a session's client is none of the session itself: a sub-agent's, or one for a title."""
        is_without_tools = owned.has_tools and not request.tools
        return is_without_tools or self._begun_by(request) is not None

    def _new(self, request: Request, before: Place | None, answered: tuple[Message, ...]) -> Open:
        owner, is_named = request.owner, bool(request.owner.name) and request.owner.name not in self._owned
        name = owner.name if is_named else answered[0].message_id if answered else ""
        session = Open(
            name, owner=owner, task=_task(request), setting=_setting(request), has_tools=bool(request.tools)
        )
        session.opening = scope_of(request)
        if is_named and owner.parent:
            session.parent, session.relation = owner.parent, owner.relation
        elif before is not None:
            session.parent, session.relation = before.session.name, Relation.FORK
        elif begun := self._begun_by(request):
            session.parent, session.relation = begun.session.name, Relation.SUBAGENT
        elif not is_named and owner.name in self._owned:
            session.parent, session.relation = owner.name, Relation.SUBAGENT
        elif continued := self._continued(request, session):
            session.parent, session.relation = continued.session.name, Relation.CONTINUATION
        session.formerly = answered[0].message_id if is_named and answered else ""
        if is_named and before is None:  # it began before anybody recorded it
            session.turns = sum(each.speaker == "model" for each in request.messages)
        return session

    def _begun_by(self, request: Request) -> Place | None:
        """Return where the call stands that has begun a conversation; None where it has begun already, or nobody has."""
        if any(each.speaker == "model" for each in request.messages):
            return None
        words = _words(request)
        found = ((call_id, place) for call_id, place in self._spawned.by(words) if call_id in place.waiting)
        return next((place for _, place in found), None)

    def _continued(self, request: Request, session: Open) -> Place | None:
        """Return where the summary stands that a conversation begins with: the client has compacted what was before it."""
        if any(each.speaker == "model" for each in request.messages[:2]):
            return None
        told = "\n".join(each.text for each in request.messages if each.speaker == "person")
        places = (
            place for _, place in self._spawned.texts_in(told) if place.session.setting == session.setting
        )
        return next(places, None)


def _summary(text: str) -> str:
    """Return what stands between the first tags of a summary; empty where there are none, or too much stands there."""
    start = text.find(_SUMMARY)
    end = text.rfind(_SUMMARY_ENDS, start) if start >= 0 else -1
    found = text[start + len(_SUMMARY) : end] if end >= 0 else ""
    return found if len(found) <= _LONGEST_SUMMARY else ""


_ORDER = re.compile(
    r"(?i)\A\s*(?:generate|write|create) an? (?:\w{1,20} ){0,3}title for (?:this|the) (?:conversation|chat|session)\b[^\n]{0,200}(?:\n\s*|\Z)"
)
"""What a client asks of a model before a person's words, to call a session by them."""


def _is_whole(message: Message) -> bool:
    """Return whether an answer is one that its client goes on from."""
    why = message.usage.finish_reason
    return bool(message.text or message.calls) and why not in _BROKEN and not why.endswith("_error")


def _words(request: Request) -> str:
    """Return what a person has said first, without what the client says in their place, such as that it wants a title for it."""
    said = list(filter(None, (words_of(each.text) for each in request.messages if each.speaker == "person")))
    own = (_ORDER.sub("", each, count=1) for each in said)
    return next(filter(None, own), said[0] if said else "")


def _task(request: Request) -> str:
    return _words(request).split("\n", 1)[0][:_TASK]


def _setting(request: Request) -> bytes:
    return digest(*(each.text for each in request.messages if each.speaker == "system"), request.tools)
