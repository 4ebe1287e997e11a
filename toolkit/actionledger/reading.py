"""READ and CHECK together: a parser and a catalogue make a result of a response."""

from actionledger.actions.validation import AnyCatalogue, check
from actionledger.parsing.parsers import BaselineParser, DialectParser
from actionledger.values import ParseResult


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
    found = parser.read(text, names)
    return ParseResult(
        text=text,
        outcome=found.outcome,
        actions=check(found, catalogue),
        blocks=found.blocks,
        issues=found.issues,
        narrative=found.narrative,
        parser_id=found.parser_id,
        parser_name=parser.name,
        catalogue=catalogue.name if catalogue else None,
    )
