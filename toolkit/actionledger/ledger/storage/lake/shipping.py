"""A host of a lake with a committer: it ships its segments, and never commits.

Its folder records how far each segment was shipped; if that is lost, the lake's offsets count. A segment is deleted once the lake has all of it.
Data that was shipped and is neither in the queue nor in the lake is shipped again.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from actionledger.core.errors import LedgerError
from actionledger.core.processes import remove_free
from actionledger.ledger.storage.connections import BASE, offsets_in
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles, one_sentence
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.ingester import LakeIngester
from actionledger.ledger.storage.lake.place import GRACE_SECONDS, LakePlace
from actionledger.ledger.storage.lake.queue import PIECE_BYTES, Piece, Queue, packed, queue_of
from actionledger.ledger.storage.preparation import Prepared
from actionledger.ledger.storage.segments import Line, batches, qualified_name, remove_finished, segment_sizes
from actionledger.ledger.storage.store import IngestReport, Publishing

CLEANING_SECONDS = 60.0
"""Seconds between a host's queries for which of its segments are in the lake."""

_POLL_SECONDS = 1.0


@dataclass(slots=True)
class Shipper:
    """Ships the records of one host, in the place of ``LakeIngester`` if there is a committer."""

    committing: LakeIngester  # the host's own ingester, since erasures commit directly
    _queue: Queue | None = None
    _cleaned_at: float = 0.0
    _in_lake: set[str] = field(default_factory=set)

    def ingest(
        self, publishing: Publishing, *, patience: float, is_stopped: Callable[[], bool]
    ) -> IngestReport:
        """Ship all of this host's segments; if ``publishing`` is AT_THE_END, wait until the committer has ingested them."""
        give_up_at = time.monotonic() + patience
        with self.committing.elected(patience) as is_elected:
            if not is_elected:
                return IngestReport(was_busy=True)
            if not segment_sizes(self._files.segments):
                return IngestReport()
            if self.committing.may_wait(publishing) and (due := self.due_in()) > 0:
                return IngestReport(due_in=due)
            shipped = self._ship(is_stopped)
            self._clean()
        if publishing is Publishing.AT_THE_END:
            with one_sentence(f"The lake of {self._files.published} can't be read"):
                if not self._is_taken_in(give_up_at, is_stopped):
                    return IngestReport(was_busy=True, shipped=shipped)
        return IngestReport(published=publishing is Publishing.AT_THE_END, shipped=shipped)

    def intake(self) -> "NoIntake":
        """Return an intake that leaves events to the segments."""
        return NoIntake()

    def forget(self, *, patience: float) -> bool:
        """Complete a pending erasure, and remove what this host has shipped."""
        with self.committing.elected(patience) as is_elected:
            if is_elected:
                # The erasure has committed all that this host has flushed.
                queue, own = self._open(), f"{self._place.host}/"
                queue.remove(queue.names(own))
        return is_elected

    def due_in(self) -> float:
        """Return the seconds until the next shipment is due; 0 if it is due now."""
        return self.committing.due_in()

    @property
    def _files(self) -> LedgerFiles:
        return self.committing.files

    @property
    def _place(self) -> LakePlace:
        return self.committing.place

    @property
    def _state(self) -> Path:
        return self._files.folder / "shipped.json"

    def _open(self) -> Queue:
        self._queue = self._queue or queue_of(self._place)
        return self._queue

    def _ship(self, is_stopped: Callable[[], bool]) -> int:
        """Put new lines into the queue; return their size in bytes."""
        queue, shipped, size = self._open(), self._shipped(), 0
        for piece, lines in self._pieces(shipped):
            if is_stopped():
                break
            queue.put(piece.name, packed(b"".join(line.data for line in lines)))
            shipped[piece.segment] = piece.end
            size += piece.end - piece.start
            self._keep(shipped)
        self.committing.committed.touch(mode=0o600)
        return size

    def _pieces(self, shipped: Mapping[str, int]) -> Iterator[tuple[Piece, list[Line]]]:
        found = batches(
            self._files.segments, dict(shipped), finish=True, first=PIECE_BYTES, largest=PIECE_BYTES
        )
        for batch in found:
            for segment, each in groupby(batch, attrgetter("segment")):
                lines = list(each)
                yield Piece(self._place.host, segment, lines[0].start, lines[-1].end), lines

    def _shipped(self) -> dict[str, int]:
        """Return how many bytes of each segment were shipped, by name; if that is not recorded, how many the lake has."""
        try:
            found = json.loads(self._state.read_text(encoding="utf-8"))
            return {str(name): int(end) for name, end in found.items()}
        except FileNotFoundError:
            pass
        except (ValueError, AttributeError, TypeError):
            self._state.unlink(missing_ok=True)  # what is shipped twice is ingested once
        return self._known()

    def _keep(self, shipped: Mapping[str, int]) -> None:
        beside = self._files.folder / f"{TEMPORARY}shipped"
        beside.touch(mode=0o600)
        beside.write_text(json.dumps(shipped), encoding="utf-8")
        beside.replace(self._state)

    def _known(self) -> dict[str, int]:
        """Return how many bytes of each of this host's segments the lake has, by name."""
        prefix = qualified_name(self._place.host, "")
        with closing(connect_lake(self._place)) as connection:
            offsets = offsets_in(connection, BASE)
        return {name.removeprefix(prefix): end for name, end in offsets.items() if name.startswith(prefix)}

    def _clean(self) -> None:
        """Delete segments that are in the lake, and reset the offsets of lost pieces, so that they are shipped again."""
        if time.monotonic() - self._cleaned_at < CLEANING_SECONDS and self._cleaned_at:
            return
        self._cleaned_at = time.monotonic()
        # Before the lake is queried: pieces that have left the queue by now are in the lake.
        waiting = list(filter(None, map(Piece.named, self._open().names(f"{self._place.host}/"))))
        known, sizes, shipped = self._known(), segment_sizes(self._files.segments), self._shipped()
        for name, size in sizes.items():
            if known.get(name, 0) >= size and name not in self._in_lake:
                # Its grace period begins now, since a reader of an earlier state still needs it.
                with suppress(FileNotFoundError):
                    os.utime(self._files.segments / name)
                self._in_lake.add(name)
        remove_finished(self._files.segments, known, older_than=GRACE_SECONDS)
        remove_free(self._files.sessions)
        self._in_lake &= sizes.keys()
        self._keep(
            {
                name: known.get(name, 0) if _is_lost(name, end, known, waiting) else end
                for name, end in shipped.items()
                if name in sizes
            }
        )

    def _is_taken_in(self, give_up_at: float, is_stopped: Callable[[], bool]) -> bool:
        """Wait until the lake has all that was shipped; return whether it has."""
        while True:
            known = self._known()
            sizes = segment_sizes(self._files.segments)
            behind = (end > known.get(name, 0) for name, end in self._shipped().items() if name in sizes)
            if not any(behind):
                return True
            if time.monotonic() >= give_up_at or is_stopped():
                return False
            time.sleep(_POLL_SECONDS)


class NoIntake:
    """Leaves events that are in no segment to the segments, into which the caller then records them."""

    least_bytes = 0

    def take_in(self, prepared: Prepared, *, patience: float = 0.0) -> bool:  # noqa: ARG002 - it ingests nothing
        """Ingest nothing."""
        return False

    def close(self) -> None:
        """Do nothing, since nothing is open."""


def _is_lost(segment: str, shipped: int, known: Mapping[str, int], waiting: list[Piece]) -> bool:
    """Return whether a segment's next piece was shipped but is neither in the lake nor in the queue."""
    end = known.get(segment, 0)
    if shipped <= end:
        return False
    return not any(piece.segment == segment and piece.covers(end) for piece in waiting)


def refuse_no_queue(place: LakePlace) -> None:
    """Raise if a lake has no queue."""
    if not place.queue_path:
        raise LedgerError(
            f'{place.path} names no queue: each host commits by itself. With queue_path = "s3://…" (or a folder that every host has) in '
            "every host's file, hosts ship there what they record, and one committer takes it in."
        )
