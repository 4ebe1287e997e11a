"""What an import does not take in, as it is recorded and reported: each once, however often it is read."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from actionledger.core.clock import now
from actionledger.core.events import SystemNoted
from actionledger.core.ids import derived_id
from actionledger.core.recording import RESPONSE_CHARACTERS, Recorder, SessionKey, response_refused
from actionledger.core.values.recordings import RecordedSession
from actionledger.imports.report import ImportReport
from actionledger.imports.sources.base import Refusal
from actionledger.imports.turns import Looked
from actionledger.ledger.encoding import as_recorded
from actionledger.ledger.queries.recorded import NOT_TOLD, LeftOutKey, ToldLeftOut

PLACES = 2**31
"""How many turns a session may have."""


class Refusals:
    """Records what is not taken in.

    Args:
        record: takes the events.
        run_id: the run.
        source: what records name the source.
    """

    def __init__(self, record: Recorder, run_id: str, source: str) -> None:
        self._record = record
        self._run_id = run_id
        self._source = source

    def refuse(self, refusal: Refusal, report: ImportReport) -> None:
        """Keep a refusal; the same one of the same file is kept once."""
        report.refusals.append(refusal)
        self._note("line_refused", str(refusal), "line-refused", self._source, str(refusal))

    def note_differing(
        self, item: RecordedSession, session: SessionKey, looked: Looked, report: ImportReport, file: str
    ) -> None:
        """Record that a turn of a file comes with another text than before."""
        place = f"{item.external_id}#{looked.turn.index}"
        reason = f"{place}: other content under the same id; what was recorded first is kept."
        report.differing.append(Refusal(file, 0, reason))
        about = ("turn-differs", looked.turn_id, looked.written.text)
        self._note("turn_differs", reason, *about, session_id=session.session_id)

    def is_too_large(
        self, item: RecordedSession, session: SessionKey, looked: Looked, report: ImportReport, file: str
    ) -> bool:
        """Return whether a response of a file is too large to be recorded, and then refuse it."""
        if len(looked.written.text) <= RESPONSE_CHARACTERS:
            return False
        index = looked.turn.index
        event = response_refused(session.session_id, self._run_id, index, len(looked.written.text))
        reason = f"Session {item.external_id!r}, turn {index}: {event.message}"
        report.refusals.append(Refusal(file, 0, reason))
        self._record(replace(event, event_id=derived_id("response-refused", looked.turn_id)))
        return True

    def has_no_place(self, item: RecordedSession, looked: Looked, report: ImportReport, file: str) -> bool:
        """Return whether a turn has no place that a ledger holds, and then refuse it."""
        index = looked.turn.index
        if 0 <= index < PLACES:
            return False
        why = f"Session {item.external_id!r}: a turn's place counts from 0 to {PLACES - 1}, got {index}."
        self.refuse(Refusal(file, 0, why), report)
        return True

    def _note(self, code: str, message: str, *about: str, session_id: str | None = None) -> None:
        self._record(
            SystemNoted(
                event_id=derived_id(*about),
                recorded_at=now(),
                run_id=self._run_id,
                code=code,
                message=message,
                session_id=session_id,
            )
        )


# How much of each file was left out, told to a ledger as what is more or fewer than it knew: whatever grows counts as it stands.
WITHIN_TURN = "within a turn"
"""What results are called that stand in the turn of the calls, and belong to none of them: they are counted with their turn, once."""


def changes(
    counted: Mapping[LeftOutKey, int],
    whole: Collection[str],
    before: Callable[[Sequence[str]], Mapping[LeftOutKey, ToldLeftOut]],
) -> Iterator[tuple[LeftOutKey, int, int]]:
    """Yield what was left out of files beyond what a ledger knows: add it to that, and each file counts as it stands.

    Args:
        counted: what was left out, by file, reason and what it is.
        whole: the files that were read to their end; of any other one nothing is taken back.
        before: returns what the ledger knows of some files.

    Yields:
        The file, the reason and what it is; how much more there is of it, less than nothing where there is less; and how many times
        it was told of before.
    """
    now: Counter[LeftOutKey] = Counter()
    for (path, reason, detail), count in counted.items():
        now[as_recorded(path), reason, as_recorded(detail)] += count
    read = {as_recorded(path) for path in whole}
    known = before(sorted({path for path, _, _ in now} | read))
    for key in dict.fromkeys((*now, *known)):
        told = known.get(key, NOT_TOLD)
        more = now[key] if key[2] == WITHIN_TURN else now[key] - told.amount
        if more > 0 or (more < 0 and key[0] in read):
            yield key, more, told.times
