"""A ledger in one file on one machine: the ingester's working file, and its published copy, which readers open."""

import os
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from actionledger.core.errors import UsageError, require
from actionledger.ledger.storage.connections import begin_published
from actionledger.ledger.storage.files import LedgerFiles, one_sentence
from actionledger.ledger.storage.lake.place import LakePlace, is_place
from actionledger.ledger.storage.memory import Instance
from actionledger.ledger.storage.publishing import due_in, is_behind
from actionledger.ledger.storage.segments import segment_sizes
from actionledger.ledger.storage.store import AsOf, IngestReport, Intake, Publishing, Store
from actionledger.ledger.storage.working_file import make_ready, open_or_make
from actionledger.ledger.upkeep.migrations import refuse_unreadable

if TYPE_CHECKING:
    from actionledger.ledger.storage.chain import Head
    from actionledger.ledger.upkeep.proofs.report import Verification


class LocalStore:
    """A ledger in one file; see ``Store`` for what each method does."""

    def __init__(self, files: LedgerFiles, blank: Hashable = None) -> None:
        self.files = files
        self._blank = blank
        self.folders: tuple[str, ...] = ()
        self.host = ""
        self.as_of: AsOf | None = None
        self.has_tail = True

    def ingest(
        self, publishing: Publishing, *, patience: float = 0.0, is_stopped: Callable[[], bool] = lambda: False
    ) -> IngestReport:
        """Ingest the segments into the working file, and publish as ``publishing`` says."""
        from actionledger.ledger.storage.ingest import ingest  # noqa: PLC0415 - a reader doesn't need it

        return ingest(self.files, publishing, patience=patience, is_stopped=is_stopped)

    def intake(self) -> Intake:
        """Return an intake into the working file."""
        from actionledger.ledger.storage.ingest import FileIntake  # noqa: PLC0415 - a reader doesn't need it

        return FileIntake(self.files)

    def forget(self, *, patience: float = 0.0) -> bool:
        """Rewrite the working file, and publish it."""
        from actionledger.ledger.storage.ingest import forget  # noqa: PLC0415 - a reader doesn't need it

        return forget(self.files, patience=patience)

    def verify(self, kept: "Sequence[Head]") -> "Verification":
        """Verify the published copy, the working file and the segments."""
        from actionledger.ledger.upkeep.proofs.file import verify_file  # noqa: PLC0415 - a reader doesn't need it

        return verify_file(self.files, kept)

    def due_in(self) -> float:
        """Return the seconds until another copy is due."""
        return due_in(self.files)

    def is_behind(self) -> bool:
        """Whether the published copy must be made anew, whatever the segments hold."""
        return is_behind(self.files)

    def exists(self) -> bool:
        """Whether there is a published copy."""
        return self.files.published.exists()

    def is_blank(self) -> bool:
        """Whether nothing was ingested since it was created."""
        return (
            self._blank is not None
            and self.state() == self._blank
            and not self.is_behind()
            and not segment_sizes(self.files.segments)
        )

    def state(self) -> Hashable:
        """Return a value that identifies the published copy."""
        return self.files.state_of_copy()

    def holds(self, state: Hashable, since: float) -> bool:  # noqa: ARG002 - time doesn't count here
        """Whether no other copy was published since; after a publication, segments may be gone."""
        return self.state() == state

    def close(self) -> None:
        """Do nothing, since nothing is open."""

    def connect(self, *, may_write: bool) -> Instance:
        """Attach the published copy."""
        instance = begin_published(self.files, may_write=may_write)
        try:
            refuse_unreadable(instance.connection, self.files.published)
        except BaseException:
            instance.connection.close()
            raise
        return instance


def store_at(path: str | os.PathLike[str], *, read_only: bool, as_of: AsOf | None = None) -> Store:
    """Open the store at a path, of the kind that the suffix says."""
    if os.fspath(path).startswith("ducklake:"):
        raise UsageError(
            f"A lake is opened by a small file that says where it is: write metadata_path = {os.fspath(path)[9:]!r} and data_path = "
            "'…' below a line [ducklake] into NAME.toml, and open that."
        )
    if is_place(Path(path)):
        return _lake_at(path, read_only=read_only or as_of is not None, as_of=as_of)
    if as_of is not None:
        raise UsageError(
            f"{path} is one file, which keeps no past: only a ledger in a lake has states to go back to."
        )
    return LocalStore(*open_or_make(path, read_only=read_only))


def _lake_at(path: str | os.PathLike[str], *, read_only: bool, as_of: AsOf | None) -> Store:
    require("A ledger in a lake", "lake", "tenacity")
    from actionledger.ledger.storage.lake.store import LakeStore  # noqa: PLC0415 - part of an extra

    files = LedgerFiles.at(path)
    place = LakePlace.read(files.published)
    with one_sentence(f"The ledger {files.published} can't be opened"):
        if not read_only:
            make_ready(files)
        store = LakeStore(place, as_of=as_of)
        if read_only:
            store.check()
        else:
            store.make()
    return store


def verify(path: str | os.PathLike[str], *, since: str = "") -> "Verification":
    """Verify that a ledger holds what was ingested, since an earlier ``Verification.head`` if one is given; it changes nothing."""
    # Slow to load, and seldom needed.
    from actionledger.ledger.upkeep.proofs.file import verify_file  # noqa: PLC0415
    from actionledger.ledger.upkeep.proofs.report import heads_in  # noqa: PLC0415

    kept = heads_in(since)
    files = LedgerFiles.at(path)
    if is_place(files.published):
        return store_at(path, read_only=True).verify(kept)
    # A file that nothing else can open is checked, too.
    return verify_file(files, kept)
