"""Requests and responses put together to sessions: what was recorded at the wire doesn't say which belong to one.

Each response is a turn. A request repeats all that was said before: the last message of a model in it is the response that it goes
on from, told by its identifier, by its words, or by the calls whose results stand behind it. Of the history only what is new is taken,
the results of the last calls and what was said with them; a message of a model in it that no response here had is no turn, since it
may be anybody's. Two requests that go on from one response are two ways on: the second is a fork.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, NamedTuple

from actionledger.common.canonical import json_text
from actionledger.common.ids import derived_id
from actionledger.common.text import utf8_with_halves
from actionledger.sources.base import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.sources.shapes.base import Message, Passed, Request, Response
from actionledger.sources.shapes.conversation import capture_of
from actionledger.vocabulary import Capture, LeftOutReason, Relation

_UNIQUE = 16
"""So long an identifier is at least that no other response has: Ollama's, for one, are numbers below a thousand."""

_SYSTEM = 100_000
"""How much of the instructions is kept with a session, in characters."""


class Exchange(NamedTuple):
    """A request and what came back.

    Args:
        response: the answer.
        keeps: how much its interface keeps of what the model wrote.
        request: what was asked; None where only the answer was recorded.
    """

    response: Response
    keeps: Capture
    request: Request | None = None


@dataclass(slots=True)
class _Open:
    """A session while its exchanges come in."""

    name: str
    parent: str = ""
    turns: int = 0


@dataclass(slots=True)
class _Place:
    """Where a response stands, and which of its calls have no result yet."""

    session: _Open
    number: int
    call_ids: tuple[str, ...]
    waiting: list[str]


class Exchanges:
    """Takes the exchanges of one recording in their order, and gives pieces of sessions.

    Args:
        source: the format, as records name it.
        one_session: the session that all exchanges are of, also of other files; empty to tell it by what they say.

    Attributes:
        passed: what was passed over.
    """

    def __init__(self, source: str, one_session: str = "") -> None:
        self.passed: Passed = Counter()
        self._source = source
        self._one = _Open(one_session) if one_session else None
        self._unnamed: Counter[str] = Counter()
        self._places: dict[str, _Place] = {}

    def add(self, exchange: Exchange) -> Iterator[RecordedSession]:
        """Yield what an exchange adds: its turns, and the results that its request has for earlier ones."""
        request = exchange.request or Request(())
        answered = tuple(self._named(request, each) for each in exchange.response.messages)
        new, repeated = _split(request.messages)
        self._count(exchange.response, new, repeated)
        if answered and all(f"id {each.message_id}" in self._places for each in answered):
            self.passed[LeftOutReason.DUPLICATE, "response"] += len(answered)
            return
        before = self._before(request)
        session = self._one or self._session(before, answered)
        results = tuple(self._results(before, request, new))
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
            "",
            turns,
            source=self._source,
            parent=session.parent,
            relation=Relation.FORK if session.parent else None,
            results=results,
            metadata=_metadata(request) if is_first else {},
            ids="source",
            is_last=False,
        )

    def _count(self, response: Response, new: list[Message], repeated: int) -> None:
        for each in (*response.messages, *new):
            self.passed.update(each.passed)
        if not response.messages:
            self.passed[LeftOutReason.NO_RESPONSE, response.error] += 1
        if repeated:
            self.passed[LeftOutReason.REPEATED_HISTORY, "message"] += repeated

    def _before(self, request: Request) -> _Place | None:
        """Return the response that a request goes on from, if it is here."""
        if place := self._places.get(f"id {request.previous}"):
            return place
        last = _last(request)
        if last is None:
            return None
        opening = _opening(request)
        keys = [
            *(f"call {opening} {call.call_id}" for call in last.calls if call.call_id),
            _said(opening, last),
            *(f"call {call.call_id}" for call in last.calls if call.call_id),
        ]
        return next((self._places[key] for key in keys if key in self._places), None)

    def _session(self, before: _Place | None, answered: tuple[Message, ...]) -> _Open:
        """Return the session that a response belongs to."""
        if before is not None and (not answered or before.number == before.session.turns - 1):
            return before.session
        parent = before.session.name if before is not None else ""
        return _Open(answered[0].message_id if answered else "", parent)

    def _named(self, request: Request, message: Message) -> Message:
        """Return a response with an identifier; one that has none of its own is known by what was asked and answered."""
        if len(message.message_id) >= _UNIQUE:
            return message
        said = [[each.text, *map(_arguments, each.calls)] for each in (*request.messages, message)]
        name = f"{message.message_id} {derived_id(json_text(said))}".strip()
        self._unnamed[name] += 1
        times = self._unnamed[name]
        return replace(message, message_id=name if times == 1 else f"{name} {times}")

    def _results(
        self, before: _Place | None, request: Request, new: list[Message]
    ) -> Iterator[RecordedResult]:
        """Yield the results that a request brings, those without an identifier by their place."""
        renamed = _renamed(before, _last(request))
        for result in (each for message in new for each in message.results):
            waiting = before.waiting if before is not None else []
            call_id = renamed.get(result.call_id, result.call_id) or next(iter(waiting), "")
            if call_id and call_id in waiting:
                waiting.remove(call_id)
                yield replace(result, call_id=call_id)
            elif before is not None:
                self.passed[LeftOutReason.REPEATED_HISTORY, "result"] += 1
            elif call_id and self._one is not None:
                yield result  # its call is in another file
            else:
                self.passed[LeftOutReason.NO_CALL, ""] += 1

    def _turn(
        self, session: _Open, exchange: Exchange, request: Request, new: list[Message], message: Message
    ) -> RecordedTurn:
        number = session.turns
        session.turns += 1
        own = message.message_id or message.message_id
        calls = tuple(
            call if call.call_id else replace(call, call_id=f"{own or f'{session.name}/{number}'}/{place}")
            for place, call in enumerate(message.calls)
        )
        call_ids = tuple(call.call_id for call in calls)
        self._remember(request, message, _Place(session, number, call_ids, list(call_ids)))
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

    def _remember(self, request: Request, message: Message, place: _Place) -> None:
        """Note by what a later request may name a response."""
        opening = _opening(request)
        self._places[_said(opening, message)] = place
        self._places[f"id {message.message_id}"] = place
        for call_id in place.call_ids:
            self._places[f"call {opening} {call_id}"] = place
            self._places[f"call {call_id}"] = place


