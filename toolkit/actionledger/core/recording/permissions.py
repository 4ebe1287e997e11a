"""The event of what was decided of another runtime's call before it ran."""

from typing import Any

from actionledger.core.events import SystemNoted
from actionledger.core.recording.keys import TurnKey, head

PERMISSION = "permission_decided"
"""The code of a note on who let a call run, or refused it."""

_WORDS = {
    "person": "by a person",
    "hook": "by a hook",
    "rule": "by a rule",
    "mode": "by the agent's mode",
    "nobody": "since nobody could be asked",
    "": "its recording doesn't say by whom",
}


def permission_noted(
    turn: TurnKey, run_id: str, execution_id: str, name: str, said: dict[str, Any]
) -> SystemNoted:
    """Return the event of a decision on a call; the view ``permissions`` has it in columns.

    Args:
        turn: the turn of the call.
        run_id: the run that it belongs to.
        execution_id: what came of the call.
        name: the call's name.
        said: ``decision``, ``decided_by``, ``why`` and ``hooks``, as ``Permission`` has them.
    """
    what = f"{said['decision']}, {_WORDS[said['decided_by']]}" if said["decision"] else "watched by hooks"
    beside = "; ".join(filter(None, (said["why"], *said["hooks"])))
    return SystemNoted(
        **head(run_id, PERMISSION, execution_id),
        code=PERMISSION,
        message=f"{name}: {what}{f' ({beside})' if beside else ''}.",
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        detail={"execution_id": execution_id, **{key: value for key, value in said.items() if value}},
    )
