"""What a stranger's statement may name where DuckDB's other systems are at hand, as they are beside a lake.

The extensions that read a lake's catalog bring functions that open any file or server, and they ask no setting of DuckDB's
whether they may. So the statement itself is looked at, as DuckDB's own parser reads it: what it takes rows from is a table, a
view, or a function of a closed list.
"""

import json
from collections.abc import Iterator
from typing import Any

from duckdb import DuckDBPyConnection

from actionledger.errors import UsageError

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

_EXPLAIN = ("explain analyze ", "explain ")
_CATALOGS = frozenset({"", "base", "memory", "main", "tail", "system", "temp"})


def refuse_reaching(connection: DuckDBPyConnection, statement: str) -> None:
    """Refuse a statement that takes rows from elsewhere than a ledger.

    Args:
        connection: parses it.
        statement: one statement without a semicolon.

    Raises:
        UsageError: it does, or it is of a kind that can't be looked at.
    """
    said = " ".join(statement.split()).lower()
    explained = next((words for words in _EXPLAIN if said.startswith(words)), "")
    rest = statement.split(None, len(explained.split()))[-1] if explained else statement
    row = connection.execute("SELECT json_serialize_sql(?)", [rest]).fetchone()
    assert row is not None
    parsed = json.loads(row[0])
    if parsed["error"]:
        raise UsageError(
            f"In a lake's ledger a statement is looked at before it is run, and this one can't be: {parsed.get('error_message', '')} "
            "Give one SELECT."
        )
    for node in _nodes(parsed):
        _refuse_node(node)


def _refuse_node(node: dict[str, Any]) -> None:
    match node.get("type"):
        case "TABLE_FUNCTION":
            name = str(node["function"].get("function_name", ""))
            if name.lower() not in ALLOWED:
                raise UsageError(
                    f"Rows are not taken from the function {name} here: ask the ledger's tables and views."
                )
        case "BASE_TABLE":
            catalog, schema = (str(node.get(key, "")).lower() for key in ("catalog_name", "schema_name"))
            if catalog not in _CATALOGS or schema.startswith("__"):
                raise UsageError(f"{catalog or schema} is none of a ledger's: ask its tables and views.")


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
