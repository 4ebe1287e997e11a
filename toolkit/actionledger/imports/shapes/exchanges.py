"""Join requests and responses to sessions: a recording of the wire doesn't say which belong together.

Each response is a turn. A request repeats the history. Its last model message is the response that it continues, found by identifier, by words, or by
the calls whose results follow it. Only the new part of the history is used: results of the last calls, and the messages with them. A model message
that no response here had is no turn, since anyone may have written it. ``Belonging`` finds the session.
"""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from actionledger.core.canonical import json_text
from actionledger.core.ids import derived_id
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports.shapes.base import Message, Passed, Request, Response
from actionledger.imports.shapes.conversation import capture_of
from actionledger.imports.shapes.placement import (
    Open,
    ResponsePlace,
    ResponsePlaces,
    Spawned,
    arguments_of,
    digest,
    last_of,
    opening_of,
    scope_of,
    words_of,
)

# The session of a response: the one that its client names, or else the one whose last response it continues.
_TASK = 200
_SUMMARY, _SUMMARY_ENDS, _LONGEST_SUMMARY = "<summary>", "</summary>", 65_536
_NOTICE = regex(
    r"\s*<[A-Za-z_-]{1,40}>\s*[^.\n]{0,40}\b(?:context|conversation|history)\b[^.\n]{0,20}\bcompacted\b"
)
_UNSETTLED = 64
"""How many sessions without a complete response may continue with the same question, and how many others with it and a notice."""

_IN_BACKGROUND = 3
"""How many of a session's last responses are searched for a call whose background work began, though it has a result."""

_BROKEN = frozenset(
    {
        "cut_by_server", "closed_by_client", "unreachable", "timeout", "unfinished", "in_progress", "error", "failed", "cancelled",
        "length", "max_tokens", "max_output_tokens", "MAX_TOKENS",
    }
)  # fmt: skip
"""The finish reasons after which a client retries."""


