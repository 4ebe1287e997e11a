"""The reasoner: from a trigger, plan, execute, extend and record a sequence, and report progress to listeners."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Event as Signal, Lock, Thread
from typing import Self, TypeAlias

from pydantic_core import from_json

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.events import (
    ActionRecord,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ResponseParsed,
    SystemNoted,
    TurnFinished,
)
from actionledger.core.vocabulary import ExecutionStatus, Outcome
from actionledger.ledger import Ledger
from actionledger.profiles.reasoner.actions import CATALOGUE, SILENT_CATALOGUE
from actionledger.profiles.reasoner.chains import NO_CHAINS, Chain, reasoner_profile
from actionledger.profiles.reasoner.context import SharedContext, Trigger, TriggerType, user_input
from actionledger.profiles.reasoner.planner import Suggestion, instructions, question, suggestions
from actionledger.profiles.reasoner.registry import ActionRegistry
from actionledger.profiles.reasoner.sequence import Following
from actionledger.profiles.reasoner.store import STORE_FILE, Persona, PersonaStore
from actionledger.runtime.models import Model
from actionledger.runtime.session.runtime import Runtime


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """An action on the persona's state begins."""

    tool_name: str
    tool_id: str  # identifies this try; its end has the same
    parameters: JsonMap  # its planned arguments


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """An action on the persona's state is over."""

    tool_id: str
    result: str  # its result, in words
    status: ExecutionStatus  # its recorded status


@dataclass(frozen=True, slots=True)
class AgentText:
    """The persona thinks or speaks."""

    content: str  # the text; it is a model's and must never be shown as markup
    is_thought: bool  # whether it is for itself


@dataclass(frozen=True, slots=True)
class ActionSystemEvent:
    """An event of the sequence itself, not for the user."""

    event_type: str  # its kind, in one word: `repetition_stopped`, `plan_unreadable`, `action_failed`, …
    message: str  # the sentence for people
    action_sequence_id: str  # the sequence's turn


AgentEvent: TypeAlias = ToolStarted | ToolFinished | AgentText | ActionSystemEvent

_WORDS = frozenset({"think", "speak", "done"})
"""Actions that don't change the persona's state."""


class ProgressEvents:
    """Turns recorded events into a listener's events, and knows the running actions."""

    def __init__(self) -> None:
        self._actions: dict[str, ActionRecord] = {}
        self._started: dict[str, ExecutionStarted] = {}
        self._turn_id = ""

    def told(self, event: Event) -> Iterator[AgentEvent]:
        """Yield a recorded event's events for a listener."""
        match event:
            case ResponseParsed():
                self._turn_id = event.turn_id
                self._actions = {action.action_id: action for action in event.actions}
                yield from _unread(event)
            case ExecutionStarted():
                self._started[event.execution_id] = event
                if event.name not in _WORDS:
                    yield ToolStarted(event.name, event.execution_id, self._parameters(event))
            case ExecutionFinished():
                started = self._started.pop(event.execution_id, None)
                if started:
                    yield from _finished(started.name, event)
            case SystemNoted():
                yield ActionSystemEvent(event.code, event.message, event.turn_id or self._turn_id)
            case TurnFinished():
                self._started.clear()

    def _parameters(self, event: ExecutionStarted) -> JsonMap:
        action = self._actions.get(event.action_id)
        written = event.arguments or (action.arguments if action else "{}")
        parameters: JsonMap = from_json(written)
        return parameters


def _unread(event: ResponseParsed) -> Iterator[AgentEvent]:
    """Yield an event for each unreadable or refused part of a plan."""
    if event.outcome in {Outcome.FAILED, Outcome.PARTIAL}:
        why = " ".join(issue.message for issue in event.issues) or "The plan can't be read."
        yield ActionSystemEvent("plan_unreadable", why, event.turn_id)
    for action in event.actions:
        if action.errors:
            why = " ".join(error.message for error in action.errors)
            yield ActionSystemEvent("action_refused", f"{action.name[:100]}: {why}", event.turn_id)


def _finished(name: str, event: ExecutionFinished) -> Iterator[AgentEvent]:
    result = from_json(event.result)
    summary = result.get("summary", "") if isinstance(result, dict) else ""
    has_succeeded = event.status is ExecutionStatus.SUCCEEDED
    if name not in _WORDS:
        yield ToolFinished(event.execution_id, summary or event.message, event.status)
    elif not has_succeeded:
        yield ActionSystemEvent("action_failed", f"{name}: {event.message}", event.turn_id)
    elif name != "done":
        yield AgentText(summary, is_thought=name == "think")


MAX_SEQUENCES = 4
"""The maximum of sequences after one trigger, the first one included."""

_LINES = 20
"""The number of spoken lines that the planner sees."""


class Reasoner:
    """A persona that plans and executes reactions to events.

    Args:
        model: plans, and answers for each action.
        ledger: where everything is recorded; nowhere if not given.
        workspace: where the persona is stored; a temporary folder if not given.
        persona: its initial state, if the workspace has none.
        speaks: whether it may speak to the user.
        chains: sequences by name; the planner knows them, and ``run_chain`` runs one.
        max_sequences: the maximum of sequences after one trigger.
        workers: how many independent actions may run at the same time.
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
        """The persona with its history; ``store.restore(step)`` restores an earlier state."""
        return self._store

    @property
    def session_id(self) -> str:
        """The session's identifier in the ledger."""
        return self._session.session_id

    def suggestions(self) -> list[Suggestion]:
        """Return the planner's lessons from earlier sessions; none without a ledger."""
        return suggestions(self._ledger) if self._ledger else []

    def process(self, trigger: Trigger | str) -> Iterator[AgentEvent]:
        """Plan and execute the reaction to an event."""
        happened = user_input(trigger) if isinstance(trigger, str) else trigger
        return self._events(lambda: self._follow(happened))

    def run_chain(self, name: str, trigger: Trigger | str) -> Iterator[AgentEvent]:
        """Execute a prepared sequence; see ``process``."""
        if name not in self._chains:
            raise UnknownNameError("chain", name, self._chains)
        chain = self._chains[name]
        happened = user_input(trigger) if isinstance(trigger, str) else trigger

        def work() -> None:
            self._begin(happened)
            self._session.handle(chain.written(), prompt=f"The chain {name!r}. {happened.described}")

        return self._events(work)

    def close(self, *, success: bool | None = None, reason: str = "") -> None:
        """End the session after the running sequence; see ``Runtime.close``."""
        self._is_closed = True
        # An error may have cut off a listener, with events still to come.
        self._is_left.set()
        if self._thread:
            self._thread.join()
        self._store.close()
        self._session.close(success=success, reason=reason)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(reason=kind.__name__ if kind else "")

    def _events(self, work: Callable[[], None]) -> Iterator[AgentEvent]:
        """Yield the events while some work runs in its own thread."""
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
            except BaseException as error:  # noqa: BLE001 - raised again in the listener's thread
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
        """Plan, execute, and plan again as long as the plan says so."""
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
    """Do nothing: no trigger is being processed."""
