"""An Inspect sample as sessions: its own, and those of the agents and graders in its spans."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.recordings import RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports.shapes import inspect_messages, inspect_messages as outcomes
from actionledger.imports.shapes.base import Message, Passed
from actionledger.imports.shapes.conversation import conversation
from actionledger.imports.sources.access import number_at, object_at, objects_at, text_at, time_at

# The owners of events in an Inspect sample: an agent, a scorer, a subtask, or the sample itself.
_OWNING = frozenset({"agent", "scorer", "subtask"})
"""Kinds of spans, and of older logs' steps, whose events are not the sample's own."""


@dataclass(frozen=True, slots=True)
class EventOwner:
    """The owner of events."""

    key: str = ""  # its key within the sample; empty for the sample itself
    kind: str = ""  # `agent`, `scorer`, `subtask` or `tool`
    name: str = ""  # the name that its author gave it
    above: str = ""  # the key of the owner around it


class Owners:
    """Finds the owner of each event of a sample."""

    def __init__(self, sample: JsonMap) -> None:
        self.by_key: dict[str, EventOwner] = {"": EventOwner()}
        self._spans = {
            text_at(event, "id"): event
            for event in objects_at(sample, "events")
            if text_at(event, "event") == "span_begin" and text_at(event, "id")
        }
        self._of_span: dict[str, EventOwner] = {}
        self._sample = sample

    def events(self) -> Iterator[tuple[JsonMap, EventOwner]]:
        """Yield each event with its owner, including those within a subtask or a tool run."""
        yield from self._within(objects_at(self._sample, "events"), EventOwner(), "")

    def lineage(self, owner: EventOwner) -> Iterator[EventOwner]:
        """Yield the owners around an owner, the nearest first, the sample itself last."""
        seen = {owner.key}
        while owner.key:
            owner = self.by_key.get(owner.above, EventOwner())
            if owner.key in seen:
                return
            seen.add(owner.key)
            yield owner

    def _within(
        self, events: Iterator[JsonMap], around: EventOwner, place: str
    ) -> Iterator[tuple[JsonMap, EventOwner]]:
        steps: list[EventOwner] = []
        for number, event in enumerate(events):
            kind, here = text_at(event, "event"), f"{place}{number}"
            owner = self._spanning(text_at(event, "span_id")) or (steps[-1] if steps else around)
            if kind == "step" and text_at(event, "action") == "begin":
                steps.append(self._step(event, owner, here))
            elif kind == "step" and steps:
                steps.pop()
            yield event, owner
            if kind in {"tool", "subtask"} and event.get("events"):
                name = text_at(event, "function") or text_at(event, "name")
                inner = self._kept(EventOwner(f"{name or kind}-{here}", kind, name, owner.key))
                yield from self._within(objects_at(event, "events"), inner, f"{here}.")

    def _step(self, event: JsonMap, owner: EventOwner, place: str) -> EventOwner:
        kind, name = text_at(event, "type"), text_at(event, "name")
        return self._kept(EventOwner(f"{name}-{place}", kind, name, owner.key)) if kind in _OWNING else owner

    def _spanning(self, span_id: str) -> EventOwner | None:
        """Return the nearest span around that owns its events; None for none."""
        if span_id in self._of_span:
            return self._of_span[span_id]
        around: dict[str, JsonMap] = {}
        while span_id in self._spans and span_id not in around:
            around[span_id] = self._spans[span_id]
            span_id = text_at(self._spans[span_id], "parent_id")
        owner: EventOwner | None = None
        for each, span in reversed(around.items()):
            if text_at(span, "type") in _OWNING:
                above = owner.key if owner else ""
                owner = self._kept(EventOwner(each, text_at(span, "type"), text_at(span, "name"), above))
            if owner:
                self._of_span.setdefault(each, owner)
        return owner

    def _kept(self, owner: EventOwner) -> EventOwner:
        return self.by_key.setdefault(owner.key, owner)


_APART = frozenset({"events", "attachments", "store", "metadata", "output"})
"""The parts of a sample whose references are resolved event by event, or not at all."""


def sessions_of(sample: JsonMap, log: JsonMap, source: str, passed: Passed) -> Iterator[RecordedSession]:
    """Yield a sample's session, then those below it."""
    attachments = object_at(sample, "attachments")
    # Only the other parts are resolved here: each event resolves its own references.
    shown = inspect_messages.attached(
        {key: value for key, value in sample.items() if key not in _APART}, attachments
    )
    events = sample.get("events")
    reading = _Sample(shown | {"events": events if isinstance(events, list) else []}, attachments, passed)
    main, others = reading.sessions()
    name = outcomes.name(shown, log)
    scores = object_at(shown, "scores")
    yield RecordedSession(
        name,
        None,
        text_at(log, "model"),
        outcomes.task(shown),
        tuple(main),
        outcomes.success(scores),
        reason=outcomes.reason(shown),
        metadata=outcomes.metadata(shown, log),
        source=source,
        scores=dict(outcomes.numbers(scores)),
        labels=tuple(filter(None, (text_at(log, "task"),))),
        started_at=time_at(shown, "started_at"),
        finished_at=time_at(shown, "completed_at"),
    )
    for owner, above, turns in others:
        yield RecordedSession(
            f"{name}/{owner.key}",
            None,
            next((turn.model for turn in turns if turn.model), ""),
            owner.name,
            tuple(turns),
            source=source,
            parent=f"{name}/{above}" if above else name,
            relation=Relation.SUBAGENT,
            labels=(owner.kind,),
        )


