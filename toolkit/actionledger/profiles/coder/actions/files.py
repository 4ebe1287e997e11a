"""The coder's actions on files; that a path stays inside the workspace is the workspace's duty."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from actionledger.actions.catalogue import Arguments
from actionledger.profiles.coder.actions.base import CoderAction, Path
from actionledger.profiles.coder.blocks import checked_blocks

Line = Annotated[int, Field(ge=1)]


class CreateFile(CoderAction):
    """Create a file, or overwrite it; missing directories are made."""

    example: ClassVar[Arguments] = {"path": "src/greet.py", "content": "print('hello')\n"}
    type: Literal["create_file"]
    path: Path
    content: str = Field(description="All that the file holds; it may be empty.")


class CreateDirectory(CoderAction):
    """Create a directory with all its parents; nothing happens if it exists."""

    example: ClassVar[Arguments] = {"path": "src/reports"}
    type: Literal["create_directory"]
    path: Path


class ModifyFile(CoderAction):
    """Replace the first place of a file where a text occurs."""

    example: ClassVar[Arguments] = {"path": "src/greet.py", "search": "hello", "replace": "good morning"}
    type: Literal["modify_file"]
    path: Path
    search: str = Field(min_length=1, description="The text to replace, exactly as it stands in the file.")
    replace: str = Field(description="The text to put in its place; it may be empty.")


class ReadFile(CoderAction):
    """Read a file; its content comes with the next message."""

    example: ClassVar[Arguments] = {"path": "settings.toml"}
    type: Literal["read_file"]
    path: Path
    first_line: Line | None = Field(default=None, description="The first line to read, from 1.")
    last_line: Line | None = Field(default=None, description="The last line to read.")


class EditFile(CoderAction):
    """Change a file in several places at once: all of the edits are made, or none."""

    example: ClassVar[Arguments] = {
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

    example: ClassVar[Arguments] = {
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

    example: ClassVar[Arguments] = {
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

    example: ClassVar[Arguments] = {"path": "src/old.py"}
    type: Literal["delete_file"]
    path: Path
    recursive: bool = Field(default=False, description="Whether all that is in a directory goes, too.")


class MoveFile(CoderAction):
    """Give a file or directory another path; missing directories are made."""

    example: ClassVar[Arguments] = {"path": "src/greet.py", "target": "src/hello.py"}
    type: Literal["move_file"]
    path: Path
    target: str = Field(min_length=1, description="Its new path, not the directory to put it in.")
    overwrite: bool = Field(default=False, description="Whether a file that is there already may go.")
