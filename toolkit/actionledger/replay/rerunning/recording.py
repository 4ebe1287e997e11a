"""A rerun's events as a run of its own: of the same turns, under identifiers of its own, and never a first reading."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from actionledger.core.events import Event, ExecutionFinished, ExecutionStarted, ResponseParsed
from actionledger.core.ids import derived_id
from actionledger.core.recording import RunKey
from actionledger.core.recording.attempts import action_id_of
from actionledger.core.vocabulary import Origin


def as_rerun(events: Iterable[Event], run: RunKey, taken: Collection[str]) -> Iterator[Event]:
    """Yield what of a rerun's events is recorded: what was read, and what came of each try."""
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
