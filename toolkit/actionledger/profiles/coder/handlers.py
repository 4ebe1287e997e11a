"""Handlers of the coder's actions on files and commands, and their dry runs; all changes can be undone."""

import signal
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from actionledger.core.canonical import json_text
from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.coder.actions import (
    CreateDirectory,
    CreateFile,
    DeleteFile,
    EditFile,
    ExecuteCommand,
    ModifyFile,
    MoveFile,
    ReadFile,
    ReplaceInFile,
    SearchReplace,
    edits_in,
)
from actionledger.profiles.coder.git import git_handlers, git_previews
from actionledger.runtime.commands import (
    GIT_ENVIRONMENT,
    Commands,
    CommandSettings,
    Finished,
    Git,
    OnOutput,
    Ran,
    Wall,
    bound,
    words_of,
)
from actionledger.runtime.execution.handlers import Context, Handler, HandlerFactory, Handlers
from actionledger.runtime.workspace import Edit, Files, Overlay, Places, Workspace

# Runs the coder's actions on files: in the workspace, or in an overlay of it.


Result = dict[str, Any]


FilesOf: TypeAlias = Callable[[Context], Files]
"""Returns the files that an action works on."""

READING = ("read_file",)


def file_handlers(files_of: FilesOf, *, line_numbers: bool) -> dict[str, Handler]:
    """Return the handlers of the actions on files, optionally with line numbers in files' text."""
    actions = _FileActions(files_of, line_numbers=line_numbers)
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


_MOST_READ = 40_000
"""The maximal part of a file shown at once, in characters; a larger file is read in pieces of whole lines."""


def _within(lines: Sequence[str], beside: int) -> Sequence[str]:
    """Return as many of the first lines as fit, each with this much extra text; always at least one."""
    room = _MOST_READ
    for place, line in enumerate(lines):
        room -= len(line) + beside
        if room < 0:
            return lines[: max(1, place)]
    return lines


class _FileActions:
    def __init__(self, files_of: FilesOf, *, line_numbers: bool) -> None:
        self._files_of = files_of
        self._told_with: Result = {"line_numbers": True} if line_numbers else {}

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
        lines = text.splitlines(keepends=True)
        beside = len(f"{len(lines)}\t") if self._told_with else 0
        is_whole = action.first_line is None and action.last_line is None
        if is_whole and len(text) + len(lines) * beside <= _MOST_READ:
            return {"path": action.path, "content": text} | self._told_with
        first, last = action.first_line or 1, min(action.last_line or len(lines), len(lines))
        shown = _within(lines[first - 1 : last], beside)
        return {
            "path": action.path,
            "first_line": first,
            "last_line": first + len(shown) - 1 if shown else last,
            "lines": len(lines),
            "content": "".join(shown)[:_MOST_READ],
        } | self._told_with

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
            # Refuse to write into a repository's own folder: its files run programs when git is used next.
            names = path.replace("\\", "/").split("/")
            if any(name.casefold().rstrip(". ") in {".git", "git~1"} for name in names):
                message = f"The path {path!r} is in git's own folder, which only git changes. Use the actions git_…."
                raise ActionError(Reason.PATH_REFUSED, message)
        return self._files_of(context)


MAX_DIFF = 12_000
"""The maximal length of an action's kept differences, in characters."""


class DryRuns:
    """Tries the actions of one turn in sequence, each on the result of those before it."""

    def __init__(self, workspace: Workspace, *, line_numbers: bool = False) -> None:
        self._workspace = workspace
        self._line_numbers = line_numbers
        self._turn = ""
        self._overlay: Overlay | None = None

    def previews(self) -> dict[str, Handler]:
        """Return the dry runs of the actions on files."""
        handlers = file_handlers(self._overlay_of, line_numbers=self._line_numbers)
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


_MOST_NAMED = 50
_SHOWN = 1400
"""The length of both outputs' ends in the message about a failed command, in characters."""

UNCONFINED = "It was not confined: nothing kept it inside the workspace, and this session allows that."
NO_NETWORK = "Commands have no network here; what they need has to be in the workspace or installed."

_TOO_MUCH = {
    "memory": "took more memory than commands may",
    "processes": "had more processes than commands may",
}


