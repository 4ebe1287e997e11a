"""One file on one machine: the ingester's working file, and the published copy of it that readers open."""

from collections.abc import Callable, Hashable, Sequence

from actionledger.ledger.storage.chain import Head
from actionledger.ledger.storage.connections import begin_published
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.ingest import IngestReport, Publishing, forget, ingest
from actionledger.ledger.storage.instances import Instance
from actionledger.ledger.storage.intake import FileIntake
from actionledger.ledger.storage.publishing import due_in, is_behind
from actionledger.ledger.storage.store import AsOf
from actionledger.ledger.storage.versions import refuse_unreadable
from actionledger.ledger.upkeep.proofs.file import verify_file
from actionledger.ledger.upkeep.proofs.report import Verification


class LocalStore:
    """A ledger in one file; see ``Store`` for what each method does.

    Args:
        files: its files, checked (``opening.open_files`` does).
    """

    def __init__(self, files: LedgerFiles) -> None:
        self.files = files
        self.folders: tuple[str, ...] = ()
        self.host = ""
        self.as_of: AsOf | None = None
        self.has_tail = True

    def ingest(
        self, publishing: Publishing, *, patience: float = 0.0, is_stopped: Callable[[], bool] = lambda: False
    ) -> IngestReport:
        """Take the segments into the working file; the copy is published as ``publishing`` says."""
        return ingest(self.files, publishing, patience=patience, is_stopped=is_stopped)

    def intake(self) -> FileIntake:
        """Put events into the working file."""
        return FileIntake(self.files)

    def forget(self, *, patience: float = 0.0) -> bool:
        """Make the working file anew, and publish it."""
        return forget(self.files, patience=patience)

    def verify(self, kept: Sequence[Head]) -> Verification:
        """Look at the published copy, the working file and the segments."""
        return verify_file(self.files, kept)

    def due_in(self) -> float:
        """Return in how many seconds another copy is due."""
        return due_in(self.files)

    def is_behind(self) -> bool:
        """Whether the published copy has to be made anew, whatever segments hold."""
        return is_behind(self.files)

    def exists(self) -> bool:
        """Whether there is a published copy."""
        return self.files.published.exists()

    def state(self) -> Hashable:
        """Return what tells one published copy from another."""
        try:
            status = self.files.published.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def holds(self, state: Hashable, since: float) -> bool:  # noqa: ARG002 - time is no matter here
        """Whether no other copy was published since: with one, segments may have gone."""
        return self.state() == state

    def close(self) -> None:
        """Nothing is open."""

    def connect(self, *, may_write: bool) -> Instance:
        """Attach the published copy."""
        instance = begin_published(self.files, may_write=may_write)
        try:
            refuse_unreadable(instance.connection, self.files.published)
        except BaseException:
            instance.connection.close()
            raise
        return instance
