"""The coder's files as the made-up system kept them, and edits that fit them."""

import re

from generator.actions import Action
from generator.draw import Draw

_NUMBER = re.compile(r"(?<![\w.])\d{1,4}(?![\w.])")
_TEXT = re.compile(r'"([a-z][a-z ]{3,30})"')


class Workspace:
    """Paths and contents under one folder, and what a command prints there."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.printed = ""

    def run(self, action: Action) -> str:
        """Carry the action out and return what the system said about it."""
        name, path = action["action"], action.get("path", "")
        if ".." in path or path[:1] in {"/", "~"}:
            return f"error: {name}: path {path!r} is outside the working directory"
        if name == "execute_command":
            return f"{name}: {action['command']}\n{self.printed}"
        if name == "create_directory":
            return f"{name}: {path}"
        if name == "create_file":
            self.files[path] = action["content"]
            return f"{name}: {path} ({len(self.files[path].encode()) + 1} bytes)"
        if path not in self.files:
            return f"error: {name}: no such file: {path}"
        if name == "read_file":
            return f"{name}: {path}\n{self.files[path][:240]}"
        if action["search"] not in self.files[path]:
            return f"error: {name}: search text not found in {path}"
        self.files[path] = self.files[path].replace(action["search"], action["replace"], 1)
        return f"{name}: {path}"

    def edit(self, draw: Draw) -> dict[str, str] | None:
        """Return path, search and replacement that change a line of some file; None where no line offers itself."""
        places = [
            (path, line)
            for path, text in self.files.items()
            for line in text.split("\n")
            if _NUMBER.search(line) or _TEXT.search(line)
        ]
        if not places:
            return None
        path, line = draw.pick(places)
        return {"path": path, "search": line, "replace": _changed(line, draw)}


def _changed(line: str, draw: Draw) -> str:
    if _NUMBER.search(line):
        return _NUMBER.sub(lambda number: str(int(number.group()) + draw.between(1, 40)), line, count=1)
    added = draw.pick((" now", ", please", " again", " (new)"))
    return _TEXT.sub(rf'"\1{added}"', line, count=1)
