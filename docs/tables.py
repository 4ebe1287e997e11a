"""Write docs/tables.md from a blank ledger and from what its columns are made of."""

import re
from inspect import cleandoc
from pathlib import Path
from tempfile import TemporaryDirectory

from actionledger.ledger import open_ledger
from actionledger.ledger.schema import QUARANTINE, TABLES, VIEWS, Table

HERE = Path(__file__).parent
HEAD = """# Tables

Every column that people read, as `DESCRIBE` tells them; what a row is, [ledger.md](ledger.md) says. A column is a field of an
event, or of what an event holds, and has its words: `python docs/tables.py` writes this page anew.
"""
_ARGUMENT = re.compile(r"^    ([a-z_, ]+): (.+(?:\n {8}.+)*)", re.MULTILINE)


def page() -> str:
    """Return the page: each table's and view's columns with their types, and what they mean."""
    halves = {f"{view[:-1]}_{half}" for view in VIEWS for half in ("starts", "ends")}
    tables = {table.name: [table] for table in (*TABLES, QUARANTINE) if table.name not in halves}
    views = {
        view: [table for table in TABLES if table.name in {f"{view[:-1]}_starts", f"{view[:-1]}_ends"}]
        for view in VIEWS
    }
    with TemporaryDirectory() as folder, open_ledger(Path(folder) / "blank.duckdb") as ledger:
        described = {name: ledger.sql(f"DESCRIBE {name}").fetchall() for name in sorted(tables | views)}
    return HEAD + "".join(_section(name, rows, (tables | views)[name]) for name, rows in described.items())


def _section(name: str, rows: list[tuple[str, ...]], tables: list[Table]) -> str:
    meanings = {column: text for table in reversed(tables) for column, text in _meanings(table).items()}
    lines = "".join(f"| `{row[0]}` | {row[1]} | {meanings[row[0]]} |\n" for row in rows)
    return f"\n## {name}\n\n| column | type | what it is |\n|---|---|---|\n{lines}"


def _meanings(table: Table) -> dict[str, str]:
    """Return what each column means: the words of its field, or of its property."""
    return {
        column.name: _said_of(part.source, column.field) for part in table.parts for column in part.columns
    }


def _said_of(source: type, field: str) -> str:
    for kind in source.__mro__:
        for names, text in _ARGUMENT.findall(cleandoc(kind.__doc__ or "")):
            if field in names.split(", "):
                return _cell(text)
    text = getattr(source, field).__doc__ or ""
    return _cell(text[:1].lower() + text[1:])


def _cell(text: str) -> str:
    words = " ".join(text.split()).rstrip(".").replace("``", "`").replace("|", "\\|")
    return re.sub(r"\bNone\b", "NULL", words)


if __name__ == "__main__":
    (HERE / "tables.md").write_text(page(), encoding="utf-8")
