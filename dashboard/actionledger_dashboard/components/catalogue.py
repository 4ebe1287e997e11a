"""The tables of a ledger beside the statement that asks them: how many rows, what a row is, what each column is."""

from collections.abc import Sequence

from actionledger.ledger.queries import TableDescription
from actionledger_dashboard.components.assets import mount_of

_mount = mount_of("catalogue")


def show_catalogue(tables: Sequence[TableDescription]) -> None:
    """Show the tables."""
    drawn = [
        {
            "name": table.name,
            "rows": table.rows,
            "meaning": table.meaning,
            "columns": [
                {"name": column.name, "type": column.sql_type, "meaning": column.meaning}
                for column in table.columns
            ],
        }
        for table in tables
    ]
    _mount(key="catalogue", data={"tables": drawn})
