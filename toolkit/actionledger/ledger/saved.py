"""What people keep beside a ledger under a name: queries, views of a list. A JSON file a kind, whole at any time.

It holds no records: it may go at any time, and whoever copies the published file alone leaves it behind.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.locks import FileLock
from actionledger.ledger.storage.files import LedgerFiles, one_sentence, sync_to_disk

LONGEST_NAME = 80
"""How long a name may be, in characters."""

MOST_BYTES = 1_000_000
"""How much may be kept of a kind."""

_PATIENCE_SECONDS = 5.0
_KIND = re.compile(r"[a-z]+")


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
            raise ValueError(f"{kind!r} is no word of small letters.")
        self._files = LedgerFiles.at(ledger)
        self._kind = kind
        self._read_only = read_only

    @property
    def path(self) -> Path:
        """The file."""
        return self._files.folder / f"saved-{self._kind}.json"

    def entries(self) -> Mapping[str, Any]:
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
        self._change(lambda held: held | {named: value})

    def remove(self, name: str) -> None:
        """Keep what has a name no longer; one that there is not changes nothing.

        Raises:
            UsageError: nothing may be written.
            LedgerError: the file can't be written; it is as it was.
        """
        self._change(lambda held: {other: value for other, value in held.items() if other != name})

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

        def renamed(held: dict[str, Any]) -> dict[str, Any]:
            if name not in held:
                raise UsageError(f"Nothing is called {name!r} any more.")
            if named in held and named != name:
                raise UsageError(f"Something is called {named!r} already; choose another name.")
            return {(named if each == name else each): value for each, value in held.items()}

        self._change(renamed)

    def _change(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
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

    def _write(self, entries: dict[str, Any]) -> None:
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
