"""A worker process of an import: it reads and parses parts and prepares events, but records nothing.

``workers.py`` starts it with what the ledger had when the import began. A part that needs more is left to the process with the ledger.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO

from actionledger.core.events import Event
from actionledger.core.frozen import collecting_seldom
from actionledger.core.privacy import custom
from actionledger.core.processes import interrupt_gate
from actionledger.imports.handovers import ImporterUpdate, MadePart, SharedFacts, SourceFacts
from actionledger.imports.importer import Importer
from actionledger.imports.importers import Importers, dialects_of, tools_of, wordings_of
from actionledger.imports.parts import (
    FileOfPart,
    HowToRead,
    ImportPart,
    PartProgress,
    PartTask,
    SentBehind,
    items_of,
    received,
)
from actionledger.imports.reading import AS_IT_SAYS, ReadAs
from actionledger.imports.sources.base import ReadFile
from actionledger.imports.sources.containers import shown
from actionledger.imports.sources.registry import source_named
from actionledger.ledger.queries.recorded import Added, Known, LastTurn, OpenCall
from actionledger.ledger.storage.batch import Batch


class AskTheLedgerError(Exception):
    """Only the ledger, which another process has open, can answer."""


def main() -> None:
    """Read parts until no more are requested."""
    requests, answers = os.fdopen(0, "rb", buffering=0), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output printed by a profile or a source is no answer
    how: HowToRead = received(requests)
    custom.add(how.secrets)
    worker = Worker(how, SentBehind(answers))
    with interrupt_gate(), collecting_seldom():
        for task in _tasks(requests):
            worker.read(task)


def _tasks(requests: IO[bytes]) -> Iterator[PartTask]:
    """Yield the tasks, each received at once: the parent doesn't receive answers while it waits to send one."""
    tasks: SimpleQueue[PartTask | None] = SimpleQueue()
    Thread(target=_fetch, args=(requests, tasks), daemon=True).start()
    yield from iter(tasks.get, None)


def _fetch(requests: IO[bytes], tasks: "SimpleQueue[PartTask | None]") -> None:
    try:
        with suppress(EOFError):
            while True:
                tasks.put(received(requests))
    finally:
        tasks.put(None)


class Worker:
    """Reads parts of an import."""

    def __init__(self, how: HowToRead, answers: SentBehind) -> None:
        self._how = how
        self._answers = answers
        self._known: dict[str, tuple[str, Known]] = {}
        self._read_as = _read_as(how)

    def read(self, task: PartTask) -> None:
        """Read a part, and send its progress and events whenever there are enough."""
        for name, facts in task.facts.items():
            self._known[name] = (facts.run_id, _known(facts, self._how.facts))
        reading = _PartReading(self._how, self._read_as, self._known, self._answers)
        try:
            reading.read(task.part, task.files)
        except AskTheLedgerError:
            reading.give_up()
        finally:
            reading.forget()


class _PartReading(Importers):
    """One part while it is read."""

    def __init__(
        self,
        how: HowToRead,
        read_as: ReadAs,
        known: dict[str, tuple[str, Known]],
        answers: SentBehind,
    ) -> None:
        super().__init__(how.origin)
        self._how = how
        self._read_as = read_as
        self._known = known
        self._answers = answers
        self._forms: dict[str, str] = {}
        self._batch = Batch()
        self._added: list[tuple[Known, Added]] = []
        self._place = (0, 0)
        self._bytes = 0
        self._ended: list[tuple[int, bool]] = []

    def read(self, part: ImportPart, files: Sequence[FileOfPart]) -> None:
        for place, file in enumerate(files):
            before = self.troubles
            self.begin_file(shown(Path(file.path)))
            items = items_of(Path(file.path), file.form, _reader(file, self._how), self._note_read)
            for number, item in enumerate(items):
                if part.has(item):
                    self.take(item, file.name, file.form)
                self._place = (place, number + 1)
                if self._batch.size >= self._how.made_bytes:
                    self._tell()
            self._place = (place + 1, 0)
            self._ended.append((place, self.troubles == before))
        self._tell(is_last=True)

    def give_up(self) -> None:
        """Leave the rest, after the last answer, to the process with the ledger."""
        self._answers.send(PartProgress(None, 0, 0, 0))

    def forget(self) -> None:
        """Take back what was noted as known: another part must find it out by itself."""
        for known, added in self._added:
            known.remove(added)
        for importer in self.importers.values():
            if importer.known.added is not None:
                importer.known.remove(importer.known.added)
                importer.known.added = None

    def make(self, name: str, format_name: str) -> Importer:
        if name not in self._known:
            raise AskTheLedgerError
        run_id, known = self._known[name]
        known.added = known.added or Added()
        self._forms[name] = format_name
        return Importer(
            self._record,
            source=name,
            origin=self.origin,
            known=known,
            read_as=self._read_as.in_format(dialects_of(format_name)),
            wordings=wordings_of(format_name),
            tools=tools_of(format_name),
            prices=self._how.prices,
            run_id=run_id,
            is_part=True,
        )

    def _record(self, event: Event) -> None:
        self._batch.add(event)

    def _note_read(self, count: int) -> None:
        self._bytes += count

    def _tell(self, *, is_last: bool = False) -> None:
        news = {name: (self._forms[name], self._update_of(each)) for name, each in self.importers.items()}
        made = MadePart(self._batch.prepared(), news)
        self._answers.send(PartProgress(made, *self._place, self._bytes, self._ended, is_last))
        self._batch, self._bytes, self._ended = Batch(), 0, []

    def _update_of(self, importer: Importer) -> ImporterUpdate:
        added = importer.known.added or Added()
        self._added.append((importer.known, added))
        importer.known.added = Added()
        return importer.take_update(added)


def _known(facts: SourceFacts, of_all: SharedFacts) -> Known:
    """Return what is known of a source; anything more needs the ledger, unless it had nothing of the source."""
    added, before = facts.added, of_all.together if facts.before is None else facts.before
    known = Known(before, added.ids, added.turns, added.superseded, of_all.forgotten)
    if facts.has_before:
        known.open_calls, known.calls_of = _ask_for_open_calls, _ask_for_calls
        known.text_of = known.recorded_session = _ask_for_text
        known.recorded_last = _ask_for_last
        known.details_of, known.results_of = _ask_for_details, _ask_for_results
    return known


def _ask_for_open_calls() -> list[OpenCall]:
    raise AskTheLedgerError


def _ask_for_calls(_turn_id: str) -> frozenset[str]:
    raise AskTheLedgerError


def _ask_for_text(_turn_id: str) -> str:
    raise AskTheLedgerError


def _ask_for_last(_session_id: str) -> LastTurn:
    raise AskTheLedgerError


def _ask_for_details(_session_id: str) -> str:
    raise AskTheLedgerError


def _ask_for_results(_turn_id: str) -> list[str]:
    raise AskTheLedgerError


def _reader(file: FileOfPart, how: HowToRead) -> ReadFile:
    source = source_named(file.form)
    return source.mapped(how.columns) if how.columns and source.mapped is not None else source.read


def _read_as(how: HowToRead) -> ReadAs:
    if how.texts is None:
        return AS_IT_SAYS
    return ReadAs.of(**how.texts)
