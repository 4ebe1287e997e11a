"""What a ledger is told of an orchestration beside its sessions: who has said something to whom, and why it stopped."""

from typing import Any

from actionledger.core.clock import now
from actionledger.core.events import SystemNoted
from actionledger.core.ids import derived_id, new_id
from actionledger.core.values import Turn
from actionledger.ledger import Ledger
from actionledger.profiles.orchestrator.state import LayerMessage
from actionledger.profiles.orchestrator.terms import Ending


class Notes:
    """The notes of one orchestration.

    Args:
        ledger: where they are recorded.
        orchestration: its id; notes have it as the run that they belong to, too.
    """

    def __init__(self, ledger: Ledger, orchestration: str) -> None:
        self._ledger = ledger
        self._orchestration = orchestration

    def said(self, message: LayerMessage, turn: Turn) -> None:
        """Record a message, once; its text and actions are those of the turn."""
        detail = message.model_dump(mode="json", exclude={"content", "actions"})
        what = f"The layer {message.from_layer!r} has said something to {message.to!r}."
        self._note("layer_message", what, detail, message.id, turn)

    def stopped(self, ending: Ending) -> None:
        """Record why a run of it stopped."""
        self._note("orchestration_stopped", ending.reason, {"status": ending.status}, new_id())

    def _note(
        self, code: str, message: str, detail: dict[str, Any], key: str, turn: Turn | None = None
    ) -> None:
        self._ledger.record(
            SystemNoted(
                event_id=derived_id("noted", code, key),
                recorded_at=now(),
                run_id=self._orchestration,
                code=code,
                message=message,
                session_id=turn.session_id if turn else None,
                turn_id=turn.turn_id if turn else None,
                detail={"orchestration": self._orchestration, **detail},
            )
        )
        self._ledger.flush()
