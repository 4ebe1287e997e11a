"""What reading a text costs, counted and not timed: the same on every machine, however busy it is."""

import gc
import sys
from collections.abc import Callable
from typing import Any, NamedTuple
from unittest import mock

from actionledger.reading.scan.source import Source


class Steps(NamedTuple):
    """What something cost.

    Args:
        calls: how many functions were called, those in C included.
        characters: how many characters of the text were copied, or gone through by searches.
    """

    calls: int
    characters: int


SPARE = Steps(500, 4_000)
"""What reading costs once."""


def steps(task: Callable[[], object]) -> int:
    """Return how many functions a task calls, those in C included."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    before, was_enabled = sys.getprofile(), gc.isenabled()
    gc.disable()  # what earlier tests left behind is cleared away at any time, and calls functions as it is
    sys.setprofile(count)
    try:
        task()
    finally:
        sys.setprofile(before)
        if was_enabled:
            gc.enable()
    return calls


def steps_of_reading(read: Callable[[str], object], text: str) -> Steps:
    """Return what reading a text costs.

    A call into C is one step, however much it looks at: so what is copied from the text, and what the source's searches and
    those of the text itself go through, is counted beside.

    Args:
        read: reads it.
        text: the response.
    """
    watched = _Watched(text)
    begin = Source.__init__

    def noting(source: Source, *given: Any, **named: Any) -> None:
        begin(source, *given, **named)
        source._next = _Searches(watched)

    with mock.patch.object(Source, "__init__", noting):
        calls = steps(lambda: read(watched))
    return Steps(calls, watched.characters)


class _Watched(str):
    """A text that knows how much of it was copied or searched through."""

    __slots__ = ("characters",)

    def __init__(self, _text: str) -> None:
        self.characters = 0

    def __getitem__(self, place: Any) -> str:
        found = super().__getitem__(place)
        self.characters += len(found)
        return found

    def find(self, *asked: Any) -> int:
        at, (start, end) = super().find(*asked), _stretch(self, *asked[1:])
        self.characters += (at if at >= 0 else end) - start
        return at

    def rfind(self, *asked: Any) -> int:
        at, (start, end) = super().rfind(*asked), _stretch(self, *asked[1:])
        self.characters += end - (at if at >= 0 else start)
        return at

    def count(self, *asked: Any) -> int:
        start, end = _stretch(self, *asked[1:])
        self.characters += end - start
        return super().count(*asked)


def _stretch(text: str, start: int | None = None, end: int | None = None) -> tuple[int, int]:
    """Return where a search begins and ends that was asked for with these places."""
    first, last, _ = slice(start, end).indices(len(text))
    return first, max(first, last)


class _Searches(dict[Any, Any]):
    """What a source remembers of its searches for patterns; each has gone through what lies before what it found."""

    def __init__(self, watched: _Watched) -> None:
        super().__init__()
        self._watched = watched

    def __setitem__(self, pattern: object, found: Any) -> None:
        super().__setitem__(pattern, found)
        start, _, at, _ = found
        self._watched.characters += at - start


def growth_fault(read: Callable[[str], object], small: str, large: str, spare: Steps | None = None) -> str:
    """Return what reading a large text costs beside a small one of the same make, if that is too much; else an empty text."""
    read(small)  # what is made once, at the first reading, is no cost of a text
    little, much = steps_of_reading(read, small), steps_of_reading(read, large)
    most = 1.25 * len(large) / len(small)
    if all(
        cost <= most * before + least
        for before, cost, least in zip(little, much, spare or SPARE, strict=True)
    ):
        return ""
    return f"{len(small):,} characters: {little}, {len(large):,} characters: {much}"
