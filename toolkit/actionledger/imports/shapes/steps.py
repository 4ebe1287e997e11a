"""Traces as one thing: the steps of spans, observations and runs, and the tree that they make.

Every store of traces has the same four kinds under its own names: a request to a model, a run of a tool, an agent that does
both, and what only groups. A request is often told twice, by the framework and by the client below it.
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
    """What a store, or a session's outermost span, says of it as a whole.

    Args:
        task: what it was asked; empty for the first prompt.
        metadata: what else it says.
        scores: scores by their names.
        labels: what it was filed under.
        success: whether it reached what it was for; None if unknown.
        reason: why it ended.
    """

    task: str = ""
    metadata: JsonMap = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    success: bool | None = None
    reason: str = ""

    def filled(self, other: "About") -> "About":
        """Return this with what another says that this doesn't."""
        return About(
            self.task or other.task,
            {**other.metadata, **self.metadata},
            {**other.scores, **self.scores},
            self.labels or other.labels,
            other.success if self.success is None else self.success,
            self.reason or other.reason,
        )


NOTHING_TOLD = About()
"""Where nothing is said."""


# How something was evaluated, as spans and logs of OpenTelemetry tell it: by an event of the span that it is about.
_EVALUATED = "gen_ai.evaluation.result"


class Evaluation(NamedTuple):
    """One evaluation.

    Args:
        name: what was looked at; empty if unknown.
        score: its score; None if it has none.
        label: its score in a word; empty for none.
    """

    name: str
    score: float | None
    label: str


def evaluations_of(span: Span) -> tuple[Evaluation, ...]:
    """Return how what a span did was evaluated, as its events say."""
    return tuple(_read(span))


def of_session(evaluations: Iterable[Evaluation], passed: Passed) -> About:
    """Return what evaluations of an agent say of its session."""
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
"""The recorder that keeps each response as it was kept before: our own export."""

Kind: TypeAlias = Literal["model", "tool", "agent", "other", "again"]
"""What a step is; ``again`` is a request that another step tells more of."""


@dataclass(slots=True)
class Step:
    """One step of a trace.

    Args:
        kind: what it is.
        step_id: its own identifier, as text.
        parent_id: that of the step above; empty for none.
        trace_id: the trace, as text.
        session: the conversation that its recorder says it belongs to; empty where it doesn't say.
        name: what its recorder calls it; of a tool, the tool's name, or ending in it.
        started: when it began, UTC without a zone.
        finished: when it was over, UTC without a zone.
        placed: where among others it stands, as a time, where neither is known.
        shown: what a model was shown.
        said: what it answered, as a rule one message; empty where that is not recorded.
        parts: in how many parts that one answer was recorded; 0 where each message is an answer.
        tools: what it was offered, as a turn takes it.
        model: the language model.
        usage: what it took.
        keeps: how much is kept of an answer whose calls are split off.
        splits: whether its recorder always splits calls off, also where it doesn't say that any tool was offered.
        recorder: what has recorded it, of which all steps keep as much of an answer; empty where it isn't known.
        response_ids: identifiers that stand in its answer: the response's is among them, where it is recorded.
        again: the session and the name of each other step that told of the same response, which was a turn in earlier versions.
        call_id: of a tool, the call that it answers; empty where it doesn't say. Of what only groups, the one call that is run below it.
        arguments: what a tool was given; None where that is not recorded.
        output: what a tool returned, or the error that it ended with.
        is_error: whether its recorder says that it failed; None where it doesn't say. A request that failed has no answer.
        reason: why a tool's run failed, where its recorder has a field for it.
        outcome: of a tool, what else its recorder says of what came of it, by the names that our own exports have.
        compaction: how the context was compacted right before a request; None where it was not, or nobody says so.
        about: of an agent, what its recorder says of its session; None where it says nothing.
        evaluations: how what it did was evaluated.
    """

    kind: Kind
    step_id: str
    parent_id: str = ""
    trace_id: str = ""
    session: str = ""
    name: str = ""
    started: datetime | None = None
    finished: datetime | None = None
    placed: datetime | None = field(default=None, repr=False)
    shown: list[Message] = field(default_factory=list)
    said: list[Message] = field(default_factory=list)
    parts: int = field(default=0, repr=False)
    tools: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    keeps: Capture = Capture.ARGUMENTS
    splits: bool = field(default=False, repr=False)
    recorder: str = field(default="", repr=False)
    response_ids: frozenset[str] = field(default=frozenset(), repr=False)
    again: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    call_id: str = ""
    arguments: Any = None
    output: Any = None
    is_error: bool | None = None
    reason: Reason | None = field(default=None, repr=False)
    outcome: JsonMap = field(default_factory=dict)
    compaction: Compaction | None = field(default=None, repr=False)
    about: About | None = None
    evaluations: tuple[Evaluation, ...] = ()
    # A step that was cut out of its trace is known by its repr: what is new stays out of that, or ledgers would have it twice.

    @property
    def duration_ms(self) -> float | None:
        """How long it took, in milliseconds; None where that isn't known."""
        if self.started is None or self.finished is None or self.finished < self.started:
            return None
        return (self.finished - self.started).total_seconds() * 1000


