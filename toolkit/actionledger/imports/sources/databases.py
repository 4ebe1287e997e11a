"""Read other programs' SQLite databases unchanged, even while they are written, and leave no files next to them.

A database's newest content may be in a log or journal next to it. Reading it in place would write there, so a private copy of all files is read
instead.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any, Self

from pydantic_core import from_json

from actionledger.core.canonical import is_deeper
from actionledger.core.errors import SourceError
from actionledger.core.files import TemporaryFolder
from actionledger.imports.sources.base import Sample
from actionledger.imports.sources.containers import shown
from actionledger.imports.sources.json_values import MAX_DEPTH, MAX_LINE

if TYPE_CHECKING:
    import sqlite3

HEADER = b"SQLite format 3\0"
"""The beginning of an SQLite file."""

BESIDE = ("-wal", "-journal")
"""The suffixes of files with content that is not in the database yet."""

MAX_COPY = 8 * 2**30
"""The largest database that is copied while another program writes to it, in bytes."""

MAX_VALUE = 256 * 2**20
"""The largest value that is fetched, in bytes."""

_TRIES = 5
_PAUSE_SECONDS = 0.05
_SETTINGS = ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0")
_DANGERS = frozenset({"load_extension", "fts3_tokenizer", "sqlite_rename_column", "sqlite_rename_table"})
"""SQLite's own functions that do more than compute."""

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
_COLUMNS = "SELECT name FROM pragma_table_info(?)"

Row = Mapping[str, Any]
"""A row by column; columns that this version of the database lacks are missing."""


class Database:
    """An open database."""

    def __init__(self, connection: "sqlite3.Connection", path: Path) -> None:
        self._connection = connection
        self._path = path
        names = [str(row["name"]) for row in self._fetched(_TABLES, ())]
        self.tables = {
            name: frozenset(str(row["name"]) for row in self._fetched(_COLUMNS, (name,))) for name in names
        }

    def rows(
        self, table: str, columns: Sequence[str], *, order: Sequence[str], **where: object
    ) -> Iterator[Row]:
        """Yield rows of a table, one by one; none if there is no such table."""
        there = self.tables.get(table)
        if there is None:
            return
        picked = ", ".join(f'"{name}"' for name in columns if name in there)
        condition = " AND ".join(f'"{name}" IS ?' for name in where) or "true"
        by = ", ".join(f'"{name}"' for name in order if name in there) or "1"
        query = f'SELECT {picked} FROM "{table}" WHERE {condition} ORDER BY {by}'  # noqa: S608 (our own names)
        yield from self._fetched(query, tuple(where.values()))

    def _fetched(self, query: str, parameters: tuple[object, ...]) -> Iterator[Row]:
        import sqlite3  # noqa: PLC0415 - slow to load, and few recordings are databases

        try:
            cursor = self._connection.execute(query, parameters)
            names = [column[0] for column in cursor.description]
            for row in cursor:
                yield dict(zip(names, row, strict=True))
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise SourceError(f"The database {shown(self._path)!r} can't be read: {error}.") from error

    @classmethod
    @contextmanager
    def at(cls, path: Path) -> Iterator[Self]:
        """Open a database as it is now; what others write later is not seen."""
        if not path.is_file():
            raise SourceError(
                f"{shown(path)!r} is an SQLite database inside of something else: unpack it, and give the file itself."
            )
        with path.open("rb") as file:
            if not file.read(len(HEADER)).startswith(HEADER):
                raise SourceError(
                    f"{shown(path)!r} is not a SQLite database by itself: unpack it if it is compressed."
                )
        if not _parts_beside(path):
            with closing(_connected(path, "mode=ro&immutable=1")) as connection:
                yield cls(connection, path)
            return
        folder = TemporaryFolder("database")
        try:
            copy = folder.path / "copy.db"
            _copy(path, copy)
            with closing(_connected(copy, "mode=rw")) as connection:
                yield cls(connection, path)
        finally:
            folder.remove()


