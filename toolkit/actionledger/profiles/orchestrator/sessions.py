"""The sessions of one orchestration: one per layer, each under its layer's policy, all over one folder and one ledger."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.ids import derived_id
from actionledger.core.recording import SessionKey, turn_id_of
from actionledger.core.text import counted
from actionledger.core.values import Observation, Turn
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import next_turn_index, turn_progress
from actionledger.profiles.orchestrator import ORCHESTRATOR
from actionledger.profiles.orchestrator.handlers import orchestrator_handlers, orchestrator_settings
from actionledger.profiles.orchestrator.layers import policy_of
from actionledger.runtime.execution.handlers import Handler, Handlers
from actionledger.runtime.execution.profile import Profile, dialect_of, writer
from actionledger.runtime.session.resumption import Earlier
from actionledger.runtime.session.runtime import Runtime
from actionledger.runtime.workspace import Workspace


class LayerSessions:
    """Executes or queues the layers' actions, and records them.

    A layer's session id is derived from the orchestration's, so that it is found in the ledger when continuing.
    """

    def __init__(
        self,
        ledger: Ledger,
        orchestration: str,
        folder: Path,
        models: Mapping[str, str],
        *,
        task: str = "",
        auto: bool = False,
        instead: Mapping[str, Handler] | None = None,
    ) -> None:
        self._ledger = ledger
        self._orchestration = orchestration
        self._folder = folder
        self._models = models
        self._task = task
        self._auto = auto
        self._instead = dict(instead or {})
        self._open: dict[tuple[str, bool], Runtime] = {}
        self._turns: dict[tuple[str, bool], int] = {}
        """The number of turns of each open session; no other process adds any while it is open."""

    def close(self, *, success: bool | None = None, reason: str = "") -> None:
        """End all sessions; each is recorded with the reason."""
        while self._open:
            _, session = self._open.popitem()
            session.close(success=success, reason=reason)

    def session_id(self, layer: str, *, dry_run: bool = False) -> str:
        """Return the id of a layer's session; a dry run has its own."""
        return derived_id("layer-session", self._orchestration, layer, dry_run)

    def layer_of(self, session_id: str) -> str | None:
        """Return a session's layer; None for a foreign session."""
        return next((layer for layer in self._models if self.session_id(layer) == session_id), None)

    def session(self, layer: str, *, dry_run: bool = False, begun: int | None = None) -> Runtime:
        """Return a layer's session; it is opened, and locked against other processes, on first use."""
        if layer not in self._models:
            raise UnknownNameError("layer", layer, self._models)
        key = (layer, dry_run)
        if key not in self._open:
            session_id = self.session_id(layer, dry_run=dry_run)
            turns = next_turn_index(self._ledger, session_id)
            if (
                begun == turns - 1
                and turn_progress(self._ledger, self._turn_id(layer, begun, dry_run)) is None
            ):
                turns = begun  # a recorded but never parsed response is parsed again, as the same turn
            self._turns[key] = turns
            self._open[key] = Runtime(
                self._profile(layer),
                ledger=self._ledger,
                workspace=self._folder,
                policy=policy_of(layer),
                auto=self._auto,
                dry_run=dry_run,
                model=self._models[layer],
                task=self._task,
                earlier=Earlier(session_id, turns),
                metadata={"orchestration": self._orchestration, "layer": layer},
            )
        return self._open[key]

    def next_turn(self, layer: str, *, dry_run: bool = False) -> int:
        """Return the place of the next turn in a layer's session."""
        self.session(layer, dry_run=dry_run)
        return self._turns[layer, dry_run]

    def check_ledger(self, layer: str, said: int, *, dry_run: bool) -> None:
        """Refuse a ledger without a layer's responses: their pending approvals would be silently lost."""
        if self.next_turn(layer, dry_run=dry_run) < said:
            raise UsageError(
                f"The ledger {str(self._ledger.path)!r} does not hold the {counted(said, 'response')} of the layer {layer!r}; "
                f"give the one that the orchestration was recorded in."
            )

    def take(
        self,
        layer: str,
        text: str,
        prompt: str,
        *,
        index: int,
        finish_reason: str | None = None,
        dry_run: bool = False,
    ) -> Turn:
        """Handle a layer's response, only once for the same place."""
        session = self.session(layer, dry_run=dry_run, begun=index)
        if index < self._turns[layer, dry_run]:
            return session.resume(self._turn_id(layer, index, dry_run))
        return self._handle(layer, text, prompt, dry_run=dry_run, finish_reason=finish_reason)

    def execute_or_queue(self, action: Mapping[str, Any], layer: str, dry_run: bool = False) -> Observation:
        """Execute one action if its layer's policy allows it, or queue it for approval."""
        name = action.get("action")
        if not isinstance(name, str):
            raise UsageError(
                f"An action has its name as 'action', as in {{'action': 'update_plan'}}; got {str(action)[:80]!r}."
            )
        fields = {field: value for field, value in action.items() if field != "action"}
        text = writer(dialect_of(ORCHESTRATOR))(name, fields)
        turn = self._handle(layer, text, None, dry_run=dry_run)
        if not turn.observations:
            raise UsageError(
                f"The action {name!r} is not valid: {'; '.join(each.message for each in turn.issues)}"
            )
        return turn.observations[0]

    def _profile(self, layer: str) -> Profile:
        names = list(self._models)
        above = names[names.index(layer) - 1] if names.index(layer) else ""

        def handlers(workspace: Workspace) -> Handlers:
            return orchestrator_handlers(workspace, layer=layer, above=above, instead=self._instead)

        return replace(
            ORCHESTRATOR, handlers=handlers, execution_settings=orchestrator_settings(self._instead)
        )

    def _handle(
        self,
        layer: str,
        text: str,
        prompt: str | None,
        *,
        dry_run: bool,
        finish_reason: str | None = None,
    ) -> Turn:
        session = self.session(layer, dry_run=dry_run)
        self._turns[layer, dry_run] += 1
        return session.handle(text, prompt=prompt, finish_reason=finish_reason)

    def _turn_id(self, layer: str, index: int, dry_run: bool) -> str:
        key = SessionKey(
            session_id=self.session_id(layer, dry_run=dry_run),
            profile=ORCHESTRATOR.name,
            model=self._models[layer],
            task=self._task,
        )
        return turn_id_of(key, index)