class Belonging:
    """Finds the sessions of one recording's exchanges."""

    def __init__(self) -> None:
        self.places = ResponsePlaces()
        self._owned: dict[str, Open] = {}
        self._unsettled: deque[tuple[str, Open]] = deque(maxlen=_UNSETTLED)
        self._recent: deque[Open] = deque(maxlen=_UNSETTLED)
        self._spawned: Spawned[ResponsePlace] = Spawned()

    def session(self, request: Request, before: ResponsePlace | None, answered: tuple[Message, ...]) -> Open:
        found = self._going_on(request, before, is_answered=bool(answered)) or self._new(
            request, before, answered
        )
        if request.owner.name and found.name == request.owner.name:
            self._owned[found.name] = found
        return found

    def add(self, request: Request, message: Message, place: ResponsePlace) -> None:
        """Note a response, so that its continuation is found."""
        self.places.add(request, message, place)
        self._spawned.note(message.calls, place)
        if message.calls and message.text.strip() and not _is_whole(message):
            # A client that retries may repeat the words without the call that was cut.
            self.places.add(request, replace(message, calls=[]), place)
        if _is_whole(message):
            place.session.settled = place.number + 1
            if not (self._recent and self._recent[-1] is place.session):
                self._recent.append(place.session)
        elif not place.session.settled:
            self._unsettled.append((opening_of(request), place.session))
        if not message.calls:
            self._spawned.note_text(_summary(message.text) or message.text, place)

    def _going_on(self, request: Request, before: ResponsePlace | None, *, is_answered: bool) -> Open | None:
        """Return the session that a request continues; None if it begins another one."""
        owner = request.owner.name
        owned = self._owned.get(owner) if owner else None
        if before is None:
            if owned is not None:
                if self._is_beside(request, owned):
                    return None
                owned.has_tools = owned.has_tools or bool(request.tools)
                return owned
            opening = opening_of(request)
            return None if owner else self._tried_again(opening) or self._compacted(opening)
        is_same = not owner or before.session.owner.name in {"", owner}
        if not is_same:
            return owned
        is_sure = bool(owner) and before.session.owner.name == owner
        return before.session if is_sure or before.is_last or not is_answered else owned

    def _tried_again(self, opening: str) -> Open | None:
        """Return a session with only cut or empty answers to the same question; the client may have added to the question."""
        unsettled = ((begun, session) for begun, session in reversed(self._unsettled) if not session.settled)
        return next((session for begun, session in unsettled if begun and opening.startswith(begun)), None)

    def _compacted(self, opening: str) -> Open | None:
        """Return the last session with the same first words, if a notice after them says that the rest was summed up: Cline's."""
        notice = _NOTICE.search(opening)
        if notice is None:
            return None
        begun = digest("opening", opening[: notice.start()].rstrip()).hex()
        return next((session for session in reversed(self._recent) if session.opening == begun), None)

    def _is_beside(self, request: Request, owned: Open) -> bool:
        """Return whether a request of a session's client is outside the session: a subagent's, or one for a title."""
        is_without_tools = owned.has_tools and not request.tools
        return is_without_tools or self._begun_by(request) is not None

    def _new(self, request: Request, before: ResponsePlace | None, answered: tuple[Message, ...]) -> Open:
        owner, is_named = request.owner, bool(request.owner.name) and request.owner.name not in self._owned
        name = owner.name if is_named else answered[0].message_id if answered else ""
        session = Open(
            name,
            owner=owner,
            task=_words(request).split("\n", 1)[0][:_TASK],
            setting=digest(
                *(each.text for each in request.messages if each.speaker == "system"), request.tools
            ),
            has_tools=bool(request.tools),
        )
        session.opening = scope_of(request)
        if is_named and owner.parent:
            session.parent, session.relation = owner.parent, owner.relation
        elif before is not None:
            session.parent, session.relation = before.session.name, Relation.FORK
            session.setting_before = before.session.setting
        elif begun := self._begun_by(request):
            session.parent, session.relation = begun.session.name, Relation.SUBAGENT
        elif not is_named and owner.name in self._owned:
            session.parent, session.relation = owner.name, Relation.SUBAGENT
        elif continued := self._continued(request, session):
            session.parent, session.relation = continued.session.name, Relation.CONTINUATION
        session.formerly = answered[0].message_id if is_named and answered else ""
        if is_named and before is None:  # it began before the recording
            session.turns = sum(each.speaker == "model" for each in request.messages)
        return session

    def _begun_by(self, request: Request) -> ResponsePlace | None:
        """Return the place of the call that began a conversation; None if it is not new, or no call began it."""
        if any(each.speaker == "model" for each in request.messages):
            return None
        words = _words(request)
        found = ((call_id, place) for call_id, place in self._spawned.by(words) if call_id in place.waiting)
        return next((place for _, place in found), None) or next(self._handed_on(words), None)

    def _handed_on(self, words: str) -> Iterator[ResponsePlace]:
        """Yield the places of recent calls with exactly this task that have a result already: their work goes on in the background."""
        places = (place for _, place in self._spawned.whole(words))
        return (place for place in places if place.session.turns - place.number <= _IN_BACKGROUND)

    def _continued(self, request: Request, session: Open) -> ResponsePlace | None:
        """Return the place of the summary that a conversation begins with: the client has compacted the context."""
        if any(each.speaker == "model" for each in request.messages[:2]):
            return None
        told = "\n".join(each.text for each in request.messages if each.speaker == "person")
        places = (place for _, place in self._spawned.texts_in(told))
        # A client may ask for the summary without tools, beside its session.
        return next(
            (p for p in places if session.setting in {p.session.setting, p.session.setting_before}), None
        )


def _summary(text: str) -> str:
    """Return the text of the first summary tag; empty if there is none, or it is too long."""
    start = text.find(_SUMMARY)
    end = text.rfind(_SUMMARY_ENDS, start) if start >= 0 else -1
    found = text[start + len(_SUMMARY) : end] if end >= 0 else ""
    return found if len(found) <= _LONGEST_SUMMARY else ""


