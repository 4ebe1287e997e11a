"""A conversation with a model, led by a person, in which every response passes through a recorded session; independent of a terminal."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from actionledger.core.errors import UsageError
from actionledger.core.events import Event, ResponseReceived
from actionledger.core.recording import Recorder
from actionledger.core.values import Turn
from actionledger.core.vocabulary import DecisionKind, ExecutionStatus, Reason
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import turn_progress
from actionledger.runtime.agent.transcript import Transcript
from actionledger.runtime.execution.approval import Decision, Policy
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.models import Completion, Message, Model, ModelError
from actionledger.runtime.session.preview import Preview
from actionledger.runtime.session.runtime import Runtime
from actionledger.runtime.workspace import Undone

CONTEXT = 200_000
"""Maximum number of characters sent to the model per request; older turns are dropped."""

_CUT_OFF = "Your last response was cut off, so nothing of it was done. Begin anew with what is still needed."


@dataclass(frozen=True, slots=True)
class CutOff:
    """A response that broke off; none of its actions ran."""

    text: str  # the text received, which is recorded
    why: str  # the reason, as a sentence


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message and its response."""

    said: str  # the person's message
    turn: Turn  # the turn in its current state


class Chat:
    """One conversation; a change of model or workspace starts a new session in it. Unless ``auto`` is set, every allowed action is pending."""

    def __init__(
        self,
        profile: Profile,
        *,
        ledger: Ledger,
        workspace: Path,
        system: str,
        policy: Policy | None = None,
        model: Model | None = None,
        listen: Recorder | None = None,
    ) -> None:
        self.profile = profile
        self.ledger = ledger
        self.system = system
        self.model = model
        self.exchanges: list[Exchange] = []
        """The turns of the session so far."""
        self._policy = (policy or profile.policy).manual()
        self._listen = listen
        self._workspace = workspace
        self._auto = self._dry_run = False
        self._transcript: Transcript | None = None
        self._response = ""
        self._news: list[str] = []
        self._turn_id = ""
        self.session = self._opened()

    @property
    def workspace(self) -> Path:
        """Folder that actions may change"""
        return self.session.workspace

    @property
    def auto(self) -> bool:
        """Whether actions run without approval; settable."""
        return self._auto

    @auto.setter
    def auto(self, wanted: bool) -> None:
        self._auto = wanted
        self._switch()

    @property
    def dry_run(self) -> bool:
        """Whether actions stay pending even with ``auto``, so that their effects can be previewed; settable."""
        return self._dry_run

    @dry_run.setter
    def dry_run(self, wanted: bool) -> None:
        self._dry_run = wanted
        self._switch()

    @property
    def turn(self) -> Turn | None:
        """The last turn; None before the first."""
        return self.exchanges[-1].turn if self.exchanges else None

    @property
    def waiting(self) -> list[int]:
        """The indexes of the last turn's pending actions, from 0."""
        return [
            each.action_index
            for each in (self.turn.observations if self.turn else ())
            if each.status is ExecutionStatus.PENDING and each.reason is Reason.NOT_APPROVED
        ]

    def use_workspace(self, workspace: Path) -> None:
        """Continue in another folder, in a new session with the same conversation."""
        before, self._workspace = self._workspace, workspace
        try:
            self._begin_anew()
        except UsageError:
            self._workspace = before
            raise

    def use_model(self, model: Model) -> None:
        """Continue with another model, in a new session with the same conversation."""
        self.model = model
        self._begin_anew()

    def use_system(self, system: str) -> None:
        """Set the model's instructions from the next message on."""
        self.system = system
        self.session.note(
            "system_prompt", "The model has other instructions from here on.", {"system": system}
        )

    def clear(self) -> None:
        """Clear the conversation and begin a new session; the ledger keeps the old one."""
        self._begin_anew()
        self._transcript, self._response, self._news = None, "", []

    def say(self, text: str, on_piece: Callable[[str], None] | None = None) -> Turn | CutOff:
        """Send a message to the model, parse its response and, if enabled, run its actions."""
        if self.model is None:
            raise UsageError(
                "No model is chosen; choose one: /model ollama:NAME or /model openai:NAME@BASE_URL."
            )
        feedback = self.turn.feedback if self.turn else ""
        told = "\n\n".join(part for part in (feedback, *self._news, text) if part)
        pieces: list[str] = []
        try:
            completion = self._response_of(self.model, told, pieces, on_piece)
        except (ModelError, KeyboardInterrupt) as error:
            return self._cut_off(told, "".join(pieces), error)
        self._response = completion.text
        turn = self._handled(completion.text, told)
        self.exchanges.append(Exchange(text, turn))
        self._news = []
        return turn

    def approve(self, places: Sequence[int], by: str) -> Turn:
        """Run pending actions of the last turn, one after the other; none in a dry run."""
        if self._dry_run:
            raise UsageError("Dry run is on: /dry-run off first; the actions wait.")
        return self._decided(places, Decision(DecisionKind.APPROVED, by=by))

    def reject(self, places: Sequence[int], by: str, why: str = "") -> Turn:
        """Reject pending actions of the last turn; see ``approve``."""
        return self._decided(places, Decision(DecisionKind.REJECTED, by=by, why=why))

    def preview(self) -> tuple[Preview, ...]:
        """Return what the last turn's actions would change now."""
        return self.session.preview(self.turn) if self.turn else ()

    def statuses(self, turn: Turn) -> list[str]:
        """Return the recorded status of the last attempt at each action of a turn, and whether it was undone."""
        found = turn_progress(self.ledger, turn.turn_id)
        tries = found[1] if found else []
        return [
            f"{each.status} and undone" if each.is_undone else str(each.status)
            for each in sorted(tries, key=lambda each: each.action_index)
        ]

    def undo(self, turn: Turn | None = None, action: int | None = None) -> Undone:
        """Undo the changes of a turn or of one of its actions; see ``Runtime.undo``."""
        undone = self.session.undo(turn.turn_id if turn else None, action=action)
        return self._heard_of(undone, "The user has undone what you changed at")

    def undo_back_to(self, turn: Turn) -> Undone:
        """Undo all changes made after a turn."""
        undone = self.session.undo_back_to(turn.turn_id)
        return self._heard_of(undone, "The user has undone what you changed at")

    def redo(self, undone: Undone) -> Undone:
        """Redo what was undone."""
        return self._heard_of(self.session.redo(undone), "The user has done again what was undone at")

    def close(self) -> None:
        """End the session."""
        self.session.close(reason="left")

    def _opened(self) -> Runtime:
        opened = Runtime(
            self.profile,
            ledger=self.ledger,
            workspace=self._workspace,
            policy=self._policy,
            model=self.model.name if self.model else "",
            listen=self._hear,
        )
        self._switch(opened)
        return opened

    def _switch(self, session: Runtime | None = None) -> None:
        """Apply the current settings to a session."""
        (session or self.session).auto = self._auto and not self._dry_run

    def _begin_anew(self) -> None:
        opened = self._opened()
        self.session.close(reason="another session follows")
        if self.turn and self.turn.feedback:
            self._news.append(self.turn.feedback)
        self.session, self.exchanges = opened, []

    def _hear(self, event: Event) -> None:
        if isinstance(event, ResponseReceived):
            self._turn_id = event.turn_id
        if self._listen:
            self._listen(event)

    def _response_of(
        self, model: Model, told: str, pieces: list[str], on_piece: Callable[[str], None] | None
    ) -> Completion:
        """Return the model's response, keeping its pieces as they arrive."""
        if self._transcript is None:
            self._transcript = Transcript(self.system, told, CONTEXT)
        else:
            self._transcript.add(self._response, told)
        whole: Completion | None = None
        messages = (Message("system", self.system), *self._transcript.messages()[1:])
        with closing(model.stream(messages)) as chunks:
            for chunk in chunks:
                pieces.append(chunk.text)
                if on_piece and chunk.text:
                    on_piece(chunk.text)
                whole = chunk.completion or whole
        if whole is None:
            raise ModelError("The stream ended without saying what the whole response is.")
        return whole

    def _cut_off(self, told: str, text: str, error: BaseException) -> CutOff:
        why = "Stopped." if isinstance(error, KeyboardInterrupt) else str(error)
        kind = "stopped" if isinstance(error, KeyboardInterrupt) else type(error).__name__
        detail = {"error": kind, "prompt": told, "partial": text, "partial_length": len(text)}
        self.session.note("response_cut_off", f"A response was cut off. {why}", detail)
        self._response, self._news = text, [_CUT_OFF]
        return CutOff(text, why)

    def _handled(self, text: str, told: str) -> Turn:
        feedback = self.turn.feedback if self.turn else None
        try:
            return self.session.handle(text, prompt=None if told == feedback else told)
        except KeyboardInterrupt:
            # Actions not started stay pending; a running one is recorded as interrupted and not run again.
            self.session.auto = False
            try:
                return self.session.resume(self._turn_id)
            finally:
                self._switch()

    def _decided(self, places: Sequence[int], decision: Decision) -> Turn:
        """Apply one decision to each action in turn, so that an interrupt leaves the others open."""
        turn = self.turn
        if turn is None or not places:
            raise UsageError("Nothing waits to be decided about.")
        if missing := sorted(set(places) - set(self.waiting)):
            raise UsageError(
                f"Action {missing[0] + 1} of the last response doesn't wait; /review shows which do."
            )
        for place in places:
            turn = self._resumed(turn, place, decision)
            self.exchanges[-1] = Exchange(self.exchanges[-1].said, turn)
        return turn

    def _resumed(self, turn: Turn, place: int, decision: Decision) -> Turn:
        try:
            return self.session.resume(turn.turn_id, {place: decision})
        except KeyboardInterrupt:
            stopped = self.session.resume(turn.turn_id)
            self.exchanges[-1] = Exchange(self.exchanges[-1].said, stopped)
            raise

    def _heard_of(self, undone: Undone, what: str) -> Undone:
        self._news.append(f"{what}: {', '.join(undone.paths[:20])}.")
        return undone
