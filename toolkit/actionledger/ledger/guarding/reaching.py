"""What a stranger's statement may name: a ledger's tables and views, and functions of a closed list.

DuckDB's functions that give rows open files and servers, and change how it logs and profiles; those that its extensions bring ask no
setting whether they may. So the statement itself is looked at, as DuckDB's own parser reads it.
"""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NoReturn

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.errors import UsageError

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
"""The functions that rows may be taken from."""

_SQL_IN_TEXT = frozenset({"json_serialize_plan", "getenv", "write_log"})
"""The functions of one value that read a text as a statement, or reach beyond what is asked."""

_CATALOGS = frozenset({"", "base", "memory", "main", "tail", "system", "temp"})
_EXPLAINING = frozenset({"explain", "analyze", "analyse", "verbose"})
_WORD = re.compile(r'\w+|"(?:[^"]|"")*"')


def refuse_reaching(connection: DuckDBPyConnection, statement: str, *, is_of_lake: bool = False) -> None:
    """Refuse a statement that takes rows from elsewhere than a ledger."""
    rest = _explained(statement)
    [(tree,)] = connection.execute("SELECT json_serialize_sql(?)", [rest]).fetchall()
    parsed = json.loads(tree)
    if not parsed["error"]:
        for node in _nodes(parsed):
            _refuse_node(node)
    elif not is_of_lake and [each.type.name for each in connection.extract_statements(rest)] == ["MULTI"]:
        _refuse_words(connection, rest)
    else:
        raise UsageError(
            f"The statement can't be run: each is looked at before, and DuckDB gives no tree of this one ({parsed.get('error_message', '')}). "
            "Give one SELECT."
        )


def _refuse_node(node: dict[str, Any]) -> None:
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
                raise UsageError(f"{catalog or schema} is none of a ledger's: ask its tables and views.")


def _refuse_function(name: str) -> NoReturn:
    raise UsageError(
        f"The statement can't be run: rows are not taken from the function {name} here. Ask the ledger's tables and views."
    )


def _refuse_words(connection: DuckDBPyConnection, statement: str) -> None:
    """Refuse a PIVOT over what its columns are to be, which DuckDB gives no tree of, if it calls a function that gives rows.

    Whatever stands before a bracket is taken for a call, in quotes or not: rather too much is refused than too little.
    """
    found = connection.execute(
        "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE function_type NOT IN ('scalar', 'aggregate', 'macro')"
    ).fetchall()
    refused = {name for (name,) in found} - ALLOWED | _SQL_IN_TEXT
    words = [word for _, word in _words(statement)]
    for word, behind in pairwise(words):
        name = word[1:-1].replace('""', '"') if word.startswith('"') else word
        if behind.startswith("(") and name.lower() in refused:
            _refuse_function(name)


def _explained(statement: str) -> str:
    """Return what a statement explains, or the statement; nothing where that can't be told apart."""
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
    """Return what DuckDB's parser takes a statement apart to, each with the byte where it begins."""
    text = statement.encode()
    places = [start for start, kind in duckdb.tokenize(statement) if kind is not duckdb.token_type.comment]
    ends = [*places[1:], len(text)]
    pieces = ((start, text[start:end].decode()) for start, end in zip(places, ends, strict=True))
    # DuckDB 1.5 has no tokens for comments: one that follows a word is a part of its piece.
    return [(start, found[0] if (found := _WORD.match(piece)) else piece.strip()) for start, piece in pieces]


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
