"""What a command line stands for beside its words: the files of the workspace that it names, with their content."""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from actionledger.core.canonical import json_text

_BUILD_FILES = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "gmake": ("GNUmakefile", "makefile", "Makefile"),
    "npm": ("package.json",),
    "npx": ("package.json",),
    "pnpm": ("package.json",),
    "yarn": ("package.json",),
    "just": ("justfile", "Justfile"),
    "tox": ("tox.ini", "pyproject.toml"),
    "cmake": ("CMakeLists.txt",),
}
"""What programs read and do without being told its name."""

_PIECE = 1 << 20
_LONGEST = 4096
"""What is longer, in characters, is no path."""


def bound(words: Sequence[str], workspace: Path, aside: Collection[str] = ()) -> str:
    """Return what a decision about a command is about beside its words: the content of each file that these name.

    What such a file reads or imports in turn is not followed.
    """
    root = workspace.resolve()
    left_out = {_resolved(root, path) for path in aside}
    found = {}
    for name in _names(words):
        path = _resolved(root, name)
        if path is None or path in left_out or not _is_file_in(root, path):
            continue
        found[str(path.relative_to(root))] = _digest(path)
    return json_text(dict(sorted(found.items()))) if found else ""


def _names(words: Sequence[str]) -> Iterator[str]:
    """Yield what could be the name of a file in a command line."""
    program = Path(words[0]).name if words else ""
    yield from _BUILD_FILES.get(program, ())
    for before, word in zip(("", *words), words, strict=False):
        yield word
        if word.startswith("-"):
            # --file=x, -fx
            yield word.partition("=")[2] or word[2:]
        if before == "-m":
            module = word.replace(".", "/")
            yield from (f"{module}.py", f"{module}/__main__.py", f"{module}/__init__.py")
        yield f"{word}/__main__.py"


def _is_file_in(root: Path, path: Path) -> bool:
    try:
        return path.is_relative_to(root) and path.is_file()
    except OSError:
        return False  # a name that is too long for one


def _resolved(root: Path, name: str) -> Path | None:
    try:
        return (root / name).resolve() if 0 < len(name) <= _LONGEST else None
    except (OSError, ValueError, RuntimeError):
        return None  # no name that a file could have


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError as error:
        return f"unreadable: {error.strerror}"
    return digest.hexdigest()
