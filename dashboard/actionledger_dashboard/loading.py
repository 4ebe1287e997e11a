"""Imports a page's modules, one thread at a time: two threads that import parts of one package at once can end in a deadlock error."""

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
    """Return the paths of all pages; the first page's is empty."""
    first = script_of("")
    return ["", *(file.stem for file in first.parent.glob("[!_]*.py") if file != first)]


def load(script: Path) -> None:
    """Import a script's top-level imports once; wait if another thread is importing."""
    if script in _loaded:
        return
    with _loading:
        tree = ast.parse(script.read_bytes())
        tree.body = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
        exec(compile(tree, script, "exec"), {})  # noqa: S102 - our own file, as Streamlit runs it
        gc.collect()
        gc.freeze()  # Streamlit collects garbage after each run of a page; scanning all imported objects took a third of the processor
        _loaded.add(script)