def _split(messages: tuple[Message, ...]) -> tuple[list[Message], int]:
    """Return what stands behind the last message of a model, and how many messages stand before."""
    last = max((n for n, each in enumerate(messages) if each.speaker == "model"), default=-1)
    before = sum(each.speaker != "system" for each in messages[: last + 1])
    return list(messages[last + 1 :]), before


def _last(request: Request) -> Message | None:
    """Return the last message of a model that a request repeats."""
    return next((each for each in reversed(request.messages) if each.speaker == "model"), None)


def _opening(request: Request) -> str:
    """Return what a conversation began with, hashed: it tells it from others in which the same was said."""
    return _digest(next((each.text for each in request.messages if each.speaker == "person"), ""))


def _said(opening: str, message: Message) -> str:
    """Return what tells a message by its words: clients name calls anew, and leave out what they don't know."""
    calls = [(call.name, _arguments(call)) for call in message.calls]
    return _digest(json_text([opening, message.text.strip(), calls]))


def _digest(text: str) -> str:
    return blake2b(utf8_with_halves(text), digest_size=16).hexdigest()


def _arguments(call: RecordedCall) -> Any:
    """Return arguments as they are compared, whether they are a text or an object."""
    if not isinstance(call.arguments, str):
        return json_text(call.arguments)
    try:
        return json_text(json.loads(call.arguments or "{}"))
    except (ValueError, RecursionError):
        return call.arguments


def _renamed(before: _Place | None, repeated: Message | None) -> dict[str, str]:
    """Return what a response called its calls, by what a request that repeats it does."""
    if before is None or repeated is None or len(repeated.calls) != len(before.call_ids):
        return {}
    return {call.call_id: own for call, own in zip(repeated.calls, before.call_ids, strict=True)}


def _metadata(request: Request) -> dict[str, Any]:
    told = "\n\n".join(each.text for each in request.messages if each.speaker == "system" and each.text)
    return {"system": told[:_SYSTEM]} if told else {}
