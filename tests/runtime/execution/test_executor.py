"""One step: what a handler does becomes an observation, whatever it does, and is recorded around its effect."""

import json
from dataclasses import replace
from datetime import datetime
from math import nan
from threading import Event, current_thread, get_ident

import pytest

from actionledger.core.errors import ActionError, LedgerError
from actionledger.core.events import EVENT, ExecutionFinished, ExecutionStarted
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.runtime.execution.executor import Executor
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.execution.outcomes import MAX_RESULT
from actionledger.runtime.execution.profile import ExecutionSettings
from actionledger.runtime.execution.turn_context import Withheld
from actionledger.runtime.workspace import Workspace


class UnreadableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text for you")


def raising(error: BaseException):
    def handler(_action: object, _context: object) -> None:
        raise error

    return handler


def too_deep(action: object, context: object) -> object:
    return too_deep(action, context)


@pytest.fixture
def observed(step, events, executor):
    """Runs a step with a handler; checks that the two events are as they must be, and gives the observation."""

    def run(handler, **settings):
        (observation,) = executor(handler, **settings).run([step])
        started, finished = events
        assert isinstance(started, ExecutionStarted)
        assert isinstance(finished, ExecutionFinished)
        assert started.execution_id == finished.execution_id == observation.execution_id
        assert (finished.status, finished.reason, finished.message) == (
            observation.status,
            observation.reason,
            observation.message,
        )
        assert json.loads(finished.result) == observation.result
        assert EVENT.dump_json(finished)
        return observation

    return run


def test_a_result_is_observed_and_recorded(observed):
    """What the handler returns is the observation's result and the event's, and the handler gets the model."""
    observation = observed(lambda action, _context: {"seen": action.at})
    assert (observation.status, observation.reason, observation.message) == (
        ExecutionStatus.SUCCEEDED,
        None,
        "",
    )
    assert observation.result == {"seen": "the sky"}
    assert (observation.name, observation.action_index) == ("look", 2)
    assert observation.duration_ms >= 0


def test_intent_is_recorded_before_the_effect_and_the_result_after_it(step, events, executor):
    """Whoever looks while the handler runs sees a start without a finish."""
    seen = []
    executor(lambda action, _context: seen.extend(event.kind for event in events)).run([step])
    assert seen == ["execution_started"]
    assert [event.kind for event in events] == ["execution_started", "execution_finished"]


def test_nothing_runs_unrecorded(step, executor):
    """Where the intent can't be recorded, there is no effect."""
    effects = []

    def full(_event: object) -> None:
        raise LedgerError("The disk is full.")

    running = executor(lambda action, _context: effects.append(action), record=full)
    with pytest.raises(LedgerError):
        running.run([step])
    assert effects == []


def test_the_events_carry_the_dimensions_of_the_turn(step, events, observed):
    """No statistic needs a join: session, turn, profile, model and task are in the start."""
    observed(lambda action, _context: None)
    started = events[0]
    assert (started.session_id, started.turn_id, started.turn_index) == (
        step.turn.session.session_id,
        step.turn.turn_id,
        3,
    )
    assert (started.profile, started.model, started.task, started.dialect) == ("small", "m", "t", "actions")
    assert (started.attempt_id, started.action_index, started.try_number) == (step.attempt_id, 2, 1)
    assert started.occurred_at == datetime.fromisoformat("2026-05-04T12:00:00")
    assert started.started_at.tzinfo is None
    assert started.arguments is None  # they are those of the response, which is recorded


