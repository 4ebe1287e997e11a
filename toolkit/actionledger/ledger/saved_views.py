"""Named states of lists, kept in a ledger's folder for everybody who opens it: which page, and what it is narrowed to.

The file is JSON that people may read and mend. It is replaced whole, by one process at a time; one that can't be read is never written over.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from actionledger.errors import LedgerError, UsageError
from actionledger.ledger.files import LedgerFiles, one_sentence, sync_to_disk
from actionledger.locks import FileLock
from actionledger.text import writable

_VERSION = 1
_LONGEST_NAME = 100
_MOST = 1_000
_LARGEST = 16 * 1024 * 1024
"""How large a file is read at most, in bytes."""

_PATIENCE_SECONDS = 5.0


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


class Shelf(NamedTuple):
    """What a ledger's file of views holds.

    Args:
        views: by name.
        problem: what is wrong with the file, for people; empty where nothing is.
    """

    views: tuple[SavedView, ...]
    problem: str = ""


class SavedViews:
    """The saved views of one ledger.

    Args:
        ledger: its path.
    """

    def __init__(self, ledger: Path) -> None:
        files = LedgerFiles.at(ledger)
        self._path = files.saved_views
        self._lock = files.folder / "views.lock"

    def read(self) -> Shelf:
        """Return the views, sorted by name; of a file that can't be read none, and why."""
        try:
            if self._path.stat().st_size > _LARGEST:
                return Shelf((), self._refusal(f"it is larger than {_LARGEST:,} bytes"))
            held = json.loads(self._path.read_bytes())
            views = [_view(each) for each in held["views"]] if held["version"] == _VERSION else None
        except FileNotFoundError:
            return Shelf(())
        except OSError as error:
            return Shelf((), self._refusal(str(error.strerror or error)))
        except (UsageError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Shelf((), self._refusal("it is not what actionledger writes"))
        if views is None:
            return Shelf((), self._refusal("another version of actionledger has written it"))
        return Shelf(tuple(sorted(views, key=lambda view: (view.name.casefold(), view.name))))

    def save(self, view: SavedView) -> None:
        """Add a view, or put it in the place of the one of its name.

        Args:
            view: the view.

        Raises:
            UsageError: its name or page can't be one, or there are too many.
            LedgerError: the file can't be read or written.
        """
        checked = _view(asdict(view))

        def saved(views: dict[str, SavedView]) -> None:
            if checked.name not in views and len(views) >= _MOST:
                raise UsageError(f"There are {_MOST:,} views already; delete one first.")
            views[checked.name] = checked

        self._change(saved)

    def rename(self, name: str, new: str) -> None:
        """Give a view another name.

        Args:
            name: what it is called.
            new: what it is to be called.

        Raises:
            UsageError: there is none of that name, or one of the new name already, or that can't be a name.
            LedgerError: the file can't be read or written.
        """

        def renamed(views: dict[str, SavedView]) -> None:
            found = views.pop(_there(views, name))
            moved = replace(found, name=_name(new))
            if moved.name in views:
                raise UsageError(f"There is a view {moved.name!r} already; choose another name.")
            views[moved.name] = moved

        self._change(renamed)

    def delete(self, name: str) -> None:
        """Delete a view.

        Args:
            name: what it is called.

        Raises:
            UsageError: there is none of that name.
            LedgerError: the file can't be read or written.
        """

        def deleted(views: dict[str, SavedView]) -> None:
            del views[_there(views, name)]

        self._change(deleted)

    def _change(self, change: Callable[[dict[str, SavedView]], None]) -> None:
        with one_sentence(f"The views can't be kept in {self._path}"), self._alone():
            shelf = self.read()
            if shelf.problem:
                raise LedgerError(shelf.problem)
            views = {view.name: view for view in shelf.views}
            change(views)
            self._write(list(views.values()))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the views' lock.

        Raises:
            LedgerError: another process has held it for too long.
        """
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        lock = FileLock(self._lock)
        if not lock.acquire(_PATIENCE_SECONDS):
            raise LedgerError("Somebody else is changing the views right now; try again.")
        try:
            yield
        finally:
            lock.release()

    def _write(self, views: list[SavedView]) -> None:
        # No name of a temporary file, which the ingester may take away; who holds the lock is alone with it.
        beside = self._path.with_name("views.json.new")
        beside.unlink(missing_ok=True)
        held = {"version": _VERSION, "views": [asdict(view) for view in views]}
        try:
            beside.touch(0o600, exist_ok=False)
            beside.write_text(json.dumps(held, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            sync_to_disk(beside)
            beside.replace(self._path)
        finally:
            beside.unlink(missing_ok=True)

    def _refusal(self, why: str) -> str:
        return f"The file of saved views, {self._path}, can't be read: {why}; mend it, or move it away."


def _view(held: Any) -> SavedView:
    """Return a view as a file or a page holds it, its query written anew.

    Raises:
        UsageError, TypeError, KeyError: it is none.
    """
    page, query = held["page"], held["query"]
    if not isinstance(page, str) or not isinstance(query, str):
        raise TypeError(page)
    if page and not (page.isascii() and page.replace("_", "a").isalnum()):
        raise UsageError(f"{page!r} is no page.")
    return SavedView(_name(held["name"]), page, urlencode(parse_qsl(query, keep_blank_values=True)))


def _name(name: Any) -> str:
    """Return a name as it is kept.

    Raises:
        UsageError: it can't be one.
        TypeError: it is no text.
    """
    if not isinstance(name, str):
        raise TypeError(name)
    kept = name.strip()
    if not kept or len(kept) > _LONGEST_NAME or not kept.isprintable() or kept != writable(kept):
        raise UsageError(f"A view's name has 1 to {_LONGEST_NAME} characters that can be seen.")
    return kept


def _there(views: dict[str, SavedView], name: str) -> str:
    if name not in views:
        raise UsageError(f"There is no view {name!r} any more.")
    return name
