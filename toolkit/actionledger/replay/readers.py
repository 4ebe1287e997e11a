"""How a response is parsed, as given by a case or recorded in a ledger."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from actionledger.actions.tools import ToolCatalogue
from actionledger.actions.validation import AnyCatalogue
from actionledger.core.errors import UsageError
from actionledger.core.values import ParseResult
from actionledger.core.vocabulary import Capture
from actionledger.ledger.queries.readings import RecordedReading
from actionledger.reading.dialects import DIALECTS, FAMILIES
from actionledger.reading.parsers import PARSERS, AnyParser, parser_for, parser_named
from actionledger.runtime.execution.registry import PROFILES, profile_named
from actionledger.runtime.parse_result import read_provider_message, read_response


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How to parse a text (by a parser, dialects or a profile's parser), and the schema to check its actions against.

    Args:
        parser: a parser's name; empty for none.
        dialects: names of dialects to search for; empty for none.
        profile: a profile whose catalogue to check actions against, and whose parser to use if no other is given; empty for none.
        tools: tools in the OpenAI API's format, instead of a profile's catalogue; None for none.
    """

    parser: str = ""
    dialects: tuple[str, ...] = ()
    profile: str = ""
    tools: Sequence[Mapping[str, Any]] | None = None

    def chosen_parser(self) -> AnyParser:
        """Return the parser.

        Raises:
            UnknownNameError: a name is unknown.
            UsageError: no way to parse is given, or two are.
        """
        if self.parser and self.dialects:
            raise UsageError("Give either a parser or dialects: a parser brings its own dialects.")
        if self.parser:
            return parser_named(self.parser)
        if self.dialects:
            offered = ToolCatalogue.of(self.tools) if self.tools is not None else None
            is_tagged = offered is not None and "xml_tags" in self.dialects
            return parser_for(
                self.dialects, tuple(offered.parameters.items()) if offered and is_tagged else None
            )
        if self.profile:
            return profile_named(self.profile).parser
        raise UsageError("Nothing says how to read: give a parser, dialects or a profile.")

    def read(self, text: str) -> ParseResult:
        """Parse a text and check its actions; raises only the errors of ``chosen_parser``."""
        return read_response(text, self.chosen_parser(), self._catalogue())

    def read_message(self, text: str) -> ParseResult:
        """Check the tool calls of a provider's message, which the provider has already parsed.

        Args:
            text: the message as JSON text.

        Raises:
            UsageError: it is not JSON, or a parser or dialects are given, which don't apply to messages.
            UnknownNameError: the profile is unknown.
        """
        if self.parser or self.dialects:
            raise UsageError("A message is read by its own interface: give a profile or tools, or neither.")
        try:
            message = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"A message is JSON, and this is none: {error}.") from None
        return read_provider_message(message, self._catalogue())

    def _catalogue(self) -> AnyCatalogue | None:
        if self.tools is not None:
            return ToolCatalogue.of(self.tools)
        return profile_named(self.profile).catalogue if self.profile else None


def reader_of(reading: RecordedReading) -> Reader:
    """Return how a recorded response was parsed."""
    where = f"{reading.external_id or reading.session_id}#{reading.turn_index}"
    if reading.capture is not Capture.TEXT:
        raise UsageError(
            f"Of {where} the calls were recorded beside the text ({reading.capture}): there is no text to read again."
        )
    profile = PROFILES.get(reading.profile)
    tools = None
    checked_by = ""
    if reading.catalogue is not None:
        if profile is not None and profile.catalogue.name == reading.catalogue:
            checked_by = reading.profile
        elif reading.tools is not None:
            tools = json.loads(reading.tools)
        else:
            raise UsageError(
                f"The actions of {where} were checked against {reading.catalogue!r}, which nothing here goes by."
            )
    known = {dialect.name for dialect in DIALECTS} | set(FAMILIES)
    if reading.parser in PARSERS:
        return Reader(parser=reading.parser, profile=checked_by, tools=tools)
    if known.issuperset(names := tuple(reading.parser.split("+"))):
        return Reader(dialects=names, profile=checked_by, tools=tools)
    if profile is not None and profile.parser.name == reading.parser and tools is None and checked_by:
        return Reader(profile=checked_by)
    raise UsageError(f"{where} was read by {reading.parser!r}, and no parser here has that name.")
