"""The ledger: events go in, rows come out. ``files`` lists its files, ``ledger`` is the interface."""

from typing import TYPE_CHECKING

from actionledger.core.hooks import by_name, lazy_getattr

if TYPE_CHECKING:
    from actionledger.ledger.ledger import Ledger as Ledger
    from actionledger.ledger.opening import open_ledger as open_ledger
    from actionledger.ledger.storage.store import IngestReport as IngestReport

_MODULES = by_name(
    {
        "ledger": "Ledger",
        "opening": "open_ledger",
        "storage.store": "IngestReport",
    }
)
"""The module of each name. It is loaded on first use, so that the paths of a ledger's files are known without DuckDB."""

__all__ = [*_MODULES]  # noqa: PLE0604 - the table has them


if not TYPE_CHECKING:  # else a name that doesn't exist would pass for Any
    __getattr__ = lazy_getattr(__name__, _MODULES)
