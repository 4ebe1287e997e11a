"""Place a recording's responses in sessions, by what a later request repeats of them."""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Any, Generic, TypeVar

from actionledger.core.canonical import JsonMap, json_text
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall
from actionledger.core.text import utf8_with_halves
from actionledger.core.vocabulary import Relation
from actionledger.imports.shapes.base import NOBODY, Message, Request, RequestOwner

# The parent of a session: a subagent's task is in a call that waits for it.
_SHORTEST, _LONGEST = 12, 64 * 1024
"""The length of a task that identifies its call, in characters: shorter ones are too common."""

_WAITING = 256
_VALUES = 20

SpawnPlace = TypeVar("SpawnPlace")


class Spawned(Generic[SpawnPlace]):
    """Remembers the tasks in recent calls, to find the call that began a conversation."""

    def __init__(self) -> None:
        self._tasks: deque[tuple[str, str, SpawnPlace]] = deque(maxlen=_WAITING)
        self._texts: deque[tuple[str, str, SpawnPlace]] = deque(maxlen=_WAITING)

    def note(self, calls: Iterable[RecordedCall], place: SpawnPlace) -> None:
        """Note the calls of a response."""
        for call in calls:
            for text in islice(_texts(call.arguments), _VALUES):
                self._tasks.append((text, call.call_id, place))

    def note_text(self, text: str, place: SpawnPlace) -> None:
        """Note a text that a later conversation may begin with, such as a summary."""
        if _SHORTEST <= len(text := text.strip()) <= _LONGEST:
            self._texts.append((text, "", place))

    def texts_in(self, words: str) -> Iterator[tuple[str, SpawnPlace]]:
        """Yield the places of the noted texts in some words, the latest first."""
        return _within(self._texts, words)

    def by(self, words: str) -> Iterator[tuple[str, SpawnPlace]]:
        """Yield the calls whose tasks are in a conversation's first words, and their places, the latest first."""
        return _within(self._tasks, words)

    def whole(self, words: str) -> Iterator[tuple[str, SpawnPlace]]:
        """Yield the calls whose task is exactly these words, and their places, the latest first."""
        return ((call_id, place) for text, call_id, place in reversed(self._tasks) if text == words)


def _within(tasks: deque[tuple[str, str, SpawnPlace]], words: str) -> Iterator[tuple[str, SpawnPlace]]:
    return ((call_id, place) for text, call_id, place in reversed(tasks) if text in words)


def _texts(arguments: str | JsonMap) -> Iterator[str]:
    for value in _given(arguments).values():
        if isinstance(value, str) and _SHORTEST <= len(text := value.strip()) <= _LONGEST:
            yield text


def _given(arguments: str | JsonMap) -> JsonMap:
    if not isinstance(arguments, str):
        return arguments
    if len(arguments) > _LONGEST:
        return {}
    try:
        given = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


_LOOKED_AT = 64
"""How many of a model's last messages are looked up: a message that the client made itself is in no recording."""

_CALL_ID = regex(r"""["']id["']\s*:\s*["']([\w.:-]{4,80})["']""")
_IDS_IN_TEXT = 20


@dataclass(slots=True, eq=False)
class Open:
    """A session while its exchanges come in."""

    name: str
    parent: str = ""  # its parent session; empty if it has none
    relation: Relation | None = None  # its relation to the parent
    owner: RequestOwner = NOBODY  # its client's name for it
    formerly: str = ""  # its name before its client's name was known
    opening: str = ""  # its beginning, as `scope_of` returns it
    task: str = ""
    setting: bytes = b""  # the instructions and the tools of its first request, hashed
    setting_before: bytes = b""  # those of the session from which it branched off
    has_tools: bool = False  # whether that request offered tools
    turns: int = 0  # the number of its next response
    settled: int = 0  # the number after its last complete response: later ones are retried


@dataclass(slots=True, eq=False)
class ResponsePlace:
    """A response's place in its session, and its calls without a result."""

    session: Open
    number: int
    call_ids: tuple[str, ...]
    waiting: list[str]

    @property
    def is_last(self) -> bool:
        """Whether no complete response follows it in its session: cut or empty ones are retried."""
        return self.number >= self.session.settled - 1


