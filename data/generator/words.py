"""The tables, word lists and templates that lie in files beside this module."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

Bank = dict[str, tuple[str, ...]]
"""The lines of one file, by section."""

_SECTION = re.compile(r"\[([\w-]+)\]")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t"}


@cache
def table(name: str) -> dict[str, Any]:
    """Return what ``tables/<name>.toml`` says."""
    return tomllib.loads((HERE / "tables" / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def bank(name: str) -> Bank:
    r"""Return the word list ``lists/<name>.txt``.

    A line ``[section]`` opens a section, each line below it is an item; ``\n`` and ``\t`` in an item stand
    for a line break and a tab, ``\\`` for a backslash.
    """
    sections: dict[str, list[str]] = {}
    current = ""
    for line in (HERE / "lists" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if opened := _SECTION.fullmatch(line):
            current = opened.group(1)
            sections[current] = []
        elif line:
            sections[current].append(_ESCAPE.sub(lambda m: _ESCAPED.get(m.group(1), m.group(1)), line))
    return {section: tuple(items) for section, items in sections.items()}


@cache
def names(folder: str, suffix: str) -> tuple[str, ...]:
    """Return what the files of a folder are called without their suffix, sorted."""
    return tuple(sorted(path.name.removesuffix(suffix) for path in (HERE / folder).glob(f"*{suffix}")))


@cache
def template(folder: str, name: str) -> str:
    """Return the text of ``templates/<folder>/<name>.tmpl`` without its last line break."""
    path = HERE / "templates" / folder / f"{name}.tmpl"
    return path.read_text(encoding="utf-8").removesuffix("\n")
