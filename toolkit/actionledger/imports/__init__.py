"""Recorded sessions into a ledger: each response is read and checked as if it came in now, and what came of its calls is kept.

What is in the ledger already is passed over, turn by turn: a session that grew gets its new turns, an import that was
cut off goes on where it stopped. ``importer.py`` takes sessions, ``turns.py`` knows a turn again, ``reading.py`` reads it,
``results.py`` finds the call that a result belongs to, ``sessions.py`` takes sessions of any source. ``paths.py`` takes files:
``recognition.py`` says what each is, ``unknown_files.py`` what one is that no format knows, ``plan_importer.py`` reads them.
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
"""Where each name is; it is loaded when somebody asks for it: an import of what is known already needs next to nothing."""

__all__ = [*_MODULES]  # noqa: PLE0604 - the table has them


if not TYPE_CHECKING:  # else a name that doesn't exist would pass for Any
    __getattr__ = lazy_getattr(__name__, _MODULES)