def test_the_same_try_has_the_same_ids_and_another_one_others(step, events, executor):
    """Ids are derived: recording a try twice doubles nothing, and no two actions or tries share one."""
    running = executor(lambda action, _context: None)
    for each in (step, step, replace(step, index=step.index + 1), replace(step, try_number=2)):
        running.run([each])
    first, second, other, again = (events[at : at + 2] for at in (0, 2, 4, 6))
    assert [event.event_id for event in first] == [event.event_id for event in second]
    ids = {event.event_id for event in (*first, *other, *again)}
    assert len(ids) == 6
    assert len({first[0].execution_id, other[0].execution_id, again[0].execution_id}) == 3
    assert first[0].action_id != other[0].action_id
    assert first[0].trace_id == again[0].trace_id != other[0].trace_id


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (ActionError(Reason.NOT_FOUND, "There is none."), ExecutionStatus.FAILED, Reason.NOT_FOUND),
        (ActionError(Reason.PATH_REFUSED, "Not there."), ExecutionStatus.FAILED, Reason.PATH_REFUSED),
        (ActionError("not_found", "A plain string."), ExecutionStatus.FAILED, Reason.NOT_FOUND),
        (ActionError("made up", "No such code."), ExecutionStatus.FAILED, Reason.HANDLER_ERROR),
        (TimeoutError("30 s"), ExecutionStatus.TIMED_OUT, Reason.TIMEOUT),
        (ValueError("bad"), ExecutionStatus.FAILED, Reason.HANDLER_ERROR),
        (OSError(28, "No space left on device"), ExecutionStatus.FAILED, Reason.HANDLER_ERROR),
        (MemoryError(), ExecutionStatus.FAILED, Reason.HANDLER_ERROR),
        (RecursionError("too deep"), ExecutionStatus.FAILED, Reason.HANDLER_ERROR),
        (StopIteration(), ExecutionStatus.FAILED, Reason.HANDLER_ERROR),
        (AssertionError(), ExecutionStatus.FAILED, Reason.HANDLER_ERROR),
        (
            ExceptionGroup("several", [ValueError("a"), KeyError("b")]),
            ExecutionStatus.FAILED,
            Reason.HANDLER_ERROR,
        ),
        (UnreadableError(), ExecutionStatus.FAILED, Reason.HANDLER_ERROR),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), ExecutionStatus.FAILED, Reason.HANDLER_ERROR),
        (ValueError("half \ud83d of a pair"), ExecutionStatus.FAILED, Reason.HANDLER_ERROR),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_whatever_a_handler_raises_becomes_an_outcome(observed, error, status, reason):
    """An exception ends the action and not the turn; its kind says what is recorded."""
    observation = observed(raising(error))
    assert (observation.status, observation.reason, observation.result) == (status, reason, None)
    assert observation.message


def test_an_action_error_speaks_to_the_model(observed):
    """Its sentence goes out as it is, without the name of a class."""
    error = ActionError(Reason.NO_MATCH, "The text does not occur.")
    assert observed(raising(error)).message == "The text does not occur."


def test_a_strangers_error_is_named(observed):
    """The kind and the text of an unforeseen error are kept, shortened."""
    message = observed(raising(KeyError("x" * 5000))).message
    assert "KeyError" in message
    assert len(message) == 2000


def test_an_error_without_readable_text_is_named_all_the_same(observed):
    """An exception whose own text can't be had still leaves its name."""
    assert "UnreadableError" in observed(raising(UnreadableError())).message


def test_endless_recursion_is_an_error_of_the_handler(events, observed):
    """A handler that calls itself for ever fails, and the next step can run."""
    assert observed(too_deep).reason is Reason.HANDLER_ERROR
    events.clear()
    assert observed(lambda action, _context: 1).status is ExecutionStatus.SUCCEEDED


@pytest.mark.parametrize("timeout", [None, 30])
def test_an_order_to_stop_is_recorded_and_obeyed(step, events, executor, timeout):
    """Somebody pressed Ctrl-C: the action is interrupted, and so is the session."""
    with pytest.raises(KeyboardInterrupt):
        executor(raising(KeyboardInterrupt()), timeout=timeout).run([step])
    assert [event.kind for event in events] == ["execution_started", "execution_finished"]
    assert (events[1].status, events[1].reason) == (ExecutionStatus.INTERRUPTED, Reason.STOPPED)


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit])
def test_a_handler_cannot_end_the_session(observed, error):
    """A stranger's ``sys.exit()`` is the failure of one action."""
    observation = observed(raising(error()))
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.HANDLER_ERROR)


@pytest.mark.parametrize(
    ("result", "kept"),
    [
        (None, None),
        (True, True),
        ("text \0 🙂", "text \0 🙂"),
        ((1, 2), [1, 2]),
        ({1: {"a"}}, {"1": ["a"]}),
        (nan, "NaN"),
        ("half \ud83d", "half \ufffd"),
        (b"\xff", "b'\\xff'"),
        (datetime.fromisoformat("2026-05-04T12:00:00"), "2026-05-04T12:00:00"),
        (ValueError("as a value"), "ValueError('as a value')"),
        (len, "<built-in function len>"),
    ],
    ids=repr,
)
def test_a_result_is_kept_as_a_json_value(observed, result, kept):
    """What JSON can't hold becomes text; the observation has what the record has."""
    observation = observed(lambda action, _context: result)
    assert (observation.status, observation.result) == (ExecutionStatus.SUCCEEDED, kept)