class CommandRunner:
    """Runs commands for one session."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def run(self, action: ExecuteCommand, context: Context) -> Result:
        finished = self._commands.run(words_of(action.command), context.cancelled)
        result = _result(action, finished)
        ran = finished.ran
        if ran.ended_by == "timeout":
            seconds = self._commands.settings.seconds
            message = (
                f"The command was ended after {seconds:g} s, with all that it had started.{_output_ends(ran)}"
            )
            raise ActionError(Reason.TIMEOUT, message, result=result)
        if ran.ended_by in _TOO_MUCH:
            message = f"The command {_TOO_MUCH[ran.ended_by]}, and was ended. Have it do less at once.{_output_ends(ran)}"
            raise ActionError(Reason.COMMAND_FAILED, message, result=result)
        if ran.ended_by:
            raise ActionError(Reason.STOPPED, "The command was called off and ended.", result=result)
        if ran.status != 0:
            message = f"The command ended with {_described(ran.status)}.{_output_ends(ran)}"
            raise ActionError(Reason.COMMAND_FAILED, message, result=result)
        return result

    def binds(self, action: ExecuteCommand, aside: Collection[str]) -> str:
        """Return the context to which a decision about a command is bound, besides its words; empty if it would be refused anyway."""
        try:
            return bound(words_of(action.command), self._commands.workspace.root, aside)
        except ActionError:
            return ""

    def preview(self, action: ExecuteCommand, _context: Context) -> Result:
        """Return the command that would run, without running it."""
        return {"would_run": words_of(action.command), "confined": self._commands.walls()}


def _result(action: ExecuteCommand, finished: Finished) -> Result:
    ran, changed = finished.ran, finished.changed
    result: Result = {
        "command": action.command,
        "exit_code": ran.status,
        "stdout": ran.stdout,
        "stderr": ran.stderr,
        "seconds": round(ran.seconds, 3),
        "changed": list(changed[:_MOST_NAMED]),
        "confined": list(ran.walls),
    }
    if len(changed) > _MOST_NAMED:
        result["changed_in_all"] = len(changed)
    notes = [*finished.unwatched, *([] if Wall.FILES in ran.walls else [UNCONFINED])]
    if ran.status and Wall.NETWORK in ran.walls:
        notes.append(NO_NETWORK)
    return result | ({"notes": notes} if notes else {})


def _described(status: int | None) -> str:
    if status is None:
        return "no status that anybody knows"
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"the signal {signal.Signals(-status).name}"
    except ValueError:
        return f"the signal {-status}"


def _output_ends(ran: Ran) -> str:
    """Return the end of a command's outputs, each on one line."""
    said = [(name, text.rstrip()) for name, text in (("stderr", ran.stderr), ("stdout", ran.stdout))]
    ends = [(name, text) for name, text in said if text]
    return "".join(f" Its {name} ends: {_end_of(text, _SHOWN // len(ends))}." for name, text in ends)


def _end_of(text: str, room: int) -> str:
    shown = text[-room:]
    return json_text(shown if shown == text else f"…{shown}")


def coder_handlers(
    settings: CommandSettings, on_output: OnOutput | None, *, line_numbers: bool
) -> HandlerFactory:
    """Return a factory of a session's handlers."""
    return partial(_make, settings, on_output, line_numbers)


def _make(
    settings: CommandSettings, on_output: OnOutput | None, line_numbers: bool, workspace: Workspace
) -> Handlers:
    commands = Commands(workspace, settings, on_output)
    surroundings = {**settings.environment, **GIT_ENVIRONMENT}
    for_git = Commands(workspace, replace(settings, environment=surroundings))
    runner, git = CommandRunner(commands), Git(for_git)

    def close() -> None:
        commands.close()
        for_git.close()

    files = file_handlers(lambda _context: workspace, line_numbers=line_numbers)
    return Handlers(
        {**files, "execute_command": runner.run, **git_handlers(git)},
        previews={
            **DryRuns(workspace, line_numbers=line_numbers).previews(),
            "execute_command": runner.preview,
            **git_previews(git),
        },
        close=close,
        reaches=commands.reaches,
        binds={"execute_command": runner.binds},
    )
