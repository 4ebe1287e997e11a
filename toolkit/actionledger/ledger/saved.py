"""Named queries and views of lists, saved beside a ledger. One JSON file a kind, whole at any time.

It holds no records: it may go at any time, and whoever copies the published file alone leaves it behind.
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
"""How long a name may be, in characters."""

MOST_BYTES = 1_000_000
"""How much may be kept of a kind."""

_PATIENCE_SECONDS = 5.0
_KIND = regex(r"[a-z]+")


class Saved:
    """The entries of one kind; processes and threads may share them.

    Args:
        ledger: the ledger's path.
        kind: what they are, a word of small letters: ``queries``.
        read_only: whether nothing may be written.

    Raises:
        ValueError: the kind is no such word.
    """

    def __init__(self, ledger: str | os.PathLike[str], kind: str, *, read_only: bool = False) -> None:
        if not _KIND.fullmatch(kind):
            raise ValueError(f"{kind!r} is not a word of small letters.")
        self._files = LedgerFiles.at(ledger)
        self._kind = kind
        self._read_only = read_only

    @property
    def path(self) -> Path:
        """The file."""
        return self._files.folder / f"saved-{self._kind}.json"

    def entries(self) -> JsonMap:
        """Return what is kept, by name, in the order of the names.

        Raises:
            LedgerError: the file is damaged or can't be read; it stays as it is.
        """
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
        """Keep a value under a name; what had the name goes.

        Args:
            name: the name; blanks around it are taken off.
            value: made of what JSON has.

        Raises:
            UsageError: the name is empty or too long, too much is kept, or nothing may be written.
            LedgerError: the file can't be written; it is as it was.
        """
        named = _name(name)
        self.change(lambda held: held | {named: value})

    def remove(self, name: str) -> None:
        """Keep what has a name no longer; one that there is not changes nothing.

        Raises:
            UsageError: nothing may be written.
            LedgerError: the file can't be written; it is as it was.
        """
        self.change(lambda held: {other: value for other, value in held.items() if other != name})

    def rename(self, name: str, new: str) -> None:
        """Give what has a name another one.

        Args:
            name: what it is called.
            new: what it is to be called; blanks around it are taken off.

        Raises:
            UsageError: nothing has the name, something has the new one, that can't be one, or nothing may be written.
            LedgerError: the file can't be written; it is as it was.
        """
        named = _name(new)

        def renamed(held: JsonDict) -> JsonDict:
            if name not in held:
                raise UsageError(f"Nothing is called {name!r} any more.")
            if named in held and named != name:
                raise UsageError(f"Something is called {named!r} already; choose another name.")
            return {(named if each == name else each): value for each, value in held.items()}

        self.change(renamed)

    def change(self, change: Callable[[JsonDict], JsonDict]) -> None:
        """Change what is kept while nobody else can.

        Args:
            change: what makes of what is kept by name what is to be kept.

        Raises:
            UsageError: too much would be kept, or nothing may be written.
            LedgerError: the file can't be read or written; it is as it was.
        """
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
        # Under one name, so that a broken off write leaves one file at most; not under one that an ingester takes for left over.
        beside = self.path.with_suffix(".new")
        try:
            beside.write_bytes(data)
            beside.chmod(0o600)
            sync_to_disk(beside)
            beside.replace(self.path)
        finally:
            beside.unlink(missing_ok=True)


def _name(name: str) -> str:
    """Return a name as it is kept."""
    named = " ".join(name.split())
    if not named or len(named) > LONGEST_NAME:
        raise UsageError(f"A name has 1 to {LONGEST_NAME} characters; this one has {len(named)}.")
    return named


KIND = "views"
"""What they are kept as."""

RAISED = "alerts"
"""What alerts are kept as that go on: by a rule's id what was raised, and whom it was sent to."""


@dataclass(frozen=True, slots=True)
class SavedView:
    """A page as somebody has narrowed it.

    Args:
        name: what it is called; no two have the same.
        page: the page's path, in letters, digits and underscores; empty for the first page.
        query: its query parameters, as in an address.
    """

    name: str
    page: str
    query: str


class SavedViews(NamedTuple):
    """The saved views of a list.

    Args:
        views: by name.
        problem: what of it can't be read, for people; empty where all can.
    """

    views: tuple[SavedView, ...]
    problem: str = ""


def read_views(kept: Saved) -> SavedViews:
    """Return the views, sorted by name; what can't be read of the file is said and stays as it is.

    Args:
        kept: where they are.
    """
    try:
        entries = kept.entries()
    except LedgerError as error:
        return SavedViews((), str(error))
    found = {name: _view(name, held) for name, held in entries.items()}
    bad = [name for name, view in found.items() if view is None]
    problem = f"In {kept.path}, {bad[0]!r} is not a view: mend it there, or delete it." if bad else ""
    return SavedViews(tuple(view for view in found.values() if view is not None), problem)


def save_view(kept: Saved, view: SavedView) -> None:
    """Add a view, or put it in the place of the one of its name.

    Args:
        kept: where to.
        view: the view.

    Raises:
        UsageError: its name can't be one, or nothing may be written.
        LedgerError: the file can't be read or written; it is as it was.
    """
    refuse_name(view.name)
    kept.put(view.name, {"page": view.page, "query": view.query})


def refuse_name(name: str) -> None:
    """Refuse a name that people can't tell from others by looking.

    Raises:
        UsageError: it is one.
    """
    if not name.strip().isprintable() or name != writable(name):
        raise UsageError(f"The name {name!r} has invisible characters; remove them.")


def _view(name: str, held: Any) -> SavedView | None:
    """Return a view as the file holds it, its query written anew; None where it is none: somebody has written it by hand."""
    if not isinstance(held, dict):
        return None
    page, query = held.get("page"), held.get("query")
    if not isinstance(page, str) or not isinstance(query, str):
        return None
    if page and not (page.isascii() and page.replace("_", "a").isalnum()):
        return None
    try:
        return SavedView(name, page, urlencode(parse_qsl(query, keep_blank_values=True)))
    except ValueError:  # more parameters than there can be, or half of a character
        return None
