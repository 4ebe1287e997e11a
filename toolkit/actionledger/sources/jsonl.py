"""The project's own simple format, in which anyone's logs can come in: one JSON object a line, one line a turn.

Required: ``session`` (its name) and ``text`` (the raw response). Optional: ``turn`` (its place, from 0; the order of the
lines where it isn't given), ``profile``, ``model``, ``task``, ``at`` (ISO 8601; without a zone it is UTC), ``prompt``,
``feedback``, ``success`` and ``reason`` (of the session; the last line that has them counts). Other fields are kept as
the session's metadata. The lines of a session may stand anywhere in the file; a session is given when the file ends.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from actionledger.clock import utc
from actionledger.sources.base import Recorded, RecordedSession, RecordedTurn, Refusal
from actionledger.sources.containers import OnRead, shown
from actionledger.sources.lines import json_lines


class Line(BaseModel):
    """One line of the format."""

    model_config = ConfigDict(extra="allow", frozen=True)

    session: str
    text: str
    turn: int | None = Field(default=None, le=2**31 - 1)
    profile: str | None = None
    model: str = ""
    task: str = ""
    at: datetime | None = None
    prompt: str | None = None
    feedback: str | None = None
    success: bool | None = None
    reason: str | None = None


@dataclass(slots=True)
class _Session:
    """A session while its lines come in."""

    profile: str
    model: str
    task: str
    turns: dict[int, RecordedTurn] = field(default_factory=dict)
    success: bool | None = None
    reason: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

    def add(self, line: Line) -> str:
        """Take in a line; return why it can't be, or nothing."""
        index = len(self.turns) if line.turn is None else line.turn
        if index < 0:
            return f"A turn's place counts from 0, got {index}."
        if index in self.turns:
            return f"The session has its turn {index} already."
        try:
            occurred_at = utc(line.at) if line.at else None
        except OverflowError:
            return f"The time {line.at} is before the year 1 or after the year 9999 in UTC."
        self.turns[index] = RecordedTurn(index, line.text, line.prompt, line.feedback, occurred_at)
        self.success = self.success if line.success is None else line.success
        self.reason = self.reason if line.reason is None else line.reason
        self.metadata |= line.model_extra or {}
        return ""


def read_jsonl(
    path: Path, *, default_profile: str, profiles: Collection[str], on_read: OnRead | None = None
) -> Recorded:
    """Yield the sessions of a file, and a refusal for each line that can't be read.

    Args:
        path: the file, plain or gzipped; ``-`` for the standard input.
        default_profile: the profile of lines that name none.
        profiles: the names that a line may give as its profile.
        on_read: is told how far the file is read.

    Raises:
        SourceError: the file can't be opened, or is a container of another kind.
    """
    sessions: dict[str, _Session] = {}
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        number, value = item
        try:
            line = Line.model_validate(value)
        except ValidationError as error:
            yield Refusal(shown(path), number, _why(error))
            continue
        profile = line.profile or default_profile
        if profile not in profiles:
            reason = f"There is no profile {profile[:80]!r}; known: {', '.join(sorted(profiles))}."
            yield Refusal(shown(path), number, reason)
            continue
        session = sessions.setdefault(line.session, _Session(profile, line.model, line.task))
        if why := session.add(line):
            yield Refusal(shown(path), number, why)
    for name, session in sessions.items():
        turns = tuple(session.turns[index] for index in sorted(session.turns))
        if turns:
            yield RecordedSession(
                name,
                session.profile,
                session.model,
                session.task,
                turns,
                session.success,
                session.reason,
                session.metadata,
            )


def _why(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"The field {place!r}: {first['msg']}."
