"""What a forked child must not share with its parent.

A child inherits buffers, locks, file descriptors and connections, but none of the threads that keep them in order.
Whoever holds such things is watched, and starts over in the child before anything else runs there. Whoever works in a
thread of its own pauses before the fork, so that nothing half-done crosses it, and goes on behind it.
"""

import ctypes
import os
from typing import Protocol
from weakref import WeakSet


class Forkable(Protocol):
    """Something that a forked child must not go on using as it is."""

    def start_over(self) -> None:
        """Let go of what belongs to the parent, without touching what the parent still uses."""


class Pausable(Forkable, Protocol):
    """Something that works in a thread of its own."""

    def pause(self) -> None:
        """End the thread; when this returns, it holds neither lock nor connection."""

    def go_on(self) -> None:
        """Start the thread again, if there was one."""


_watched: "WeakSet[Forkable]" = WeakSet()
_working: "WeakSet[Pausable]" = WeakSet()


def watch(thing: Forkable) -> None:
    """Have ``thing`` start over in every child that is forked while it lives."""
    _watched.add(thing)


def watch_worker(thing: Pausable) -> None:
    """Have ``thing`` pause while the process forks, go on in the parent, and start over in the child."""
    watch(thing)
    _working.add(thing)


def abandon(thing: object) -> None:
    """Keep ``thing`` from ever being destroyed: in a child, DuckDB would wait for threads that were not forked."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _start_over_in_child() -> None:
    for thing in tuple(_watched):
        thing.start_over()


def _pause_before() -> None:
    for thing in tuple(_working):
        thing.pause()


def _go_on_in_parent() -> None:
    for thing in tuple(_working):
        thing.go_on()


os.register_at_fork(
    before=_pause_before, after_in_parent=_go_on_in_parent, after_in_child=_start_over_in_child
)
