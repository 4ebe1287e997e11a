"""Write docs/tables.md from a blank ledger and from what its columns are made of."""

from pathlib import Path
from tempfile import TemporaryDirectory

from actionledger.ledger import open_ledger
from actionledger.ledger.storage.comments import column_meanings, texts_of
from actionledger.ledger.storage.schema import QUARANTINE, TABLES, VIEWS

HERE = Path(__file__).parent
HEAD = """# Tables

Every column that people read, as `DESCRIBE` tells them; what a row is, [ledger.md](ledger.md) says. A column is a field of an
event, or of what an event holds, and has its words: `python docs/tables.py` writes this page anew. What a model, a tool or a person wrote is called
*text*: an export `--without-text` has blanks there, and no names of actions that nobody offered.
"""


def page() -> str:
    """Return the page: each table's and view's columns with their types, and what they mean."""
    halves = {f"{view[:-1]}_{half}" for view in VIEWS for half in ("starts", "ends", "details")}
    names = ({table.name for table in (*TABLES, QUARANTINE)} - halves) | VIEWS.keys()
    with TemporaryDirectory() as folder, open_ledger(Path(folder) / "blank.duckdb") as ledger:
        described = {name: ledger.sql(f"DESCRIBE {name}").fetchall() for name in sorted(names)}
    return HEAD + "".join(_section(name, rows) for name, rows in described.items())


def _section(name: str, rows: list[tuple[str, ...]]) -> str:
    meanings = column_meanings(name)
    texts = texts_of(name)
    cells = {
        column: meaning.replace("|", "\\|") + " · *text*" * (column in texts)
        for column, meaning in meanings.items()
    }
    lines = "".join(f"| `{row[0]}` | {row[1]} | {cells[row[0]]} |\n" for row in rows)
    return f"\n## {name}\n\n| column | type | what it is |\n|---|---|---|\n{lines}"


if __name__ == "__main__":
    (HERE / "tables.md").write_text(page(), encoding="utf-8")