@dataclass(slots=True)
class _Open:
    """A session while its events come."""

    turns: list[RecordedTurn] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)


class _Sample:
    """One sample, with its events so far."""

    def __init__(self, sample: JsonMap, attachments: JsonMap, passed: Passed) -> None:
        self._sample = sample
        self._attachments = attachments
        self._passed = passed
        self._messages = [inspect_messages.message(each) for each in objects_at(sample, "messages")]
        self._pool = _pool(sample)
        self._sessions: dict[str, _Open] = {"": _Open()}
        self._calls: dict[str, tuple[str, int]] = {}

    def sessions(self) -> tuple[list[RecordedTurn], list[tuple[EventOwner, str, list[RecordedTurn]]]]:
        """Return the sample's own turns, and for each other owner the one above it and its turns."""
        owners = Owners(self._sample)
        events = list(owners.events())
        responses = [event for event, _ in events if text_at(event, "event") == "model"]
        if not responses:
            return self._of_messages(), []
        own = self._own(events)
        for event, owner in events:
            key = "" if owner.key in own else owner.key
            if text_at(event, "event") == "model":
                self._take_response(event, key)
            elif text_at(event, "event") == "tool":
                self._take_result(event)
        # Add what only the messages have: results without an event. Model messages without one are counted.
        given = {turn.external_id for session in self._sessions.values() for turn in session.turns}
        for message in self._messages:
            if message.speaker == "tool":
                for result in message.results:
                    self._answer(result, is_repeated=True)
            elif message.speaker == "model" and message.message_id and message.message_id not in given:
                self._passed[LeftOutReason.MADE_BY_CLIENT, "message"] += 1
        others = [
            (owner, self._above(owners, owner, own), self._sessions[key].turns)
            for key, owner in owners.by_key.items()
            if key and key in self._sessions
        ]
        return self._sessions[""].turns, others

    def _own(self, events: list[tuple[JsonMap, EventOwner]]) -> set[str]:
        """Return the owners whose responses are messages of the sample: agents that took it over."""
        ids = {message.message_id for message in self._messages if message.message_id}
        own = {""}
        for event, owner in events:
            if text_at(event, "event") == "model" and owner.kind != "scorer":
                choice = next(objects_at(object_at(event, "output"), "choices"), {})
                if text_at(object_at(choice, "message"), "id") in ids:
                    own.add(owner.key)
        return own

    def _above(self, owners: Owners, owner: EventOwner, own: set[str]) -> str:
        """Return the key of the nearest session around; empty for the sample's own."""
        around = (each.key for each in owners.lineage(owner))
        return next((key for key in around if key not in own and key in self._sessions), "")

    def _take_response(self, stored: JsonMap, key: str) -> None:
        # The request is the largest part of an event, and ``input`` holds the same.
        call = {"response": object_at(stored, "call").get("response")}
        event = inspect_messages.attached({**stored, "call": call}, self._attachments)
        choices = list(inspect_messages.response(event))
        if event.get("error") and all(message.is_empty for message, _ in choices):
            choices = []  # next to an error, its output is an empty placeholder
        if not choices:
            pending = event.get("pending") is True
            reason = LeftOutReason.PROGRESS if pending else LeftOutReason.NO_RESPONSE
            self._passed[reason, "model"] += 1
        tools = inspect_messages.tools(event)
        for place, (message, capture) in enumerate(choices):
            prompt = self._told(event, is_first=not self._session(key).turns) if place == 0 else None
            self._add_turn(key, message, capture, prompt, tools)

    def _session(self, key: str) -> _Open:
        return self._sessions.setdefault(key, _Open())

    def _add_turn(self, key: str, message: Message, capture: Capture, prompt: str | None, tools: str) -> None:
        session = self._session(key)
        place = len(session.turns)
        known = message.message_id or f"turn-{place}"
        session.seen[known] += 1
        for call in message.calls:
            self._calls[call.call_id] = (key, place)
        self._passed.update(message.passed)
        session.turns.append(
            RecordedTurn(
                place,
                message.text,
                prompt=prompt,
                occurred_at=message.occurred_at,
                external_id=known if session.seen[known] == 1 else f"{known}#{session.seen[known]}",
                capture=capture,
                calls=tuple(message.calls),
                results=tuple(message.results),
                usage=message.usage,
                tools=tools,
                model=message.model,
                reasoning=message.reasoning,
            )
        )

    def _take_result(self, stored: JsonMap) -> None:
        if stored.get("pending") is True:
            self._passed[LeftOutReason.PROGRESS, "tool"] += 1
            return
        event = inspect_messages.attached(
            {key: value for key, value in stored.items() if key != "events"}, self._attachments
        )
        seconds = number_at(event, "working_time")
        result = event.get("result")
        self._answer(
            inspect_messages.tool_result(
                text_at(event, "id"),
                _texts(result) if isinstance(result, list) else result,
                object_at(event, "error"),
                duration_ms=None if seconds is None else seconds * 1000,
                started_at=time_at(event, "timestamp"),
                finished_at=time_at(event, "completed"),
            )
        )

    def _answer(self, result: RecordedResult, *, is_repeated: bool = False) -> None:
        """Give a result to the last turn that made its call."""
        owner = self._calls.get(result.call_id)
        if owner is None:
            self._passed[LeftOutReason.NO_CALL, ""] += 1
            return
        key, place = owner
        turns = self._sessions[key].turns
        turn = turns[place]
        asked = sum(
            call.call_id == result.call_id for call in turn.calls
        )  # a model may give several calls one
        if sum(known.call_id == result.call_id for known in turn.results) < asked:
            turns[place] = replace(turn, results=(*turn.results, result))
        elif not is_repeated:
            self._passed[LeftOutReason.DUPLICATE, "tool"] += 1

    def _told(self, event: JsonMap, *, is_first: bool) -> str | None:
        """Return the model's new input since its last response, the first time with its instructions."""
        shown = [inspect_messages.message(each) for each in self._input(event)]
        last = max((place for place, each in enumerate(shown) if each.speaker == "model"), default=-1)
        told = [
            each.text
            for place, each in enumerate(shown)
            if each.text and (place > last or (is_first and each.speaker == "system"))
        ]
        return "\n\n".join(told) if told else None

    def _input(self, event: JsonMap) -> Iterator[JsonMap]:
        yield from objects_at(event, "input")
        refs = event.get("input_refs")
        for ref in refs if isinstance(refs, list) else []:
            if isinstance(ref, list) and len(ref) == 2 and all(type(end) is int and end >= 0 for end in ref):
                yield from self._pool[ref[0] : ref[1]]

    def _of_messages(self) -> list[RecordedTurn]:
        """Return the turns of a log without events."""
        whole = conversation(self._messages)
        self._passed.update(whole.passed)
        turns = whole.done(Capture.CALLS)
        return [
            turn if turn.external_id else replace(turn, external_id=f"turn-{turn.index}") for turn in turns
        ]


def _pool(sample: JsonMap) -> list[JsonMap]:
    """Return the message pool that the inputs of a sample's events refer to, in logs since version 0.3.135."""
    held = sample.get("message_pool") or object_at(sample, "events_data").get("messages")
    return [each if isinstance(each, dict) else {} for each in held] if isinstance(held, list) else []


def _texts(parts: list[Any]) -> Any:
    """Return the texts of a result's parts; unchanged if some aren't texts."""
    given = [part.get("text") if isinstance(part, dict) else part for part in parts]
    texts = [text for text in given if isinstance(text, str)]
    return "\n".join(texts) if len(texts) == len(parts) else parts
