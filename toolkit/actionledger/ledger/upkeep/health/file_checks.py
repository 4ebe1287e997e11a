"""Checks of the ledger's files, its disk and this installation."""

import os
import platform
import shlex
from collections.abc import Iterator

import duckdb

from actionledger._version import __version__
from actionledger.core.text import counted
from actionledger.ledger.storage.files import wal_of
from actionledger.ledger.storage.hosts import OVER_NETWORK
from actionledger.ledger.storage.lake.place import is_place
from actionledger.ledger.storage.schema import SCHEMA_VERSION
from actionledger.ledger.storage.spool import abandoned_files
from actionledger.ledger.upkeep.health.facts import Facts
from actionledger.ledger.upkeep.health.records import NEEDED_EXTENSIONS
from actionledger.ledger.upkeep.health.report import Check, Finding, Level, size_words, time_words

_SPARE_BYTES = 64 * 1024 * 1024


def command(words: str, facts: Facts) -> str:
    """Return a command about the ledger, ready to type."""
    return f"'actionledger {words} --ledger {shlex.quote(str(facts.files.published))}'"


def not_asked(check: Check) -> Finding:
    """Return the finding of a check that needs the published copy if that can't be read."""
    return Finding(check, Level.NOTE, "Not known, since the published file can't be read.")


def published_file(facts: Facts) -> Iterator[Finding]:
    """Check the published file."""
    if is_place(facts.files.published):
        yield _lake(facts)
        return
    writers = facts.held_by("published file")
    if facts.records.problem:
        yield _unreadable(facts)
    else:
        size = size_words(facts.size_of("published file"))
        age = time_words(facts.published_seconds or 0.0)
        said = f"{facts.files.published} can be read: {size}, published {age} ago."
        yield Finding(Check.PUBLISHED, Level.FINE, said)
    for writer in writers:
        yield Finding(
            Check.PUBLISHED,
            Level.FAULT,
            f"{writer.named[:1].upper()}{writer.named[1:]} has the published file open for writing: other tools are locked out, and what "
            "it writes there is gone with the next publication.",
            "Close it there, or have it open the file for reading only; a copy of the file is yours to write to.",
        )
    wal = wal_of(facts.files.published)
    if not writers and wal.exists():
        yield Finding(
            Check.PUBLISHED,
            Level.FAULT,
            f"Somebody has written into the published file: {wal.name} holds {size_words(wal.stat().st_size)} of it. Until the next publication, with "
            "which it goes, other tools may be refused, or take it for the ledger's.",
            f"{command('ingest', facts)} publishes the ledger's own; copy both files elsewhere first if you need what was written.",
        )


def _lake(facts: Facts) -> Finding:
    path, problem = facts.files.published, facts.records.problem
    if not problem:
        return Finding(Check.PUBLISHED, Level.FINE, f"The lake of {path} can be read.")
    if facts.records.is_blank:
        return Finding(Check.PUBLISHED, Level.NOTE, problem)
    return Finding(
        Check.PUBLISHED,
        Level.FAULT,
        problem,
        "See that its catalog database and its files can be reached from here, with the credentials in the environment; what is recorded "
        "meanwhile is kept in segments.",
    )


def _unreadable(facts: Facts) -> Finding:
    files, problem = facts.files, facts.records.problem
    if files.published.exists():
        kept = (
            f"; {files.store} still has {size_words(facts.size_of('working file'))} of it"
            if files.store.exists()
            else ""
        )
        rest = (
            f"move it away, then {command('doctor --fix', facts)} publishes it again"
            if files.store.exists()
            else "take it from a backup"
        )
        return Finding(Check.PUBLISHED, Level.FAULT, f"{problem.rstrip('.')}{kept}.", f"If it should be this ledger: {rest}.")  # fmt: skip
    if files.store.exists():
        said = f"{problem.rstrip('.')}; the working file still has {size_words(facts.size_of('working file'))} of it."
        return Finding(Check.PUBLISHED, Level.FAULT, said, f"{command('doctor --fix', facts)} publishes it again.", is_mendable=True)  # fmt: skip
    return Finding(
        Check.PUBLISHED,
        Level.FAULT,
        f"{problem.rstrip('.')}, and no working file either; segments have {size_words(facts.size_of('segments'))} that were not loaded.",
        "Take the published file from a backup and put it there before anything is recorded; then the segments are loaded.",
    )


def versions(facts: Facts) -> Iterator[Finding]:
    """Check whether this toolkit can read and write the ledger's schema version."""
    version, toolkit = facts.records.version, facts.records.toolkit
    here = f"here is {__version__} with version {SCHEMA_VERSION}, DuckDB {duckdb.__version__}, Python {platform.python_version()}"
    if version is None:
        yield Finding(Check.VERSIONS, Level.NOTE, f"The ledger's version can't be read; {here}.")
    elif version > SCHEMA_VERSION:
        yield Finding(
            Check.VERSIONS,
            Level.FAULT,
            f"The ledger has version {version} of the schema, written by actionledger {toolkit}; {here}.",
            "Upgrade actionledger here; until then it can neither be read nor written with it.",
        )
    elif version < SCHEMA_VERSION:
        yield Finding(
            Check.VERSIONS,
            Level.FAULT,
            f"The ledger has version {version} of the schema, written by actionledger {toolkit}; {here}.",
            f"{command('ingest', facts)} brings it up to date; older actionledgers can't read it afterwards, so that --fix does not do it.",
        )
    else:
        said = f"Version {version} of the schema, made by actionledger {toolkit}; {here}."
        yield Finding(Check.VERSIONS, Level.FINE, said)


