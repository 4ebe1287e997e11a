"""The place of a lake, from a small TOML file whose path is the ledger's name on this host.

    [ducklake]
    metadata_path = "postgres:dbname=ledger host=db.example.org"
    data_path = "s3://team-ledger/"

Both have DuckLake's names and forms. A path without a leading ``/`` or a scheme is relative to the file's folder. The file never holds credentials.
"""

import math
import os
import re
import socket
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from actionledger.core.errors import LedgerError, NotALedgerError
from actionledger.core.patterns import regex

SUFFIX = ".toml"
"""The suffix of a file that locates a lake."""

TABLE = "ducklake"

S3 = "s3://"

COMMIT_SECONDS = 15.0
"""Seconds between a host's commits while its agents work, unless the file says otherwise."""

_TEXTS = frozenset({"metadata_path", "data_path", "host", "queue_path"})
_KEYS = _TEXTS | {"commit_seconds"}
_CREDENTIALS = regex(r"\b(password|passfile|sslpassword|secret)\s*=|://[^/@\s]*:[^/@\s]*@", re.IGNORECASE)
_HOST = regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")
_SCHEME = regex(r"[a-z0-9]+://")
_SAID = f"""It begins with the line [{TABLE}] and says metadata_path = "postgres:dbname=…" (or "sqlite:FILE") and data_path = "s3://…" (or a folder)."""


class BlankLakeError(NotALedgerError):
    """A lake does not exist yet; the next process that opens it for writing makes it."""


