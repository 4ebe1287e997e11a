"""Sessions from traces: a model request is a turn, a tool run is a call's result, an agent below a tool is a child session.

A request repeats the whole history: only its answer is new, and the messages after the last answer in its input.
"""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

from actionledger.core.canonical import JsonMap
from actionledger.core.ids import derived_id
from actionledger.core.recordings import RecordedCall, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports.shapes.answers import Answers
from actionledger.imports.shapes.base import Message, Passed, left_out
from actionledger.imports.shapes.steps import (
    BY_RESPONSE,
    NOTHING_TOLD,
    About,
    Step,
    StepTree,
    of_session,
    told_once,
)
from actionledger.imports.sources.access import told
from actionledger.imports.sources.base import Item, LeftOut, Refusal
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import Elements, json_objects

_NEITHER = {
    "other": (LeftOutReason.BOOKKEEPING, "span"),
    "agent": (LeftOutReason.BOOKKEEPING, "agent"),
    "again": (LeftOutReason.DUPLICATE, "request"),
}
"""How steps that are neither a turn nor a result are counted."""

OPEN_TRACES = 256
"""How many traces are open at once; beyond that, the one that has been quiet the longest is completed."""


@dataclass(slots=True)
class _Gathered:
    """The steps of one session so far."""

    about: About
    parent: str = ""
    requests: list[Step] = field(default_factory=list)
    tools: list[Step] = field(default_factory=list)


