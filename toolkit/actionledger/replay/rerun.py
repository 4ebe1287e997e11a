"""Run recorded sessions again from their start, with requested changes, record this as a run, and compare with the record."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from actionledger.core.canonical import json_text
from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.events import Event, ExecutionFinished, ExecutionStarted, ResponseParsed, SystemNoted
from actionledger.core.ids import derived_id, new_id, now
from actionledger.core.recording import RunKey, parser_used, run_finished, run_started
from actionledger.core.recording.turns import action_id_of
from actionledger.core.vocabulary import Origin, Reason, RunKind
from actionledger.ledger import Ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.marks import profiles_of, selected_sessions
from actionledger.ledger.queries.names import Called, one_session
from actionledger.reading.parsers import AnyParser, resolve_parser
from actionledger.replay.rerun_course import Course, Refused, TurnTrace, WhyNot, course_of, traces_of_record
from actionledger.replay.rerun_performance import Order, Performance, perform
from actionledger.replay.rerun_report import (
    Cause,
    Divergence,
    RerunReport,
    SessionRerun,
    TurnVerdict,
    divergences,
)
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.handlers import Handler, HandlerFactory, Handlers
from actionledger.runtime.execution.policy_file import resolve_policy
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.registry import PROFILES, profile_named, resolve_profile
from actionledger.runtime.session.states.settings import as_recorded
from actionledger.runtime.workspace import Workspace

NewHandlers: TypeAlias = Mapping[str, Handler] | HandlerFactory
"""Other handlers: some by their actions' names, or a factory for all."""


@dataclass(frozen=True, slots=True)
class Change:
    """The changes of a rerun; None keeps the recorded value."""

    handlers: NewHandlers | None  # handlers, policy, parser: the replacements
    policy: Policy | str | Path | None
    parser: AnyParser | None

    @property
    def is_one(self) -> bool:
        """Whether it changes anything."""
        return any(each is not None for each in (self.handlers, self.policy, self.parser))


def changed(plain: Profile, change: Change) -> Profile:
    """Return a profile with a change applied."""
    made = plain
    if change.policy is not None:
        made = replace(made, policy=resolve_policy(change.policy, plain.catalogue))
    if change.parser is not None:
        made = replace(made, parser=change.parser)
    if change.handlers is not None:
        made = replace(made, handlers=_with_handlers(plain.handlers, change.handlers))
    return made


def without_handlers(make: HandlerFactory, names: set[str]) -> HandlerFactory:
    """Return a factory for a profile's handlers without some of them."""

    def made(workspace: Workspace) -> Handlers:
        handlers = make(workspace)
        kept = {name: handler for name, handler in handlers.items() if name not in names}
        return _like(handlers, kept)

    return made


def _with_handlers(make: HandlerFactory, others: NewHandlers) -> HandlerFactory:
    if not isinstance(others, Mapping):
        return others

    def made(workspace: Workspace) -> Handlers:
        handlers = make(workspace)
        return _like(handlers, {**handlers, **others})

    return made


def _like(handlers: Handlers, by_name: Mapping[str, Handler]) -> Handlers:
    return Handlers(
        by_name,
        previews=handlers.previews,
        close=handlers.close,
        reaches=handlers.reaches,
        binds=handlers.binds,
        opens=handlers.opens,
    )


def as_rerun(events: Iterable[Event], run: RunKey, taken: Collection[str]) -> Iterator[Event]:
    """Yield the events of a rerun that are recorded: parses, and the outcome of each attempt."""
    for event in events:
        match event:
            case ResponseParsed():
                attempt_id = _of(run, event.attempt_id)
                actions = tuple(
                    replace(each, action_id=action_id_of(attempt_id, each.index), call_id=None)
                    for each in event.actions
                )
                yield replace(
                    event,
                    event_id=derived_id("response-parsed", attempt_id),
                    run_id=run.run_id,
                    run_kind=run.kind,
                    attempt_id=attempt_id,
                    actions=actions,
                )
            case ExecutionStarted():
                attempt_id, execution_id = _of(run, event.attempt_id), _of(run, event.execution_id)
                yield replace(
                    event,
                    event_id=derived_id("execution-started", execution_id),
                    run_id=run.run_id,
                    attempt_id=attempt_id,
                    action_id=action_id_of(attempt_id, event.action_index),
                    execution_id=execution_id,
                    origin=Origin.RECORDED if event.execution_id in taken else Origin.RUNTIME,
                )
            case ExecutionFinished():
                execution_id = _of(run, event.execution_id)
                yield replace(
                    event,
                    event_id=derived_id("execution-finished", execution_id),
                    run_id=run.run_id,
                    execution_id=execution_id,
                )
            case _:
                pass


