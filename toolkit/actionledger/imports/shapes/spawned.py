"""Which session has begun another one: what a sub-agent is asked stands in a call that waits for it."""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Generic, TypeVar

from actionledger.core.values.recordings import RecordedCall

_SHORTEST, _LONGEST = 12, 64 * 1024
"""How long a task is that tells its call, in characters: shorter ones are said by anybody."""

_WAITING = 256
_VALUES = 20

Place = TypeVar("Place")


class Spawned(Generic[Place]):
    """Remembers what the last calls have handed on, and finds by that who began a conversation."""

    def __init__(self) -> None:
        self._tasks: deque[tuple[str, str, Place]] = deque(maxlen=_WAITING)
        self._texts: deque[tuple[str, str, Place]] = deque(maxlen=_WAITING)

    def note(self, calls: Iterable[RecordedCall], place: Place) -> None:
        """Note the calls of a response."""
        for call in calls:
            for text in islice(_texts(call.arguments), _VALUES):
                self._tasks.append((text, call.call_id, place))

    def note_text(self, text: str, place: Place) -> None:
        """Note a text that a later conversation may begin with, as a summary is."""
        if _SHORTEST <= len(text := text.strip()) <= _LONGEST:
            self._texts.append((text, "", place))

    def texts_in(self, words: str) -> Iterator[tuple[str, Place]]:
        """Yield where the texts stand that words hold, the last ones first."""
        return _within(self._texts, words)

    def by(self, words: str) -> Iterator[tuple[str, Place]]:
        """Yield the calls that hand on what a conversation begins with, and where they stand, the last ones first."""
        return _within(self._tasks, words)


def _within(tasks: deque[tuple[str, str, Place]], words: str) -> Iterator[tuple[str, Place]]:
    return ((call_id, place) for text, call_id, place in reversed(tasks) if text in words)


def _texts(arguments: str | Mapping[str, Any]) -> Iterator[str]:
    for value in _given(arguments).values():
        if isinstance(value, str) and _SHORTEST <= len(text := value.strip()) <= _LONGEST:
            yield text


def _given(arguments: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(arguments, str):
        return arguments
    if len(arguments) > _LONGEST:
        return {}
    try:
        given = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}
