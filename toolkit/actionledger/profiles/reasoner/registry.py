"""The reasoner's actions as its planner is told of them, and what runs them in a session."""

from collections.abc import Iterable
from functools import partial
from threading import Lock

from actionledger.actions.catalogue import Catalogue
from actionledger.profiles.reasoner.actions import CATALOGUE, ReasonerAction
from actionledger.profiles.reasoner.executor_context import ExecutorContext
from actionledger.profiles.reasoner.executors import EXECUTORS, TAKING_UP
from actionledger.profiles.reasoner.persona import Persona
from actionledger.profiles.reasoner.shared_context import SharedContext
from actionledger.profiles.reasoner.store import STORE_FILE, PersonaStore
from actionledger.runtime.execution.handlers import Context, Handler, HandlerFactory, Handlers
from actionledger.runtime.execution.settings import ActionSettings, ExecutionSettings
from actionledger.runtime.models import Model
from actionledger.runtime.workspace import Workspace

_TIMEOUT = 180.0
"""What an action may take, the model's answer included, in seconds."""


class ActionRegistry:
    """The actions that a planner may use.

    Args:
        catalogue: their models.
    """

    def __init__(self, catalogue: Catalogue = CATALOGUE) -> None:
        self.catalogue = catalogue

    @property
    def actions(self) -> dict[str, type[ReasonerAction]]:
        """Each action's model by its name, in the catalogue's order."""
        models = zip(self.catalogue.names, self.catalogue.actions, strict=True)
        return {name: model for name, model in models if issubclass(model, ReasonerAction)}

    def get_planning_guidance(self) -> str:
        """Return each action with what it does and what context it needs, for a planner's prompt."""
        return "\n".join(
            line
            for name, action in self.actions.items()
            for line in (
                f"- {name}: {' '.join(action.get_action_description().split())}",
                f"  Context needed: {action.get_context_description()}",
            )
        )

    def execution_settings(self) -> ExecutionSettings:
        """Return how each is run: side by side with those that touch nothing of what it touches."""
        return ExecutionSettings(
            tuple(
                (
                    name,
                    ActionSettings(
                        timeout=_TIMEOUT, retries=1, parallel=True, reads=action.reads, writes=action.writes
                    ),
                )
                for name, action in self.actions.items()
            )
        )


def reasoner_handlers(
    model: Model | None, shared: SharedContext | None, persona: Persona | None, names: Iterable[str]
) -> HandlerFactory:
    """Return what makes the handlers of a session; the persona is the file ``reasoner.sqlite`` in its workspace."""
    return partial(_make, model, shared, persona, tuple(names))


def _make(
    model: Model | None,
    shared: SharedContext | None,
    persona: Persona | None,
    names: tuple[str, ...],
    workspace: Workspace,
) -> Handlers:
    place = _Place(workspace, persona)

    def handler(name: str) -> Handler:
        def run(action: ReasonerAction, context: Context) -> dict[str, object]:
            given = ExecutorContext(
                name,
                place.store,
                shared or place.shared_context_of(context.turn_id),
                context.cancelled,
                model,
            )
            return EXECUTORS.get(name, TAKING_UP).execute(action, given)

        return run

    return Handlers({name: handler(name) for name in names}, close=place.close, opens=place.open)


class _Place:
    """The persona of a session, opened when it is first needed, and the sequence of its present turn.

    Where nobody sets up a sequence, each response is one.
    """

    def __init__(self, workspace: Workspace, persona: Persona | None) -> None:
        self._path = workspace.root / STORE_FILE
        self._persona = persona
        self._store: PersonaStore | None = None
        self._turn = ("", SharedContext())
        self._lock = Lock()

    def open(self) -> None:
        """Open the persona, where it isn't yet."""
        _ = self.store

    @property
    def store(self) -> PersonaStore:
        with self._lock:
            if self._store is None:
                self._store = PersonaStore(self._path, self._persona)
            return self._store

    def shared_context_of(self, turn_id: str) -> SharedContext:
        with self._lock:
            if self._turn[0] != turn_id:
                self._turn = (turn_id, SharedContext())
            return self._turn[1]

    def close(self) -> None:
        with self._lock:
            if self._store is not None:
                self._store.close()
            self._store = None
