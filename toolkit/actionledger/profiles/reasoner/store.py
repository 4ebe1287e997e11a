"""A persona as a frozen value, and its store: the state after every step, and the conversation, in one SQLite file.

Nothing is ever overwritten: a change adds a step, and restoring adds a copy of an earlier one.
"""

import sqlite3
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from pydantic import TypeAdapter

from actionledger.core.errors import UsageError
from actionledger.core.text import writable
from actionledger.profiles.stores import SqliteStore, moment

Intensity: TypeAlias = Literal["low", "medium", "high"]
"""The strength of a mood."""

INTENSITIES: tuple[Intensity, ...] = get_args(Intensity)

ListPart: TypeAlias = Literal["memories", "goals", "desires"]
"""A part that is a list of entries."""

TextPart: TypeAlias = Literal["appearance", "environment"]
"""A part that is one text."""

THOUGHTS = "thoughts"
"""The thoughts of the current sequence."""

SPEECH = "speech"
"""The words spoken to the user."""

PARTS = frozenset({"mood", "memories", "appearance", "environment", "goals", "desires", THOUGHTS, SPEECH})
"""The parts that actions read and change."""

MAX_TEXT = 2000
"""The longest text of a persona, in characters."""

MAX_ENTRIES = 200
"""The maximum of a list's entries."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory, goal or desire."""

    number: int  # identifies it among all entries of the persona; never reused
    text: str


@dataclass(frozen=True, slots=True)
class Persona:
    """The reasoner's identity and state.

    Args:
        name: its name for itself.
        mood, intensity: how it feels, and how strongly.
        memories: what it remembers, oldest first: entries, or texts, which are numbered here; goals and desires alike.
        appearance: its looks; empty if unknown.
        environment: its surroundings; empty if unknown.
        goals: what it pursues.
        desires: what it wants right now.
        next_number: the number of the next entry.

    Raises:
        UsageError: if a list holds something else.
    """

    name: str = "Robin"
    mood: str = "calm"
    intensity: Intensity = "medium"
    memories: tuple[Entry, ...] = ()
    appearance: str = ""
    environment: str = ""
    goals: tuple[Entry, ...] = ()
    desires: tuple[Entry, ...] = ()
    next_number: int = 1

    def __post_init__(self) -> None:
        parts: tuple[ListPart, ...] = get_args(ListPart)
        given = {part: (held,) if isinstance(held := getattr(self, part), str) else held for part in parts}
        if wrong := [
            (part, each) for part in parts for each in given[part] if not isinstance(each, str | Entry)
        ]:
            raise UsageError(f"A persona's {wrong[0][0]} are texts or entries, not {wrong[0][1]!r}.")
        numbers = [each.number for part in parts for each in given[part] if isinstance(each, Entry)]
        free = count(max([self.next_number, *(number + 1 for number in numbers)]))
        for part in parts:
            entries = (each if isinstance(each, Entry) else Entry(next(free), each) for each in given[part])
            object.__setattr__(self, part, tuple(entries))
        object.__setattr__(self, "next_number", next(free))

    def entries(self, part: ListPart) -> tuple[Entry, ...]:
        """Return the entries of a list."""
        entries: tuple[Entry, ...] = getattr(self, part)
        return entries

    def text(self, part: TextPart) -> str:
        """Return a part that is one text."""
        text: str = getattr(self, part)
        return text

    def described(self, parts: Collection[str] = PARTS) -> str:
        """Return the state as lines of text."""
        lines = [f"Mood: {self.mood} ({self.intensity})"] if "mood" in parts else []
        texts: tuple[TextPart, ...] = get_args(TextPart)
        lists: tuple[ListPart, ...] = get_args(ListPart)
        lines += [f"{part.capitalize()}: {self.text(part) or 'unknown'}" for part in texts if part in parts]
        for part in lists:
            if part in parts:
                entries = [f"  #{entry.number} {entry.text}" for entry in self.entries(part)]
                lines += [f"{part.capitalize()}:{'' if entries else ' none'}", *entries]
        return "\n".join(lines)


