"""Named states of lists, kept beside a ledger for everybody who opens it: which page, and what it is narrowed to."""

from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.text import writable
from actionledger.ledger.saved import Saved

KIND = "views"
"""What they are kept as."""


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
    """What is kept.

    Args:
        views: by name.
        problem: what of it can't be read, for people; empty where all can.
    """

    views: tuple[SavedView, ...]
    problem: str = ""


def read_views(kept: Saved) -> Shelf:
    """Return the views, sorted by name; what can't be read of the file is said and stays as it is.

    Args:
        kept: where they are.
    """
    try:
        entries = kept.entries()
    except LedgerError as error:
        return Shelf((), str(error))
    found = {name: _view(name, held) for name, held in entries.items()}
    bad = [name for name, view in found.items() if view is None]
    problem = f"In {kept.path}, {bad[0]!r} is no view: mend it there, or delete it." if bad else ""
    return Shelf(tuple(view for view in found.values() if view is not None), problem)


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
        raise UsageError(f"The name {name!r} has characters that nobody can see; take them out.")


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
