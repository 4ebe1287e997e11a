"""Named queries and views of lists, saved next to a ledger: one JSON file per kind, replaced as a whole.

It holds no records: it may be deleted at any time, and a copy of the published file doesn't include it.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.patterns import regex
from actionledger.core.processes import FileLock
from actionledger.core.text import writable
from actionledger.ledger.storage.files import LedgerFiles, one_sentence, sync_to_disk

LONGEST_NAME = 80
"""The maximum length of a name, in characters."""

MOST_BYTES = 1_000_000
"""The maximum size of a kind's file, in bytes."""

_PATIENCE_SECONDS = 5.0
_KIND = regex(r"[a-z]+")


class Saved:
    """The entries of one kind; processes and threads may share them."""

    def __init__(self, ledger: str | os.PathLike[str], kind: str, *, read_only: bool = False) -> None:
        if not _KIND.fullmatch(kind):
            raise ValueError(f"{kind!r} is not a word of small letters.")
        self._files = LedgerFiles.at(ledger)
        self._kind = kind
        self._read_only = read_only

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self._files.folder / f"saved-{self._kind}.json"

    def entries(self) -> JsonMap:
        """Return the entries by name, sorted by name."""
        with one_sentence(f"The saved {self._kind} in {self.path} can't be read"):
            try:
                held = json.loads(self.path.read_bytes())
            except FileNotFoundError:
                return MappingProxyType({})
            except ValueError as error:
                raise LedgerError(
                    f"The saved {self._kind} in {self.path} are no JSON: mend the file, or move it away."
                ) from error
        if not isinstance(held, dict):
            raise LedgerError(
                f"The saved {self._kind} in {self.path} are no JSON object: move the file away."
            )
        return MappingProxyType(
            {name: held[name] for name in sorted(held, key=lambda name: (name.casefold(), name))}
        )

    def put(self, name: str, value: Any) -> None:
        """Save a value under a name, and replace an earlier one."""
        named = _name(name)
        self.change(lambda held: held | {named: value})

    def remove(self, name: str) -> None:
        """Remove the entry of a name, if there is one."""
        self.change(lambda held: {other: value for other, value in held.items() if other != name})

    def rename(self, name: str, new: str) -> None:
        """Rename an entry."""
        named = _name(new)

        def renamed(held: JsonDict) -> JsonDict:
            if name not in held:
                raise UsageError(f"Nothing is called {name!r} any more.")
            if named in held and named != name:
                raise UsageError(f"Something is called {named!r} already; choose another name.")
            return {(named if each == name else each): value for each, value in held.items()}

        self.change(renamed)

    def change(self, change: Callable[[JsonDict], JsonDict]) -> None:
        """Change the entries while no other process can."""
        if self._read_only:
            raise UsageError(f"Nothing is written here, so that {self._kind} can't be saved or removed.")
        with one_sentence(f"The {self._kind} can't be saved in {self.path}"):
            self._files.refuse_links()
            self._files.folder.mkdir(mode=0o700, exist_ok=True)
            lock = FileLock(self._files.folder / "saved.lock")
            if not lock.acquire(_PATIENCE_SECONDS):
                raise LedgerError(f"Somebody else is saving {self._kind} just now; try again.")
            try:
                before = dict(self.entries())
                after = change(before)
                if after != before:
                    self._write(after)
            finally:
                lock.release()

    def _write(self, entries: JsonDict) -> None:
        data = json.dumps(entries, ensure_ascii=False, indent=1).encode()
        if len(data) > MOST_BYTES:
            raise UsageError(f"At most {MOST_BYTES:,} bytes of {self._kind} are kept; remove some first.")
        # One fixed name, so that an interrupted write leaves at most one file. It is not a name that an ingester would delete as a leftover.
        beside = self.path.with_suffix(".new")
        try:
            beside.write_bytes(data)
            beside.chmod(0o600)
            sync_to_disk(beside)
            beside.replace(self.path)
        finally:
            beside.unlink(missing_ok=True)


def _name(name: str) -> str:
    """Return a name in its stored form."""
    named = " ".join(name.split())
    if not named or len(named) > LONGEST_NAME:
        raise UsageError(f"A name has 1 to {LONGEST_NAME} characters; this one has {len(named)}.")
    return named


KIND = "views"
"""The kind under which views are saved."""

RAISED = "alerts"
"""The kind under which ongoing alerts are saved: by a rule's id, what was raised and who was notified."""


@dataclass(frozen=True, slots=True)
class SavedView:
    """A page with the filters that somebody has set."""

    name: str  # its name, which is unique
    page: str  # the page's path, in letters, digits and underscores; empty for the first page
    query: str  # its query parameters, as in an address


class SavedViews(NamedTuple):
    """The saved views of a list."""

    views: tuple[SavedView, ...]  # by name
    problem: str = ""  # which part of it can't be read, for people; empty if all can


def read_views(kept: Saved) -> SavedViews:
    """Return the views, sorted by name. Entries that can't be read are reported and left as they are."""
    try:
        entries = kept.entries()
    except LedgerError as error:
        return SavedViews((), str(error))
    found = {name: _view(name, held) for name, held in entries.items()}
    bad = [name for name, view in found.items() if view is None]
    problem = f"In {kept.path}, {bad[0]!r} is not a view: mend it there, or delete it." if bad else ""
    return SavedViews(tuple(view for view in found.values() if view is not None), problem)


def save_view(kept: Saved, view: SavedView) -> None:
    """Add a view, or replace the one with its name."""
    refuse_name(view.name)
    kept.put(view.name, {"page": view.page, "query": view.query})


def refuse_name(name: str) -> None:
    """Refuse a name with invisible characters."""
    if not name.strip().isprintable() or name != writable(name):
        raise UsageError(f"The name {name!r} has invisible characters; remove them.")


def _view(name: str, held: Any) -> SavedView | None:
    """Return a view from its entry, with a normalized query; None if the entry is not a view, since people may edit the file."""
    if not isinstance(held, dict):
        return None
    page, query = held.get("page"), held.get("query")
    if not isinstance(page, str) or not isinstance(query, str):
        return None
    if page and not (page.isascii() and page.replace("_", "a").isalnum()):
        return None
    try:
        return SavedView(name, page, urlencode(parse_qsl(query, keep_blank_values=True)))
    except ValueError:  # more parameters than are allowed, or half of a character
        return None
