"""Traces while their spans come in: in several requests, in any order, late, and twice.

A span can only be understood among the others of its trace, so a trace is buffered until it is quiet. What was recorded stays: a request keeps its
session and its index there. Buffered spans are spooled to disk, and so is the way a trace is recorded, before it is. After a crash, another process
continues exactly there.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from time import monotonic

from actionledger.core.canonical import JsonDict
from actionledger.core.ids import derived_id
from actionledger.core.recordings import RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.formats import openinference, otel
from actionledger.imports.formats.otel import is_openinference
from actionledger.imports.shapes.base import Passed
from actionledger.imports.shapes.genai_spans import session_of
from actionledger.imports.shapes.spans import Span
from actionledger.imports.shapes.steps import Step, told_once
from actionledger.imports.shapes.traces import OPEN_TRACES, Traces, identified
from actionledger.imports.sources.access import text_at
from actionledger.imports.sources.base import Item, LeftOut
from actionledger.ledger.storage.spool import LineSpool, SpooledLine, SpoolFile

# Spans as lines of a spool, which outlive their process.
_FIELDS = [each.name for each in fields(Span)]
_TIMES = ("started", "finished")


def line_of(span: Span) -> SpooledLine:
    """Return a span as a spool line that names every session it may become a part of."""
    held = {name: value for name in _FIELDS if (value := getattr(span, name)) not in ("", None)}
    for name in _TIMES:
        if name in held:
            held[name] = held[name].isoformat()
    said = (session_of(span), text_at(span.attributes, "session.id"))
    trace = span.trace_id or identified(otel.step_of(span)).trace_id
    return SpooledLine(trace, sessions_named(*said, trace), {"span": held})


def span_in(held: JsonDict) -> Span:
    """Return the span of a line."""
    times = {name: datetime.fromisoformat(held[name]) for name in _TIMES if name in held}
    events = [(str(name), dict(said)) for name, said in held.get("events", ())]
    return Span(**held | times | {"events": events})


def sessions_named(*names: str) -> tuple[str, ...]:
    """Return the session identifiers of spans, for every convention."""
    return tuple(
        derived_id("session", source.SOURCE.name, name)
        for name in dict.fromkeys(names)
        if name
        for source in (otel, openinference)
    )


SETTLED = 10.0
"""How long a trace with a root and no gap is quiet before it is recorded, in seconds: exporters send every five."""

LONGEST = 60.0
"""How long any trace is quiet before it is recorded, in seconds: its root may come hours later, or never."""

HELD_BYTES = 64 * 2**20
"""The most buffered traces, in bytes as received or as their spans take at least; beyond it, the quietest ones are recorded and removed."""

LEAST_BYTES = 2048
"""The least size of a buffered span in bytes, however small it was when received."""

REMEMBERED = 4 * OPEN_TRACES
"""How many sessions' recorded states are remembered: nothing of older ones is buffered, and the ledger knows the rest."""

EVERY = 1.0
"""How often to look for due traces while nothing comes, in seconds."""


@dataclass(slots=True)
class _OpenTrace:
    """A trace that may still grow."""

    trace_id: str
    touched: float
    format: str = otel.SOURCE.name
    steps: list[Step] = field(default_factory=list)
    size: int = 0
    is_told: bool = False
    main: str = ""
    homes: dict[str, str] = field(default_factory=dict)
    lines: list[SpoolFile] = field(default_factory=list)
    is_recorded: bool | None = False

    @property
    def session(self) -> str:
        """The session that it is recorded as."""
        return self.main or next((step.session for step in self.steps if step.session), self.trace_id)

    def is_whole(self) -> bool:
        """Return whether its root is here, and no span between it and the others is missing."""
        there = {step.step_id for step in self.steps}
        above = {step.parent_id for step in self.steps}
        return "" in above and above - {""} <= there


@dataclass(slots=True)
class _YieldedSession:
    """The state of a session that was yielded before."""

    head: RecordedSession | None = None
    next: int | None = None
    places: dict[str, int] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)
    passed: Passed = field(default_factory=Counter)


