"""Match tool runs in a trace to calls: by the call's identifier, or else by name and arguments, or else by name."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.recordings import Billed, Compaction, RecordedCall, RecordedResult, Usage
from actionledger.core.vocabulary import CostOrigin, ExecutionStatus, LeftOutReason, Reason
from actionledger.imports.shapes.base import Passed
from actionledger.imports.shapes.steps import Step
from actionledger.imports.sources.access import count_at, exit_status_of, number_at, objects_at, text_at
from actionledger.imports.sources.json_values import value_of

# Our own exports' values for a response and a call's result, in the ledger's words.
OWN = "actionledger."
"""The prefix of our own attributes."""


def with_outcome(result: RecordedResult, told: JsonMap, prefix: str = "") -> RecordedResult:
    """Return a result with the status, reason, exit status and time from our own export."""
    status = reason = None
    with suppress(ValueError):
        status = ExecutionStatus(text_at(told, f"{prefix}status"))
    with suppress(ValueError):
        reason = Reason(text_at(told, f"{prefix}reason"))
    if status is None:
        return result
    duration = number_at(told, f"{prefix}duration_ms")
    return replace(
        result,
        status=status,
        reason=reason,
        exit_status=exit_status_of(told.get(f"{prefix}exit_status")),
        is_inferred=told.get(f"{prefix}is_inferred") is True,
        duration_ms=result.duration_ms if duration is None else duration,
    )


def with_own(usage: Usage, told: JsonMap, prefix: str = OWN) -> Usage:
    """Return a response's usage, completed from our own export. A computed cost there is not a recorded one."""
    is_computed = told.get(f"{prefix}cost_origin") not in {None, CostOrigin.RECORDED}
    cost = number_at(told, f"{prefix}cost_usd") if usage.cost_usd is None else usage.cost_usd
    latency = number_at(told, f"{prefix}latency_ms")
    begun = number_at(told, f"{prefix}time_to_first_token_ms")
    return replace(
        usage,
        cost_usd=None if is_computed else cost,
        latency_ms=usage.latency_ms if latency is None else latency,
        time_to_first_token_ms=usage.time_to_first_token_ms if begun is None else begun,
        finish_reason=usage.finish_reason or text_at(told, f"{prefix}finish_reason")[:80],
        # Their tokens are already among those of the response.
        billed=usage.billed or tuple(map(_billed, objects_at(told, f"{prefix}billed"))),
    )


def compaction_of(told: JsonMap, prefix: str = OWN) -> Compaction | None:
    """Return from our own export how the context was compacted right before a response; None if it was not."""
    said = told.get(f"{prefix}compaction")
    if not isinstance(said, dict):
        return None
    before, after = (count_at(said, name) for name in ("tokens_before", "tokens_after"))
    return Compaction(trigger=text_at(said, "trigger"), tokens_before=before, tokens_after=after)


_COUNTED = tuple(each.name for each in fields(Billed) if each.name not in {"kind", "model", "is_own"})


def _billed(said: JsonMap) -> Billed:
    counts: JsonDict = {name: count_at(said, name) or 0 for name in _COUNTED}
    return Billed(kind=text_at(said, "kind")[:80], model=text_at(said, "model")[:200], **counts)


_MOST_BESIDE = 100
"""How many calls of one turn are searched for the call of a run."""


@dataclass(slots=True, eq=False)
class _Call:
    """A call, and its result so far: from a tool's own step, and as shown to the model."""

    call: RecordedCall
    has_name: bool
    ran: RecordedResult | None = None
    shown: RecordedResult | None = None
    is_guessed: bool = False
    beside: list["_Call"] = field(default_factory=list)


