"""Whether a ledger's files hold what was taken in: the published copy, the working file, the segments, and a head that somebody has kept."""

import os
import re
from contextlib import closing
from dataclasses import replace
from filecmp import cmp
from pathlib import Path

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.errors import LedgerError, UsageError
from actionledger.ledger.connections import BASE, attach_published, offsets_in
from actionledger.ledger.files import LedgerFiles, one_sentence, wal_of
from actionledger.ledger.opening import is_database
from actionledger.ledger.proofs.chain import Head
from actionledger.ledger.proofs.report import Fault, Verification
from actionledger.ledger.proofs.walking import Walk, walk
from actionledger.ledger.schema import SCHEMA_VERSION
from actionledger.ledger.segments import has_live_writer, segment_sizes
from actionledger.ledger.versions import version_of_copy
from actionledger.locks import FileLock

_HEAD = re.compile(r"(\d{1,18}):([0-9a-f]{64})")
_STORE = "store"
_MEMORY = "1GB"


def verify(path: str | os.PathLike[str], *, since: str = "") -> Verification:
    """Look whether a ledger holds what was taken in; nothing of it is changed.

    Args:
        path: its published file.
        since: a head that was kept elsewhere, as ``Verification.head`` was written then; empty for none.

    Returns:
        What is not as it was, and what can't be told.

    Raises:
        UsageError: ``since`` is no head.
        NotALedgerError: the file is something else.
        NewerLedgerError: the ledger was written by a newer version of the toolkit.
        LedgerError: there is no ledger, or it can't be read.
    """
    kept = _head(since)
    files = LedgerFiles.at(path)
    with one_sentence(f"The ledger {files.published} can't be verified"):
        if not is_database(files.published):
            raise LedgerError(f"There is no ledger {files.published} to verify.")
        with closing(duckdb.connect(config={"memory_limit": _MEMORY})) as connection:
            attach_published(connection, files, may_write=os.access(files.folder, os.W_OK))
            version = version_of_copy(connection, files.published)
            if version < SCHEMA_VERSION:
                return _of_older(version, kept)
            connection.execute(f"USE {BASE}")
            published, offsets = walk(connection), offsets_in(connection)
            counts = _withdrawn(connection)
        found = Verification(
            faults=tuple(published.faults),
            notes=(),
            head=published.head,
            links=len(published.heads),
            rows=published.rows,
            unproven=published.unproven,
            since=published.since,
            superseded=counts.get("superseded", 0),
            forgotten=counts.get("forgotten", 0),
        )
        heads = dict(published.heads)
        found = _with(found, *_of_store(files, published, offsets, heads))
        return _with(found, [*_of_segments(files, offsets), *_since(kept, heads)], [])


def _head(since: str) -> Head | None:
    if not since:
        return None
    found = _HEAD.fullmatch(since.strip())
    if found is None:
        raise UsageError(
            f"{since!r} is no head of a ledger; give one as 'actionledger verify --head' prints it: a number, a colon and 64 digits."
        )
    return Head(int(found[1]), found[2])


def _of_older(version: int, kept: Head | None) -> Verification:
    note = (
        f"The ledger has version {version} of the schema: it was recorded before proofs were kept. Whoever opens it for writing brings it up to "
        f"version {SCHEMA_VERSION}, and from then on it is proven."
    )
    faults = (
        [Fault("A head was kept of this ledger, and it has no chain: an older ledger stands in its place.")]
        if kept
        else []
    )
    return Verification(tuple(faults), (note,), None)


def _withdrawn(connection: DuckDBPyConnection) -> dict[str, int]:
    return dict(connection.execute("SELECT reason, count(*) FROM withdrawn GROUP BY reason").fetchall())


def _with(found: Verification, faults: list[Fault], notes: list[str]) -> Verification:
    return replace(found, faults=(*found.faults, *faults), notes=(*found.notes, *notes))


def _of_store(
    files: LedgerFiles, published: Walk, offsets: dict[str, int], heads: dict[int, str]
) -> tuple[list[Fault], list[str]]:
    """Return what is to be said of the working file, and add what it knows to what is known."""
    if not files.store.exists() or not os.access(files.folder, os.W_OK):
        return [], [
            "The working file is not here or can't be opened: the published file alone was looked at."
        ]
    lock = FileLock(files.ingest_lock)
    if not lock.acquire(5.0):
        return [], ["Another process takes events in right now: the published file alone was looked at."]
    try:
        if not wal_of(files.store).exists() and cmp(files.published, files.store, shallow=False):
            return [], []
        with closing(duckdb.connect(str(files.store), config={"memory_limit": _MEMORY})) as connection:
            store = walk(connection)
            offsets |= offsets_in(connection)
        # Asked under the lock, so that nobody publishes meanwhile.
        faults = [replace(fault, sentence=f"In the working file: {fault.sentence}") for fault in store.faults]
        faults += _beside(files, published, store)
        heads |= store.heads
    except duckdb.Error as error:
        line = str(error).partition("\n")[0]
        return [Fault(f"The working file can't be read: {line}", _STORE)], []
    finally:
        lock.release()
    behind = len(store.heads) - len(published.heads)
    told = f"The published file lacks the last {behind:,} links of the working file; 'actionledger ingest' publishes them."
    return faults, [told] if behind > 0 and not faults else []


def _beside(files: LedgerFiles, published: Walk, store: Walk) -> list[Fault]:
    other = next(
        (link for link, head in sorted(published.heads.items()) if store.heads.get(link) != head), None
    )
    if other is not None:
        sentence = f"The published file and the working file part at link {other}: one of them was put there from elsewhere, or is an older or newer copy."
        return [Fault(sentence, "links", other)]
    is_behind = len(store.heads) > len(published.heads)
    if is_behind and not files.unpublished.exists() and not segment_sizes(files.segments):
        sentence = (
            f"The published file ends at link {published.head.link if published.head else -1}, though all was published: an older copy stands in its "
            "place. 'actionledger ingest' publishes what the working file holds."
        )
        return [Fault(sentence, "links", published.head.link if published.head else None)]
    return []


def _of_segments(files: LedgerFiles, offsets: dict[str, int]) -> list[Fault]:
    faults = []
    for name, size in segment_sizes(files.segments).items():
        taken = offsets.get(name, 0)
        if size < taken:
            sentence = f"The segment {name} has {size:,} bytes, and {taken:,} were taken in: it was cut, and what was behind them may be lost."
            faults.append(Fault(sentence, f"segments/{name}", key=str(size)))
        elif not _ends_whole(files.segments / name, size) and not has_live_writer(files.segments):
            sentence = f"The segment {name} ends within a line, at byte {size:,}: it was cut, or its writer died as it wrote what nobody was promised."
            faults.append(Fault(sentence, f"segments/{name}", key=str(size)))
    return faults


def _ends_whole(path: Path, size: int) -> bool:
    if not size:
        return True
    with path.open("rb") as file:
        file.seek(size - 1)
        return file.read(1) == b"\n"


def _since(kept: Head | None, heads: dict[int, str]) -> list[Fault]:
    if kept is None or heads.get(kept.link) == kept.value:
        return []
    if kept.link not in heads:
        last = max(heads, default=-1)
        sentence = f"The head that was kept is of link {kept.link}, and the chain ends at link {last}: an older state stands in the ledger's place."
    else:
        sentence = f"The head that was kept is another one than that of link {kept.link}: what was taken in up to there was made anew."
    return [Fault(sentence, "links", kept.link)]
