"""The coder's actions on files, commands and git, and the SEARCH/REPLACE blocks that a field may hold."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from actionledger.actions.catalogue import Action, Catalogue
from actionledger.core.patterns import regex
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.faults import STRICT
from actionledger.runtime.workspace import Edit

__all__ = [
    "CATALOGUE",
    "CoderAction",
    "CreateDirectory",
    "CreateFile",
    "DeleteFile",
    "EditFile",
    "ExecuteCommand",
    "GitBranch",
    "GitCommit",
    "GitDiff",
    "GitPush",
    "GitStatus",
    "ModifyFile",
    "MoveFile",
    "ReadFile",
    "ReplaceInFile",
    "SearchReplace",
]

_BLOCK = regex(
    r"[\r\n]*[ \t]*<{7} SEARCH[ \t]*\r?\n(?P<both>.*?)^[ \t]*>{7} REPLACE[ \t]*\r?(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_DIVIDER = regex(r"^[ \t]*={7}[ \t]*\r?\n", re.MULTILINE)
_FORM = "write '<<<<<<< SEARCH', the lines to replace, '=======', the new lines, '>>>>>>> REPLACE', each on its own line"


def edits_in(text: str) -> list[Edit]:
    """Return the edits that a text of SEARCH/REPLACE blocks holds; blank lines may stand between them."""
    edits: list[Edit] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        block = _BLOCK.match(text, at)
        number = len(edits) + 1
        if block is None:
            raise ValueError(f"block {number} doesn't begin or end with its marker; {_FORM}")
        sides = _DIVIDER.split(block["both"])
        if len(sides) != 2:
            raise ValueError(f"block {number} has {len(sides) - 1} lines '======='; {_FORM}")
        edits.append(Edit.block(*sides))
        at = block.end()
    if not edits:
        raise ValueError(f"there is no block; {_FORM}")
    return edits


def checked_blocks(text: str) -> str:
    """Return a text of SEARCH/REPLACE blocks as it is."""
    edits_in(text)
    return text


_IDS = regex(r"[^\s,\[\]\"']+")


def _ids(value: Any) -> Any:
    """Return the ids that a text lists, as a tag gives them: ``a, b``, ``[a, b]`` or a list in JSON."""
    return _listed(value, _IDS.findall)


def _lines(value: Any) -> Any:
    """Return the lines of a text that hold something, without the blanks around them; or the list that it is in JSON."""
    return _listed(value, lambda text: [line.strip() for line in text.splitlines() if line.strip()])


def _listed(value: Any, split: Callable[[str], list[str]]) -> Any:
    if not isinstance(value, str):
        return value
    decoded = decode(value, options=STRICT)
    is_list = decoded.ok and isinstance(decoded.value, list) and not value[decoded.end :].strip()
    return decoded.value if is_list else split(_without_marks(value))


_ITEM = regex(
    r"[ \t]*+(?:[-*+][ \t]++(?P<text>[^\n]++)|<(?P<tag>\w++)>(?P<inner>[^<>\n]*+)</(?P=tag)>[ \t]*+)"
)


def _without_marks(text: str) -> str:
    """Return a text without the marks of a list, if each of its items has one: ``- a``, ``<item>a</item>``."""
    lines = [line for line in text.replace("><", ">\n<").splitlines() if line.strip()]
    items = [_ITEM.fullmatch(line) for line in lines]
    return "\n".join(item["text"] or item["inner"] or "" for item in items if item) if all(items) else text


Path = Annotated[str, Field(min_length=1, description="The path, relative to the workspace.")]

Paths = Annotated[list[str], BeforeValidator(_lines)]
"""Several paths; in a tag, one a line, or a list in JSON."""


class CoderAction(Action):
    """An action that other actions of the same response may wait for."""

    id: str | None = Field(
        default=None, min_length=1, description="A name for this action that others can refer to."
    )
    depends_on: Annotated[list[str], BeforeValidator(_ids)] = Field(
        default=[], description="The ids of the actions that must succeed before this one."
    )


Line = Annotated[int, Field(ge=1)]


class CreateFile(CoderAction):
    """Create a file, or overwrite it; missing directories are made."""

    example = {"path": "src/greet.py", "content": "print('hello')\n"}
    type: Literal["create_file"]
    path: Path
    content: str = Field(description="All that the file holds; it may be empty.")


class CreateDirectory(CoderAction):
    """Create a directory with all its parents; nothing happens if it exists."""

    example = {"path": "src/reports"}
    type: Literal["create_directory"]
    path: Path


class ModifyFile(CoderAction):
    """Replace the first place of a file where a text occurs."""

    example = {"path": "src/greet.py", "search": "hello", "replace": "good morning"}
    type: Literal["modify_file"]
    path: Path
    search: str = Field(min_length=1, description="The text to replace, exactly as it stands in the file.")
    replace: str = Field(description="The text to put in its place; it may be empty.")


class ReadFile(CoderAction):
    """Read a file; its content comes with the next message."""

    example = {"path": "settings.toml"}
    type: Literal["read_file"]
    path: Path
    first_line: Line | None = Field(default=None, description="The first line to read, from 1.")
    last_line: Line | None = Field(default=None, description="The last line to read.")


class EditFile(CoderAction):
    """Change a file in several places at once: all of the edits are made, or none."""

    example = {
        "path": "src/greet.py",
        "edits": (
            "<<<<<<< SEARCH\nimport sys\n=======\nimport os\nimport sys\n>>>>>>> REPLACE\n"
            "<<<<<<< SEARCH\nprint('hello')\n=======\nprint('good morning')\n>>>>>>> REPLACE\n"
        ),
    }
    type: Literal["edit_file"]
    path: Path
    edits: Annotated[str, AfterValidator(checked_blocks)] = Field(
        description=(
            "SEARCH/REPLACE blocks, one behind the other; each must fit the file in just one place, "
            "and sees what those before it made."
        )
    )


class SearchReplace(CoderAction):
    """Replace whole lines of a file, at the one place where they occur; an empty search begins a new file."""

    example = {
        "path": "src/greet.py",
        "search": "print('hello')\n",
        "replace": "print('good morning')\n",
    }
    type: Literal["search_replace"]
    path: Path
    search: str = Field(description="The lines to replace, exactly as they stand in the file.")
    replace: str = Field(description="The lines to put in their place; it may be empty.")


class ReplaceInFile(CoderAction):
    """Replace what a regular expression of Python fits in a file."""

    example = {
        "path": "src/greet.py",
        "pattern": r"def (\w+)_old\(",
        "replacement": r"def \1(",
    }
    type: Literal["replace_in_file"]
    path: Path
    pattern: str = Field(min_length=1, description="The regular expression.")
    replacement: str = Field(description=r"What to put there, with groups such as \1; it may be empty.")
    every: bool = Field(default=True, description="Whether every place is changed, or the first one.")


class DeleteFile(CoderAction):
    """Delete a file or an empty directory; with recursive, a directory and all that is in it."""

    example = {"path": "src/old.py"}
    type: Literal["delete_file"]
    path: Path
    recursive: bool = Field(default=False, description="Whether all that is in a directory goes, too.")


class MoveFile(CoderAction):
    """Give a file or directory another path; missing directories are made."""

    example = {"path": "src/greet.py", "target": "src/hello.py"}
    type: Literal["move_file"]
    path: Path
    target: str = Field(min_length=1, description="Its new path, not the directory to put it in.")
    overwrite: bool = Field(default=False, description="Whether a file that is there already may go.")


LONGEST_COMMAND = 20_000
"""In characters; a longer script belongs into a file."""


class ExecuteCommand(CoderAction):
    """Run one program in the workspace: there is no shell, so no cd, no pipes, no wildcards and no variables, and no network."""

    example = {"command": "python -m pytest -q", "description": "Run the tests"}
    type: Literal["execute_command"]
    command: str = Field(
        min_length=1, max_length=LONGEST_COMMAND, description="The program and its arguments."
    )
    description: str = Field(default="", description="What the command is for.")


Branch = Annotated[str, Field(min_length=1, max_length=200)]


class GitStatus(CoderAction):
    """Say which branch the repository is on, and which files have changed."""

    group = "Git"
    example = {}
    type: Literal["git_status"]


class GitDiff(CoderAction):
    """Show what has changed since the last commit."""

    group = "Git"
    example = {"path": "src/greet.py"}
    type: Literal["git_diff"]
    path: str = Field(default="", description="Only this file or directory.")
    staged: bool = Field(default=False, description="Whether to show what the next commit would hold.")


class GitCommit(CoderAction):
    """Commit what has changed; no hooks and no filters are run."""

    group = "Git"
    example = {"message": "Greet in the morning"}
    type: Literal["git_commit"]
    message: str = Field(min_length=1, max_length=10_000, description="What the commit says.")
    paths: Paths = Field(
        default=[], description="Only these files and directories; all that has changed if empty."
    )


class GitBranch(CoderAction):
    """Switch to a branch; it is made where there is none of that name."""

    group = "Git"
    example = {"name": "feature/greeting"}
    type: Literal["git_branch"]
    name: Branch = Field(description="The branch.")
    base: str = Field(default="", max_length=200, description="Where a new one starts; here if empty.")


class GitPush(CoderAction):
    """Push a branch to a remote; no hooks are run, and most sessions don't allow it."""

    group = "Git"
    example = {"remote": "origin", "branch": "feature/greeting"}
    type: Literal["git_push"]
    remote: str = Field(default="origin", min_length=1, max_length=200, description="The remote's name.")
    branch: Branch = Field(description="The branch.")


CATALOGUE = Catalogue(
    name="coder",
    discriminator="type",
    references=True,
    actions=(
        CreateFile,
        ExecuteCommand,
        CreateDirectory,
        ModifyFile,
        ReadFile,
        EditFile,
        SearchReplace,
        ReplaceInFile,
        DeleteFile,
        MoveFile,
        GitStatus,
        GitDiff,
        GitCommit,
        GitBranch,
        GitPush,
    ),
)