def _of(run: RunKey, first: str) -> str:
    return derived_id("rerun", run.run_id, first)


_MAX_BUFFERED = 2000
"""Maximum number of buffered events, recorded together because reading the next session first imports what was recorded."""


def rerun(
    ledger: Ledger,
    sessions: Called | Sequence[Called] | Filter,
    *,
    profile: str | Profile | None = None,
    handlers: NewHandlers | None = None,
    policy: Policy | str | Path | None = None,
    parser: str | AnyParser | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RerunReport:
    """Run recorded sessions again, each from its start in a fresh workspace, record this as a run, and report where they diverge.

    An action gets the same times, identifiers and model answers as recorded, and people's decisions are repeated. Actions with
    external effects are not run; they get their recorded results. Without a change, today's handlers are compared with the record.
    With one, each session is also run without it, so that unrelated differences are not taken for its effect.

    Args:
        ledger: the ledger with the sessions; it must be writable.
        sessions: one or more by id, name, the beginning of either, or title; or a filter.
        profile: the profile to run under, if it can't be found by its recorded name or differs from the registered one.
        handlers: other handlers: some by their actions' names, or a factory for all.
        policy: another policy, as a value or as the path of a policy file.
        parser: another parser, by name or as a value.
        progress: is called with the number of sessions done and the total.

    Returns:
        For each session, whether it is identical, its first divergence and the cause, or why it was not run again.

    Raises:
        UsageError: a session is unknown or its name is ambiguous, or the filter matches none.
        UnknownNameError: the profile or parser is unknown.
        PolicyError: the policy file can't be used, or doesn't fit the profile of one of the sessions.
        LedgerError: the ledger can't be written to.

    Example:
        >>> actions = al.ActionSet("greeting")
        >>> @actions.action(example={"name": "Ada"})
        ... def greet(name: str) -> str:
        ...     "Greet somebody."
        ...     return f"Hello {name}"
        >>> greeting = al.custom_profile("greeting", actions=actions, dialects=["hermes"])
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime(greeting, ledger=ledger) as runtime:
        ...         turn = runtime.handle(al.render([("greet", {"name": "Ada"})], "hermes"))
        ...     shorter = {"greet": lambda action, context: f"Hi {action.name}"}
        ...     report = al.rerun(ledger, runtime.session_id, profile=greeting, handlers=shorter)
        >>> first = report.sessions[0].first
        >>> first.turn_index, first.action_index, first.field, first.recorded, first.rerun
        (0, 0, 'result', 'Hello Ada', 'Hi Ada')
    """
    begun = time.perf_counter()
    given = None if profile is None else resolve_profile(profile)
    chosen = None if parser is None else resolve_parser(parser)
    change = Change(handlers, policy, chosen)
    ids = _sessions(ledger, sessions)
    for each in [given] if given else filter(None, map(PROFILES.get, profiles_of(ledger, ids))):
        changed(each, change)  # reports an invalid change before anything is recorded
    run = RunKey(run_id=new_id(), kind=RunKind.RERUN)
    done = _rerun_all(ledger, run, ids, partial(_rerun_one, ledger, run, given, change), progress)
    return RerunReport(run.run_id, done, time.perf_counter() - begun)


def _rerun_all(
    ledger: Ledger,
    run: RunKey,
    ids: Sequence[str],
    rerun_one: Callable[[str], tuple[SessionRerun, list[Event]]],
    progress: Callable[[int, int], None] | None,
) -> tuple[SessionRerun, ...]:
    """Run sessions again and record this as a run."""
    ledger.record(run_started(run, name="rerun", source=ids[0] if len(ids) == 1 else ""))
    ledger.flush()
    done: list[SessionRerun] = []
    buffered: list[Event] = []
    for session_id in ids:
        shown, events = rerun_one(session_id)
        done.append(shown)
        buffered += events
        if len(buffered) >= _MAX_BUFFERED:
            _record(ledger, buffered)
        if progress is not None:
            progress(len(done), len(ids))
    turns = sum(len(each.turns) for each in done)
    refused = sum(each.refusal is not None for each in done)
    _record(ledger, [*buffered, run_finished(run, turns=turns, refused=refused)])
    return tuple(done)


def _record(ledger: Ledger, events: list[Event]) -> None:
    """Record events and clear the list."""
    for event in events:
        ledger.record(event)
    ledger.flush()
    events.clear()


def _sessions(ledger: Ledger, sessions: Called | Sequence[Called] | Filter) -> list[str]:
    if isinstance(sessions, Filter):
        statement, parameters = selected_sessions(sessions)
        found = [row[0] for row in ledger.sql(statement, parameters).fetchall()]
        if not found:
            raise UsageError(
                f"No recorded session fits {sessions.words}; 'actionledger show' lists what the ledger holds."
            )
        return found
    names = [sessions] if isinstance(sessions, Called) else sessions
    return list(dict.fromkeys(one_session(ledger, name) for name in names))


def _rerun_one(
    ledger: Ledger, run: RunKey, given: Profile | None, change: Change, session_id: str
) -> tuple[SessionRerun, list[Event]]:
    """Return a session's rerun and the events to record."""
    lock = ledger.internals.session_lock(session_id)
    if not lock.acquire():
        return SessionRerun(session_id, WhyNot.OPEN, Refused(WhyNot.OPEN).sentence), []
    try:
        course = course_of(ledger, session_id)
        try:
            found = given or profile_named(course.session.profile)
        except UnknownNameError as error:
            raise Refused(WhyNot.UNKNOWN_PROFILE, str(error)) from None
        recorded = as_recorded(found, course.states.begun.settings)
        missing = {each.name for each in course.executions if each.reason is Reason.NO_HANDLER}
        plain = (
            replace(recorded, handlers=without_handlers(recorded.handlers, missing)) if missing else recorded
        )
        compared, performance = _compared(course, plain, change)
    except Refused as refused:
        return SessionRerun(session_id, refused.reason, refused.sentence), []
    finally:
        lock.release(remove=True)
    events = [
        parser_used(change.parser or plain.parser, run.run_id),
        *as_rerun(performance.events, run, performance.taken),
        _note(compared, run),
    ]
    return compared, events


def _compared(course: Course, plain: Profile, change: Change) -> tuple[SessionRerun, Performance]:
    recorded = traces_of_record(course)
    control, order, unstable = _control(course, recorded, plain)
    if not change.is_one:
        return _shown(course, recorded, control, unstable, ()), control
    candidate = perform(course, changed(plain, change), order=order)
    anyway = {each.place for each in unstable}
    caused = [
        replace(each, cause=Cause.CHANGE)
        for each in divergences(recorded, candidate.traces)
        if each.place not in anyway
    ]
    return _shown(course, recorded, candidate, caused, unstable), candidate


def _control(
    course: Course, recorded: Mapping[int, TurnTrace], plain: Profile
) -> tuple[Performance, Order, list[Divergence]]:
    """Run a session again without a change; return the performance, the order used, and the remaining differences.

    The order of parallel actions is not recorded: if one order does not reproduce the record, another may. Differences that depend
    on the order are reported as nondeterminism.
    """
    control = perform(course, plain)
    found = list(divergences(recorded, control.traces))
    if not found:
        return control, "as_seen", []
    again = perform(course, plain, order="as_written")
    if not any(divergences(recorded, again.traces)):
        return again, "as_written", []
    chance = {each.place for each in divergences(control.traces, again.traces)}
    causes = (Cause.NONDETERMINISM if each.place in chance else each.cause for each in found)
    return control, "as_seen", [replace(each, cause=cause) for each, cause in zip(found, causes, strict=True)]


def _shown(
    course: Course,
    recorded: Mapping[int, TurnTrace],
    performance: Performance,
    found: Sequence[Divergence],
    unstable: Sequence[Divergence],
) -> SessionRerun:
    first = found[0] if found else None
    last = first.turn_index if first else None
    verdicts = [
        TurnVerdict(
            index,
            "same" if last is None or index < last else "diverged" if index == last else "not_comparable",
        )
        for index in sorted(recorded)
    ]
    executions = sum(event.kind == "execution_started" for event in performance.events)
    return SessionRerun(
        course.session.session_id,
        turns=tuple(verdicts),
        first=first,
        divergences=tuple(each for each in found if each.turn_index == last),
        unstable=tuple(each for each in unstable if last is None or each.turn_index <= last),
        performed=executions - len(performance.taken),
        from_record=len(performance.taken),
        left_out=tuple(performance.left_out),
    )


def _note(shown: SessionRerun, run: RunKey) -> SystemNoted:
    """Return the event that keeps the result of one session's rerun."""
    first = shown.first
    where = f" It parts in turn {first.turn_index} at {first.field}." if first else ""
    detail: dict[str, Any] = {
        "verdict": shown.verdict,
        "performed": shown.performed,
        "from_record": shown.from_record,
        "unstable": len(shown.unstable),
    }
    if first is not None:
        detail |= {
            "turn_index": first.turn_index,
            "action_index": first.action_index,
            "field": first.field,
            "cause": str(first.cause),
            "recorded": json_text(first.recorded)[:2000],
            "rerun": json_text(first.rerun)[:2000],
        }
    return SystemNoted(
        event_id=new_id(),
        recorded_at=now(),
        run_id=run.run_id,
        code="session_rerun",
        message=f"The rerun is {shown.verdict}.{where}",
        session_id=shown.session_id,
        detail=detail,
    )
