"""Files under one root: no way out of it, each change written down first, undone where nobody changed it since."""

from actionledger.execution.workspace.diffs import Diff, DiffKind
from actionledger.execution.workspace.edits import Edit, Edited, Places
from actionledger.execution.workspace.files import Files
from actionledger.execution.workspace.limits import FileLimits
from actionledger.execution.workspace.overlay import Overlay
from actionledger.execution.workspace.searching import Search
from actionledger.execution.workspace.undoing import Conflict, Undone, UndoRefusedError
from actionledger.execution.workspace.units import belonging_to
from actionledger.execution.workspace.workspace import Watched, Workspace

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
