"""The persona's state: who it is and how it stands with it, as a frozen value."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from pydantic import TypeAdapter

Intensity: TypeAlias = Literal["low", "medium", "high"]
"""How strongly a mood is felt."""

INTENSITIES: tuple[Intensity, ...] = get_args(Intensity)

ListPart: TypeAlias = Literal["memories", "goals", "desires"]
"""A part that is a list of entries."""

TextPart: TypeAlias = Literal["appearance", "environment"]
"""A part that is one text."""

THOUGHTS = "thoughts"
"""What was thought in the present sequence."""

SPEECH = "speech"
"""What was said to the user."""

PARTS = frozenset({"mood", "memories", "appearance", "environment", "goals", "desires", THOUGHTS, SPEECH})
"""What actions look at and change."""

MAX_TEXT = 2000
"""The longest text of a persona, in characters."""

MAX_ENTRIES = 200
"""The most entries of a list."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory, goal or desire.

    Args:
        number: identifies it among the persona's entries of all times; never given twice.
        text: what it is.
    """

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Persona:
    """Who the reasoner is, and how it stands with it.

    Args:
        name: what it calls itself.
        mood, intensity: how it feels, and how strongly.
        memories: what it remembers, oldest first.
        appearance: what it looks like; empty if unknown.
        environment: where it is; empty if unknown.
        goals: what it pursues.
        desires: what it wants right now.
        next_number: the number of the next entry.
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
