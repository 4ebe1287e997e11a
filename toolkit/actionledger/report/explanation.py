"""Annotate responses and recorded turns line by line: narrative, blocks, and the calls made from them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, TypeAlias

from actionledger.core.errors import UsageError
from actionledger.core.events import ActionRecord
from actionledger.core.patterns import regex
from actionledger.core.text import printable
from actionledger.core.values import ActionCall, Block, Issue, ParseResult, Span, Turn
from actionledger.core.vocabulary import SENTENCES, Origin, Reason
from actionledger.ledger.queries.addresses import query_of
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.names import Called, one_place, one_run, session_names
from actionledger.ledger.queries.turn import TurnDetail, turn
from actionledger.ledger.queries.turns import Step, timeline, turns

if TYPE_CHECKING:
    from actionledger.ledger import Ledger


_WIDEST = 160
_NAMED = regex(r'\s{0,20}(?:\[\s{0,20})?\{\s{0,20}"action"\s{0,20}:\s{0,20}"([^"\\]{1,80})"')


def response_lines(result: ParseResult) -> Iterator[str]:
    """Yield a response line by line: ``|`` before narrative, ``>`` before a block's text, ``=`` before its parsed result."""
    return (printable(line) for line in _lines(result))


def _lines(result: ParseResult) -> Iterator[str]:
    yield f"= {result.outcome.said}, read by {result.parser_name}"
    at = 0
    for block in sorted(result.blocks, key=lambda block: block.span):
        yield from _shown("|", Span(at, block.span.start).of(result.text))
        yield from _shown(">", Span(max(at, block.span.start), block.span.end).of(result.text))
        yield from _block(block, result)
        at = max(at, block.span.end)
    yield from _shown("|", result.text[at:])
    in_blocks = {id(issue) for block in result.blocks for issue in block.issues}
    for issue in result.issues:
        if id(issue) not in in_blocks:
            yield f"= {issue.code}: {issue.message}"


def _block(block: Block, result: ParseResult) -> Iterator[str]:
    reason = f", {block.reason}: {SENTENCES[block.reason]}" if block.reason else ""
    yield f"= block {block.index}, {block.dialect}, {block.status} {_at(block.span)}{reason}"
    is_open = block.reason is Reason.NOT_AN_ACTION and result.catalogue is None
    if is_open and (named := _NAMED.match(block.body.of(result.text))):
        yield f"=   nothing says that {named[1]!r} is an action: no tools were offered, and no fence or word announces one"
    for repair in block.repairs:
        change = f"{_cut(repair.before)!r} read as {_cut(repair.after)!r}"
        yield f"=   repair {repair.kind} {_at(repair.span)}: {change}"
    for issue in block.issues:
        where = f" {_at(issue.span)}" if issue.span else ""
        yield f"=   issue {issue.code}{where}: {issue.message}"
    for index, call in enumerate(result.actions):
        if call.block == block.index:
            yield f"=   action {index}, {_cut(call.name) or 'unnamed'}, {call.status.said} {_at(call.span)}"
            for error in call.errors:
                yield f"=     {error.code}: {error.message}"
            for path, before, after in call.conversions:
                yield f"=     {Reason.CONVERTED}: {path}: {_cut(before)} taken as {_cut(after)}"


def _shown(mark: str, text: str) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        yield f"{mark} {line.rstrip(chr(10))}"


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[:_WIDEST] + "…"


def _at(span: Span) -> str:
    return f"[{span.start}:{span.end}]"


Tone: TypeAlias = Literal["head", "quiet", "plain"]
"""A line's display style: a heading, in the background, or plain."""


