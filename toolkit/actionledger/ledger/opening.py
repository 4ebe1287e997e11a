"""A ledger by the path of its file."""

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
    """Open a ledger; one that doesn't exist is made.

    Args:
        path: the ledger's file, by custom ``NAME.duckdb``, or the file ``NAME.toml`` that says where its lake is; missing
            folders are made.
        read_only: whether to write nothing at all; then the ledger must exist.
        in_background: whether a thread takes in and publishes what is flushed, so that other tools see it within seconds;
            without it only ``ingest`` and ``close`` do.
        as_of: the state of a lake to be read, the number of a snapshot or a time (without a zone it is UTC); None for the
            newest. The past is only read.
        secrets: patterns of secrets to be hidden in this process beside those that are known, as RE2 takes them.
        without_text: whether to see blanks in the place of every text that a model, a tool or a person wrote, for what is to be handed on; then
            ``read_only``.

    Returns:
        The ledger, to be closed after use (a ``with`` block does).

    Raises:
        NotALedgerError: the file is something else.
        NewerLedgerError: the ledger was written by a newer version of the toolkit.
        UsageError: the path is none, or a pattern of secrets, here, in a file or in ``pyproject.toml``, can't be used.
        LedgerError: the file or its folder can't be used.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     ledger.sql("SELECT count(*) FROM sessions").fetchone()
        (0,)
    """
    require_kind(path, str | os.PathLike, "A ledger is opened by the path of its file")
    if secrets != () or not read_only:
        from actionledger.core.privacy import custom  # noqa: PLC0415 - slow to load, and what is only read hides nothing

        custom.add(secrets)
        if not read_only:
            custom.known()  # a pattern that can't be used is said before anything is recorded
    if without_text and not read_only:
        raise UsageError("A ledger without its texts can only be read; open it with read_only=True.")
    store = store_at(path, read_only=read_only, as_of=as_of)
    return Ledger(
        store,
        read_only=read_only or as_of is not None,
        in_background=in_background,
        without_text=without_text,
    )
