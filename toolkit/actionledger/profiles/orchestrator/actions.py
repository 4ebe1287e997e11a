"""The orchestrator's seven actions, and their reading as the original document returns it.

The original document names all seven and shows the fields of four: ``create_issues``, ``invoke_cheenoski``,
``update_plan``, ``create_branch``. The fields of ``request_info``, ``escalate`` and ``request_review`` are ours.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from actionledger.actions.catalogue import Action, Catalogue
from actionledger.core.canonical import JsonDict
from actionledger.core.patterns import regex
from actionledger.core.values import ActionCall, FieldError, ParseResult
from actionledger.core.vocabulary import Outcome, Reason
from actionledger.reading.parsers import parser_named
from actionledger.reading.said import said
from actionledger.runtime.parse_result import read_response


class Issue(BaseModel):
    """One issue to file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    title: str = Field(min_length=1, description="The issue's title.")
    body: str = Field(description="What is to be done, as Markdown; it may be empty.")
    labels: list[str] = Field(description="The issue's labels; the list may be empty.")


class CreateIssues(Action):
    """File issues for the work to be done."""

    example = {
        "issues": [
            {
                "title": "Search finds accented names",
                "body": "Fold accents on both sides before comparing.",
                "labels": ["search"],
            }
        ]
    }
    action: Literal["create_issues"]
    issues: list[Issue] = Field(min_length=1, description="The issues, at least one.")


class InvokeCheenoski(Action):
    """Hand the issues of one label to Cheenoski, who works them off."""

    example = {"label": "search"}
    action: Literal["invoke_cheenoski"]
    label: str = Field(min_length=1, description="The label of the issues.")


class UpdatePlan(Action):
    """Replace the plan."""

    example = {"plan": "First the index, then the search page."}
    action: Literal["update_plan"]
    plan: str = Field(min_length=1, description="The whole plan from now on.")


class RequestInfo(Action):
    """Ask for something that the work can't go on without."""

    example = {"question": "Which database is in use?"}
    action: Literal["request_info"]
    question: str = Field(min_length=1, description="The question.")
    context: str = Field(default="", description="What one has to know to answer it.")


class Escalate(Action):
    """Hand a decision to the layer above."""

    example = {"reason": "The two requirements contradict each other."}
    action: Literal["escalate"]
    reason: str = Field(min_length=1, description="Why it can't be decided here.")
    context: str = Field(default="", description="What one has to know to decide it.")


class RequestReview(Action):
    """Ask for a review of finished work."""

    example = {"target": "search/accents", "notes": "Mind the size of the index."}
    action: Literal["request_review"]
    target: str = Field(min_length=1, description="What to review: a branch, a pull request, a plan.")
    notes: str = Field(default="", description="What the reviewer should look at.")


class CreateBranch(Action):
    """Create a branch for a piece of work."""

    example = {"branch_name": "search/accents", "from": "main"}
    action: Literal["create_branch"]
    branch_name: str = Field(min_length=1, description="The new branch's name.")
    from_branch: str = Field(
        default="main", alias="from", min_length=1, description="The branch to start from."
    )


CATALOGUE = Catalogue(
    name="orchestrator",
    discriminator="action",
    actions=(
        CreateIssues,
        InvokeCheenoski,
        UpdatePlan,
        RequestInfo,
        Escalate,
        RequestReview,
        CreateBranch,
    ),
)


@dataclass(frozen=True, slots=True)
class ParsedActions:
    """A parsed response of the orchestrator."""

    # the valid actions in text order, each an object of JSON values with its name as `action`; omitted fields have their defaults
    actions: list[JsonDict]
    # the response without its action blocks; JSON that is no action stays in it, thoughts don't
    narrative: str
    # a sentence for each unreadable or invalid part, in text order; unreadable parts come first
    errors: list[str]


def parse_actions(text: str) -> ParsedActions:
    """Parse and check all action blocks of a response; never raises on text."""
    return parsed_actions(read_response(text, parser_named("orchestrator"), CATALOGUE))


def parsed_actions(result: ParseResult) -> ParsedActions:
    """Return a reading under the orchestrator's profile in its document's form."""
    return ParsedActions(
        actions=[as_object(call) for call in result.actions if call.status.is_runnable],
        narrative=said(result.narrative).text,
        errors=[
            *(f"{'Note' if issue.code.is_note else 'Not read'}: {issue.message}" for issue in result.issues),
            *(refusal(call, CATALOGUE.names) for call in result.actions if call.status.is_refused),
        ],
    )


def is_flawed(result: ParseResult) -> bool:
    """Return whether a response has an unreadable part or an invalid action."""
    is_unread = result.outcome in {Outcome.FAILED, Outcome.PARTIAL}
    return is_unread or any(call.status.is_refused for call in result.actions)


def as_object(call: ActionCall) -> JsonDict:
    """Return a valid action as the document's JSON object."""
    assert call.action is not None
    return call.action.model_dump(by_alias=True)


def strip_action_blocks(text: str) -> str:
    """Return a response without its action blocks.

    Deprecated: ``parse_actions`` returns the narrative and the actions in one pass.
    """
    warnings.warn(
        "strip_action_blocks reads the response a second time; use parse_actions(text).narrative.",
        DeprecationWarning,
        stacklevel=2,
    )
    return parse_actions(text).narrative


_RECEIVED = {'"': "string", "[": "array", "{": "object", "t": "boolean", "f": "boolean", "n": "null"}
"""The type of a JSON text by its first character; any other text is a number."""

_LEAST = regex(r"at least (\d+)")


def refusal(call: ActionCall, names: Sequence[str]) -> str:
    """Return a refused action's errors on one line: ``Invalid action "create_issues": issues: Required``."""
    return f'Invalid action "{call.name}": {"; ".join(_in_words(error, names) for error in call.errors)}'


def _in_words(error: FieldError, names: Sequence[str]) -> str:
    if error.code in {Reason.UNKNOWN_ACTION, Reason.MISSING_NAME}:
        expected = " | ".join(f"'{name}'" for name in names)
        return f"Invalid discriminator value. Expected {expected}"
    if error.code is Reason.UNKNOWN_FIELD:
        parent, _, field = error.path.rpartition(".")
        return _at(parent, f"Unrecognized key(s) in object: '{field}'")
    words = _WORDS.get(error.code)
    return _at(error.path, words(error) if words else f"Expected {error.expected}")


def _at(path: str, message: str) -> str:
    return f"{path}: {message}" if path else message


def _wrong_type(error: FieldError) -> str:
    return f"Expected {error.expected.split()[0]}, received {_RECEIVED.get(error.value[:1], 'number')}"


def _bad_length(error: FieldError) -> str:
    """Return a value's required length; these actions only have a minimum length."""
    least = _LEAST.search(error.expected)
    if least is None:
        return f"Expected {error.expected}"
    if error.value.startswith("["):
        return f"Array must contain at least {least[1]} element(s)"
    return f"String must contain at least {least[1]} character(s)"


_WORDS: Mapping[Reason, Callable[[FieldError], str]] = {
    Reason.MISSING_FIELD: lambda _error: "Required",
    Reason.WRONG_TYPE: _wrong_type,
    Reason.BAD_LENGTH: _bad_length,
}