class Traces:
    """Collects steps in a file's order, and returns sessions."""

    def __init__(self, source: str) -> None:
        self.passed: Passed = Counter()
        self._source = source
        self._open: OrderedDict[str, list[Step]] = OrderedDict()
        self._about: dict[str, About] = {}
        self._counts: Counter[str] = Counter()

    def tell(self, trace_id: str, about: About) -> None:
        """Set the information about a trace."""
        self._about[trace_id] = about

    def add(self, step: Step) -> Iterator[RecordedSession]:
        """Add a step; if too many traces are open, complete the one that has been quiet the longest."""
        identified(step)
        self._open.setdefault(step.trace_id, []).append(step)
        self._open.move_to_end(step.trace_id)
        if len(self._open) > OPEN_TRACES:
            oldest = self._open.popitem(last=False)
            yield from self._sessions([oldest], is_last=False)

    def rest(self) -> Iterator[RecordedSession]:
        """Yield the open traces' sessions."""
        traces = list(self._open.items())
        self._open.clear()
        yield from self._sessions(traces, is_last=True)

    def _sessions(
        self, traces: Iterable[tuple[str, list[Step]]], *, is_last: bool
    ) -> Iterator[RecordedSession]:
        gathered: dict[str, _Gathered] = {}
        traces = list(traces)
        told_once(step for _, steps in (*traces, *self._open.items()) for step in steps)
        for trace_id, steps in traces:
            self._gather(trace_id, steps, gathered)
        for name, each in sorted(gathered.items(), key=lambda item: bool(item[1].parent)):
            if each.requests or each.tools:
                yield from self._pieces(name, each, is_last=is_last)

    def _gather(self, trace_id: str, steps: list[Step], gathered: dict[str, _Gathered]) -> None:
        tree = StepTree(steps, self.passed)
        main = next((step.session for step in steps if step.session), trace_id)
        about = self._about.pop(trace_id, NOTHING_TOLD)
        requests = tree.requests()
        tree.name_tools(requests)
        tree.name_calls()
        tree.join_runs()
        children = _Children(tree, requests, main, trace_id)
        for step in (*requests, *(step for step in tree.steps if step.kind == "tool")):
            name, parent = children.session_of(tree.agent_of(step))
            into = gathered.setdefault(name, _Gathered(about if name == main else NOTHING_TOLD, parent))
            (into.requests if step.kind == "model" else into.tools).append(step)
        for step in tree.steps:
            if step.kind in _NEITHER:
                self.passed[_NEITHER[step.kind]] += 1
            if step.about or step.evaluations:
                self._tell_about(step, gathered.get(children.session_of(step)[0]))

    def _tell_about(self, step: Step, of: _Gathered | None) -> None:
        """Keep an agent step's information about its session; evaluations of anything else are counted."""
        if step.kind != "agent" or of is None:
            self.passed[LeftOutReason.NO_SESSION, "evaluation"] += len(step.evaluations)
            return
        said = step.about or NOTHING_TOLD
        evaluated = of_session(step.evaluations, self.passed)
        labels = tuple(dict.fromkeys((*said.labels, *evaluated.labels)))
        of.about = of.about.filled(replace(said, scores={**evaluated.scores, **said.scores}, labels=labels))

    def _pieces(self, name: str, gathered: _Gathered, *, is_last: bool) -> Iterator[RecordedSession]:
        """Yield a session, one piece for each trace of its responses."""
        requests = sorted(gathered.requests, key=_begin)
        answers = Answers(self.passed)
        for step in sorted((*requests, *gathered.tools), key=_begin):
            answers.take(step)
        of_traces = self._turns(name, requests, answers)
        about = gathered.about
        whole = RecordedSession(
            name,
            None,
            next((step.model for step in requests if step.model), ""),
            about.task
            or next(
                (turn.prompt.strip().split("\n", 1)[0][:200] for _, turn in of_traces if turn.prompt), ""
            ),
            (),
            metadata=dict(about.metadata),
            source=self._source,
            parent=gathered.parent,
            relation=Relation.SUBAGENT if gathered.parent else None,
            scores=dict(about.scores),
            labels=about.labels,
            success=about.success,
            reason=about.reason,
            is_last=False,
        )
        pieces = [
            replace(whole, turns=tuple(turn for _, turn in turns), begun_as=trace_id)
            for trace_id, turns in groupby(of_traces, key=itemgetter(0))
        ] or [replace(whole, begun_as=(*requests, *gathered.tools)[0].trace_id)]
        yield from pieces[:-1]
        yield replace(pieces[-1], results=tuple(answers.of_others()), is_last=is_last)

    def _turns(self, name: str, requests: list[Step], answers: Answers) -> list[tuple[str, RecordedTurn]]:
        """Return the turns of a session's requests, each with its trace."""
        turns = []
        by_recorder: defaultdict[str, list[Step]] = defaultdict(list)
        for step in requests:
            by_recorder[step.recorder].append(step)
        keeps = {recorder: _keeps(steps) for recorder, steps in by_recorder.items()}
        for step in requests:
            self.passed[LeftOutReason.REPEATED_HISTORY, "message"] += sum(
                message.speaker == "model" for message in step.shown
            )
            if step.is_error and _says_nothing(step):
                self.passed[LeftOutReason.NO_RESPONSE, "request"] += 1
                continue
            if not step.said:
                self.passed[LeftOutReason.NOT_RECORDED, "response"] += 1
            for choice, message in enumerate(step.said or [Message("model")]):
                self.passed.update(message.passed)
                turn = self._turn(name, step, choice, message, answers=answers, keeps=keeps[step.recorder])
                turns.append((step.trace_id, turn))
        self.passed += Counter()  # drops counts of zero
        return turns

    def _turn(
        self, name: str, step: Step, choice: int, message: Message, *, answers: Answers, keeps: Capture
    ) -> RecordedTurn:
        index = self._counts[name]
        self._counts[name] += 1
        calls, results = answers.of(step.step_id, choice)
        return RecordedTurn(
            index,
            message.text,
            prompt=_prompt(step),
            occurred_at=step.finished or step.started,
            external_id=f"{step.step_id}#{choice}" if choice else step.step_id,
            capture=_capture(step, calls, keeps),
            calls=calls,
            results=results,
            usage=replace(
                step.usage,
                finish_reason=message.usage.finish_reason or step.usage.finish_reason,
                # A span without an answer has no duration.
                latency_ms=(step.duration_ms or None)
                if step.usage.latency_ms is None
                else step.usage.latency_ms,
            )
            if not choice
            else message.usage,
            tools=step.tools,
            model=step.model,
            reasoning=message.reasoning,
            compaction=None if choice else step.compaction,
            # Earlier versions made each part of such an answer a turn; the first has the whole answer's name.
            formerly=()
            if choice
            else (*(f"{step.step_id}#{part}" for part in range(1, step.parts)), *step.again),
        )