def test_a_result_is_a_copy(observed):
    """A handler that goes on changing what it returned changes no observation."""
    live = {"seen": []}
    observation = observed(lambda action, _context: live)
    live["seen"].append("more")
    assert observation.result == {"seen": []}


def test_a_huge_result_is_kept_by_its_beginning(observed):
    """The beginning is kept, nothing of the rest."""
    whole = ["x" * 1000] * 5000
    observation = observed(lambda action, _context: whole)
    assert observation.status is ExecutionStatus.SUCCEEDED
    assert observation.result["truncated"] is True
    assert observation.result["beginning"] == json.dumps(whole, separators=(",", ":"))[:MAX_RESULT]


def test_a_withheld_step_is_recorded_with_its_reason(step, events, executor):
    """What is not run leaves the same two events, and no time."""
    withheld = Withheld(ExecutionStatus.DENIED, Reason.NOT_APPROVED, "Not today.")
    observation = executor(None).withhold(step, withheld)
    assert (observation.status, observation.reason, observation.message) == (
        ExecutionStatus.DENIED,
        Reason.NOT_APPROVED,
        "Not today.",
    )
    assert observation.duration_ms == 0
    assert [event.kind for event in events] == ["execution_started", "execution_finished"]
    assert (events[1].status, events[1].duration_ms) == (ExecutionStatus.DENIED, 0)


def test_a_handler_that_hangs_is_left_behind(step, events, executor):
    """It is told that nobody waits any more, and the next step runs at once."""
    told = Event()

    def hang(_action, context):
        context.cancelled.wait(120)
        told.set()

    running = executor(hang, timeout=0.05)
    (observation,) = running.run([step])
    assert (observation.status, observation.reason) == (ExecutionStatus.TIMED_OUT, Reason.TIMEOUT)
    assert "0.05 s" in observation.message
    assert told.wait(120)
    running.handlers["look"] = lambda action, _context: "seen"
    running.execution_settings = ExecutionSettings()
    (following,) = running.run([replace(step, index=7)])
    assert following.result == "seen"
    assert len({event.event_id for event in events}) == 4


def test_a_result_that_never_ends_is_a_time_out(observed):
    """Looking at a stranger's value is the stranger's time."""

    class Slow:
        def __repr__(self) -> str:
            Event().wait(10)
            return "at last"

    assert observed(lambda action, _context: Slow(), timeout=0.05).status is ExecutionStatus.TIMED_OUT


def test_without_a_time_limit_the_handler_runs_in_the_callers_thread(observed):
    """So what is bound to a thread can be used."""
    here = current_thread().name
    assert observed(lambda action, _context: current_thread().name, timeout=None).result == here


def test_handlers_of_a_session_share_a_thread(step, executor):
    """One that is done takes the next job."""
    running = executor(lambda action, _context: get_ident())
    threads = {running.run([replace(step, index=n)])[0].result for n in range(5)}
    assert len(threads) == 1
    assert threads != {get_ident()}


def test_closing_lets_go_of_what_the_handlers_hold(tmp_path):
    closed = []
    handlers = Handlers({}, close=lambda: closed.append(True))
    running = Executor(
        handlers,
        workspace=Workspace(tmp_path),
        execution_settings=ExecutionSettings(),
        record=lambda event: None,
    )
    running.close()
    assert closed == [True]


def test_a_handler_is_told_where_it_runs(step, executor):
    """Workspace, session, turn and trace; it is no dry run and not cancelled."""
    seen = []
    executor(lambda action, context: seen.append(context)).run([step])
    (context,) = seen
    assert (context.session_id, context.turn_id) == (step.turn.session.session_id, step.turn.turn_id)
    assert context.trace_id == step.action_id[:8]
    assert (context.dry_run, context.cancelled.is_set()) == (False, False)
    assert context.workspace.root.is_dir()
