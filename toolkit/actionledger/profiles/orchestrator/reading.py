"""The orchestrator's reading as its own document describes it: a response's actions, its narrative, its errors."""

import warnings
from dataclasses import dataclass
from typing import Any

from actionledger.core.values import ActionCall, ParseResult
from actionledger.core.vocabulary import Outcome
from actionledger.profiles.orchestrator.actions import CATALOGUE
from actionledger.profiles.orchestrator.refusing import refusal
from actionledger.reading.parsers import parser_named
from actionledger.runtime.parsing import read_response


@dataclass(frozen=True, slots=True)
class ParsedActions:
    """What a response of the orchestrator holds.

    Args:
        actions: the valid actions in text order, each an object of JSON values with its name as ``action``; fields that
            were left out have their defaults.
        narrative: the response without its action blocks; JSON that is no action stays in it.
        errors: what kept something from being read or from being valid, a sentence each, in text order; what could not
            be read comes first.
    """

    actions: list[dict[str, Any]]
    narrative: str
    errors: list[str]


def parse_actions(text: str) -> ParsedActions:
    """Read and check all action blocks of a response; never raises on text."""
    return parsed_actions(read_response(text, parser_named("orchestrator"), CATALOGUE))


def parsed_actions(result: ParseResult) -> ParsedActions:
    """Return what was read under the orchestrator's profile as its document has it."""
    return ParsedActions(
        actions=[as_object(call) for call in result.actions if call.status.is_runnable],
        narrative=result.narrative,
        errors=[
            *(f"{'Note' if issue.code.is_note else 'Not read'}: {issue.message}" for issue in result.issues),
            *(refusal(call, CATALOGUE.names) for call in result.actions if call.status.is_refused),
        ],
    )


def is_flawed(result: ParseResult) -> bool:
    """Return whether something in a response could not be read, or is no valid action."""
    is_unread = result.outcome in {Outcome.FAILED, Outcome.PARTIAL}
    return is_unread or any(call.status.is_refused for call in result.actions)


def as_object(call: ActionCall) -> dict[str, Any]:
    """Return a valid action as the JSON object that its document writes."""
    assert call.action is not None
    return call.action.model_dump(by_alias=True)


def strip_action_blocks(text: str) -> str:
    """Return a response without its action blocks.

    Deprecated: ``parse_actions`` gives the narrative and the actions in one pass.
    """
    warnings.warn(
        "strip_action_blocks reads the response a second time; use parse_actions(text).narrative.",
        DeprecationWarning,
        stacklevel=2,
    )
    return parse_actions(text).narrative
