"""Run all health checks on the same facts."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain
from typing import TypeAlias

import duckdb

from actionledger.core.errors import LedgerError
from actionledger.core.ids import now
from actionledger.core.processes import FileLock, remove_free
from actionledger.core.text import counted
from actionledger.ledger.storage.files import LedgerFiles, one_sentence
from actionledger.ledger.storage.hosts import claim
from actionledger.ledger.storage.lake.place import is_place
from actionledger.ledger.storage.local import LocalStore, store_at
from actionledger.ledger.storage.rollups.tables import remove
from actionledger.ledger.storage.schema import SCHEMA_VERSION
from actionledger.ledger.storage.store import IngestReport, Publishing
from actionledger.ledger.storage.working_file import is_database, with_store
from actionledger.ledger.upkeep.health import file_checks, record_checks
from actionledger.ledger.upkeep.health.facts import Facts, gather
from actionledger.ledger.upkeep.health.record_checks import rollup
from actionledger.ledger.upkeep.health.report import Finding, Health, Waiting
from actionledger.ledger.upkeep.migrations import version_in

Look: TypeAlias = Callable[[Facts], Iterator[Finding]]
"""A check; it yields at least one finding, if only that all is fine."""

CHECKS: tuple[Look, ...] = (
    file_checks.published_file,
    file_checks.versions,
    file_checks.folder,
    record_checks.segments,
    record_checks.ingest,
    record_checks.locks,
    file_checks.held,
    record_checks.quarantine,
    record_checks.rollup,
    file_checks.leftovers,
    file_checks.disk,
    file_checks.extensions,
    record_checks.left_out,
)


def examine(path: str | os.PathLike[str]) -> Health:
    """Return the health of a ledger, even of one that can't be opened; it changes nothing."""
    facts = gather(LedgerFiles.at(path))
    return Health(
        ledger=facts.files.published,
        examined_at=now(),
        findings=tuple(chain.from_iterable(check(facts) for check in CHECKS)),
        waiting=_waiting(facts),
        holders=facts.holders,
        sizes=facts.sizes,
        free_bytes=facts.free_bytes,
        schema_version=facts.records.version,
    )


def _waiting(facts: Facts) -> Waiting:
    waiting = [segment for segment in facts.segments if segment.waiting]
    return Waiting(
        segments=len(waiting),
        bytes=sum(segment.waiting for segment in waiting),
        seconds=max((segment.seconds for segment in waiting), default=None),
        live_segments=len(facts.held_by("segment")),
    )


def mend(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Make all safe repairs."""
    files = LedgerFiles.at(path)
    facts = gather(files)
    _refuse(facts)
    done = _remove_leftovers(facts)
    done += _mend_rollup(facts)
    if facts.segments or files.unpublished.exists() or not files.published.exists():
        store = store_at(files.published, read_only=False) if is_place(files.published) else LocalStore(files)
        done += _sentences(store.ingest(Publishing.AT_THE_END))
    return tuple(done)


def _refuse(facts: Facts) -> None:
    """Raise unless it is certain that a repair loses nothing."""
    files, version = facts.files, facts.records.version
    files.refuse_links()
    if facts.unusable:
        raise LedgerError(f"Nothing is mended: {facts.unusable}")
    if files.published.exists() and version is None:
        raise LedgerError(f"Nothing is mended: {facts.records.problem}")
    if not files.published.exists() and not files.store.exists():
        raise LedgerError(
            f"Nothing is mended: there is neither {files.published} nor its working file; take one from a backup."
        )
    known = _version_of_store(files) if version is None else version
    if known != SCHEMA_VERSION:
        raise LedgerError(
            f"Nothing is mended: the ledger has version {known} of the schema, this toolkit {SCHEMA_VERSION}, and which to go by is yours "
            "to decide."
        )
    for folder in (files.folder, files.segments, files.sessions):
        if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
            raise LedgerError(f"Nothing is mended: the folder {folder} can't be written to.")


def _version_of_store(files: LedgerFiles) -> int | None:
    """Return the working file's schema version, for a ledger without a published copy."""
    with one_sentence(f"Nothing is mended: the working file {files.store} can't be read"):
        if not is_database(files.store):
            return None
        with closing(duckdb.connect(str(files.store), read_only=True)) as connection:
            return version_in(connection)


def _remove_leftovers(facts: Facts) -> list[str]:
    """Remove files that are an hour old and belong to no process. Their makers hold the ingest lock, except for a moment."""
    if not facts.old_temporaries and not facts.old_locks:
        return []
    lock = FileLock(facts.files.ingest_lock)
    if not lock.acquire():
        return ["Left over files stay: another process is the ingester, and removes them itself."]
    try:
        for path in facts.old_temporaries:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        if facts.old_locks:
            remove_free(facts.files.sessions)
    except OSError as error:
        raise LedgerError(
            f"What is left over can't be removed: {error.strerror}: {error.filename}."
        ) from error
    finally:
        lock.release()
    gone = len(facts.old_temporaries), sum(not path.exists() for path in facts.old_locks)
    return [
        f"Removed {counted(number, kind)} that no process holds."
        for number, kind in zip(gone, ("temporary file", "lock"), strict=True)
        if number
    ]


def _mend_rollup(facts: Facts) -> list[str]:
    """Drop a rollup that differs from its rows, and have the next publication rebuild it; update one that is behind."""
    if not any(finding.is_mendable for finding in rollup(facts)):
        return []
    lock = FileLock(facts.files.ingest_lock)
    if not lock.acquire():
        return ["What is counted ahead stays: another process is the ingester; try again when it has ended."]
    try:
        with one_sentence(f"The working file {facts.files.store} can't be written"):
            claim(facts.files)
            facts.files.unpublished.touch(mode=0o600)
            if facts.records.rollup is not None and facts.records.rollup.faults:
                with_store(facts.files, remove)
    finally:
        lock.release()
    return ["Had what sessions come to counted again, of their rows."]


def _sentences(report: IngestReport) -> list[str]:
    if report.was_busy:
        return ["Nothing was loaded: another process is the ingester and does it."]
    told = []
    if report.events or report.quarantined:
        quarantined = f", and put {counted(report.quarantined, 'line')} that can't be read into quarantine" * bool(report.quarantined)  # fmt: skip
        told.append(f"Took {counted(report.events, 'event')} in{quarantined}.")
    if report.published:
        told.append("Published what the working file holds.")
    return told