class Line(NamedTuple):
    """One line of an annotation."""

    text: str  # the line, without terminal control characters
    tone: Tone = "plain"  # its display style


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn of a ledger with all its results."""

    name: str  # the session's display name
    detail: TurnDetail
    steps: tuple[Step, ...]  # its results, in order
    run_id: str | None  # the run whose parse is shown; None for the first parse

    @property
    def address(self) -> str:
        """Its path in the dashboard's replay, relative to the dashboard's address."""
        response = self.detail.response
        run = {} if self.run_id is None else {"run": self.run_id}
        return f"replay?{query_of({'session': response.session_id, 'turn': str(response.index)} | run)}"

    @property
    def result(self) -> ParseResult | None:
        """The parse result as the parser returned it; None if the response was not parsed."""
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
    """Return the turn that SESSION#TURN names, as a run (its name or id) parsed it; None for the first parse."""
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
    """Describe one step of a turn in words; feedback to the model is shown separately."""
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


class Explanation(str):  # noqa: SLOT000 - it carries the result, which a str has no slot for
    """An annotated response: its lines as text, and in a notebook the response with each place marked.

    Args:
        text: the lines.
        result: the parse result; None if a recorded response was not parsed.
        recorded: its turn in a ledger; None if it is not recorded.

    Example:
        >>> explanation = al.explain(al.parse("<execute>1 + 1</execute>", profile="mint"))
        >>> type(explanation) is al.Explanation, str(explanation.result.outcome)
        (True, 'clean')
    """

    def __new__(cls, text: str, result: ParseResult | None, recorded: "RecordedTurn | None" = None) -> Self:
        """Return the lines, with the parse result that they were made from."""
        made = super().__new__(cls, text)
        made.result = result
        made.recorded = recorded
        return made

    result: ParseResult | None
    recorded: "RecordedTurn | None"

    def __repr__(self) -> str:
        return str(self)

    def __reduce__(self) -> tuple[type[Self], tuple[str, ParseResult | None, "RecordedTurn | None"]]:
        return type(self), (str(self), self.result, self.recorded)

    def _repr_html_(self) -> str:
        if self.recorded is not None:
            from actionledger.report.readings import recorded_html  # noqa: PLC0415 - only for display

            return recorded_html(self.recorded, self.result)
        from actionledger.report.readings import explanation_html  # noqa: PLC0415

        assert self.result is not None
        return explanation_html(self.result)


def explain(
    what: "ParseResult | Turn | Ledger", turn: str | None = None, *, run: "Called | None" = None
) -> Explanation:
    """Annotate a response, marking every part of it; a recorded turn is shown with its results.

    Args:
        what: a parse result, a turn, or the ledger with the turn.
        turn: the ledger's turn as SESSION#TURN: the session by its name, id, the beginning of either, or its title; the turn by its index.
        run: the run whose parse to show, by its name or id; None for the first parse.

    Returns:
        Lines: ``|`` before narrative, ``>`` before a block's text, ``=`` before its parsed result. Every character of the response
            is in one of the first two kinds, with control characters as escapes. A notebook shows the response itself, in colour.
            For a recorded turn, ``.recorded.address`` is its path in the dashboard's replay.

    Raises:
        UsageError: the session, turn or run is unknown, or only one of ledger and turn is given.

    Example:
        >>> print(al.explain(al.parse("<execute>1 + 1</execute>", profile="mint")))
        = parsed, read by mint
        > <execute>1 + 1</execute>
        = block 0, mint, strict [0:24]
        =   action 0, execute, valid [0:24]
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     turn_id = ledger.record_turn("s1", "<execute>1 + 1</execute>", profile="mint")
        ...     print(al.explain(ledger, "s1#0").splitlines()[2])
        = parsed, read by mint
    """
    if isinstance(what, ParseResult | Turn):
        if turn is not None or run is not None:
            raise UsageError("A turn or a run is named within a ledger; give the ledger first.")
        result = what.result if isinstance(what, Turn) else what
        return Explanation("\n".join(response_lines(result)), result)
    if not hasattr(what, "sql"):
        raise UsageError(
            f"What is explained is what al.parse or a session gives, or a ledger with SESSION#TURN, not {what!r:.60}; read a text first."
        )
    if turn is None:
        raise UsageError("A ledger has many turns; say which one, as SESSION#TURN.")

    recorded = recorded_turn(what, turn, run)
    lines = "\n".join(line.text for line in turn_lines(recorded))
    return Explanation(lines, recorded.result, recorded)
