"""The ledger, opened once per process, and recent answers to queries."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import streamlit as st

from actionledger.core.errors import LedgerError, MemoryNeededError
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.saved import Saved
from actionledger.ledger.storage.connections import damage_reported
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.memory import more_than_first
from actionledger_dashboard import LEDGER_VARIABLE, READ_ONLY_VARIABLE

P = ParamSpec("P")
R = TypeVar("R")


def ledger_path() -> Path:
    """Return the path of the ledger to show."""
    return Path(os.environ[LEDGER_VARIABLE])


def is_read_only() -> bool:
    """Return whether pages may write nothing: no review, decision, saved query or view."""
    return bool(os.environ.get(READ_ONLY_VARIABLE))


def saved(kind: str) -> Saved:
    """Return what people saved next to the ledger; if the dashboard is read-only, it refuses changes."""
    return Saved(ledger_path(), kind, read_only=is_read_only())


@dataclass(frozen=True, slots=True)
class _Question:
    """The cache key of an answer."""

    query: str  # the query's name
    path: str  # the ledger's path
    freshness: list[tuple[str, int, int]]  # changes when something is recorded
    args: tuple[Any, ...]  # the query's arguments after the ledger
    kwargs: dict[str, Any]  # its keyword arguments


def ask(query: Callable[Concatenate[Ledger, P], R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Return a query's result, from the cache if the ledger has not changed since."""
    path = ledger_path()
    found: R = _answer(_Question(query.__qualname__, str(path), _freshness(path), args, kwargs), query)
    return found


def opened() -> Ledger:
    """Return the ledger itself, for an export."""
    return _open(str(ledger_path()))


def writing() -> Ledger:
    """Return the ledger for recording reviews and decisions; all visitors share it, and its thread records for them."""
    if is_read_only():
        raise LedgerError("This dashboard is for reading only: nothing is recorded here.")
    return _open_to_write(str(ledger_path()))


@st.cache_resource(show_spinner=False)
def _open_to_write(path: str) -> Ledger:
    return open_ledger(path)


# Cached as a resource, since data would be copied at every use; rows are frozen. Hashing a question by its ``repr`` takes a tenth of the time of
# Streamlit's hash of each value.
@st.cache_resource(ttl=60, max_entries=200, show_spinner=False, hash_funcs={_Question: repr})
def _answer(question: _Question, _query: Callable[..., Any]) -> Any:
    ledger = _open(question.path)
    with damage_reported(Path(question.path)):
        try:
            return _query(ledger, *question.args, **question.kwargs)
        except MemoryNeededError:
            for limit in more_than_first():
                with suppress(MemoryNeededError), ledger.with_memory(limit):
                    return _query(ledger, *question.args, **question.kwargs)
            raise


@st.cache_resource(show_spinner=False)
def _open(path: str) -> Ledger:
    return open_ledger(path, read_only=True)


def _freshness(path: Path) -> list[tuple[str, int, int]]:
    """Return file sizes and times that change when something is recorded; this is cheaper than any query."""
    files = LedgerFiles.at(path)
    seen = []
    for file in (files.published, *sorted(files.segments.glob("*.jsonl"))):
        with suppress(FileNotFoundError):
            status = file.stat()
            seen.append((file.name, status.st_size, status.st_mtime_ns))
    return seen
