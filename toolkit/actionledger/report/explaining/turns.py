"""A recorded turn annotated, line by line: what the model was shown, what it wrote, what was read of it, what came of it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from actionledger.core.errors import UsageError
from actionledger.core.events import ActionRecord
from actionledger.core.text import printable
from actionledger.core.values import ActionCall, Block, Issue, ParseResult
from actionledger.core.vocabulary import Origin
from actionledger.ledger.queries.addresses import query_of
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.names import Called, one_place, one_run, session_names
from actionledger.ledger.queries.turn import TurnDetail, turn
from actionledger.ledger.queries.turns import Step, timeline, turns
from actionledger.report.explaining.responses import response_lines

Tone: TypeAlias = Literal["head", "quiet", "plain"]
"""How a line is shown: as a heading, in the background, or as it is."""


class Line(NamedTuple):
    """One line.

    Args:
        text: it, with nothing in it that steers a terminal.
        tone: how it is shown.
    """

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn of a ledger with all that came of it.

    Args:
        name: what the session is called.
        detail: the turn.
        steps: what came of it, in order.
        run_id: the run whose reading is shown; None for the first one.
    """

    name: str
    detail: TurnDetail
    steps: tuple[Step, ...]
    run_id: str | None

    @property
    def address(self) -> str:
        """The dashboard's replay of it, from its first page's address on."""
        response = self.detail.response
        run = {} if self.run_id is None else {"run": self.run_id}
        return f"replay?{query_of({'session': response.session_id, 'turn': str(response.index)} | run)}"

    @property
    def result(self) -> ParseResult | None:
        """What was read, as the reader gave it; None where nothing has read the response."""
        found, attempt = self.detail, self.detail.attempt
        if attempt is None:
            return None
        return ParseResult(
            text=found.response.text,
            outcome=attempt.outcome,
            actions=tuple(map(_call, found.actions)),
            blocks=tuple(replace(block, issues=_within(block, found.issues)) for block in found.blocks),
            issues=found.issues,
            narrative="",
            parser_id="",
            parser_name=attempt.parser,
            catalogue=attempt.catalogue,
        )


def recorded_turn(ledger: Queryable, place: str, run: Called | None = None) -> RecordedTurn:
    """Return the turn that a person means.

    Args:
        ledger: where it is recorded.
        place: the turn, as SESSION#TURN.
        run: the run whose reading to show, by its name or id; None for the first one.

    Raises:
        UsageError: there is no such session, turn or run.
    """
    session_id, index = one_place(ledger, place)
    if index is None:
        raise UsageError(f"{place!r} is a session; say which turn of it, as SESSION#TURN.")
    run_id = None if run is None else one_run(ledger, run)
    found = turn(ledger, session_id, index, run_id)
    name = session_names(ledger, [session_id])[session_id]
    if found is None:
        places = [each.index for each in turns(ledger, session_id)]
        has = f"its turns are #{places[0]} to #{places[-1]}" if places else "it has none"
        raise UsageError(f"The session {name!r} has no turn #{index}; {has}.")
    return RecordedTurn(name, found, tuple(timeline(ledger, found.response.turn_id)), run_id)


def turn_lines(recorded: RecordedTurn) -> Iterator[Line]:
    """Yield a turn line by line.

    Args:
        recorded: it.
    """
    response = recorded.detail.response
    at = f", {response.occurred_at:%Y-%m-%d %H:%M:%S} UTC" if response.occurred_at else ""
    by = f", by {response.model}" if response.model else ""
    yield Line(printable(f"{recorded.name}#{response.index}{at}{by}"), "head")
    if not response.text_is_exact:
        yield Line("(A secret, or half a character, was replaced before this was recorded.)")
    if response.prompt is not None:
        yield Line("The model was shown:", "head")
        yield from _marked("<", response.prompt)
    if response.reasoning is not None:
        yield Line("It thought:", "head")
        yield from _marked("~", response.reasoning)
    ended = f" (finish reason: {response.finish_reason})" if response.finish_reason else ""
    yield Line(printable(f"It wrote{ended}:"), "head")
    if (result := recorded.result) is None:
        yield from _marked("|", response.text)
        yield Line("= nothing has read this response")
    else:
        for line in response_lines(result):
            yield Line(line, "quiet" if line.startswith("|") else "head" if line.startswith("=") else "plain")
    yield Line("What came of it:", "head")
    for step in recorded.steps:
        yield from _step(step)
    if not recorded.steps:
        yield Line("= nothing is recorded")


def said_of(step: Step) -> str:
    """Return one thing that happened in a turn, in words; what the model was told of it stands apart."""
    what = f"action {step.action_index}, {step.name}" if step.action_index is not None else step.name
    took = "" if step.duration_ms is None else f" in {step.duration_ms:,.1f} ms"
    why = f" ({step.reason})" if step.reason else ""
    match step.kind:
        case "asked":
            return f"{what} waits for a person: {step.text}"
        case "decided":
            return f"{what} {step.status} {step.text}"
        case "run":
            by = ", as its recording says" if step.origin is Origin.RECORDED else ""
            came = step.status.replace("_", " ")
            return f"{what} {came}{why}{took}{by}: {step.text or 'no result'}"
        case "reversed":
            return f"{what} {step.status}: {step.text}"
        case "noted":
            return f"noted, {step.name}: {step.text}"
        case "told":
            return f"The model was told{' again, after the decisions' if step.name else ''}:"


def _step(step: Step) -> Iterator[Line]:
    at = f"{step.occurred_at:%H:%M:%S} " if step.occurred_at else ""
    for line in f"= {at}{said_of(step)}".splitlines():
        yield Line(printable(line))
    if step.kind == "told":
        yield from _marked("<", step.text or "(nothing)")


def _marked(mark: str, text: str) -> Iterator[Line]:
    for line in text.splitlines():
        yield Line(printable(f"{mark} {line}"), "quiet")


def _call(action: ActionRecord) -> ActionCall:
    return ActionCall(
        name=action.name,
        arguments=json.loads(action.arguments),
        status=action.status,
        span=action.span,
        dialect=action.dialect,
        block=action.block,
        errors=action.errors,
        conversions=action.conversions,
        reason=action.reason,
        call_id=action.call_id,
        evidence=action.evidence,
    )


def _within(block: Block, issues: tuple[Issue, ...]) -> tuple[Issue, ...]:
    return tuple(
        issue
        for issue in issues
        if issue.span is not None
        and block.span.start <= issue.span.start
        and issue.span.end <= block.span.end
    )
