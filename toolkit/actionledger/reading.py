"""READ and CHECK together: a parser and a catalogue make a result of a response."""

from actionledger.actions.validation import AnyCatalogue, check
from actionledger.parsing.parsers import BaselineParser, DialectParser
from actionledger.parsing.providers import PARSER_NAME, read_message
from actionledger.values import ParseResult, Reading


def read_response(
    text: str, parser: DialectParser | BaselineParser, catalogue: AnyCatalogue | None
) -> ParseResult:
    """Read a response and check its actions; never raises on text.

    Args:
        text: the raw response, any string at all.
        parser: the configuration that reads it.
        catalogue: the actions that exist; None to take every named action as valid.
    """
    names = frozenset(catalogue.names) if catalogue else None
    return _checked(parser.read(text, names), parser.name, catalogue)


def read_provider_message(message: object, catalogue: AnyCatalogue | None) -> ParseResult:
    """Read a message in which a provider has read the calls already, and check them; never raises on what it holds.

    Args:
        message: the decoded JSON; see ``providers.read_message``.
        catalogue: the actions that exist; None to take every named action as valid.
    """
    return _checked(read_message(message), PARSER_NAME, catalogue)


def _checked(found: Reading, parser_name: str, catalogue: AnyCatalogue | None) -> ParseResult:
    return ParseResult(
        text=found.text,
        outcome=found.outcome,
        actions=check(found, catalogue),
        blocks=found.blocks,
        issues=found.issues,
        narrative=found.narrative,
        parser_id=found.parser_id,
        parser_name=parser_name,
        catalogue=catalogue.name if catalogue else None,
    )