class StepTree:
    """The steps of one trace, as they stand below each other.

    Args:
        steps: all of its steps, in any order.
        passed: takes how many were told twice.
    """

    def __init__(self, steps: Iterable[Step], passed: Passed) -> None:
        self._by_id: dict[str, Step] = {}
        self._passed = passed
        for step in steps:
            known = self._by_id.get(step.step_id)
            if known is None:
                self._by_id[step.step_id] = step
                continue
            # A record beside a span, of which nothing else is known, may come before it.
            first, second = (step, known) if known.kind == "other" != step.kind else (known, step)
            filled = self._by_id[step.step_id] = _told_together(first, second)
            if step.said == known.said:  # else a record beside it says what it didn't
                passed[LeftOutReason.DUPLICATE, "span"] += 1
            elif filled.said == known.said and any(not message.is_empty for message in step.said):
                passed[LeftOutReason.DUPLICATE, "span with another answer"] += 1

    @property
    def steps(self) -> Iterable[Step]:
        """Return its steps, each once."""
        return self._by_id.values()

    def above(self, step: Step) -> Iterator[Step]:
        """Yield the steps above one, the nearest first; a ring ends where it closes."""
        seen = {step.step_id}
        while step.parent_id in self._by_id and step.parent_id not in seen:
            seen.add(step.parent_id)
            step = self._by_id[step.parent_id]
            yield step

    def requests(self) -> list[Step]:
        """Return the requests to a model, each once: one that only wraps another gives that what it lacks."""
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
        """Make tools' runs of the steps that have the name of a tool which was called: some stores know no kind for them."""
        called = {call.name for step in requests for said in step.said for call in said.calls if call.name}
        for step in self.steps:
            is_named = step.name in called or step.name.removeprefix("tool.") in called
            if step.kind == "other" and is_named and not (step.arguments is None and step.output is None):
                step.kind = "tool"

    def name_calls(self) -> None:
        """Give a tool's run that names no call the one that the step right above it is there for."""
        for step in self.steps:
            above = self._by_id.get(step.parent_id)
            if step.kind == "tool" and not step.call_id and above is not None and above.kind == "other":
                step.call_id, above.call_id = above.call_id, ""

    def join_runs(self) -> None:
        """Make one run of two that a framework and what traces it tell of, the one right below the other: it has failed if either says so."""
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
        """Return whether a tool stands between an agent and the one above it."""
        for step in self.above(agent):
            if step is above:
                return False
            if step.kind == "tool":
                return True
        return False


def told_once(steps: Iterable[Step]) -> None:
    """Set requests apart that say no more than tokens of a response whose content another step has, and give it what it lacks.

    A client's library may make spans of its own beside the framework's: below them, or as a trace of its own.
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
    """Return a step that is told twice."""
    evaluations = dict.fromkeys((*first.evaluations, *second.evaluations))
    return replace(_filled(first, second), evaluations=tuple(evaluations))


def _filled(inner: Step, outer: Step) -> Step:
    """Return a request with what the one around it has and it doesn't."""
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