def is_database_with(sample: Sample, tables: Mapping[str, frozenset[str]]) -> bool:
    """Return whether a sample is a database with certain tables and columns."""
    if not sample.head.startswith(HEADER):
        return False
    try:
        with Database.at(sample.path) as database:
            return all(columns <= database.tables.get(name, frozenset()) for name, columns in tables.items())
    except (SourceError, OSError):
        return False


def decoded(value: object) -> Any:
    """Return the JSON value of a column's text."""
    if not isinstance(value, str):
        raise ValueError(f"it is not text, but {type(value).__name__}")  # noqa: TRY004 - another program's value
    if len(value) > MAX_LINE:
        raise ValueError(f"it is longer than {MAX_LINE:,} characters")
    try:
        found = from_json(value)
    except ValueError:
        found = _decoded_slowly(value)
    if is_deeper(found, MAX_DEPTH):
        raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
    return found


def _decoded_slowly(value: str) -> Any:
    try:
        return json.loads(value)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def _connected(path: Path, how: str) -> "sqlite3.Connection":
    import sqlite3  # noqa: PLC0415 - the same

    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, check_same_thread=False)
        connection.text_factory = _text
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
        for setting in _SETTINGS:
            connection.execute(f"PRAGMA {setting}")
        _trust_where_needed(connection)
    except sqlite3.Error as error:
        raise SourceError(f"The database {shown(path)!r} can't be read: {error}.") from error
    return connection


def _trust_where_needed(connection: "sqlite3.Connection") -> None:
    """Let a schema use SQLite's own functions, if it can't be read otherwise.

    Older versions of SQLite consider ``json_extract`` in an index unsafe, which Kilo's databases have; unsafe functions stay forbidden.
    """
    import sqlite3  # noqa: PLC0415 - the same

    try:
        connection.execute("SELECT 1 FROM sqlite_master")
    except sqlite3.Error as error:
        if "unsafe use of" not in str(error):
            raise
        connection.set_authorizer(_refusing_dangers)
        connection.execute("PRAGMA trusted_schema = ON")


def _refusing_dangers(action: int, _first: str | None, second: str | None, *_: str | None) -> int:
    import sqlite3  # noqa: PLC0415 - the same

    is_danger = action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _DANGERS
    return sqlite3.SQLITE_DENY if is_danger else sqlite3.SQLITE_OK


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _parts_beside(path: Path) -> list[Path]:
    found = (path.with_name(path.name + suffix) for suffix in BESIDE)
    return [part for part in found if part.is_file() and part.stat().st_size]


def _copy(path: Path, copy: Path) -> None:
    """Copy a database and the files next to it, in the state of one moment."""
    for _ in range(_TRIES):
        try:
            before = _states(path)
            _refuse_too_large(path, sum(size for _, size, _ in before), copy.parent)
            for part, _, _ in before:
                shutil.copyfile(part, copy.with_name(copy.name + part.name.removeprefix(path.name)))
            if _states(path) == before:
                return
        except FileNotFoundError:
            pass  # it was merged meanwhile
        except OSError as error:
            raise SourceError(
                f"The database {str(path)!r} can't be copied: {error.strerror or error}."
            ) from error
        for part in copy.parent.iterdir():
            part.unlink()
        sleep(_PAUSE_SECONDS)
    raise SourceError(
        f"The database {str(path)!r} is written to all the time, so that it can't be copied: try again when its program is idle."
    )


def _states(path: Path) -> list[tuple[Path, int, int]]:
    """Return a database's files, each with its size and the time of its last change."""
    return [
        (part, status.st_size, status.st_mtime_ns)
        for part in (path, *_parts_beside(path))
        for status in (part.stat(),)
    ]


def _refuse_too_large(path: Path, size: int, folder: Path) -> None:
    room = min(MAX_COPY, shutil.disk_usage(folder).free)
    if size > room:
        raise SourceError(
            f"The database {str(path)!r} is written to, and its {size:,} bytes are more than the {room:,} that can be copied: close its program, "
            "and give it again."
        )
