"""A row of a result: a tuple whose values are found by their columns' names, too."""

from collections.abc import Sequence
from typing import Any, ClassVar, SupportsIndex


class Row(tuple[Any, ...]):
    """One row: a tuple, with ``row["name"]`` for a value and ``dict(row)`` for all of them.

    Raises:
        KeyError: no column, or more than one, has the name.
    """

    __slots__ = ()
    _columns: ClassVar[tuple[str, ...]] = ()

    def keys(self) -> tuple[str, ...]:
        """Return the columns' names."""
        return self._columns

    def __getitem__(self, key: SupportsIndex | slice | str) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        match self._columns.count(key):
            case 1:
                return super().__getitem__(self._columns.index(key))
            case 0:
                raise KeyError(f"There is no column {key!r}; there are {', '.join(self._columns)}.")
            case several:
                raise KeyError(f"{several} columns are called {key!r}; take them by place.")

    def __reduce__(self) -> tuple[type[tuple[Any, ...]], tuple[tuple[Any, ...]]]:
        return tuple, (tuple(self),)


def row_kind(columns: Sequence[str]) -> type[Row]:
    """Return the kind of row that knows these columns."""
    return type("Row", (Row,), {"__slots__": (), "_columns": tuple(columns)})
