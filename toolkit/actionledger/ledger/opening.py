"""Open a ledger by the path of its file."""

import os
from collections.abc import Iterable

from actionledger.core.errors import UsageError, require_kind
from actionledger.ledger.ledger import Ledger
from actionledger.ledger.storage.local import store_at
from actionledger.ledger.storage.store import AsOf


def open_ledger(
    path: str | os.PathLike[str],
    *,
    read_only: bool = False,
    in_background: bool = True,
    as_of: AsOf | None = None,
    secrets: Iterable[str] = (),
    without_text: bool = False,
) -> Ledger:
    """Open a ledger; create it if it doesn't exist.

    Args:
        path: the ledger's file, by custom ``NAME.duckdb``, or the file ``NAME.toml`` that locates its lake; missing folders are made.
        read_only: whether to write nothing; the ledger must then exist.
        in_background: whether a thread ingests and publishes flushed events, so that other tools see them within seconds;
            without it only ``ingest`` and ``close`` do.
        as_of: the state of a lake to read: a snapshot's number or a time (UTC if without a zone); None for the newest. Past states are read-only.
        secrets: further patterns of secrets to mask in this process, in RE2's syntax.
        without_text: whether to show a blank for every text of a model, a tool or a person, for data to be handed on; requires ``read_only``.

    Returns:
        The ledger; close it after use (a ``with`` block does).

    Raises:
        NotALedgerError: the file is not a ledger.
        NewerLedgerError: the ledger was written by a newer version of the toolkit.
        UsageError: the path is not a path, or a pattern of secrets here, in a file or in ``pyproject.toml`` can't be used.
        LedgerError: the file or its folder can't be used.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     ledger.sql("SELECT count(*) FROM sessions").fetchone()
        (0,)
    """
    require_kind(path, str | os.PathLike, "A ledger is opened by the path of its file")
    if secrets != () or not read_only:
        from actionledger.core.privacy import custom  # noqa: PLC0415 - slow to load, and a reader masks nothing

        custom.add(secrets)
        if not read_only:
            custom.known()  # report an unusable pattern before anything is recorded
    if without_text and not read_only:
        raise UsageError("A ledger without its texts can only be read; open it with read_only=True.")
    store = store_at(path, read_only=read_only, as_of=as_of)
    return Ledger(
        store,
        read_only=read_only or as_of is not None,
        in_background=in_background,
        without_text=without_text,
    )
