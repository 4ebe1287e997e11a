"""Files under one root: no way out of it, each change written down first, undone where nobody changed it since."""

from actionledger.workspace.diffs import Diff, DiffKind
from actionledger.workspace.edits import Edit, Edited, Places
from actionledger.workspace.files import Files
from actionledger.workspace.limits import FileLimits
from actionledger.workspace.overlay import Overlay
from actionledger.workspace.searching import Search
from actionledger.workspace.undoing import Conflict, Undone, UndoRefusedError
from actionledger.workspace.units import belonging_to
from actionledger.workspace.workspace import Watched, Workspace

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