class ResponsePlaces:
    """The places of a recording's responses."""

    def __init__(self) -> None:
        self._places: dict[bytes, ResponsePlace] = {}
        self._again: set[bytes] = set()

    def has(self, message_id: str) -> bool:
        return digest("id", message_id) in self._places

    def add(self, request: Request, message: Message, place: ResponsePlace) -> None:
        """Note the keys by which a later request may refer to a response."""
        said = digest(_said(message)).hex()
        for scope in _scopes(request):
            self._places[digest("said", scope, said)] = place
            for call_id in place.call_ids:
                self._note_call(digest("call", scope, call_id), place)
        self._places[digest("id", message.message_id)] = place
        for call_id in place.call_ids:
            self._places[digest("call", call_id)] = place

    def _note_call(self, key: bytes, place: ResponsePlace) -> None:
        """Note a call's place, and whether a server has used its identifier twice."""
        if (earlier := self._places.get(key)) is not None and earlier is not place:
            self._again.add(key)
        self._places[key] = place

    def before(self, request: Request) -> tuple[ResponsePlace | None, Message | None]:
        """Return the response that a request continues, if it is here, and the message that repeats it.

        The last known one: after it there may be messages that were cut or made by the client.
        """
        if place := self._places.get(digest("id", request.previous)):
            return place, last_of(request)
        said_by_model = (each for each in reversed(request.messages) if each.speaker == "model")
        repeated = [*islice(said_by_model, _LOOKED_AT if self._places else 0)]
        scopes = [*_scopes(request)] if repeated else []
        for message in repeated:
            keys = _keys(message)
            for scope in scopes:
                if place := self._of(scope, keys):
                    return place, message
        for number, message in enumerate(repeated):
            for call in message.calls:
                if call.call_id and (place := self._places.get(digest("call", call.call_id))):
                    return self._behind(place, repeated[:number]) or (place, message)
        place = self._answered(request)
        return (self._behind(place, repeated) if place else None) or (place, None)

    def _answered(self, request: Request) -> ResponsePlace | None:
        """Return the response that made the call of the last result: the history lost it when it was summed up."""
        ids = (result.call_id for message in reversed(request.messages) for result in message.results)
        places = (self._places.get(digest("call", call_id)) for call_id in ids if call_id)
        return next((place for place in places if place is not None), None)

    def _of(self, scope: str, keys: list[tuple[str, str]]) -> ResponsePlace | None:
        """Return the response that a message repeats; if two share a call's identifier, the one with the same words."""
        found = ((key := digest(kind, scope, name), self._places.get(key)) for kind, name in keys)
        first = next(((key, place) for key, place in found if place is not None), None)
        if first is None or first[0] not in self._again:
            return None if first is None else first[1]
        said = (self._places.get(digest(kind, scope, name)) for kind, name in keys if kind == "said")
        return next((place for place in said if place is not None), first[1])

    def _behind(self, place: ResponsePlace, repeated: list[Message]) -> tuple[ResponsePlace, Message] | None:
        """Return a session's last response that a request repeats after another, though its beginning differs: it was compacted."""
        for message in repeated:
            later = self._places.get(digest("said", place.session.opening, digest(_said(message)).hex()))
            if later is not None and later.session is place.session and later.number > place.number:
                return later, message
        return None


def _scopes(request: Request) -> Iterator[str]:
    """Yield the scopes in which equal words mean the same response, the narrowest first: a named session, and a conversation."""
    opening = scope_of(request)
    if request.owner.name:
        owner = digest("owner", request.owner.name).hex()
        yield f"{owner} {opening}"
        yield owner
    yield opening


def _keys(message: Message) -> list[tuple[str, str]]:
    """Return the keys of a history message; calls within its text are found by their identifiers."""
    calls = [("call", call.call_id) for call in message.calls if call.call_id]
    within = () if message.calls else islice(_CALL_ID.finditer(message.text), _IDS_IN_TEXT)
    return [*calls, ("said", digest(_said(message)).hex()), *(("call", found[1]) for found in within)]


def scope_of(request: Request) -> str:
    """Return the scope of a request from an unknown session: a hash of the conversation's first words."""
    return digest("opening", opening_of(request)).hex()


def opening_of(request: Request) -> str:
    """Return a conversation's first words, which distinguish it from others with the same messages."""
    return next((each.text for each in request.messages if each.speaker == "person"), "")


def last_of(request: Request) -> Message | None:
    """Return the last model message that a request repeats."""
    return next((each for each in reversed(request.messages) if each.speaker == "model"), None)


def _said(message: Message) -> str:
    """Return a message's words as a key: clients rename calls, and drop unknown fields."""
    calls = [(call.name, arguments_of(call)) for call in message.calls]
    return json_text([message.text.strip(), calls])


def digest(*texts: str) -> bytes:
    """Return a hash of texts."""
    return blake2b(utf8_with_halves("\0".join(texts)), digest_size=16).digest()


def arguments_of(call: RecordedCall) -> Any:
    """Return arguments in a comparable form, whether a text or an object."""
    if not isinstance(call.arguments, str):
        return json_text(call.arguments)
    try:
        return json_text(json.loads(call.arguments or "{}"))
    except (ValueError, RecursionError):
        return call.arguments


# A person's words, without what the client adds around them or next to them.
_BESIDE = (
    "system-reminder", "environment_context", "environment_details", "session_context", "user_instructions", "skills_instructions",
    "permissions_instructions", "local-command-caveat", "command-name", "command-message", "command-args", "local-command-stdout",
)  # fmt: skip
"""The tags of clients' own messages to a model, in a person's message."""

_OPENING = regex(rf"<({'|'.join(_BESIDE)})(?:\s[^<>]{{0,200}})?>")
_AROUND = regex(r"^<user_input(?:\s[^<>]{0,200})?>(.*)</user_input>$", re.DOTALL)
_WHOLE = ("# AGENTS.md instructions",)


def words_of(text: str) -> str:
    """Return a person's words in a message; empty if all of it is the client's."""
    if text.startswith(_WHOLE):
        return ""
    left = _without(text).strip()
    around = _AROUND.match(left)
    return around[1].strip() if around else left


def _without(text: str) -> str:
    """Return a text without the parts in client tags; an unclosed tag belongs to the person's text."""
    kept, at = [], 0
    open_to_the_end: set[str] = set()
    while (found := _OPENING.search(text, at)) is not None:
        closing = f"</{found[1]}>"
        end = -1 if closing in open_to_the_end else text.find(closing, found.end())
        if end < 0:
            open_to_the_end.add(closing)
            kept.append(text[at : found.end()])
            at = found.end()
        else:
            kept.append(text[at : found.start()])
            at = end + len(closing)
    return "".join((*kept, text[at:]))
