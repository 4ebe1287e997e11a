"""Files under one root: confined to it, with each change recorded first, and undo unless a path was changed since."""

from typing import TYPE_CHECKING

from actionledger.core.hooks import by_name, lazy_getattr

if TYPE_CHECKING:
    from actionledger.runtime.workspace.edits import Edit as Edit, Edited as Edited, Places as Places
    from actionledger.runtime.workspace.files import Files as Files
    from actionledger.runtime.workspace.history import belonging_to as belonging_to
    from actionledger.runtime.workspace.layers import Overlay as Overlay
    from actionledger.runtime.workspace.search import Search as Search
    from actionledger.runtime.workspace.snapshots import FileLimits as FileLimits
    from actionledger.runtime.workspace.texts import Diff as Diff, DiffKind as DiffKind
    from actionledger.runtime.workspace.undo import (
        Conflict as Conflict,
        Undone as Undone,
        UndoRefusedError as UndoRefusedError,
    )
    from actionledger.runtime.workspace.workspace import Watched as Watched, Workspace as Workspace

_MODULES = by_name(
    {
        "edits": "Edit Edited Places",
        "files": "Files",
        "history": "belonging_to",
        "layers": "Overlay",
        "snapshots": "FileLimits",
        "search": "Search",
        "texts": "Diff DiffKind",
        "undo": "Conflict UndoRefusedError Undone",
        "workspace": "Watched Workspace",
    }
)
"""The module of each name, imported on first use."""

__all__ = [*_MODULES]  # noqa: PLE0604 - the table has them


if not TYPE_CHECKING:  # else a name that doesn't exist would pass for Any
    __getattr__ = lazy_getattr(__name__, _MODULES)
