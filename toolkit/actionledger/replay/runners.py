"""One recorded response under another parser, as the line that is recorded of it: what every runner does with every text."""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from actionledger.actions.validation import AnyCatalogue
from actionledger.core.events import Event
from actionledger.core.recording import ParserIdentity, RunKey, SessionKey, TurnKey
from actionledger.core.recording.turns import response_parsed
from actionledger.core.vocabulary import LeftOutReason, Reason, was_cut
from actionledger.ledger.queries.rereading import Batch, RecordedResponse
from actionledger.ledger.storage.encoding import encode
from actionledger.reading.parsers import AnyParser
from actionledger.runtime.execution.registry import PROFILES
from actionledger.runtime.parse_result import catalogue_of_tools, read_and_record, unread


@dataclass(frozen=True, slots=True)
class Reading:
    """A new reading of one response.

    Args:
        line: the event to record, encoded; None where there is none.
        failed: why nobody could read the text to its end; None where it was read.
        left_out: what could not be recorded of the reading, by reason.
    """

    line: bytes | None
    failed: Reason | None = None
    left_out: tuple[LeftOutReason, ...] = ()


class Runner(Protocol):
    """Has responses read, somewhere."""

    def run(self, batches: Iterable[Batch]) -> Generator[list[Reading], None, None]:
        """Yield what came of each batch, in the order of batches and of their responses; closed early, it ends what it began."""


class Rereader:
    """Reads recorded responses again, as one run; each is checked against what it was checked against at first.

    Args:
        parser: what reads them.
        run: what the readings are recorded as.
    """

    def __init__(self, parser: AnyParser, run: RunKey) -> None:
        self.parser = parser
        self.run = run

    def read(self, response: RecordedResponse, tools: Mapping[str, str]) -> bytes:
        """Return the line that is recorded of a response."""
        lines: list[bytes] = []

        def record(event: Event) -> None:
            lines.append(encode(event))

        catalogue = catalogue_of(response, tools)
        key = turn_key(response)
        is_cut = was_cut(response.finish_reason)
        read_and_record(record, response.text, self.parser, catalogue, turn=key, run=self.run, is_cut=is_cut)
        return lines[0]


class InThisProcess:
    """Reads in this process, one response after the other; nothing keeps a text from holding it up.

    Args:
        reader: reads a response.
    """

    def __init__(self, reader: Rereader) -> None:
        self._reader = reader

    def run(self, batches: Iterable[Batch]) -> Generator[list[Reading], None, None]:
        """See ``Runner``."""
        for batch in batches:
            yield [Reading(self._reader.read(response, batch.tools)) for response in batch.responses]


def unread_line(
    response: RecordedResponse, parser: ParserIdentity, run: RunKey, reason: Reason, detail: str
) -> bytes:
    """Return the line that is recorded of a response which nobody could read to its end."""
    result = unread(response.text, parser, None, detail, reason)
    return encode(response_parsed(result, turn_key(response), run, 0))


def catalogue_of(response: RecordedResponse, tools: Mapping[str, str]) -> AnyCatalogue | None:
    """Return what a response's actions are checked against: the tools that it was offered, or its profile's catalogue."""
    offered = tools.get(response.tools_hash or "")
    if offered and (catalogue := catalogue_of_tools(offered)):
        return catalogue
    profile = PROFILES.get(response.profile)
    return profile.catalogue if profile else None


def turn_key(response: RecordedResponse) -> TurnKey:
    """Return a recorded response's turn, as records carry it."""
    session = SessionKey(
        session_id=response.session_id, profile=response.profile, model=response.model, task=response.task
    )
    return TurnKey(
        session=session,
        turn_id=response.turn_id,
        index=response.turn_index,
        occurred_at=response.occurred_at,
    )
