"""Steps of traces in one form, for spans, observations and runs, and the tree that they make.

Every trace store has the same four kinds under its own names: a model request, a tool run, an agent that does both, and a group. A request is often
recorded twice, by the framework and by the client below it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeAlias

from actionledger.core.canonical import JsonMap
from actionledger.core.recordings import Compaction, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.shapes.base import Message, Passed
from actionledger.imports.shapes.spans import Span
from actionledger.imports.sources.access import score_of, text_at


@dataclass(frozen=True, slots=True)
class About:
    """Information about a whole session, from a store or the session's outermost span."""

    task: str = ""  # the task; empty for the first prompt
    metadata: JsonMap = field(default_factory=dict)  # other information
    scores: Mapping[str, float] = field(default_factory=dict)  # scores by name
    labels: tuple[str, ...] = ()
    success: bool | None = None  # whether it reached its goal; None if unknown
    reason: str = ""  # why it ended

    def filled(self, other: "About") -> "About":
        """Return this, with the other's values where it has none."""
        return About(
            self.task or other.task,
            {**other.metadata, **self.metadata},
            {**other.scores, **self.scores},
            self.labels or other.labels,
            other.success if self.success is None else self.success,
            self.reason or other.reason,
        )


NOTHING_TOLD = About()
"""No information."""


# Evaluations in OpenTelemetry's spans and logs: an event of the evaluated span.
_EVALUATED = "gen_ai.evaluation.result"


class Evaluation(NamedTuple):
    """One evaluation."""

    name: str  # the evaluated aspect; empty if unknown
    score: float | None  # its score; None if it has none
    label: str  # its score in a word; empty for none


def evaluations_of(span: Span) -> tuple[Evaluation, ...]:
    """Return the evaluations of a span, from its events."""
    return tuple(_read(span))


def of_session(evaluations: Iterable[Evaluation], passed: Passed) -> About:
    """Return what an agent's evaluations say of its session."""
    scores, labels = dict[str, float](), list[str]()
    for name, score, label in evaluations:
        if not name or (score is None and not label):
            passed[LeftOutReason.UNREADABLE, "score"] += 1
            continue
        if score is not None:
            scores[name] = score
        if label:
            labels.append(f"{name}={label}")
    return About(scores=scores, labels=tuple(labels))


def _read(span: Span) -> Iterator[Evaluation]:
    for event, fields in span.events:
        if event == _EVALUATED:
            score = score_of(fields.get("gen_ai.evaluation.score.value"))
            label = text_at(fields, "gen_ai.evaluation.score.label")
            yield Evaluation(text_at(fields, "gen_ai.evaluation.name"), score, label)


BY_RESPONSE = "actionledger"
"""The recorder of our own export, whose capture is kept per response."""

Kind: TypeAlias = Literal["model", "tool", "agent", "other", "again"]
"""The kind of a step; ``again`` is a request that another step records in more detail."""


@dataclass(slots=True)
class Step:
    """One step of a trace."""

    kind: Kind
    step_id: str  # its own identifier, as text
    parent_id: str = ""  # the identifier of the step above; empty for none
    trace_id: str = ""
    session: str = ""  # the conversation that its recorder assigns it to; empty if unknown
    name: str = ""  # its name; for a tool, the tool's name or a name that ends in it
    started: datetime | None = None  # when it began, UTC without a zone
    finished: datetime | None = None  # when it ended, UTC without a zone
    # its place among other steps, as a time, if it has neither
    placed: datetime | None = field(default=None, repr=False)
    shown: list[Message] = field(default_factory=list)  # the model's input messages
    # the model's answer, usually one message; empty if not recorded
    said: list[Message] = field(default_factory=list)
    # the number of parts in which one answer was recorded; 0 if each message is an answer
    parts: int = field(default=0, repr=False)
    tools: str = ""  # the offered tools, as a turn has them
    model: str = ""  # the language model
    usage: Usage = field(default_factory=Usage)
    keeps: Capture = Capture.ARGUMENTS  # the capture of an answer whose calls are split off
    # whether its recorder always splits calls off, even without any offered tools
    splits: bool = field(default=False, repr=False)
    # its recorder, which has the same capture for all steps; empty if unknown
    recorder: str = field(default="", repr=False)
    # identifiers in its answer, among them the response's, if recorded
    response_ids: frozenset[str] = field(default=frozenset(), repr=False)
    # the session and name of each other step that recorded the same response, which was a turn in earlier versions
    again: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    # for a tool, the call that it answers; empty if unknown. For a group, the one call that is run below it
    call_id: str = ""
    arguments: Any = None  # a tool's arguments; None if not recorded
    output: Any = None  # a tool's output, or the error that ended it
    # whether its recorder reports a failure; None if unknown. A failed request has no answer
    is_error: bool | None = None
    # why a tool's run failed, if its recorder has a field for that
    reason: Reason | None = field(default=None, repr=False)
    # for a tool, other details of its result, by the names in our own exports
    outcome: JsonMap = field(default_factory=dict)
    # how the context was compacted right before a request; None if it was not, or unknown
    compaction: Compaction | None = field(default=None, repr=False)
    # for an agent, its recorder's information about the session; None if there is none
    about: About | None = None
    evaluations: tuple[Evaluation, ...] = ()
    # A step cut out of its trace is identified by its repr: new fields stay out of it, or ledgers would have the step twice.

    @property
    def duration_ms(self) -> float | None:
        """Its duration in milliseconds; None if unknown."""
        if self.started is None or self.finished is None or self.finished < self.started:
            return None
        return (self.finished - self.started).total_seconds() * 1000


