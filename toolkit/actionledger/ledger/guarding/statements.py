"""Run an untrusted statement, in a process of its own. Settings are locked before the statement is parsed."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, NoReturn

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.canonical import JsonDict
from actionledger.core.errors import UsageError
from actionledger.core.patterns import regex
from actionledger.core.text import sql_text
from actionledger.ledger.results import distinct

ALLOWED = frozenset(
    {
        "duckdb_columns",
        "duckdb_constraints",
        "duckdb_functions",
        "duckdb_keywords",
        "duckdb_tables",
        "duckdb_types",
        "duckdb_views",
        "generate_series",
        "generate_subscripts",
        "json_each",
        "json_tree",
        "pragma_table_info",
        "range",
        "repeat",
        "unnest",
    }
)
"""The table functions that a statement may use."""

_SQL_IN_TEXT = frozenset({"json_serialize_plan", "getenv", "write_log"})
"""Scalar functions that run a text as SQL, or reach beyond the query."""

_CATALOGS = frozenset({"", "base", "memory", "main", "tail", "system", "temp"})
_EXPLAINING = frozenset({"explain", "analyze", "analyse", "verbose"})
_WORD = regex(r'\w+|"(?:[^"]|"")*"')


def refuse_reaching(connection: DuckDBPyConnection, statement: str, *, is_of_lake: bool) -> None:
    """Refuse a statement that reads rows from outside a ledger."""
    rest = _explained(statement)
    [(tree,)] = connection.execute("SELECT json_serialize_sql(?)", [rest]).fetchall()
    parsed = json.loads(tree)
    if not parsed["error"]:
        for node in _nodes(parsed):
            _refuse_node(node)
    elif not is_of_lake and [each.type.name for each in connection.extract_statements(rest)] == ["MULTI"]:
        # A PIVOT without a list of values, for which DuckDB gives no tree: refuse it if it calls a table function. Any word before a bracket counts
        # as a call, quoted or not: rather too much is refused than too little.
        found = connection.execute(
            "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE function_type NOT IN ('scalar', 'aggregate', 'macro')"
        ).fetchall()
        refused = {name for (name,) in found} - ALLOWED | _SQL_IN_TEXT
        words = [word for _, word in _words(rest)]
        for word, behind in pairwise(words):
            name = word[1:-1].replace('""', '"') if word.startswith('"') else word
            if behind.startswith("(") and name.lower() in refused:
                _refuse_function(name)
    else:
        raise UsageError(
            f"The statement can't be run: each is looked at before, and DuckDB gives no tree of this one ({parsed.get('error_message', '')}). "
            "Give one SELECT."
        )


def _refuse_node(node: JsonDict) -> None:
    match node.get("type"):
        case "TABLE_FUNCTION":
            name = str(node["function"].get("function_name", ""))
            if name.lower() not in ALLOWED:
                _refuse_function(name)
        case "FUNCTION":
            name = str(node.get("function_name", ""))
            if name.lower() in _SQL_IN_TEXT:
                raise UsageError(
                    f"The statement can't be run: the function {name} is not for here. Ask the ledger's tables and views."
                )
        case "BASE_TABLE" | "SHOW_REF":
            catalog, schema = (str(node.get(key, "")).lower() for key in ("catalog_name", "schema_name"))
            if catalog not in _CATALOGS or schema.startswith("__"):
                raise UsageError(f"{catalog or schema} is not part of a ledger; query its tables and views.")


def _refuse_function(name: str) -> NoReturn:
    raise UsageError(
        f"The statement can't be run: rows are not taken from the function {name} here. Ask the ledger's tables and views."
    )


def _explained(statement: str) -> str:
    """Return the statement that an EXPLAIN explains, or the statement itself; empty if the two can't be separated."""
    found = _words(statement)
    words = [word.lower() for _, word in found]
    if words[:1] != ["explain"]:
        return statement
    if words[1:2] == ["("]:
        place = words.index(")") + 1 if ")" in words else len(words)
    else:
        place = next((at for at, word in enumerate(words) if word not in _EXPLAINING), len(words))
    return statement.encode()[found[place][0] :].decode() if place < len(found) else ""


def _words(statement: str) -> list[tuple[int, str]]:
    """Return the tokens of DuckDB's parser, each with its byte offset."""
    text = statement.encode()
    places = [start for start, kind in duckdb.tokenize(statement) if kind is not duckdb.token_type.comment]
    ends = [*places[1:], len(text)]
    pieces = ((start, text[start:end].decode()) for start, end in zip(places, ends, strict=True))
    # DuckDB 1.5 has no tokens for comments: a comment after a word is part of its piece.
    return [(start, found[0] if (found := _WORD.match(piece)) else piece.strip()) for start, piece in pieces]


def _nodes(value: Any) -> Iterator[JsonDict]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


MEMORY = "1GB"
"""The memory limit of a statement; beyond it, DuckDB spills into a folder of its own."""

SPILLED = "16GB"
"""The limit of what a statement may spill to disk."""

ARROW_FILE, PARQUET_FILE = "answer.arrow", "answer.parquet"

_ALLOWED = frozenset({"SELECT", "EXPLAIN", "MULTI"})
"""DuckDB's types of read-only statements: DESCRIBE, SHOW and SUMMARIZE count as SELECT, a PIVOT as several statements in one."""

_ZONED = " WITH TIME ZONE"
_ROWS_OF_ARROW = 10_000


