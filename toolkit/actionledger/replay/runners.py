"""Parse one recorded response with another parser and encode the result, the step that all runners share."""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from actionledger.actions.validation import AnyCatalogue
from actionledger.core.events import Event
from actionledger.core.recording import ParserIdentity, RunKey
from actionledger.core.recording.turns import response_parsed
from actionledger.core.vocabulary import LeftOutReason, Reason, was_cut
from actionledger.ledger.queries.rereading import Batch, RecordedResponse
from actionledger.ledger.storage.encoding import encode
from actionledger.reading.parsers import AnyParser
from actionledger.runtime.execution.registry import PROFILES
from actionledger.runtime.parse_result import catalogue_of_tools, read_and_record, unread


@dataclass(frozen=True, slots=True)
class Reading:
    """A new parse of one response."""

    line: bytes | None  # the event to record, encoded; None if there is none
    failed: Reason | None = None  # why the text could not be parsed to the end; None if it was
    left_out: tuple[LeftOutReason, ...] = ()  # number of values that could not be recorded, by reason


class Runner(Protocol):
    """Parses batches of responses, in this process or elsewhere."""

    def run(self, batches: Iterable[Batch]) -> Generator[list[Reading], None, None]:
        """Yield each batch's results, in the order of batches and responses; closing it early ends its processes."""


class Rereader:
    """Parses recorded responses again as one run, checking each against the same schema as at first."""

    def __init__(self, parser: AnyParser, run: RunKey) -> None:
        self.parser = parser
        self.run = run

    def read(self, response: RecordedResponse, tools: Mapping[str, str]) -> bytes:
        """Return the encoded event for a response."""
        lines: list[bytes] = []

        def record(event: Event) -> None:
            lines.append(encode(event))

        catalogue = catalogue_of(response, tools)
        key = response.key
        is_cut = was_cut(response.finish_reason)
        read_and_record(record, response.text, self.parser, catalogue, turn=key, run=self.run, is_cut=is_cut)
        return lines[0]


class InThisProcess:
    """Parses responses in this process, one after the other, without a time limit."""

    def __init__(self, reader: Rereader) -> None:
        self._reader = reader

    def run(self, batches: Iterable[Batch]) -> Generator[list[Reading], None, None]:
        """See ``Runner``."""
        for batch in batches:
            yield [Reading(self._reader.read(response, batch.tools)) for response in batch.responses]


def unread_line(
    response: RecordedResponse, parser: ParserIdentity, run: RunKey, reason: Reason, detail: str
) -> bytes:
    """Return the encoded event for a response that could not be parsed to the end."""
    result = unread(response.text, parser, None, detail, reason)
    return encode(response_parsed(result, response.key, run, 0))


def catalogue_of(response: RecordedResponse, tools: Mapping[str, str]) -> AnyCatalogue | None:
    """Return the catalogue for a response: the tools that it was offered, or its profile's."""
    offered = tools.get(response.tools_hash or "")
    if offered and (catalogue := catalogue_of_tools(offered)):
        return catalogue
    profile = PROFILES.get(response.profile)
    return profile.catalogue if profile else None