def held(facts: Facts) -> Iterator[Finding]:
    """Check for spans that a receiver has taken but not recorded."""
    live = {holder.what.removeprefix("held ") for holder in facts.held_by("held ")}
    left = abandoned_files(facts.files.held, live)
    size = sum(path.stat().st_size for path in left if path.exists())
    if size:
        yield Finding(
            Check.HELD,
            Level.NOTE,
            f"A receiver of spans was killed and had {size_words(size)} of them that were not recorded yet.",
            f"The next one records them: {command('otlp-receiver', facts)}, or a program with a span processor.",
        )
    elif live:
        yield Finding(
            Check.HELD, Level.FINE, "Spans are held by a receiver that runs, until their traces are quiet."
        )
    else:
        yield Finding(Check.HELD, Level.FINE, "No spans wait to be recorded.")


def folder(facts: Facts) -> Iterator[Finding]:
    """Check the folder that writers and the ingester need."""
    place = facts.files.folder
    if facts.link:
        yield Finding(Check.FOLDER, Level.FAULT, facts.link)
    elif facts.unusable:
        yield Finding(
            Check.FOLDER,
            Level.FAULT,
            f"{facts.unusable} Nothing can be loaded until it is gone.",
            "Move it away: the next writer makes a new one, a working file from the published one.",
        )
    elif not place.exists():
        yield Finding(
            Check.FOLDER,
            Level.NOTE,
            f"There is no folder {place}: the file was copied alone, which has all that was published.",
            "Nothing to do: the next writer makes the folder again. Unpublished records stayed where the file was copied from.",
        )
    elif not os.access(place, os.R_OK | os.X_OK):
        yield Finding(
            Check.FOLDER,
            Level.FAULT,
            f"The folder {place} can't be looked into: it belongs to user {place.stat().st_uid}.",
            "Ask as that user, or have them publish: only the published file is seen here.",
        )
    elif unwritable := next((each for each in _written(facts) if not os.access(each, os.W_OK)), None):
        yield Finding(
            Check.FOLDER,
            Level.FAULT if any(segment.waiting for segment in facts.segments) else Level.NOTE,
            f"{unwritable} can't be written to{_why_unwritable(unwritable)}: the ledger can be read, but nothing can be recorded or loaded.",
            "Make it writable for the users who record here; for reading only, nothing is to do.",
        )
    else:
        yield Finding(Check.FOLDER, Level.FINE, f"{place} can be written to.")
    if facts.file_system in OVER_NETWORK:
        yield Finding(
            Check.FOLDER,
            Level.FAULT,
            f"The ledger lies on a network file system ({facts.file_system}), where the locks of two hosts may not see each other.",
            "One host alone writes to it, and another is refused while that one lives; a disk of its own needs no such care.",
        )


def _written(facts: Facts) -> list[os.PathLike[str]]:
    files = facts.files
    return [each for each in (files.folder, files.segments, files.published.parent) if each.exists()]


def _why_unwritable(path: os.PathLike[str]) -> str:
    return " (its file system is read-only)" if os.statvfs(path).f_flag & os.ST_RDONLY else ""


def leftovers(facts: Facts) -> Iterator[Finding]:
    """Check for files that nobody needs any more."""
    if facts.files.forgetting.exists():
        yield Finding(
            Check.LEFTOVERS,
            Level.FAULT,
            "Sessions are being erased, or the process that erased them was killed: some of their records may still be there.",
            f"{command('forget', facts)} completes it, unless a process works on it now.",
        )
    files, locks = facts.old_temporaries, facts.old_locks
    if not files and not locks:
        yield Finding(Check.LEFTOVERS, Level.FINE, "No temporary files or locks of killed processes.")
        return
    found = [counted(len(files), "temporary file")] * bool(files) + [counted(len(locks), "lock")] * bool(
        locks
    )
    yield Finding(
        Check.LEFTOVERS,
        Level.NOTE,
        f"{' and '.join(found)} of killed sessions or ingests, an hour old or more, which no process holds.",
        f"The next ingest removes them, or {command('doctor --fix', facts)}.",
        is_mendable=True,
    )


def disk(facts: Facts) -> Iterator[Finding]:
    """Check whether the disk has room for the next publication."""
    store = facts.size_of("working file")
    need = store + _SPARE_BYTES
    parts = ", ".join(f"{size.part} {size_words(size.bytes)}" for size in facts.sizes if size.bytes)
    said = f"{size_words(facts.free_bytes)} are free; the ledger takes {parts or 'nothing'}."
    if facts.free_bytes < need:
        yield Finding(
            Check.DISK,
            Level.FAULT,
            f"{said} Publishing needs {size_words(need)} for a moment.",
            "Make room on that disk; until then what is flushed stays in segments, and nothing is published.",
        )
    else:
        yield Finding(Check.DISK, Level.FINE, said)


def extensions(facts: Facts) -> Iterator[Finding]:
    """Check whether DuckDB has the extensions that the toolkit uses."""
    if facts.records.problem:
        yield not_asked(Check.EXTENSIONS)
        return
    missing = [name for name in NEEDED_EXTENSIONS if name not in facts.records.extensions]
    if missing:
        yield Finding(
            Check.EXTENSIONS,
            Level.FAULT,
            f"DuckDB {duckdb.__version__} is here without its {' and '.join(missing)}.",
            "Install DuckDB's own package from PyPI (pip install --force-reinstall duckdb): it has them built in.",
        )
    else:
        said = f"{', '.join(NEEDED_EXTENSIONS)} are built in; nothing is fetched from the network."
        yield Finding(Check.EXTENSIONS, Level.FINE, said)
