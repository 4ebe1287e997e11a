"""READ and CHECK together: a parser and a catalogue make a result of a response."""

from collections.abc import Sequence

from actionledger.actions.validation import AnyCatalogue, check
from actionledger.parsing.parsers import BaselineParser, DialectParser
from actionledger.parsing.providers import PARSER_NAME, read_message
from actionledger.values import ActionCall, Issue, ParseResult, Reading, Span


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
    actions = check(found, catalogue)
    return ParseResult(
        text=found.text,
        outcome=found.outcome,
        actions=actions,
        blocks=found.blocks,
        issues=_with_notes(found.issues, actions),
        narrative=found.narrative,
        parser_id=found.parser_id,
        parser_name=parser_name,
        catalogue=catalogue.name if catalogue else None,
    )


def _with_notes(issues: tuple[Issue, ...], actions: Sequence[ActionCall]) -> tuple[Issue, ...]:
    """Return the issues of a text with those of its actions, in text order."""
    notes = [note for action in actions for note in action.notes]
    if not notes:
        return issues
    return tuple(sorted([*issues, *notes], key=lambda issue: issue.span or Span(0, 0)))
