"""A lake on a disk is for its owner alone, or for the group that its folder lets write there; DuckDB makes files for everybody."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from actionledger.ledger.storage.lake.place import LakePlace


class PrivateFiles:
    """Takes from others what they could read of a lake on a disk; of S3 and PostgreSQL it is theirs to say who may.

    Args:
        place: where the lake is.
    """

    def __init__(self, place: LakePlace) -> None:
        self._folder = place.data_folder
        self._catalog = place.catalog_file
        self._seen: set[str] = set()

    def begin(self) -> None:
        """Make the folder and the catalog of a lake that is not there yet."""
        if self._folder is not None and not self._folder.exists():
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            self._folder.mkdir(mode=0o700, exist_ok=True)
        if self._catalog is not None:
            self._catalog.parent.mkdir(parents=True, exist_ok=True)
            # SQLite's own files beside it get its mode.
            with suppress(FileExistsError):
                os.close(os.open(self._catalog, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    def tighten(self) -> None:
        """Take from others what has come since the last time."""
        if self._folder is None:
            return
        with suppress(OSError):
            self._within(self._folder, self._group())

    def _group(self) -> int:
        """Return what the folder's group may do; nothing where it may not write there."""
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
