"""Parse and check a response: a parser and a catalogue turn it into its parse result."""

import json
import time
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from actionledger.actions.tools import ToolCatalogue
from actionledger.actions.validation import AnyCatalogue, check
from actionledger.core.errors import EventTooLargeError, UsageError
from actionledger.core.recording import ParserIdentity, Recorder, RunKey, TurnKey
from actionledger.core.recording.turns import response_parsed
from actionledger.core.values import ActionCall, Issue, ParseResult, Reading, Span
from actionledger.core.values.calls import Offer
from actionledger.core.vocabulary import Capture, Outcome, Reason
from actionledger.reading.messages import PARSER_NAME, read_message
from actionledger.reading.parsers import AnyParser
from actionledger.reading.recorded import RECORDED, WithCalls, read_recorded


def read_response(
    text: str, parser: AnyParser, catalogue: AnyCatalogue | None, *, is_cut: bool = False
) -> ParseResult:
    """Parse a response and check its actions; never raises because of the text.

    Args:
        text: the raw response, any string.
        parser: the parser.
        catalogue: the known actions; None to check none.
        is_cut: whether the model was stopped early.
    """
    return _checked(parser.read(text, offer_of(catalogue), is_cut=is_cut), parser.name, catalogue)


@lru_cache(maxsize=128)
def catalogue_of_tools(tools: str) -> ToolCatalogue | None:
    """Return a turn's offered tools; None if their definitions can't be used."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the catalogue keeps them, and a recording can't be fixed here
            return ToolCatalogue.of(_each_once(json.loads(tools)))
    except (ValueError, TypeError, AttributeError, RecursionError, UsageError):
        return None


def _each_once(tools: object) -> Any:
    """Return tools with each name once; arguments are not checked if a name has several schemas."""
    found: dict[str, Any] = {}
    for tool in tools if isinstance(tools, list) else []:
        function = tool.get("function") if isinstance(tool, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(name, str):
            return tools
        is_other = name in found and found[name] != tool
        found[name] = {"type": "function", "function": {"name": name}} if is_other else tool
    return list(found.values()) or tools


def offer_of(catalogue: AnyCatalogue | None) -> Offer | None:
    """Return the names of a catalogue's actions with their parameters; None without a catalogue."""
    return catalogue.offer if catalogue else None


def read_and_record(
    record: Recorder,
    text: str,
    parser: AnyParser,
    catalogue: AnyCatalogue | None,
    *,
    turn: TurnKey,
    run: RunKey,
    is_cut: bool,
) -> ParseResult:
    """Parse a response, check its actions and record the attempt; a result larger than a ledger takes is failed and without actions, so that nothing runs unrecorded."""
    begin = time.perf_counter_ns()
    result = read_response(text, parser, catalogue, is_cut=is_cut)
    duration_us = (time.perf_counter_ns() - begin) // 1000
    try:
        record(response_parsed(result, turn, run, duration_us))
    except EventTooLargeError:
        detail = f"It has {len(result.actions):,} actions and {len(result.issues):,} issues."
        result = unread(text, parser, catalogue, detail)
        record(response_parsed(result, turn, run, duration_us))
    return result


def unread(
    text: str,
    parser: ParserIdentity,
    catalogue: AnyCatalogue | None,
    detail: str,
    reason: Reason = Reason.RESPONSE_TOO_LARGE,
) -> ParseResult:
    """Return the parse result of a response that could not be fully parsed, or is larger than a ledger takes."""
    return ParseResult(
        text=text,
        outcome=Outcome.FAILED,
        actions=(),
        blocks=(),
        issues=(Issue(reason, detail=detail),),
        narrative="",
        parser_id=parser.id,
        parser_name=parser.name,
        catalogue=catalogue.name if catalogue else None,
    )


def read_provider_message(message: object, catalogue: AnyCatalogue | None) -> ParseResult:
    """Read a message with calls that the provider has parsed, and check them; never raises because of its content."""
    return _checked(read_message(message, offer_of(catalogue)), PARSER_NAME, _strict(catalogue))


def read_calls(
    written: WithCalls,  # the text and its calls
    capture: Capture,  # how much of them was recorded
    catalogue: AnyCatalogue | None,  # the known actions; None to check none
    *,
    demands_action: bool = False,  # whether a response without a call is a failure
    names: frozenset[str] = frozenset(),  # the tools' names, if there is no catalogue
    thoughts: str = "",  # the model's reasoning, if the provider keeps it apart from the text
) -> ParseResult:
    """Check calls that a recording keeps apart from the text; never raises because of their content."""
    offer = offer_of(catalogue) or names
    found = read_recorded(written, capture, demands_action=demands_action, names=offer, thoughts=thoughts)
    return _checked(found, RECORDED.name, _strict(catalogue))


def _strict(catalogue: AnyCatalogue | None) -> AnyCatalogue | None:
    return catalogue.strict if isinstance(catalogue, ToolCatalogue) else catalogue


def not_read() -> ParseResult:
    """Return the parse result of a response without any recorded model output."""
    return ParseResult(
        text="",
        outcome=Outcome.NOT_RECORDED,
        actions=(),
        blocks=(),
        issues=(),
        narrative="",
        parser_id=RECORDED.id,
        parser_name=RECORDED.name,
        catalogue=None,
    )


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
    """Return a text's issues together with its actions' issues, in text order."""
    notes = [note for action in actions for note in action.notes]
    if not (notes and issues):
        return issues or tuple(notes)
    return tuple(sorted([*issues, *notes], key=lambda issue: issue.span or Span(0, 0)))