PERSONA = TypeAdapter(Persona)
"""Reads and writes personas as JSON."""


STORE_FILE = "reasoner.sqlite"
"""The persona's store, in its session's workspace."""

_LAST = "SELECT * FROM steps ORDER BY step DESC LIMIT 1"
_EXACT = "milliseconds"
"""The precision of recorded times."""


@dataclass(frozen=True, slots=True)
class PersonaStep:
    """One change of the persona."""

    step: int  # its number, from 1
    action: str  # its cause: an action's name, `begin` or `restore`
    made_at: str  # when, UTC, in ISO form
    persona: Persona  # the state after it


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A spoken line."""

    who: str  # the speaker
    text: str  # the words

    @property
    def described(self) -> str:
        """The line for the model; further lines are indented, so that they can't imitate another speaker's."""
        return f"{self.who}: " + "\n  ".join(self.text.splitlines())


class PersonaStore(SqliteStore):
    """A persona with its history.

    Args:
        path: the SQLite file; created if missing.
        persona: its initial state, if the file has none.

    Raises:
        ActionError: another session holds the file, or it can't be used.
        UsageError: the file is something else.
    """

    owner = "reasoner"
    tables = (
        "steps (step INTEGER PRIMARY KEY AUTOINCREMENT, action TEXT NOT NULL, made_at TEXT NOT NULL, persona TEXT NOT NULL)",
        "conversation (line INTEGER PRIMARY KEY AUTOINCREMENT, who TEXT NOT NULL, text TEXT NOT NULL, said_at TEXT NOT NULL)",
    )

    def __init__(self, path: Path | str, persona: Persona | None = None) -> None:
        super().__init__(path)
        try:
            with self.writing() as cursor:
                if cursor.execute(_LAST).fetchone() is None:
                    _append(cursor, "begin", persona or Persona())
        except BaseException:
            self.close()
            raise

    @property
    def step(self) -> PersonaStep:
        """The last step, with the current state."""
        (last,) = self.rows(_LAST)  # the first step is made with the store
        return _step(last)

    @property
    def persona(self) -> Persona:
        """The current state."""
        return self.step.persona

    def change(self, action: str, make: Callable[[Persona], Persona]) -> tuple[PersonaStep, bool]:
        """Change the state atomically."""
        with self.writing() as cursor:
            before = self.step
            persona = make(before.persona)
            if persona == before.persona:
                return before, False
            return _append(cursor, action, persona), True

    def history(self) -> list[PersonaStep]:
        """Return every step, oldest first."""
        return [_step(row) for row in self.rows("SELECT * FROM steps ORDER BY step")]

    def restore(self, number: int) -> PersonaStep:
        """Restore an earlier state; that is a new step, which can itself be undone."""
        with self.writing() as cursor:
            row = cursor.execute("SELECT * FROM steps WHERE step = ?", (number,)).fetchone()
            if row is None:
                raise UsageError(f"The persona has no step {number}; its steps are 1 to {self.step.step}.")
            return _append(cursor, "restore", _step(row).persona)

    def say(self, who: str, text: str) -> None:
        """Record a spoken line."""
        self.rows(
            "INSERT INTO conversation (who, text, said_at) VALUES (?, ?, ?)",
            (who, writable(text), moment(_EXACT)),
        )

    def conversation(self, limit: int) -> list[SpokenLine]:
        """Return the last spoken lines, oldest first."""
        rows = self.rows("SELECT who, text FROM conversation ORDER BY line DESC LIMIT ?", (limit,))
        return [SpokenLine(*row) for row in reversed(rows)]


def _append(cursor: sqlite3.Cursor, action: str, persona: Persona) -> PersonaStep:
    row = cursor.execute(
        "INSERT INTO steps (action, made_at, persona) VALUES (?, ?, ?) RETURNING *",
        (action, moment(_EXACT), PERSONA.dump_json(persona).decode()),
    ).fetchone()
    return _step(row)


def _step(row: sqlite3.Row) -> PersonaStep:
    step, action, made_at, persona = row
    return PersonaStep(step, action, made_at, PERSONA.validate_json(persona))