class TraceBuffer:
    """Buffers spans as they come, and yields sessions when their traces are quiet."""

    def __init__(
        self,
        origin: str,  # where they come from, as records say it
        next_index: Callable[[str, str], int],  # returns the next turn index of a session of a format
        kept: LineSpool | None = None,  # the spool on disk; None to buffer in memory only
        *,
        settled: float = SETTLED,  # how long a complete trace must be quiet, in seconds
        longest: float = LONGEST,  # how long any trace must be quiet, in seconds
        clock: Callable[[], float] = monotonic,  # returns the time in seconds
    ) -> None:
        self._origin = origin
        self._next_index = next_index
        self._kept = kept
        self._quiet = (settled, longest)
        self._clock = clock
        self.start_over()

    def start_over(self) -> None:
        """Begin anew in a forked child: the buffer is the parent's."""
        self._open: OrderedDict[str, _OpenTrace] = OrderedDict()
        self._size = 0
        self._sessions: OrderedDict[str, _YieldedSession] = OrderedDict()
        self._told: dict[tuple[str, str], RecordedTurn] = {}
        self._left: list[SpoolFile] = []

    def add(self, spans: Iterable[Span], size: int, line: SpoolFile | None = None) -> Iterator[Item]:
        """Add spans, and yield the sessions of traces that must leave the buffer."""
        listed = list(spans)
        for span in listed:
            if otel.has_only_tokens(span):
                yield LeftOut(self._origin, LeftOutReason.NOT_RECORDED, "codex turn")
                self._left += [line] if line else []
            else:
                self._hold(span, max(size // len(listed), LEAST_BYTES), line)
        if beyond := self._beyond_bounds():
            yield from self._tell(beyond)
            for oldest in beyond:
                self._let_go(oldest)

    def _beyond_bounds(self) -> list[_OpenTrace]:
        """Return the quietest traces beyond the limits; they are recorded at once, since each recording looks at all traces."""
        beyond: list[_OpenTrace] = []
        size, count = self._size, len(self._open)
        for held in self._open.values():
            if size <= HELD_BYTES and count <= OPEN_TRACES:
                break
            beyond.append(held)
            size, count = size - held.size, count - 1
        return beyond

    def due(self, *, all_of_them: bool = False) -> Iterator[Item]:
        """Yield what has been quiet for long enough."""
        self._let_lines_go()
        changed = [held for held in self._open.values() if not held.is_told]
        yield from self._tell([held for held in changed if all_of_them or self._is_quiet(held)])

    def go_on(self, trace_id: str, told: JsonDict, line: SpoolFile) -> None:
        """Take over how a dead process has recorded a trace, or was about to."""
        held = self._open.setdefault(trace_id, _OpenTrace(trace_id, self._clock()))
        held.main, held.format = str(told["main"]), str(told["format"])
        held.lines.append(line)
        for turn, (session, place) in told["turns"].items():
            held.homes[turn] = session
            known = self._session(session)
            known.places[turn] = place
            known.next = max(known.next or self._next_index(held.format, session), place + 1)

    def recorded(self, is_kept: bool, *, is_end: bool = False) -> None:
        """Note that the ledger has everything yielded so far, or that some of it is lost.

        Recorded spans stay spooled while more of their trace is likely to come, since a span alone says less.
        """
        done, self._left = (self._left if is_kept else []), []
        for held in self._open.values():
            if held.is_told and held.is_recorded is not None:
                held.is_recorded = is_kept or held.is_recorded or None
        self._let_lines_go(done, is_end=is_end)

    def _let_lines_go(self, done: Iterable[SpoolFile] = (), *, is_end: bool = False) -> None:
        done = [*done]
        for held in self._open.values():
            if held.is_recorded and (is_end or self._clock() - held.touched >= self._quiet[1]):
                done += held.lines
                held.lines = []
        if self._kept is not None and done:
            self._kept.done(done)

    def _is_quiet(self, held: _OpenTrace) -> bool:
        settled, longest = self._quiet
        quiet = self._clock() - held.touched
        return quiet >= longest or (quiet >= settled and held.is_whole())

    def _hold(self, span: Span, size: int, line: SpoolFile | None) -> None:
        step = identified(otel.step_of(span))
        held = self._open.setdefault(step.trace_id, _OpenTrace(step.trace_id, 0))
        self._open.move_to_end(step.trace_id)
        if is_openinference(span) and not held.main:
            held.format = openinference.SOURCE.name
        held.steps.append(step)
        held.lines += [line] if line else []
        held.size += size
        if held.is_told and line:
            self._note(held)
        held.touched, held.is_told = self._clock(), False
        held.is_recorded = None if held.is_recorded is None else False
        self._size += size

    def _let_go(self, held: _OpenTrace) -> None:
        del self._open[held.trace_id]
        self._size -= held.size
        self._left += held.lines if held.is_recorded is not None else []
        for step_id, session in held.homes.items():
            self._told.pop((session, step_id), None)

    def _tell(self, due: list[_OpenTrace]) -> Iterator[Item]:
        """Yield the new turns in the sessions of some traces."""
        self._tell_once(due)
        by_session: dict[str, list[_OpenTrace]] = {}
        for held in due:
            if not held.is_told:
                by_session.setdefault(held.session, []).append(held)
        if by_session:
            for held in self._open.values():
                if held.is_told and held.session in by_session:
                    by_session[held.session].append(held)
        for name, traces in by_session.items():
            yield from self._tell_session(name, traces)
        while len(self._sessions) > REMEMBERED:
            self._sessions.popitem(last=False)

    def _tell_once(self, due: list[_OpenTrace]) -> None:
        """Mark due steps as repeated if they only have tokens of a response in another trace."""
        if any(step.response_ids and not step.said for held in due for step in held.steps):
            told_once(step for held in self._open.values() for step in held.steps)

    def _tell_session(self, name: str, traces: list[_OpenTrace]) -> Iterator[Item]:
        steps = sorted((step for held in traces for step in _steps(held)), key=_order)
        gathered = Traces(traces[0].format)
        sessions = [session for step in steps for session in gathered.add(step)]
        sessions += gathered.rest()
        of_step = {step.step_id: held for held in traces for step in held.steps}
        told = [new for session in sessions for new in self._new_of(session, of_step)]
        for held in traces:
            held.main, held.is_told = name, True
            if held.lines:
                self._note(held)
        yield from told
        passed = gathered.passed
        known = self._session(name)
        for (reason, detail), count in (passed - known.passed).items():
            yield LeftOut(self._origin, reason, detail, count)
        known.passed = passed | known.passed

    def _note(self, held: _OpenTrace) -> None:
        """Spool how a trace is recorded, before it is."""
        turns = {turn: (home, self._session(home).places[turn]) for turn, home in held.homes.items()}
        told = {"main": held.main, "format": held.format, "turns": turns}
        names = sessions_named(held.main, *held.homes.values())
        line = self._kept.add([SpooledLine(held.trace_id, names, {"told": told})]) if self._kept else None
        held.lines += [line] if line else []

    def _new_of(self, session: RecordedSession, of_step: dict[str, _OpenTrace]) -> Iterator[RecordedSession]:
        """Yield a session with its new turns, and the sessions of turns that were recorded elsewhere before."""
        own = self._session(session.external_id)
        before, own.head = own.head, _headed(own.head, session)
        moved: dict[str, list[RecordedTurn]] = {session.external_id: []}
        for turn in session.turns:
            trace = of_step[turn.external_id.partition("#")[0]]
            home = trace.homes.setdefault(turn.external_id, session.external_id)
            placed = replace(turn, index=self._place(session.source, home, turn.external_id))
            if self._told.get((home, turn.external_id)) != placed:
                self._told[home, turn.external_id] = placed
                moved.setdefault(home, []).append(placed)
        for home, turns in moved.items():
            results = self._new_results(session) if home == session.external_id else ()
            has_ended = home == session.external_id and before not in (None, own.head)
            if turns or results or has_ended:
                head = self._session(home).head or session
                begun_as = session.begun_as
                yield replace(head, turns=tuple(turns), results=results, begun_as=begun_as, is_last=False)

    def _session(self, name: str) -> _YieldedSession:
        known = self._sessions.setdefault(name, _YieldedSession())
        self._sessions.move_to_end(name)
        return known

    def _new_results(self, session: RecordedSession) -> tuple[RecordedResult, ...]:
        answered = self._session(session.external_id).answered
        new = [each for each in session.results if each.call_id not in answered]
        answered.update(each.call_id for each in new)
        return tuple(new)

    def _place(self, source: str, session: str, turn: str) -> int:
        known = self._session(session)
        if turn not in known.places:
            known.next = self._next_index(source, session) if known.next is None else known.next
            known.places[turn] = known.next
            known.next += 1
        return known.places[turn]


def _headed(head: RecordedSession | None, session: RecordedSession) -> RecordedSession:
    """Return a session without turns as first recorded, with what is now known of its end: its root span comes last."""
    if head is None:
        return replace(session, turns=(), results=())
    return replace(
        head,
        success=head.success if session.success is None else session.success,
        reason=session.reason or head.reason,
        scores={**head.scores, **session.scores},
        labels=session.labels or head.labels,
    )


def _steps(held: _OpenTrace) -> Iterator[Step]:
    """Yield a trace's steps as they are recorded: in the trace's first session, and no request twice."""
    by_id = {step.step_id: step for step in held.steps}
    for step in held.steps:
        told = replace(step, session=held.main or step.session)
        is_new = held.main and step.kind == "model" and step.step_id not in held.homes
        if is_new and any(above in held.homes for above in _above(step, by_id)):
            told.kind = "other"  # the request around it has been recorded in its place
        yield told


def _above(step: Step, by_id: dict[str, Step]) -> Iterator[str]:
    seen = {step.step_id}
    while step.parent_id in by_id and step.parent_id not in seen:
        seen.add(step.parent_id)
        yield step.parent_id
        step = by_id[step.parent_id]


def _order(step: Step) -> tuple[bool, datetime, str]:
    """Return a sort key that ignores the order of arrival; log records come after the spans that they belong to."""
    begun = step.started or step.finished or datetime.min  # noqa: DTZ901
    return step.started is None, begun, step.step_id
