"""Several tries and several steps, and what runs side by side."""

from dataclasses import replace
from threading import Barrier, Event

import pytest

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.runtime.execution.profile import ActionSettings


class Passing:
    """A handler that fails in passing so often, and then succeeds."""

    def __init__(self, times: int, error: Exception) -> None:
        self.calls, self.times, self.error = 0, times, error

    def __call__(self, _action: object, _context: object) -> str:
        self.calls += 1
        if self.calls <= self.times:
            raise self.error
        return "done"


BUSY = ActionError(Reason.UNAVAILABLE, "The store is busy.", transient=True)


def test_what_fails_in_passing_is_tried_again(step, events, executor):
    """Each try is an execution of its own, with its number; the last one is what came of it."""
    handler = Passing(2, BUSY)
    waits = []
    (observation,) = executor(handler, retries=3, delay=0.5, sleep=waits.append).run([step])
    assert (observation.status, observation.result, handler.calls) == (ExecutionStatus.SUCCEEDED, "done", 3)
    starts, ends = events[::2], events[1::2]
    assert [event.try_number for event in starts] == [1, 2, 3]
    assert [event.status for event in ends] == ["failed", "failed", "succeeded"]
    assert [event.execution_id for event in starts] == [event.execution_id for event in ends]
    assert len({event.execution_id for event in starts}) == 3
    assert len({event.trace_id for event in starts}) == 1
    assert 0.5 <= waits[0] <= 0.625
    assert 1.0 <= waits[1] <= 1.25
    assert observation.execution_id == starts[2].execution_id


def test_retries_come_to_an_end(step, executor):
    """After the last one the failure stands."""
    handler = Passing(99, BUSY)
    (observation,) = executor(handler, retries=3).run([step])
    assert (observation.status, observation.reason, handler.calls) == (
        ExecutionStatus.FAILED,
        Reason.UNAVAILABLE,
        4,
    )


@pytest.mark.parametrize(
    ("error", "idempotent", "calls"),
    [
        (ActionError(Reason.NOT_FOUND, "There is none."), True, 1),
        (ValueError("a fault"), True, 1),
        (TimeoutError(), True, 1),
        (BlockingIOError(), False, 2),
        (ConnectionRefusedError(), False, 2),
        (ConnectionResetError(), False, 1),
        (ConnectionResetError(), True, 2),
    ],
    ids=repr,
)
def test_only_what_had_no_effect_is_tried_again(step, executor, error, idempotent, calls):
    """A connection that broke may have had its effect: only what may be done twice is."""
    handler = Passing(1, error)
    executor(handler, retries=3, idempotent=idempotent).run([step])
    assert handler.calls == calls


def test_several_run_side_by_side_and_are_recorded_in_order(step, events, executor):
    """Each waits for the other to begin, so that neither could finish alone."""
    both = Barrier(2, timeout=120)

    def meet(_action, _context):
        return both.wait() >= 0

    observations = executor(meet).run([step, replace(step, index=5)])
    assert [each.status for each in observations] == [ExecutionStatus.SUCCEEDED] * 2
    assert [each.action_index for each in observations] == [2, 5]
    assert [event.kind for event in events] == ["execution_started"] * 2 + ["execution_finished"] * 2
    assert [event.execution_id for event in events[:2]] == [event.execution_id for event in events[2:]]


def test_an_order_to_stop_reaches_all_that_is_under_way(step, events, executor):
    """What runs beside the one that was stopped is told, and recorded as interrupted."""
    told, begun = Event(), Event()

    def work(action, context):
        if action.at == "first":
            begun.wait(120)
            raise KeyboardInterrupt
        begun.set()
        context.cancelled.wait(120)
        told.set()

    first = replace(step, call=step.call._replace(action=step.call.action.model_copy(update={"at": "first"})))
    with pytest.raises(KeyboardInterrupt):
        executor(work).run([first, replace(step, index=5)])
    assert told.wait(120)
    assert [event.status for event in events[2:]] == ["interrupted"] * 2


def settings(reads: str = "", writes: str = "", *, parallel: bool = True) -> ActionSettings:
    return ActionSettings(parallel=parallel, reads=frozenset(reads), writes=frozenset(writes))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (settings(), settings(), True),
        (settings("a"), settings("a"), True),
        (settings("a", "b"), settings("a", "c"), True),
        (settings("a"), settings("", "a"), False),
        (settings("", "a"), settings("", "a"), False),
        (settings(), settings(parallel=False), False),
    ],
)
def test_two_actions_run_side_by_side_where_neither_touches_what_the_other_changes(one, other, expected):
    """Reading the same is no matter; and both must allow it. It is the same from either side."""
    assert one.may_join(other) is expected
    assert other.may_join(one) is expected


BEGIN = """
import actionledger as al
runtime = al.Runtime("coder", dry_run=True)
runtime.handle("<create_file><path>a</path><content>x</content></create_file>")
"""


@pytest.mark.parametrize("end", ["", "runtime.close()", "del runtime", "raise SystemExit(0)"])
def test_a_session_that_nobody_closed_prints_nothing_at_the_end(tmp_path, forked, end):
    """A thread that waits for its next job would keep modules, and what DuckDB's binding counts, from being let go."""
    done = forked.run(BEGIN + end, tmp_path, is_taken_down=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