class Answers:
    """Takes the steps of a session in order, and matches calls with results."""

    def __init__(self, passed: Passed) -> None:
        self._passed = passed
        self._by_id: dict[str, _Call] = {}
        self._not_run: list[_Call] = []
        self._not_shown: deque[_Call] = deque()
        self._of_turn: defaultdict[tuple[str, int], list[_Call]] = defaultdict(list)
        self._unsaid = ""
        self._nameless = 0
        self._others: dict[str, RecordedResult] = {}

    def take(self, step: Step) -> None:
        """Add a request or a tool run."""
        if step.kind == "tool":
            self._take_run(step)
            return
        self._take_history(step)
        self._unsaid = "" if step.said or step.is_error else step.step_id
        for choice, message in enumerate(step.said):
            for call in message.calls:
                self._add(step.step_id, choice, call)

    def of(self, step_id: str, choice: int) -> tuple[tuple[RecordedCall, ...], tuple[RecordedResult, ...]]:
        """Return the calls of a turn, and their results."""
        calls = self._of_turn[step_id, choice]
        results = tuple(result for call in calls if (result := _result(call)) is not None)
        return tuple(call.call for call in calls), results

    def of_others(self) -> Iterator[RecordedResult]:
        """Yield the results whose call is not here: it may have come before."""
        yield from self._others.values()

    def _add(self, step_id: str, choice: int, call: RecordedCall) -> _Call:
        # A call without an identifier gets one from its place, which stays the same when its result comes later.
        beside = self._of_turn[step_id, choice]
        place = f"{step_id}:{len(beside)}"
        added = _Call(replace(call, call_id=call.call_id or place), bool(call.call_id), beside=beside)
        self._by_id.setdefault(added.call.call_id, added)
        self._not_run.append(added)
        self._not_shown.append(added)
        beside.append(added)
        return added

    def _take_run(self, step: Step) -> None:
        call = self._answered(step)
        if call is None and self._unsaid and step.arguments is not None:
            # The answer isn't recorded, but its call is.
            arguments = step.arguments if isinstance(step.arguments, str | dict) else {}
            given = arguments_of(arguments)
            made = RecordedCall(step.call_id, step.name, given if isinstance(given, dict) else arguments)
            call = self._add(self._unsaid, 0, made)
        result = RecordedResult(
            step.call_id,
            step.output,
            is_error=step.is_error,
            duration_ms=step.duration_ms,
            started_at=step.started,
            finished_at=step.finished,
            reason=step.reason,
        )
        result = with_outcome(result, step.outcome, OWN)
        if call is not None:
            self._not_run.remove(call)
            if step.call_id:  # a result shown later may name it
                self._by_id.setdefault(step.call_id, call)
            call.ran = replace(result, call_id=call.call.call_id)
            call.is_guessed = not step.call_id
        elif self._unsaid:
            self._passed[LeftOutReason.NOT_RECORDED, "call"] += 1
        elif step.call_id:
            self._others[step.call_id] = result
        else:
            self._passed[LeftOutReason.NO_CALL, "tool"] += 1

    def _answered(self, step: Step) -> _Call | None:
        """Return the unanswered call of a run; None for none."""
        if step.call_id in self._by_id:
            named = [each for each in self._under(step.call_id) if each.ran is None]
        else:
            named = [
                each
                for each in self._not_run
                if step.name.endswith(each.call.name or "\0") and not (step.call_id and each.has_name)
            ]
        given = arguments_of(step.arguments)
        same = (each for each in named if _is_given(arguments_of(each.call.arguments), given))
        return next(same, next(iter(named), None))

    def _under(self, call_id: str) -> Iterator[_Call]:
        """Yield the calls with an identifier: usually one, and several of a turn if a model gave them the same."""
        first = self._by_id[call_id]
        yield first
        for each in first.beside[:_MOST_BESIDE]:
            if each is not first and each.call.call_id == call_id:
                yield each

    def _take_history(self, step: Step) -> None:
        """Add the results shown to a model: those with an identifier once each, the others in order."""
        results = [result for message in step.shown for result in message.results]
        nameless = [result for result in results if not result.call_id]
        for result in (*(each for each in results if each.call_id), *nameless[self._nameless :]):
            if result.call_id:
                call = self._by_id.get(result.call_id)
            else:
                while self._not_shown and self._not_shown[0].shown is not None:
                    self._not_shown.popleft()
                call = self._not_shown[0] if self._not_shown else None
            if call is not None:
                _bring_right(call, result)
                call.shown = call.shown or result
            elif result.call_id:
                self._others.setdefault(result.call_id, result)
            else:
                self._passed[LeftOutReason.NO_CALL, "message"] += 1
        self._nameless = max(self._nameless, len(nameless))


def _bring_right(call: _Call, shown: RecordedResult) -> None:
    """Swap two guessed runs, once the model's input shows which result belongs to a call."""
    if call.shown or call.ran is None or not call.is_guessed or call.ran.output == shown.output:
        return
    for other in call.beside[:_MOST_BESIDE]:
        is_alike = other.is_guessed and other.shown is None and other.call.name == call.call.name
        if is_alike and other.ran is not None and other.ran.output == shown.output:
            ran = replace(other.ran, call_id=call.call.call_id)
            other.ran, call.ran = replace(call.ran, call_id=other.call.call_id), ran
            return


def _is_given(arguments: Any, given: Any) -> bool:
    """Return whether a tool was run with a call's arguments: LangChain gives a single argument without its name."""
    is_one = isinstance(arguments, Mapping) and len(arguments) == 1
    return bool(arguments == given or (is_one and given in arguments.values()))


def arguments_of(given: Any) -> Any:
    """Return arguments decoded if they are a JSON text."""
    if not isinstance(given, str):
        return given
    try:
        return value_of(given)
    except (ValueError, RecursionError):
        return given


def _result(call: _Call) -> RecordedResult | None:
    ran, shown = call.ran, call.shown
    if ran is None:
        return replace(shown, call_id=call.call.call_id) if shown else None
    if shown is None:
        return ran
    return replace(
        ran,
        output=ran.output if shown.output is None else shown.output,  # the output that the model was given
        # A span with status OK may be of a failed tool: the model was told so.
        is_error=shown.is_error if shown.is_error or ran.is_error is None else ran.is_error,
    )