class Statements:
    """Answers one statement at a time over a connection that nothing else uses, with a folder of its own for what is spilled."""

    def __init__(
        self, connect: Callable[[], DuckDBPyConnection], folder: str, folders: Sequence[str] = ()
    ) -> None:
        self._folder = folder
        self._is_of_lake = bool(folders)
        self._cursor = connect()
        # Lock the connection in for good. It can reach only the folder for spilling, so nobody else may use that.
        cursor = self._cursor
        if folders:
            allowed = ", ".join(map(sql_text, folders))
            cursor.execute(f"SET allowed_directories = [{allowed}]")
        for name, value in (
            ("TimeZone", "UTC"),
            ("temp_directory", folder),
            ("max_temp_directory_size", SPILLED),
            ("memory_limit", MEMORY),
            ("python_enable_replacements", "false"),
            ("autoinstall_known_extensions", "false"),
            ("autoload_known_extensions", "false"),
            ("enable_external_access", "false"),
            ("lock_configuration", "true"),
        ):
            cursor.execute(f"SET {name} = {sql_text(value)}")

    @contextmanager
    def ask(self, statement: str) -> Iterator[tuple[tuple[str, ...], Callable[[int], list[tuple[Any, ...]]]]]:
        """Give the names of a statement's columns, and a function that fetches a number of its rows."""
        cursor = self._cursor
        with self._bounded():
            only = self._only(statement)
            cursor.execute(only)
            kinds = [str(column[1]) for column in cursor.description]
            names = tuple(distinct([str(column[0]) for column in cursor.description]))
            if any(_ZONED in kind for kind in kinds):
                # In Python a time with a zone needs one more package.
                cursor.execute(_without_zones(only, kinds))
            yield names, cursor.fetchmany

    def write_arrow(self, statement: str) -> tuple[str, ...]:
        """Write a statement's rows as an Arrow stream, times with a zone as UTC without one; return the columns' names."""
        import pyarrow as pa  # noqa: PLC0415 - optional, and slow to load

        with self._bounded():
            only = self._only(statement)
            relation = self._cursor.sql(only)
            names, kinds = tuple(distinct(relation.columns)), [str(kind) for kind in relation.types]
            if any(_ZONED in kind for kind in kinds):
                relation = self._cursor.sql(_without_zones(only, kinds))
            reader = relation.to_arrow_reader(_ROWS_OF_ARROW)
            with pa.ipc.new_stream(str(Path(self._folder, ARROW_FILE)), reader.schema) as writer:
                for batch in reader:
                    writer.write_batch(batch)
            return names

    def write_parquet(self, statement: str) -> None:
        """Write a statement's rows as a Parquet file."""
        with self._bounded():
            only = self._only(statement)
            self._cursor.execute(
                f"COPY (FROM ({only}\n)) TO {sql_text(Path(self._folder, PARQUET_FILE))} (FORMAT parquet)"
            )

    def _only(self, statement: str) -> str:
        only = _only(self._cursor, statement)
        refuse_reaching(self._cursor, only, is_of_lake=self._is_of_lake)
        return only

    @contextmanager
    def _bounded(self) -> Iterator[None]:
        """Discard anything that a statement changes, and turn DuckDB's errors into sentences.

        A transaction is needed since EXPLAIN ANALYZE runs what it explains: a statement's type alone doesn't show that it only reads.
        """
        try:
            self._cursor.execute("BEGIN TRANSACTION READ ONLY")
            yield
        except (duckdb.OutOfMemoryException, MemoryError) as error:
            raise UsageError(
                f"The statement needs more memory than it may take: {_message_of(error)}"
            ) from error
        except (duckdb.FatalException, duckdb.InternalException):
            raise  # the connection is unusable now
        except (duckdb.Error, UnicodeError) as error:
            raise UsageError(f"The statement can't be run: {_message_of(error)}") from error
        finally:
            with suppress(duckdb.Error):
                self._cursor.execute("ROLLBACK")


def _only(cursor: DuckDBPyConnection, statement: str) -> str:
    """Return the only statement of a text; raise if it is not read-only."""
    statement.encode()  # Raises for a lone surrogate, which DuckDB's client can't handle.
    found = cursor.extract_statements(statement)
    if len(found) != 1:
        what = f"{len(found)} statements" if found else "no statement"
        raise UsageError(f"One statement is run at a time, and here is {what}; give one SELECT.")
    kind = found[0].type.name
    if kind not in _ALLOWED:
        raise UsageError(
            f"A statement of the kind {kind} is not run: a ledger is asked, not changed. Give one SELECT, EXPLAIN, DESCRIBE, "
            "SHOW or SUMMARIZE."
        )
    return _bare(str(found[0].query))


def _bare(statement: str) -> str:
    """Remove a statement's final semicolon and the comments after it, so that it can be part of another one."""
    text = statement.encode()
    end = len(text)
    for start, kind in reversed(duckdb.tokenize(statement)):
        if text.startswith(b";", start):
            end = start  # DuckDB 1.5 has no tokens for comments: all after it is one
        elif kind is not duckdb.token_type.comment:
            break
    return text[:end].decode().rstrip()


def _without_zones(statement: str, kinds: Sequence[str]) -> str:
    """Return a statement with the same rows, in which times with a zone are UTC without one."""
    names = [f"c{place}" for place in range(len(kinds))]
    columns = ", ".join(
        f"{name}::{kind.replace(_ZONED, '')}" if _ZONED in kind else name
        for name, kind in zip(names, kinds, strict=True)
    )
    return f"SELECT {columns} FROM ({statement}\n) AS answer({', '.join(names)})"  # noqa: S608 - the caller's statement


def _message_of(error: Exception) -> str:
    """Return DuckDB's error message on one line: the fault, similar names, and the line number if there are several lines."""
    said, _, place = str(error).strip().partition("\n\nLINE ")
    lines = list(takewhile(lambda line: line and not line.startswith("\t"), said.splitlines()))
    number = place.partition(":")[0]
    where = f" (line {number})" if number not in {"", "1"} else ""
    return " ".join(lines) + where if lines else type(error).__name__
