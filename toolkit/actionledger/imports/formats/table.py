"""Tables: CSV and Parquet files whose rows are turns (``sources.rows``), their columns named as the fields or mapped to them."""

import csv
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Capture
from actionledger.imports.sources.base import Item, ReadFile, Sample, Source
from actionledger.imports.sources.containers import OnRead, wide_encoding_of
from actionledger.imports.sources.rows import REQUIRED, checked

_PARQUET = b"PAR1"
_DELIMITERS = ",\t;|"
_LONGEST_HEADER = 64 * 1024
_NAME = regex(r"\w[\w .:/-]*")


def read(
    path: Path, on_read: OnRead | None = None, *, columns: Mapping[str, str] | None = None
) -> Iterator[Item]:
    """Yield the sessions of a table, and a refusal for each row that can't be read."""
    from actionledger.imports.sources.tables import read_table  # noqa: PLC0415 - DuckDB is slow to load

    yield from read_table(path, on_read, columns=columns)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a table of turns, by its columns."""
    if sample.head.startswith(_PARQUET):
        from actionledger.imports.sources.tables import columns_of  # noqa: PLC0415 - the same

        return 0.9 if set(REQUIRED) <= set(columns_of(sample.path)) else 0.0
    return 0.9 if not sample.values and set(REQUIRED) <= set(header(sample)) else 0.0


def header(sample: Sample) -> tuple[str, ...]:
    """Return the column names in a CSV sample's first line, even in UTF-16, which the reader then refuses."""
    encoding = wide_encoding_of(sample.head) or "utf-8-sig"
    first, line_end, _ = sample.head[:_LONGEST_HEADER].decode(encoding, errors="replace").partition("\n")
    found = max((_cells(first.strip(), delimiter) for delimiter in _DELIMITERS), key=len)
    return found if line_end and len(found) > 1 and all(map(_NAME.fullmatch, found)) else ()


def mapped(columns: Mapping[str, str]) -> ReadFile:
    """Return a reader of tables whose columns have other names."""
    return partial(read, columns=checked(columns))


def _cells(line: str, delimiter: str) -> tuple[str, ...]:
    try:
        return tuple(cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), ()))
    except csv.Error:
        return ()


SOURCE = Source(
    "table",
    "CSV and Parquet, a turn a row",
    Capture.TEXT,
    read,
    recognise,
    patterns=("*.csv", "*.tsv", "*.parquet"),
    loses="Calls beside the text, results and tokens: it has no fields for them.",
    fields=REQUIRED,
    names="file",
    mapped=mapped,
    stands_alone=True,
)
