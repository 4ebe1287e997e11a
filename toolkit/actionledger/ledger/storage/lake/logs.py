"""What PostgreSQL's server log keeps of a lake: the statement of a commit that loses the race, with texts of the rows in it.

DuckLake keeps the least and the greatest value of each column of each file, and has no setting to leave out those of texts.
"""

from contextlib import closing

from actionledger.ledger.storage.connections import BASE
from actionledger.ledger.storage.files import one_sentence
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.place import LakePlace

_KEEPS_NO_ERRORS = frozenset({"log", "fatal", "panic"})
_ASKED = (
    "SELECT name, setting FROM pg_settings WHERE name IN (''log_min_error_statement'', ''log_statement'', "
    "''log_min_duration_statement'')"
)


def said_of_log(place: LakePlace) -> str:
    """Return what the server log of a lake's catalog may hold of what is forgotten; empty where the catalog is no server's.

    Args:
        place: where the lake is.

    Raises:
        LedgerError: the catalog can't be reached.
    """
    if not place.is_on_postgres:
        return ""
    with (
        one_sentence(f"The catalog of {place.path} can't be asked"),
        closing(connect_lake(place)) as connection,
    ):
        asked = f"SELECT * FROM postgres_query('__ducklake_metadata_{BASE}', '{_ASKED}')"
        settings = dict(connection.execute(asked).fetchall())
    keeping = " and ".join(f"{name} = {value}" for name, value in settings.items() if _keeps(name, value))
    now = f"with {keeping} it goes on so" if keeping else "as it is set now, it keeps no more of them"
    return (
        "PostgreSQL's server log may hold texts of the forgotten rows, in the statements of commits that lost the race: "
        f"{now}. Remove the logs of that time, on the server."
    )


def _keeps(name: str, value: str) -> bool:
    """Return whether a setting of PostgreSQL has its log keep statements that add files."""
    match name:
        case "log_min_error_statement":
            return value not in _KEEPS_NO_ERRORS
        case "log_statement":
            return value in {"mod", "all"}
        case _:
            return value != "-1"
