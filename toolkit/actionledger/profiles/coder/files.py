"""What runs the coder's actions on files: over the workspace, or over what it would be."""

from collections.abc import Callable
from typing import Any, TypeAlias

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.coder.actions import (
    CreateDirectory,
    CreateFile,
    DeleteFile,
    EditFile,
    ModifyFile,
    MoveFile,
    ReadFile,
    ReplaceInFile,
    SearchReplace,
    edits_in,
)
from actionledger.runtime.execution.handlers import Context, Handler
from actionledger.runtime.workspace import Edit, Files, Overlay, Places, Workspace

Result: TypeAlias = dict[str, Any]

FilesOf: TypeAlias = Callable[[Context], Files]
"""Returns the files that an action works on."""

READING = ("read_file",)


def file_handlers(files_of: FilesOf) -> dict[str, Handler]:
    """Make the handlers of the actions on files."""
    actions = _FileActions(files_of)
    return {
        "create_file": actions.create,
        "create_directory": actions.create_directory,
        "modify_file": actions.modify,
        "read_file": actions.read,
        "edit_file": actions.edit,
        "search_replace": actions.search_replace,
        "replace_in_file": actions.replace,
        "delete_file": actions.delete,
        "move_file": actions.move,
    }


class _FileActions:
    def __init__(self, files_of: FilesOf) -> None:
        self._files_of = files_of

    def create(self, action: CreateFile, context: Context) -> Result:
        is_new = self._files(context, action.path).write(action.path, action.content)
        return {"path": action.path, "bytes": len(action.content.encode()), "created": is_new}

    def create_directory(self, action: CreateDirectory, context: Context) -> Result:
        is_new = self._files(context, action.path).make_directory(action.path)
        return {"path": action.path, "created": is_new}

    def modify(self, action: ModifyFile, context: Context) -> Result:
        (done,) = self._files(context, action.path).edit(action.path, [Edit(action.search, action.replace)])
        return {"path": action.path, "line": done.line, "occurrences": done.occurrences}

    def read(self, action: ReadFile, context: Context) -> Result:
        text = self._files_of(context).read(action.path)
        if action.first_line is None and action.last_line is None:
            return {"path": action.path, "content": text}
        lines = text.splitlines(keepends=True)
        first, last = action.first_line or 1, min(action.last_line or len(lines), len(lines))
        content = "".join(lines[first - 1 : last])
        return {
            "path": action.path,
            "first_line": first,
            "last_line": last,
            "lines": len(lines),
            "content": content,
        }

    def edit(self, action: EditFile, context: Context) -> Result:
        done = self._files(context, action.path).edit(action.path, edits_in(action.edits))
        return {"path": action.path, "lines": [each.line for each in done]}

    def search_replace(self, action: SearchReplace, context: Context) -> Result:
        edit = Edit.block(action.search, action.replace)
        (done,) = self._files(context, action.path).edit(action.path, [edit])
        return {"path": action.path, "line": done.line}

    def replace(self, action: ReplaceInFile, context: Context) -> Result:
        places = Places.EVERY if action.every else Places.FIRST
        edit = Edit(action.pattern, action.replacement, places, is_pattern=True)
        (done,) = self._files(context, action.path).edit(action.path, [edit])
        return {
            "path": action.path,
            "line": done.line,
            "occurrences": done.occurrences,
            "changed": done.changed,
        }

    def delete(self, action: DeleteFile, context: Context) -> Result:
        count = self._files(context, action.path).delete(action.path, recursive=action.recursive)
        return {"path": action.path, "deleted": count}

    def move(self, action: MoveFile, context: Context) -> Result:
        files = self._files(context, action.path, action.target)
        overwritten = files.move(action.path, action.target, overwrite=action.overwrite)
        return {"path": action.path, "target": action.target, "overwritten": overwritten}

    def _files(self, context: Context, *paths: str) -> Files:
        """Return the files that an action may change at these paths."""
        for path in paths:
            _refuse_repository(path)
        return self._files_of(context)


def _refuse_repository(path: str) -> None:
    """Refuse to write into a repository's own folder: what stands there runs programs when git is used next."""
    names = path.replace("\\", "/").split("/")
    if any(name.casefold().rstrip(". ") in {".git", "git~1"} for name in names):
        message = f"The path {path!r} is in git's own folder, which only git changes. Use the actions git_…."
        raise ActionError(Reason.PATH_REFUSED, message)


MAX_DIFF = 12_000
"""The most that is kept of an action's differences, in characters."""


class DryRuns:
    """Tries the actions of one turn after the other, each on what those before it would leave.

    Args:
        workspace: where they would be done.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._turn = ""
        self._overlay: Overlay | None = None

    def previews(self) -> dict[str, Handler]:
        """Return what says what each action on files would do."""
        handlers = file_handlers(self._overlay_of)
        return {
            name: handler if name in READING else self._with_diff(handler)
            for name, handler in handlers.items()
        }

    def _overlay_of(self, context: Context) -> Overlay:
        if self._overlay is None or context.turn_id != self._turn:
            self._turn, self._overlay = context.turn_id, self._workspace.dry_run()
        return self._overlay

    def _with_diff(self, handler: Handler) -> Handler:
        def preview(action: object, context: Context) -> Result:
            done, diffs = self._overlay_of(context).trying(lambda: handler(action, context))
            result: Result = done
            text = "\n".join(f"{diff.kind} {diff.path}\n{diff.text}".rstrip() for diff in diffs)
            return result | {"diff": text if len(text) <= MAX_DIFF else f"{text[:MAX_DIFF]}\n(… cut)"}

        return preview
