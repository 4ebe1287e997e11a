"""How a field of an event is stored, where its Python type alone does not say it.

A ledger's tables are made from the events' annotations (``ledger.columns`` reads them): a text becomes a ``VARCHAR`` unless it is
annotated with one of these.
"""

from dataclasses import dataclass
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
