"""Requests and responses put together to sessions: what was recorded at the wire doesn't say which belong to one.

Each response is a turn. A request repeats all that was said before: the last message of a model in it is the response that it goes
on from, told by its identifier, by its words, or by the calls whose results stand behind it. Of the history only what is new is taken,
the results of the last calls and what was said with them; a message of a model in it that no response here had is no turn, since it
may be anybody's. Which session that is: ``shapes/belonging``.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from actionledger.core.canonical import json_text
from actionledger.core.ids import derived_id
from actionledger.core.values.recordings import RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes.base import Message, Passed, Request, Response
from actionledger.imports.shapes.belonging import Belonging
from actionledger.imports.shapes.conversation import capture_of
from actionledger.imports.shapes.places import Open, Place, arguments_of, last_of

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
        self._one = Open(one_session) if one_session else None
        self._unnamed: Counter[str] = Counter()
        self._belonging = Belonging()

    def add(self, exchange: Exchange) -> Iterator[RecordedSession]:
        """Yield what an exchange adds: its turns, and the results that its request has for earlier ones."""
        request = exchange.request or Request(())
        answered = tuple(self._named(request, each) for each in exchange.response.messages)
        before, known = self._belonging.places.before(request)
        new, repeated = _split(request.messages, known)
        self._count(exchange.response, new, repeated)
        if answered and all(self._belonging.places.has(each.message_id) for each in answered):
            self.passed[LeftOutReason.DUPLICATE, "response"] += len(answered)
            return
        session = self._one or self._belonging.session(request, before, answered)
        results = tuple(self._results(before, known, request, new))
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
        """Return a response with an identifier; one that has none of its own is known by what was asked and answered."""
        if len(message.message_id) >= _UNIQUE:
            return message
        said = [[each.text, *map(arguments_of, each.calls)] for each in (*request.messages, message)]
        name = f"{message.message_id} {derived_id(json_text(said))}".strip()
        self._unnamed[name] += 1
        times = self._unnamed[name]
        return replace(message, message_id=name if times == 1 else f"{name} {times}")

    def _results(
        self, before: Place | None, known: Message | None, request: Request, new: list[Message]
    ) -> Iterator[RecordedResult]:
        """Yield the results that a request brings, those without an identifier by their place."""
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
                yield result  # its call is in another file, or was recorded before
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
            request, replace(message, calls=list(calls)), Place(session, number, call_ids, list(call_ids))
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
    """Return what stands behind the last message of a model that is known, without what isn't, and how many messages are told again."""
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


def _renamed(before: Place | None, repeated: Message | None) -> dict[str, str]:
    """Return what a response called its calls, by what a request that repeats it does."""
    if before is None or repeated is None or len(repeated.calls) != len(before.call_ids):
        return {}
    return {call.call_id: own for call, own in zip(repeated.calls, before.call_ids, strict=True)}


def _metadata(request: Request) -> dict[str, Any]:
    told = "\n\n".join(each.text for each in request.messages if each.speaker == "system" and each.text)
    return {"system": told[:_SYSTEM]} if told else {}
