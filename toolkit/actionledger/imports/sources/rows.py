"""Rows that are turns, from any source: lines of JSON, a table, a data frame.

Required: ``session`` (its name) and ``text`` (the raw response). Optional: ``turn`` (its index, from 0; the order of the rows by default),
``profile``, ``model``, ``task``, ``at`` (ISO 8601; UTC if it has no zone), ``prompt``, ``feedback``, ``success`` and ``reason`` (of the session; the
last row that has them counts). Other columns are kept as the session's metadata. The rows of a session may be anywhere.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import UsageError, require_kind
from actionledger.core.ids import utc
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports.sources.base import Recorded, Refusal

Numbered: TypeAlias = tuple[int, JsonMap]
"""A row with its number, from 1."""

HELD_TURNS = 1000
"""The most turns held before they are yielded."""

HELD_CHARACTERS = 8 * 2**20
"""The most text held before it is yielded, in code points."""


def _name(given: str) -> str:
    if not given.strip():
        raise PydanticCustomError("no_name", "It is empty, and names no session")
    return given


def _place(given: object) -> object:
    if isinstance(given, bool):  # pydantic would accept it as 0 or 1
        raise PydanticCustomError("no_place", "A turn's place is a number, and not true or false")
    return given


class GivenRow(BaseModel):
    """One row."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)

    session: Annotated[str, AfterValidator(_name)]
    text: str
    turn: Annotated[int | None, BeforeValidator(_place)] = Field(default=None, le=2**31 - 1)
    profile: str | None = None
    model: str = ""
    task: str = ""
    at: datetime | None = None
    prompt: str | None = None
    feedback: str | None = None
    success: bool | None = None
    reason: str | None = None


FIELDS = tuple(GivenRow.model_fields)
"""The fields of a row."""

REQUIRED = ("session", "text")
"""The required fields."""


def checked(columns: Mapping[str, str]) -> dict[str, str]:
    require_kind(columns, Mapping, "columns says which column holds a field, by the field's name")
    for name, column in columns.items():
        if name not in FIELDS:
            raise UsageError(
                f"There is no field {name!r} to take {column!r} for; there are {', '.join(FIELDS)}."
            )
    return dict(columns)


def renamed(row: JsonMap, columns: Mapping[str, str]) -> JsonDict:
    """Return a row with its columns renamed to fields; other columns keep their name, unless it is a field's."""
    if not columns:
        return dict(row)
    taken = set(columns.values())
    others = {name: value for name, value in row.items() if name not in taken and name not in columns}
    found = {name: value for name, column in columns.items() if (value := _at(row, column)) is not None}
    return others | found


def sessions_of(
    rows: Iterable[Numbered | Refusal], file: str, *, held: int = HELD_TURNS, is_whole: bool = False
) -> Recorded:
    """Yield the sessions of rows, and a refusal for each row that is no turn."""
    sessions: dict[str, _Session] = {}
    turns = characters = 0
    for item in rows:
        if isinstance(item, Refusal):
            yield item
            continue
        number, value = item
        try:
            row = GivenRow.model_validate(value)
        except ValidationError as error:
            yield Refusal(file, number, _why(error))
            continue
        session = sessions.setdefault(row.session, _Session(row.profile, row.model, row.task))
        if why := session.add(row):
            yield Refusal(file, number, why)
            continue
        turns, characters = turns + 1, characters + _length(value)
        if not is_whole and (turns >= held or characters >= HELD_CHARACTERS):
            yield from _pieces(sessions, is_last=False)
            turns = characters = 0
    yield from _pieces(sessions, is_last=True)


def _length(row: JsonMap) -> int:
    """Return the total length of a row's texts, in any column."""
    return sum(len(value) for value in row.values() if isinstance(value, str))


@dataclass(slots=True)
class _Places:
    """The used turn indexes of a session: usually those from 0 on, which is one number."""

    first_free: int = 0
    beyond: set[int] = field(default_factory=set)

    def take(self, index: int) -> bool:
        """Use an index; return whether it was free."""
        if index < self.first_free or index in self.beyond:
            return False
        self.beyond.add(index)
        while self.first_free in self.beyond:
            self.beyond.remove(self.first_free)
            self.first_free += 1
        return True


@dataclass(slots=True)
class _Session:
    """A session while its rows come in."""

    profile: str | None
    model: str
    task: str
    turns: dict[int, RecordedTurn] = field(default_factory=dict)
    places: _Places = field(default_factory=_Places)
    count: int = 0
    success: bool | None = None
    reason: str = ""
    metadata: JsonDict = field(default_factory=dict)

    def add(self, row: GivenRow) -> str:
        """Add a row; return why it is refused, or nothing."""
        index = self.count if row.turn is None else row.turn
        if index < 0:
            return f"A turn's place counts from 0, got {index}."
        try:
            occurred_at = utc(row.at) if row.at else None
        except OverflowError:
            return f"The time {row.at} is before the year 1 or after the year 9999 in UTC."
        if not self.places.take(index):
            return f"The session has its turn {index} already."
        self.turns[index] = RecordedTurn(index, row.text, row.prompt, row.feedback, occurred_at)
        self.count += 1
        self.success = self.success if row.success is None else row.success
        self.reason = self.reason if row.reason is None else row.reason
        self.metadata |= row.model_extra or {}
        return ""


def _pieces(sessions: Mapping[str, _Session], *, is_last: bool) -> Iterator[RecordedSession]:
    for name, session in sessions.items():
        if not session.turns and not (is_last and session.count):
            continue
        turns = tuple(session.turns[index] for index in sorted(session.turns))
        session.turns.clear()
        yield RecordedSession(
            name,
            session.profile,
            session.model,
            session.task,
            turns,
            session.success,
            session.reason,
            session.metadata,
            is_last=is_last,
        )


def _at(row: JsonMap, column: str) -> Any:
    if column in row:
        return row[column]
    value: Any = row
    for part in column.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif (
            isinstance(value, list) and part.lstrip("-").isdecimal() and -len(value) <= int(part) < len(value)
        ):
            value = value[int(part)]
        else:
            return None
    return value


def _why(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"The field {place!r}: {first['msg']}."
