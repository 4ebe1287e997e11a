"""What runs the coder's actions on files; commands have no handler here."""

from typing import Any

from actionledger.errors import ActionError
from actionledger.execution.handlers import Context, Handlers
from actionledger.execution.workspace import Workspace
from actionledger.profiles.coder.actions import CreateDirectory, CreateFile, ModifyFile, ReadFile
from actionledger.vocabulary import Reason

Result = dict[str, Any]


def coder_handlers(workspace: Workspace) -> Handlers:
    """Make the handlers of a session over the files of its workspace."""
    files = _Files(workspace)
    return Handlers(
        {
            "create_file": files.create,
            "create_directory": files.create_directory,
            "modify_file": files.modify,
            "read_file": files.read,
        }
    )


class _Files:
    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def create(self, action: CreateFile, _context: Context) -> Result:
        is_new = self.workspace.write(action.path, action.content)
        return {"path": action.path, "bytes": len(action.content.encode()), "created": is_new}

    def create_directory(self, action: CreateDirectory, _context: Context) -> Result:
        return {"path": action.path, "created": self.workspace.make_directory(action.path)}

    def modify(self, action: ModifyFile, _context: Context) -> Result:
        before = self.workspace.read(action.path)
        at = before.find(action.search)
        if at < 0:
            message = f"The search text does not occur in {action.path!r}. Copy it exactly as it stands in the file."
            raise ActionError(Reason.NO_MATCH, message)
        self.workspace.write(action.path, before[:at] + action.replace + before[at + len(action.search) :])
        return {
            "path": action.path,
            "line": before.count("\n", 0, at) + 1,
            "occurrences": before.count(action.search),
        }

    def read(self, action: ReadFile, _context: Context) -> Result:
        return {"path": action.path, "content": self.workspace.read(action.path)}