def _says_nothing(step: Step) -> bool:
    """Return whether a request has no answer; some recorders write an empty one instead."""
    return step.usage.output_tokens is None and all(message.is_empty for message in step.said)


def identified(step: Step) -> Step:
    """Return a step, changed if it was cut out of its trace: then its content is its identifier."""
    step.step_id = step.step_id or derived_id("step", step)
    step.trace_id = step.trace_id or step.session or step.step_id
    return step


class _Children:
    """The session of an agent's steps: an agent is a child if another agent with model requests started it."""

    def __init__(self, tree: StepTree, requests: list[Step], main: str, trace_id: str) -> None:
        self._tree = tree
        self._main = main
        self._trace_id = trace_id
        self._asking = {agent.step_id for step in requests if (agent := tree.agent_of(step))}

    def session_of(self, agent: Step | None) -> tuple[str, str]:
        """Return the name of an agent's session, and of its parent; empty for the trace's own session."""
        if agent is None:
            return self._main, ""
        above = next(
            (
                each
                for each in self._tree.above(agent)
                if each.kind == "agent" and each.step_id in self._asking
            ),
            None,
        )
        if above is None and not self._tree.is_below_a_tool(agent, None):
            return self._main, ""
        if agent.step_id not in self._asking:
            return self.session_of(above)
        return f"{self._trace_id}/{agent.step_id}", self.session_of(above)[0]


def _capture(step: Step, calls: Sequence[RecordedCall], keeps: Capture) -> Capture:
    """Return how much of an answer is kept; if it isn't recorded, its calls may still be."""
    if not step.said:
        return Capture.CALLS if calls else Capture.NONE
    if calls and step.recorder == BY_RESPONSE:
        is_written = all(isinstance(call.arguments, str) for call in calls)
        return Capture.ARGUMENTS if is_written else Capture.CALLS
    if step.keeps is Capture.TEXT and not calls:
        return Capture.TEXT  # as our own export says, whatever was kept of the others
    return Capture.ARGUMENTS if calls and keeps is not Capture.CALLS else keeps


def _keeps(requests: Iterable[Step]) -> Capture:
    """Return the capture of an answer without calls: all of it, if nothing shows that calls are split off."""
    requests = list(requests)
    calls = [call for step in requests for said in step.said for call in said.calls]
    if any(not isinstance(call.arguments, str) for call in calls):
        return Capture.CALLS
    if calls or any(step.tools or step.splits for step in requests):
        kept = {step.keeps for step in requests} - {Capture.TEXT}
        return Capture.CALLS if Capture.CALLS in kept else Capture.ARGUMENTS if kept else Capture.TEXT
    return Capture.TEXT


def _begin(step: Step) -> datetime:
    return step.started or step.finished or step.placed or datetime.min  # noqa: DTZ901


def _tail(step: Step) -> list[Message]:
    """Return a model's input after its last answer."""
    last = max((place for place, each in enumerate(step.shown) if each.speaker == "model"), default=-1)
    return step.shown[last + 1 :]


def _prompt(step: Step) -> str | None:
    texts = [message.text for message in _tail(step) if message.speaker != "tool" and message.text]
    return "\n\n".join(texts) if texts else None


TakeObject: TypeAlias = Callable[[JsonMap, Traces], Iterable[Item] | None]
"""Adds an object of a file to traces; returns the completed sessions, or None if the object's kind is unknown."""


def read_traces(
    path: Path, on_read: OnRead | None, source: str, take: TakeObject, *lists: Elements
) -> Iterator[Item]:
    """Yield the sessions of a trace export, then the skip counts."""
    traces = Traces(source)
    for item in json_objects(path, on_read, *lists):
        if isinstance(item, Refusal):
            yield item
        elif (whole := take(item, traces)) is None:
            yield LeftOut(shown(path), LeftOutReason.UNKNOWN_KIND, told("object", item))
        else:
            yield from whole
    yield from traces.rest()
    yield from left_out(shown(path), traces.passed)