class StepTree:
    """The steps of one trace, as a tree."""

    def __init__(self, steps: Iterable[Step], passed: Passed) -> None:
        self._by_id: dict[str, Step] = {}
        self._passed = passed
        for step in steps:
            known = self._by_id.get(step.step_id)
            if known is None:
                self._by_id[step.step_id] = step
                continue
            # A log record of a span, of which nothing else is known, may come before the span.
            first, second = (step, known) if known.kind == "other" != step.kind else (known, step)
            filled = self._by_id[step.step_id] = _told_together(first, second)
            if step.said == known.said:  # otherwise a log record adds what the span lacks
                passed[LeftOutReason.DUPLICATE, "span"] += 1
            elif filled.said == known.said and any(not message.is_empty for message in step.said):
                passed[LeftOutReason.DUPLICATE, "span with another answer"] += 1

    @property
    def steps(self) -> Iterable[Step]:
        """Its steps, each once."""
        return self._by_id.values()

    def above(self, step: Step) -> Iterator[Step]:
        """Yield a step's ancestors, the nearest first; a cycle ends where it closes."""
        seen = {step.step_id}
        while step.parent_id in self._by_id and step.parent_id not in seen:
            seen.add(step.parent_id)
            step = self._by_id[step.parent_id]
            yield step

    def requests(self) -> list[Step]:
        """Return the requests to a model, each once: a wrapper gives its request what that lacks, and is dropped."""
        requests = [step for step in self.steps if step.kind == "model"]
        inside: defaultdict[str, list[Step]] = defaultdict(list)
        for step in requests:
            outer = next((above for above in self.above(step) if above.kind == "model"), None)
            if outer is not None:
                inside[outer.step_id].append(step)
        found = []
        for step in requests:
            if inside[step.step_id]:
                self._passed[LeftOutReason.DUPLICATE, "request"] += 1
                continue
            whole = step
            for outer in self.above(step):
                if outer.kind == "model":
                    if len(inside[outer.step_id]) > 1:
                        break
                    whole = _filled(whole, outer)
            found.append(whole)
        return found

    def name_tools(self, requests: Iterable[Step]) -> None:
        """Turn steps named like a called tool into tool runs: some stores have no kind for them."""
        called = {call.name for step in requests for said in step.said for call in said.calls if call.name}
        for step in self.steps:
            is_named = step.name in called or step.name.removeprefix("tool.") in called
            if step.kind == "other" and is_named and not (step.arguments is None and step.output is None):
                step.kind = "tool"

    def name_calls(self) -> None:
        """Give a tool run without a call the call of the group right above it."""
        for step in self.steps:
            above = self._by_id.get(step.parent_id)
            if step.kind == "tool" and not step.call_id and above is not None and above.kind == "other":
                step.call_id, above.call_id = above.call_id, ""

    def join_runs(self) -> None:
        """Merge two records of a tool run, by a framework and its tracer, one right below the other: it failed if either says so."""
        for step in self.steps:
            outer = self._by_id.get(step.parent_id)
            if step.kind != "tool" or outer is None or outer.kind != "tool" or outer is step:
                continue
            is_same = not (step.call_id and outer.call_id) or step.call_id == outer.call_id
            if is_same and outer.name.endswith(step.name) and None in (step.arguments, outer.arguments):
                step.kind = "again"
                outer.call_id = outer.call_id or step.call_id
                outer.is_error = step.is_error or outer.is_error
                outer.output = step.output if outer.output is None else outer.output

    def agent_of(self, step: Step) -> Step | None:
        """Return the nearest agent above a step; None for none."""
        return next((above for above in self.above(step) if above.kind == "agent"), None)

    def is_below_a_tool(self, agent: Step, above: Step | None) -> bool:
        """Return whether there is a tool between an agent and the one above it."""
        for step in self.above(agent):
            if step is above:
                return False
            if step.kind == "tool":
                return True
        return False


def told_once(steps: Iterable[Step]) -> None:
    """Mark requests with only the tokens of a response that another step has whole as ``again``, and fill that step's gaps.

    A client library may make spans of its own next to the framework's: below them, or as a separate trace.
    """
    requests = [step for step in steps if step.kind == "model" and step.response_ids]
    bare = [step for step in requests if not step.said]
    wanted = {name for step in bare for name in step.response_ids}
    if not wanted:
        return
    whole = {name: step for step in requests if step.said for name in step.response_ids & wanted}
    for step in bare:
        if other := next((whole[name] for name in step.response_ids if name in whole), None):
            step.kind = "again"
            other.again = (*other.again, (step.session or step.trace_id, step.step_id))
            other.usage = other.usage.filled(step.usage)
            other.model = other.model or step.model


def _told_together(first: Step, second: Step) -> Step:
    """Merge two records of a step."""
    evaluations = dict.fromkeys((*first.evaluations, *second.evaluations))
    return replace(_filled(first, second), evaluations=tuple(evaluations))


def _filled(inner: Step, outer: Step) -> Step:
    """Fill a request's missing values from the one around it."""
    has_calls = any(message.calls for message in inner.said)
    says_more = not any(not message.is_empty for message in inner.said) or (
        not has_calls and any(message.calls for message in outer.said)
    )
    return replace(
        inner,
        session=inner.session or outer.session,
        shown=inner.shown or outer.shown,
        said=outer.said if says_more and outer.said else inner.said,
        tools=inner.tools or outer.tools,
        model=inner.model or outer.model,
        usage=inner.usage.filled(outer.usage),
        keeps=outer.keeps if says_more and outer.said else inner.keeps,
        recorder=outer.recorder if says_more and outer.said else inner.recorder,
    )
