"""Files under one root: no way out of it, each change written down first, undone where nobody changed it since."""

from actionledger.runtime.workspace.edits import Edit, Edited, Places
from actionledger.runtime.workspace.files import Files
from actionledger.runtime.workspace.history import belonging_to
from actionledger.runtime.workspace.layers import Overlay
from actionledger.runtime.workspace.limits import FileLimits
from actionledger.runtime.workspace.search import Search
from actionledger.runtime.workspace.texts import Diff, DiffKind
from actionledger.runtime.workspace.undo import Conflict, Undone, UndoRefusedError
from actionledger.runtime.workspace.workspace import Watched, Workspace

__all__ = [
    "Conflict",
    "Diff",
    "DiffKind",
    "Edit",
    "Edited",
    "FileLimits",
    "Files",
    "Overlay",
    "Places",
    "Search",
    "UndoRefusedError",
    "Undone",
    "Watched",
    "Workspace",
    "belonging_to",
]