_ORDER = regex(
    r"(?i)\A\s*(?:generate|write|create) an? (?:\w{1,20} ){0,3}title for (?:this|the) (?:conversation|chat|session)\b[^\n]{0,200}(?:\n\s*|\Z)"
)
"""A client's request for a title, before a person's words."""


def _is_whole(message: Message) -> bool:
    """Return whether a client continues after an answer."""
    why = message.usage.finish_reason
    return bool(message.text or message.calls) and why not in _BROKEN and not why.endswith("_error")


def _words(request: Request) -> str:
    """Return a person's first words, without the client's own, such as a request for a title."""
    said = list(filter(None, (words_of(each.text) for each in request.messages if each.speaker == "person")))
    own = (_ORDER.sub("", each, count=1) for each in said)
    return next(filter(None, own), said[0] if said else "")


_UNIQUE = 16
"""The shortest identifier that is unique: Ollama's, for example, are numbers below a thousand."""

_SYSTEM = 100_000
"""How many characters of the instructions are kept with a session."""


class Exchange(NamedTuple):
    """A request and its response."""

    response: Response
    keeps: Capture  # how much of the model's output its interface keeps
    request: Request | None = None  # the request; None if only the response was recorded


class Exchanges:
    """Converts the exchanges of one recording, in order, to pieces of sessions; ``one_session`` is all their session, also in other files (empty: found by content)."""

    def __init__(self, source: str, one_session: str = "") -> None:
        self.passed: Passed = Counter()
        self._source = source
        self._one = Open(one_session) if one_session else None
        self._unnamed: Counter[str] = Counter()
        self._belonging = Belonging()

    def add(self, exchange: Exchange) -> Iterator[RecordedSession]:
        """Yield what an exchange adds: its turns, and the results of earlier calls in its request."""
        request = exchange.request or Request(())
        answered = tuple(self._named(request, each) for each in exchange.response.messages)
        before, known = self._belonging.places.before(request)
        new, repeated = _split(request.messages, known)
        between = _between(request.messages, known, before)
        self._count(exchange.response, new, repeated)
        if answered and all(self._belonging.places.has(each.message_id) for each in answered):
            self.passed[LeftOutReason.DUPLICATE, "response"] += len(answered)
            return
        session = self._one or self._belonging.session(request, before, answered)
        results = tuple(self._results(before, known, request, [*between, *new]))
        is_first = session.turns == 0
        if self._one is not None:
            session.turns = sum(each.speaker == "model" for each in request.messages)
        turns = tuple(self._turn(session, exchange, request, new, each) for each in answered)
        if not turns and not results:
            return
        yield RecordedSession(
            session.name,
            None,
            turns[0].model if turns else request.model,
            session.task,
            turns,
            source=self._source,
            parent=session.parent,
            relation=session.relation,
            results=results,
            metadata=_metadata(request) if is_first else {},
            ids="source",
            is_last=False,
            formerly=session.formerly,
        )

    def _count(self, response: Response, new: list[Message], repeated: int) -> None:
        for each in (*response.messages, *new):
            self.passed.update(each.passed)
        if not response.messages:
            self.passed[LeftOutReason.NO_RESPONSE, response.error] += 1
        if repeated:
            self.passed[LeftOutReason.REPEATED_HISTORY, "message"] += repeated

    def _named(self, request: Request, message: Message) -> Message:
        """Return a response with an identifier; without one of its own, it is identified by question and answer."""
        if len(message.message_id) >= _UNIQUE:
            return message
        said = [[each.text, *map(arguments_of, each.calls)] for each in (*request.messages, message)]
        name = f"{message.message_id} {derived_id(json_text(said))}".strip()
        self._unnamed[name] += 1
        times = self._unnamed[name]
        return replace(message, message_id=name if times == 1 else f"{name} {times}")

    def _results(
        self, before: ResponsePlace | None, known: Message | None, request: Request, new: list[Message]
    ) -> Iterator[RecordedResult]:
        """Yield the results in a request; those without an identifier are matched by position."""
        renamed, is_last = _renamed(before, known), known is last_of(request)
        for result in (each for message in new for each in message.results):
            waiting = before.waiting if before is not None else []
            call_id = renamed.get(result.call_id, result.call_id) or next(
                iter(waiting if is_last else ()), ""
            )
            if call_id and call_id in waiting:
                waiting.remove(call_id)
                yield replace(result, call_id=call_id)
            elif before is not None:
                self.passed[LeftOutReason.REPEATED_HISTORY, "result"] += 1
            elif call_id and (self._one is not None or request.owner.name):
                yield result  # its call is in another file, or was made before the recording
            else:
                self.passed[LeftOutReason.NO_CALL, ""] += 1

    def _turn(
        self, session: Open, exchange: Exchange, request: Request, new: list[Message], message: Message
    ) -> RecordedTurn:
        number = session.turns
        session.turns += 1
        own = message.message_id or f"{session.name}/{number}"
        calls = tuple(
            call if call.call_id else replace(call, call_id=f"{own}/{place}")
            for place, call in enumerate(message.calls)
        )
        call_ids = tuple(call.call_id for call in calls)
        self._belonging.add(
            request,
            replace(message, calls=list(calls)),
            ResponsePlace(session, number, call_ids, list(call_ids)),
        )
        told = "\n\n".join(each.text for each in new if each.text and each.speaker == "person")
        return RecordedTurn(
            number,
            message.text,
            told or None,
            occurred_at=message.occurred_at,
            external_id=message.message_id,
            capture=capture_of(calls, exchange.keeps, has_tools=bool(request.tools)),
            calls=calls,
            usage=message.usage,
            tools=request.tools,
            model=message.model or request.model,
            reasoning=message.reasoning,
        )


