"""Rows that go, and the digests of them that stay: without those, nobody could tell what was taken away rightly from what was lost."""

from collections.abc import Sequence

from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.stored import Rows, stored_cells


def withdraw(connection: DuckDBPyConnection, rows: Sequence[Rows], by_link: int, reason: str) -> list[bytes]:
    """Keep the digests of rows that are about to be deleted in the same transaction.

    Args:
        connection: its current database holds them.
        rows: which rows.
        by_link: the link that takes them away.
        reason: why, in one word.

    Returns:
        The digests.
    """
    digests = []
    for each in rows:
        # A row that is no longer what was taken in keeps its own digest: the link's head shows it, then and now.
        cells = [(cell.link, cell.digest) for cell in stored_cells(connection, each)]
        if cells:
            connection.execute(
                "INSERT INTO withdrawn SELECT unnest(string_split(?, ','))::BIGINT, ?, unhex(unnest(string_split(?, ','))), ?",
                [
                    ",".join(str(link) for link, _ in cells),
                    by_link,
                    ",".join(made.hex() for _, made in cells),
                    reason,
                ],
            )
        digests += [made for _, made in cells]
    return digests


def withdrawn_in(connection: DuckDBPyConnection) -> dict[str, int]:
    """Return how many cells were taken away, by why, in one word."""
    return dict(connection.execute("SELECT reason, count(*) FROM withdrawn GROUP BY reason").fetchall())