@dataclass(frozen=True, slots=True)
class LakePlace:
    """The place of a lake, and the host whose segments are ingested from here."""

    path: Path  # the file that locates the lake
    metadata_path: str  # the catalog database, in DuckLake's form after `ducklake:`
    data_path: str  # the place of the Parquet files, in DuckLake's form
    host: str  # this host's name, which is the prefix of its segments' names
    # the seconds between commits while its agents work, or between shipments if there is a queue
    commit_seconds: float = COMMIT_SECONDS
    # the place to which hosts ship their segments, for one committer to ingest; empty if each host commits its own
    queue_path: str = ""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file that locates a lake."""
        said = _table_in(path)
        if unknown := said.keys() - _KEYS:
            raise LedgerError(
                f"{path} says {', '.join(sorted(unknown))}, which is nothing of a lake's; known are "
                f"{', '.join(sorted(_KEYS))}. Credentials are taken from the environment."
            )
        if wrong := [key for key in said.keys() & _TEXTS if not isinstance(said[key], str)]:
            raise LedgerError(
                f"{path}: {wrong[0]} = {said[wrong[0]]!r} is not text; write it in quotation marks."
            )
        metadata_path, data_path = (said.get(key, "") for key in ("metadata_path", "data_path"))
        if not (metadata_path and data_path):
            raise LedgerError(f"{path} does not say where the lake is. {_SAID}")
        queue_path = said.get("queue_path", "")
        if any(map(_CREDENTIALS.search, (metadata_path, data_path, queue_path))):
            raise LedgerError(
                f"{path} holds credentials; a ledger must not. Take them out: PostgreSQL's are taken from PGPASSWORD or ~/.pgpass, "
                "S3's from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or from a persistent secret of DuckDB's."
            )
        host = said.get("host") or socket.gethostname()
        if not _HOST.fullmatch(host):
            raise LedgerError(f'{path}: {host!r} is not a host\'s name; say another one as host = "…".')
        seconds = said.get("commit_seconds", COMMIT_SECONDS)
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < math.inf:
            raise LedgerError(f"{path}: commit_seconds = {seconds!r} is not a number of seconds.")
        return cls(
            path,
            _catalog(path, metadata_path),
            _folder(path, data_path),
            host,
            float(seconds),
            _queue(path, queue_path),
        )

    @property
    def is_on_postgres(self) -> bool:
        """Whether the catalog database is in PostgreSQL."""
        return self.metadata_path.startswith("postgres:")

    @property
    def catalog_file(self) -> Path | None:
        """The catalog, if it is an SQLite file."""
        kind, _, file = self.metadata_path.partition(":")
        return Path(file) if kind == "sqlite" else None

    @property
    def data_folder(self) -> Path | None:
        """The folder of the Parquet files, if they are on a disk."""
        return None if _SCHEME.match(self.data_path) else Path(self.data_path)

    @property
    def is_on_s3(self) -> bool:
        """Whether the Parquet files are in S3."""
        return self.data_path.startswith(S3)


def is_place(path: Path) -> bool:
    """Return whether a path, by its name, is that of a file that locates a lake."""
    return path.suffix == SUFFIX


def _table_in(path: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - hardly ever needed

    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get(TABLE)
    except FileNotFoundError as error:
        raise LedgerError(f"There is no file {path} that says where a lake is. {_SAID}") from error
    except (OSError, ValueError) as error:
        raise NotALedgerError(f"{path} can't be read as TOML: {error}. {_SAID}") from error
    if not isinstance(found, dict):
        raise NotALedgerError(f"{path} does not say where the lake is. {_SAID}")
    return found


def _catalog(path: Path, metadata_path: str) -> str:
    kind, _, rest = metadata_path.removeprefix("ducklake:").partition(":")
    if kind == "postgres":
        return f"postgres:{rest}"
    if kind == "sqlite" and rest:
        return f"sqlite:{path.parent / rest}"
    raise LedgerError(
        f"{path}: the catalog {metadata_path!r} is none that several processes read and write at once; take 'postgres:dbname=… host=…', "
        "or on one machine 'sqlite:FILE'. (A DuckDB file lets one process in at a time.)"
    )


def _queue(path: Path, queue_path: str) -> str:
    if not queue_path:
        return ""
    found = _folder(path, queue_path)
    if _SCHEME.match(found) and not found.startswith(S3):
        raise LedgerError(f"{path}: queue_path = {queue_path!r} is neither a folder nor in S3.")
    return found


def _folder(path: Path, data_path: str) -> str:
    if _SCHEME.match(data_path):
        return data_path.rstrip("/") + "/"
    return f"{path.parent / data_path}".rstrip("/") + "/"


class PrivateFiles:
    """Restricts access to a lake's files on a disk; for S3 and PostgreSQL, access is set there."""

    def __init__(self, place: LakePlace) -> None:
        self._folder = place.data_folder
        self._catalog = place.catalog_file
        self._seen: set[str] = set()

    def begin(self) -> None:
        """Create the folder and the catalog of a lake that doesn't exist yet."""
        if self._folder is not None and not self._folder.exists():
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            self._folder.mkdir(mode=0o700, exist_ok=True)
        if self._catalog is not None:
            self._catalog.parent.mkdir(parents=True, exist_ok=True)
            # SQLite's own files next to it get its mode.
            with suppress(FileExistsError):
                os.close(os.open(self._catalog, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    def tighten(self) -> None:
        """Restrict access to files that are new since the last call."""
        if self._folder is None:
            return
        with suppress(OSError):
            self._within(self._folder, self._group())

    def _group(self) -> int:
        """Return the folder's group permissions; 0 if the group may not write there."""
        mode = self._folder.stat().st_mode if self._folder else 0
        return mode & (stat.S_IRWXG | stat.S_ISGID) if mode & stat.S_IWGRP else 0

    def _within(self, folder: Path, group: int) -> None:
        with os.scandir(folder) as entries:
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                if entry.path not in self._seen and not entry.is_symlink():
                    mode = 0o700 | group if is_folder else 0o600 | group & 0o060
                    # Another host's user may own it.
                    with suppress(PermissionError, FileNotFoundError):
                        Path(entry.path).chmod(mode)
                    self._seen.add(entry.path)
                if is_folder:
                    self._within(Path(entry.path), group)
