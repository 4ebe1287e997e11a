"""Imports what a page needs, one thread at a time: of two that import parts of one package at once, one can end in a deadlock's error."""

import ast
import gc
from pathlib import Path
from threading import Lock

_FOLDER = Path(__file__).parent
APP = _FOLDER / "app.py"

_loaded: set[Path] = set()
_loading = Lock()


def script_of(page: str) -> Path:
    """Return the script of a page."""
    return _FOLDER / "views" / f"{page or 'overview'}.py"


def pages() -> list[str]:
    """Return the parts of the address that lead to a page; the first one's is empty."""
    first = script_of("")
    return ["", *(file.stem for file in first.parent.glob("[!_]*.py") if file != first)]


def load(script: Path) -> None:
    """Import what a script imports at its beginning, unless that was done before; whoever else is at it is waited for."""
    if script in _loaded:
        return
    with _loading:
        tree = ast.parse(script.read_bytes())
        tree.body = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
        exec(compile(tree, script, "exec"), {})  # noqa: S102 - our own file, as Streamlit runs it
        gc.collect()
        gc.freeze()  # Streamlit looks for garbage behind each run of a page: in all that was imported it took a third of the processor
        _loaded.add(script)
