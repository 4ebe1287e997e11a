"""The reasoner itself: something happens, a sequence is planned, carried out, extended while it may be, and all of it recorded."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from queue import SimpleQueue
from threading import Event as Signal, Lock, Thread
from types import TracebackType
from typing import Self

from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.events import Event
from actionledger.ledger import Ledger
from actionledger.profiles.reasoner.actions import CATALOGUE, SILENT_CATALOGUE
from actionledger.profiles.reasoner.chains import NO_CHAINS, Chain
from actionledger.profiles.reasoner.following import Following
from actionledger.profiles.reasoner.learning import Suggestion, suggestions
from actionledger.profiles.reasoner.persona import Persona
from actionledger.profiles.reasoner.planner import instructions, question
from actionledger.profiles.reasoner.profile import reasoner_profile
from actionledger.profiles.reasoner.progress import AgentEvent, ProgressEvents
from actionledger.profiles.reasoner.registry import ActionRegistry
from actionledger.profiles.reasoner.shared_context import SharedContext
from actionledger.profiles.reasoner.store import STORE_FILE, PersonaStore
from actionledger.profiles.reasoner.triggers import Trigger, TriggerType, user_input
from actionledger.runtime.models import Model
from actionledger.runtime.session.runtime import Runtime

MAX_SEQUENCES = 4
"""So many sequences follow from one trigger at most, the first one included."""

_LINES = 20
"""So much of the conversation the planner sees, in things said."""


class Reasoner:
    """A persona that plans what to do about what happens, and does it.

    Args:
        model: plans, and says what each action comes to.
        ledger: where all of it is recorded; nowhere if not given.
        workspace: where the persona is kept; a temporary folder if not given.
        persona: who it is to begin with, where the workspace holds none.
        speaks: whether it may speak to the user.
        chains: sequences by name; the planner is told of them, and ``run_chain`` runs one.
        max_sequences: how many sequences follow from one trigger at most.
        workers: how many actions may run at the same time, of those that touch nothing of each other.
        task: what the session is about, for the records.

    Raises:
        UsageError: the workspace can't be used, or no sequence may follow.
    """

    def __init__(
        self,
        model: Model,
        *,
        ledger: Ledger | None = None,
        workspace: str | Path | None = None,
        persona: Persona | None = None,
        speaks: bool = True,
        chains: Mapping[str, Chain] = NO_CHAINS,
        max_sequences: int = MAX_SEQUENCES,
        workers: int = 4,
        task: str = "",
    ) -> None:
        if max_sequences < 1:
            raise UsageError(f"max_sequences is {max_sequences}; at least one must follow from a trigger.")
        self._model = model
        self._ledger = ledger
        self._chains = chains
        self._max_sequences = max_sequences
        self._shared = SharedContext()
        self._progress = ProgressEvents()
        self._tell: Callable[[AgentEvent], None] = _tell_nobody
        self._busy = Lock()
        self._is_left = Signal()
        self._thread: Thread | None = None
        self._is_closed = False
        profile = reasoner_profile(
            model=model, persona=persona, speaks=speaks, workers=workers, shared=self._shared, chains=chains
        )
        self._registry = ActionRegistry(CATALOGUE if speaks else SILENT_CATALOGUE)
        self._session = Runtime(
            profile, ledger=ledger, workspace=workspace, model=model.name, task=task, listen=self._listen
        )
        self._store = PersonaStore(self._session.workspace / STORE_FILE, persona)

    @property
    def store(self) -> PersonaStore:
        """The persona with its history; ``store.restore(step)`` goes back."""
        return self._store

    @property
    def session_id(self) -> str:
        """The session's identifier in the ledger."""
        return self._session.session_id

    def suggestions(self) -> list[Suggestion]:
        """Return what the planner is told of earlier sessions; nothing without a ledger."""
        return suggestions(self._ledger) if self._ledger else []

    def process(self, trigger: Trigger | str) -> Iterator[AgentEvent]:
        """Plan and carry out what follows from something that happened."""
        happened = user_input(trigger) if isinstance(trigger, str) else trigger
        return self._events(lambda: self._follow(happened))

    def run_chain(self, name: str, trigger: Trigger | str) -> Iterator[AgentEvent]:
        """Carry out a sequence that was thought out beforehand; see ``process``."""
        if name not in self._chains:
            raise UnknownNameError("chain", name, self._chains)
        chain = self._chains[name]
        happened = user_input(trigger) if isinstance(trigger, str) else trigger

        def work() -> None:
            self._begin(happened)
            self._session.handle(chain.written(), prompt=f"The chain {name!r}. {happened.described}")

        return self._events(work)

    def close(self, *, success: bool | None = None, reason: str = "") -> None:
        """End the session, after the sequence that is under way; see ``Runtime.close``."""
        self._is_closed = True
        # Whoever listens may have been cut off by an error, with events still to come.
        self._is_left.set()
        if self._thread:
            self._thread.join()
        self._store.close()
        self._session.close(success=success, reason=reason)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(reason=kind.__name__ if kind else "")

    def _events(self, work: Callable[[], None]) -> Iterator[AgentEvent]:
        """Yield what is told while some work is done in a thread of its own."""
        if self._is_closed:
            raise UsageError("The reasoner is closed; make another one in the same workspace.")
        if not self._busy.acquire(blocking=False):
            raise UsageError(
                "The reasoner is busy with another trigger; read that one's events to their end."
            )
        told: SimpleQueue[AgentEvent | None] = SimpleQueue()
        failures: list[BaseException] = []
        self._is_left.clear()

        def run() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that listens
                failures.append(error)
            finally:
                told.put(None)

        self._tell = told.put
        self._thread = Thread(target=run, name="reasoner", daemon=True)
        try:
            self._thread.start()
            while (event := told.get()) is not None:
                yield event
        finally:
            self._is_left.set()
            self._thread.join()
            self._tell = _tell_nobody
            self._busy.release()
        if failures:
            raise failures[0]

    def _listen(self, event: Event) -> None:
        for told in self._progress.told(event):
            self._tell(told)

    def _begin(self, trigger: Trigger) -> None:
        self._shared.begin(trigger)
        if trigger.type is TriggerType.USER_INPUT:
            self._store.say("User", trigger.content)

    def _follow(self, trigger: Trigger) -> None:
        """Plan, carry out, and plan again while the plan says so."""
        persona, conversation = self._store.persona, self._store.conversation(_LINES)
        messages = [
            instructions(self._registry, persona, self._chains, self.suggestions()),
            question(trigger, persona, conversation),
        ]
        self._begin(trigger)
        following = Following(
            model=self._model,
            session=self._session,
            shared=self._shared,
            store=self._store,
            chains=self._chains,
            trigger=trigger,
            max_sequences=self._max_sequences,
            is_left=self._is_left,
        )
        following.follow(messages)


def _tell_nobody(_event: AgentEvent) -> None:
    """Tell nobody: no trigger is being processed."""
