"""Import recorded sessions into a ledger: each response is parsed and checked as if it were new, and its calls' results are kept.

Known turns are skipped: a session that grew gets its new turns, and an interrupted import continues where it stopped. ``importer.py`` records
sessions, ``turns.py`` matches turns to the ledger, ``reading.py`` parses them, ``results.py`` matches results to calls, ``sessions.py`` imports
sessions of any source. ``paths.py`` imports files: ``recognition.py`` finds their formats, ``unknown_files.py`` describes files of no known format,
``plan_importer.py`` reads them.
"""

from typing import TYPE_CHECKING

from actionledger.core.hooks import by_name, lazy_getattr

if TYPE_CHECKING:
    from actionledger.imports.importer import Importer as Importer
    from actionledger.imports.paths import import_path as import_path
    from actionledger.imports.plan_importer import (
        ImportProgress as ImportProgress,
        ImportStopped as ImportStopped,
    )
    from actionledger.imports.prices import Prices as Prices
    from actionledger.imports.reading import ReadAs as ReadAs
    from actionledger.imports.report import ImportReport as ImportReport
    from actionledger.imports.sessions import import_sessions as import_sessions

_MODULES = by_name(
    {
        "importer": "Importer",
        "paths": "import_path",
        "plan_importer": "ImportProgress ImportStopped",
        "prices": "Prices",
        "reading": "ReadAs",
        "report": "ImportReport",
        "sessions": "import_sessions",
    }
)
"""The module of each name, loaded on first use: an import with nothing new needs next to nothing."""

__all__ = [*_MODULES]  # noqa: PLE0604 - the table has them


if not TYPE_CHECKING:  # else a name that doesn't exist would pass for Any
    __getattr__ = lazy_getattr(__name__, _MODULES)
