"""A session or a turn that goes on, from what a ledger holds of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.recording import SessionKey, TurnKey
from actionledger.core.values import Approval, Observation
from actionledger.core.vocabulary import ExecutionStatus, Reason, was_cut
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.naming import Called, one_session
from actionledger.ledger.queries.progress import LastTry, TurnProgress, next_turn_index, turn_progress
from actionledger.ledger.queries.sessions import Session, session
from actionledger.runtime.execution.turn_state import TurnState
from actionledger.runtime.session.record import LAKE_HOST


@dataclass(frozen=True, slots=True)
class Earlier:
    """A recorded session that goes on.

    Args:
        session_id: identifies it.
        turns: how many turns it has.
    """

    session_id: str
    turns: int


def recorded_session(ledger: Ledger, session_id: Called) -> tuple[Session, Earlier]:
    """Return what is recorded of a session, and where it goes on."""
    session_id = one_session(ledger, session_id)
    found = session(ledger, session_id)
    assert found is not None
    _refuse_of_other_host(ledger, found)
    return found, Earlier(session_id, next_turn_index(ledger, session_id))


def recall(ledger: Queryable, turn_id: str, approvals: Mapping[int, Approval]) -> TurnState:
    """Return a turn as far as it was recorded."""
    found = turn_progress(ledger, turn_id)
    if found is None:
        raise UsageError(
            f"No turn {turn_id!r} was read; 'actionledger sql \"FROM turns\"' lists the turns that there are."
        )
    turn, tries = found
    return TurnState(
        turn=_key(turn),
        text=turn.text,
        parser_id=turn.parser_id,
        is_cut=was_cut(turn.finish_reason),
        is_exact=turn.text_is_exact,
        is_live=False,
        is_finished=turn.is_finished,
        observations={each.action_index: _observation(each, approvals) for each in tries},
        tries={each.action_index: each.try_number for each in tries},
        unfinished=frozenset(each.action_index for each in tries if not each.is_finished),
        approvals=approvals,
    )


def recorded_workspace(recorded: Session) -> Path:
    """Return the folder that a recorded live session worked in."""
    folder = json.loads(recorded.metadata).get("workspace")
    if isinstance(folder, str) and Path(folder).is_dir():
        return Path(folder)
    what = f"is gone: {folder!r}" if folder else "was not recorded"
    raise UsageError(
        f"The folder of the session {recorded.session_id} {what}; say where it is now, by --workspace FOLDER or workspace=FOLDER."
    )


def _refuse_of_other_host(ledger: Ledger, recorded: Session) -> None:
    """Raise where a session is another host's: its lock is there, and two hosts at it would each record a turn of the same place."""
    own, its = ledger.internals.host, json.loads(recorded.metadata).get(LAKE_HOST)
    if own and isinstance(its, str) and its != own:
        raise LedgerError(
            f"The session {recorded.session_id} runs on the host {its!r}, where its lock is: go on with it there. "
            f'Where that host is gone for good, say host = "{its}" in {ledger.path}.'
        )


def _key(turn: TurnProgress) -> TurnKey:
    key = SessionKey(session_id=turn.session_id, profile=turn.profile, model=turn.model, task=turn.task)
    return TurnKey(session=key, turn_id=turn.turn_id, index=turn.turn_index, occurred_at=turn.occurred_at)


def _observation(last: LastTry, approvals: Mapping[int, Approval]) -> Observation:
    asked = approvals.get(last.action_index)
    never_ran = not last.is_finished and asked is not None and asked.decision is None
    # What waits was cut off between its two events: nothing can have run before a decision.
    status = ExecutionStatus.PENDING if never_ran else last.status
    reason = Reason.NOT_APPROVED if never_ran else last.reason
    return Observation(
        execution_id=last.execution_id,
        action_index=last.action_index,
        name=last.name,
        status=status,
        reason=reason,
        result=json.loads(last.result),
        message=last.message,
        duration_ms=last.duration_ms,
    )