def _split(messages: tuple[Message, ...], known: Message | None) -> tuple[list[Message], int]:
    """Return the messages after the last known model message, without unknown model messages, and how many messages are repeated."""
    last = max(
        (
            n
            for n, each in enumerate(messages)
            if each is known or (known is None and each.speaker == "model")
        ),
        default=-1,
    )
    behind = [each for each in messages[last + 1 :] if each.speaker != "model"]
    told = sum(each.speaker != "system" for each in messages)
    return behind, told - sum(each.speaker != "system" for each in behind)


def _between(
    messages: tuple[Message, ...], known: Message | None, before: ResponsePlace | None
) -> list[Message]:
    """Return the messages with results between the pieces of a response whose calls a client repeats one by one, as goose does."""
    if known is None or before is None or len(known.calls) >= len(before.call_ids):
        return []
    own, seen = set(before.call_ids), {call.call_id for call in known.calls}
    found: list[Message] = []
    held: list[Message] = []
    place = next(number for number, each in enumerate(messages) if each is known)
    for message in reversed(messages[:place]):
        if message.speaker != "model":
            held.append(message)
            continue
        calls = {call.call_id for call in message.calls}
        if not calls or not calls <= own or calls & seen:
            break
        seen |= calls
        found += held
        held = []
    return found[::-1]


def _renamed(before: ResponsePlace | None, repeated: Message | None) -> dict[str, str]:
    """Return the original call identifiers, by those of the request that repeats the response."""
    if before is None or repeated is None or len(repeated.calls) != len(before.call_ids):
        return {}
    if {call.call_id for call in repeated.calls} == set(before.call_ids):
        return {}  # a client may put them in another order
    return {call.call_id: own for call, own in zip(repeated.calls, before.call_ids, strict=True)}


def _metadata(request: Request) -> dict[str, Any]:
    told = "\n\n".join(each.text for each in request.messages if each.speaker == "system" and each.text)
    return {"system": told[:_SYSTEM]} if told else {}
