"""The common parts of events: identifiers, the dimensions of their rows, and how a field is stored if its type does not say so."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, TypeAlias


@dataclass(frozen=True, slots=True)
class Stored:
    """A field's column.

    Args:
        sql_type: its DuckDB type; empty where the field has no column.
        empty_is_null: whether an empty text is stored as NULL.
        is_word: whether it is a name, a hash or a setting, and no text that a model or a tool wrote; any other text or JSON value is one.
        blank: what stands in the place of such a text where none is to be shown.
    """

    sql_type: str
    empty_is_null: bool = False
    is_word: bool = False
    blank: str = ""


NOT_STORED = Stored("")
"""The field has no column of its own."""

Id: TypeAlias = Annotated[str, Stored("UUID")]
"""An identifier."""

Word: TypeAlias = Annotated[str, Stored("VARCHAR", is_word=True)]
"""A name, a hash or a word of somebody's list: an export without texts has it."""

JsonText: TypeAlias = Annotated[str, Stored("JSON", blank="null")]
"""A value as JSON text."""

JsonObject: TypeAlias = Annotated[str, Stored("JSON", blank="{}")]
"""An object as JSON text."""

JsonObjectOrEmpty: TypeAlias = Annotated[str, Stored("JSON", empty_is_null=True, blank="{}")]
"""An object as JSON text; empty where there is none."""

Settings: TypeAlias = Annotated[str, Stored("JSON", is_word=True)]
"""Settings of this toolkit as JSON text: an export without texts has them."""

BigInt: TypeAlias = Annotated[int, Stored("BIGINT")]
"""A count or a time that 32 bits may not hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What every event has.

    Args:
        event_id: recorded once, however often it is written: a second event of the same id is passed over.
        recorded_at: when it was recorded, UTC without a zone.
        run_id: the run that it belongs to.
        kind: which kind of event it is; each class says its own.
    """

    event_id: Id
    recorded_at: datetime
    run_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class InTurn(Recorded):
    """What every event within a turn has.

    Args:
        session_id: the session that it belongs to.
        turn_id: the turn that it belongs to.
    """

    session_id: Id
    turn_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent(InTurn):
    """What an event has that becomes rows with the dimensions of their turn.

    Args:
        turn_index: the turn's place in its session, from 0.
        profile: the profile that the session runs under.
        model: the session's language model, as its source names it.
        task: what the session is about.
        occurred_at: when the response was made, UTC without a zone; None where the source doesn't say.
    """

    turn_index: int
    profile: Word
    model: Word
    task: Word
    occurred_at: datetime | None
