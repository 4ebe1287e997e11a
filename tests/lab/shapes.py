"""The shape of what an agent wrote: its fields, its kinds of line, and how its failures are worded; no value of anybody's is in it."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

_KINDS = frozenset({"type", "kind", "subtype", "role", "event", "status", "name"})
_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_.$-]{0,60}")
_NAMED = re.compile(r"(?=.*\d)[0-9a-fA-F-]{8,}|(?:call|msg|toolu|ses|prt|resp)_.*")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]{0,47}")
_DATABASE = b"SQLite format 3\0"
_DEEPEST = 12


@dataclass
class Shape:
    """Fields as paths, kinds as path and value, and wordings, each as a set."""

    fields: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)
    wordings: set[str] = field(default_factory=set)

    def add(self, other: "Shape") -> None:
        """Take in what another shape has."""
        self.fields |= other.fields
        self.kinds |= other.kinds
        self.wordings |= other.wordings


def shape_of(store: Path) -> Shape:
    """Return the shape of all files of a store that are JSON, lines of JSON, or databases."""
    shape = Shape()
    paths = [store] if store.is_file() else sorted(store.rglob("*"))
    for path in paths:
        if path.is_file():
            for value in values_of(path):
                _walk(value, path.suffix.lstrip(".") or "file", shape, 0)
    return shape


def values_of(path: Path) -> Iterator[Any]:
    """Yield the values of a file: of each row of a database as an object; nothing of what is neither."""
    data = path.read_bytes()
    if data.startswith(_DATABASE):
        yield from _rows(path)
        return
    text = data.decode("utf-8", "replace")
    decoder, place = json.JSONDecoder(), 0
    while place < len(text):
        if text[place] not in "{[":
            place += 1
            if place < len(text) and not text[place - 1].isspace():
                return  # a log, or the like
            continue
        try:
            value, place = decoder.raw_decode(text, place)
        except ValueError:
            return
        yield value


def _rows(path: Path) -> Iterator[Any]:
    with closing(sqlite3.connect(path)) as opened:
        names = [
            name
            for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        ]
        for name in names:
            rows = opened.execute(f'SELECT * FROM "{name}"')
            columns = [column[0] for column in rows.description]
            yield {name: dict.fromkeys(columns)}
            for row in rows.fetchall():
                yield {name: {key: _opened(value) for key, value in zip(columns, row, strict=True)}}


def _opened(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in {"{", "["}:
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _walk(value: Any, path: str, shape: Shape, depth: int) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for each in value:
            _walk(each, f"{path}[]", shape, depth + 1)
        return
    if not isinstance(value, dict):
        return
    for key, each in value.items():
        named = key if _KEY.fullmatch(key) and not _NAMED.fullmatch(key) else "*"
        inside = f"{path}.{named}"
        shape.fields.add(inside)
        if key in _KINDS and isinstance(each, str) and _WORD.fullmatch(each) and not _NAMED.fullmatch(each):
            shape.kinds.add(f"{inside} = {each}")
        _walk(each, inside, shape, depth + 1)


def wordings_of(ledger: Path) -> set[str]:
    """Return how what failed was worded: its first line, with what differs from run to run left out."""
    with duckdb.connect(str(ledger), read_only=True) as opened:
        rows = opened.execute(
            "SELECT message, result::VARCHAR FROM executions WHERE status <> 'succeeded'"
        ).fetchall()
    return {worded(message or result or "") for message, result in rows}


def worded(text: str) -> str:
    """Return a wording's first line, with numbers, paths and what is quoted left out."""
    line = next((line for line in text.split("\n") if line.strip()), "")
    line = re.sub(r"(/[\w.@-]+){2,}", "PATH", line)
    line = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{20,}", "ID", line)
    line = re.sub(r"\b(?=[0-9a-f]*\d)[0-9a-f]{6,40}\b", "ID", line)
    line = re.sub(r"\d+(\.\d+)?", "N", line)
    return line[:160]
