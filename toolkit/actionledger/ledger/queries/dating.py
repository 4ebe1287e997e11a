"""What belongs to some readings, found by when their responses were made.

By times DuckDB passes over rows: a ledger is written in about the order of them. By identifiers it would unpack every text of a ledger to find
those of fifty turns.
"""

_DATED = "occurred_at BETWEEN (SELECT min(occurred_at) FROM page) AND (SELECT max(occurred_at) FROM page)"


def rows_of_page(table: str, columns: str, key: str) -> str:
    """Return, as SQL, the rows of a table that belong to ``page``, whose rows have the key and ``occurred_at``, which is NULL for some."""
    # In one condition, with 'occurred_at IS NULL OR …', DuckDB passes over nothing.
    return f"""
    SELECT {columns} FROM {table} WHERE {key} IN (SELECT {key} FROM page WHERE occurred_at IS NOT NULL) AND {_DATED}
    UNION ALL
    SELECT {columns} FROM {table} WHERE {key} IN (SELECT {key} FROM page WHERE occurred_at IS NULL) AND occurred_at IS NULL"""
