"""Reports as data frames, with the same columns and types for pandas, polars and Arrow."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from actionledger.core.errors import require
from actionledger.core.rates import Rate

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

Kind: TypeAlias = type[str] | type[int] | type[float] | type[bool] | type[datetime]
"""The type of a column's values; any value may be None."""

_PANDAS: dict[Kind, str] = {
    str: "object",
    int: "Int64",
    float: "float64",
    bool: "boolean",
    datetime: "datetime64[us]",
}
_ARROW: dict[Kind, str] = {
    str: "string",
    int: "int64",
    float: "float64",
    bool: "bool_",
    datetime: "timestamp",
}


class Columns(NamedTuple):
    """The columns of a frame."""

    kinds: Mapping[str, Kind]  # the type of each column by name, in order
    rows: Sequence[Sequence[Any]]  # the rows, each with a value for each column

    @property
    def values(self) -> Iterator[tuple[str, Kind, list[Any]]]:
        """Each column's name, kind and values."""
        for place, (name, kind) in enumerate(self.kinds.items()):
            yield name, kind, [row[place] for row in self.rows]


class Framed:
    """A report whose rows can become a data frame; subclasses define ``_columns``."""

    __slots__ = ()

    def _columns(self) -> Columns:
        raise NotImplementedError

    def df(self) -> "pd.DataFrame":
        """Return the rows as a pandas data frame.

        Raises:
            MissingPackageError: pandas is not installed.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     al.failures(ledger).df().shape[0]
            0
        """
        require("A data frame of pandas", "notebook", "pandas")
        import pandas as pd  # noqa: PLC0415 - optional

        return pd.DataFrame(
            {name: pd.Series(values, dtype=_PANDAS[kind]) for name, kind, values in self._columns().values}
        )

    def pl(self) -> "pl.DataFrame":
        """Return the rows as a polars data frame.

        Raises:
            MissingPackageError: polars or pyarrow is not installed.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     al.failures(ledger).pl().height
            0
        """
        require("A data frame of polars", "notebook", "polars", "pyarrow")
        import polars as pl  # noqa: PLC0415 - optional

        frame = pl.from_arrow(self.arrow())
        assert isinstance(frame, pl.DataFrame)
        return frame

    def arrow(self) -> "pa.Table":
        """Return the rows as an Arrow table.

        Raises:
            MissingPackageError: pyarrow is not installed.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     al.failures(ledger).arrow().num_rows
            0
        """
        require("A table of Arrow", "notebook", "pyarrow")
        import pyarrow as pa  # noqa: PLC0415 - optional

        def typed(kind: Kind) -> Any:
            return pa.timestamp("us") if kind is datetime else getattr(pa, _ARROW[kind])()

        columns = list(self._columns().values)
        return pa.table(
            [pa.array(values, typed(kind)) for _, kind, values in columns],
            names=[name for name, _, _ in columns],
        )


def compared(
    rates: Iterable[tuple[str, Rate, Rate, tuple[float, float] | None, float | None]],
) -> Columns:
    """Return the columns of a comparison, one row for each rate of both sides; a missing interval is None.

    Args:
        rates: the name, the rate before and after, the interval of the difference, and the p-value.
    """
    rows = [
        (name, *rate_values(before), *rate_values(after), *(difference or (None, None)), p_value)
        for name, before, after, difference, p_value in rates
    ]
    ends: dict[str, Kind] = {"difference_low": float, "difference_high": float, "p_value": float}
    return Columns({"measure": str, **rate_kinds("before"), **rate_kinds("after"), **ends}, rows)


def rate_kinds(name: str) -> dict[str, Kind]:
    """Return the columns of a rate: its share, the ends of its interval, and its count."""
    return {name: float, f"{name}_low": float, f"{name}_high": float, f"{name}_count": int}


def rate_values(rate: Rate) -> tuple[float | None, float | None, float | None, int]:
    """Return the values of these columns; None if there is no share or no interval."""
    low, high = rate.interval or (None, None)
    return rate.value, low, high, rate.count
