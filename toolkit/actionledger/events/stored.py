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
    """

    sql_type: str
    empty_is_null: bool = False


NOT_STORED = Stored("")
"""The field has no column of its own."""

Id: TypeAlias = Annotated[str, Stored("UUID")]
"""An identifier."""

JsonText: TypeAlias = Annotated[str, Stored("JSON")]
"""A value as JSON text."""

JsonTextOrEmpty: TypeAlias = Annotated[str, Stored("JSON", empty_is_null=True)]
"""A value as JSON text; empty where there is none."""

BigInt: TypeAlias = Annotated[int, Stored("BIGINT")]
"""A count or a time that 32 bits may not hold."""
