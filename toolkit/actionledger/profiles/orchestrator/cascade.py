"""The cascade: a directive goes down the layers, and each layer continues from the previous one's words and actions.

An escalation goes up, and a question goes to the person; both come back down. A response is saved before it is carried
out, and carried out once. After a crash or a person's answer, it continues where it stopped.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id, new_id
from actionledger.core.text import counted
from actionledger.core.values import Approval, Turn
from actionledger.ledger import Ledger
from actionledger.profiles.orchestrator import ORCHESTRATOR, briefing
from actionledger.profiles.orchestrator.actions import is_flawed, parsed_actions
from actionledger.profiles.orchestrator.briefing import STANDARD_TERMS, CascadeEnding, Terms
from actionledger.profiles.orchestrator.handlers import set_up
from actionledger.profiles.orchestrator.layers import Layer, in_order
from actionledger.profiles.orchestrator.request_queue import FILE as STORE, OrchestratorStore, RequestQueue
from actionledger.profiles.orchestrator.sessions import LayerSessions
from actionledger.profiles.orchestrator.state import (
    FILE,
    CascadeState,
    Due,
    LayerMessage,
    LayerTurn,
    Received,
)
from actionledger.profiles.orchestrator.tracker import Tracker
from actionledger.runtime.models import Message, ModelError
from actionledger.runtime.session.decisions import decided_approvals, pending_approvals


class Orchestration:
    """A directive on its way through the layers; ``start`` makes one, ``load`` continues one.

    Args:
        state: its saved state.
        layers: who plays each layer of the state.
        ledger: where it is recorded; it must be writable.
        folder: where its state and its actions' data are.
        terms: the terms of its run.

    Attributes:
        state: its current state; ``state.messages`` has its history.
        tracker: its issues and jobs.
        request_queue: its plans, and the requests that a person answers.
        sessions: executes or queues the layers' actions.

    Raises:
        UnknownNameError: there is no such layer.
        UsageError: the layers are not those of the state, or the ledger is not the one that it was recorded in.
        LedgerError: another process works on it.
    """

    def __init__(
        self,
        state: CascadeState,
        layers: Sequence[Layer],
        *,
        ledger: Ledger,
        folder: Path,
        terms: Terms = STANDARD_TERMS,
    ) -> None:
        names = in_order([layer.name for layer in layers])
        if names != state.layers:
            raise UsageError(
                f"The orchestration has the layers {', '.join(state.layers)}; got {', '.join(names)}."
            )
        self.state = state
        self._layers = {layer.name: layer for layer in layers}
        self._ledger = ledger
        self._folder = folder
        self._terms = terms
        self._notes = briefing.LedgerNotes(ledger, state.id)
        self._store = OrchestratorStore(folder / STORE)
        self.tracker = Tracker(self._store)
        self.request_queue = RequestQueue(self._store)
        models = {name: self._layers[name].model.name for name in names}
        self.sessions = LayerSessions(
            ledger,
            state.id,
            folder,
            models,
            task=state.directive[:200],
            auto=terms.auto,
            instead=terms.instead,
        )
        self._hold_sessions()

    @classmethod
    def start(
        cls,
        directive: str,
        layers: Sequence[Layer],
        *,
        ledger: Ledger,
        folder: str | Path,
        repository: str | Path | None = None,
        dry_run: bool = False,
        terms: Terms = STANDARD_TERMS,
    ) -> Self:
        """Begin with a directive, and save it; nothing runs before ``run``.

        Args:
            directive: what the person wants.
            layers: who takes part, in any order.
            ledger: where it is recorded; it must be writable.
            folder: where its state and its actions' data are; created if missing.
            repository: where branches are created; by default the folder, if it is a repository.
            dry_run: whether its actions only report what they would do.
            terms: the terms of its run.

        Raises:
            UsageError: the directive is empty, or the folder has an orchestration already or can't be made.
        """
        place = Path(folder)
        if not directive.strip():
            raise UsageError("The directive is empty; say what is wanted.")
        names = in_order([layer.name for layer in layers])
        if (place / FILE).exists():
            raise UsageError(
                f"There is an orchestration in {str(place)!r} already; load it, or take another folder."
            )
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                f"The folder {str(place)!r} can't be made: {error.strerror}; take another."
            ) from error
        if repository is not None:
            set_up(place, repository=Path(repository))
        due = Due(layer=names[0], prompt=briefing.first_prompt(directive))
        state = CascadeState(id=new_id(), directive=directive, layers=names, dry_run=dry_run, due=due)
        state.save(place)
        return cls(state, layers, ledger=ledger, folder=place, terms=terms)

    @classmethod
    def load(
        cls, folder: str | Path, layers: Sequence[Layer], *, ledger: Ledger, terms: Terms = STANDARD_TERMS
    ) -> Self:
        """Continue a folder's saved orchestration; nothing runs before ``run``.

        Args:
            folder: the orchestration's.
            layers: who plays each of its layers.
            ledger: where it is recorded.
            terms: the terms of its run.

        Raises:
            SourceError: there is nothing that can be loaded.
        """
        place = Path(folder)
        return cls(CascadeState.load(place), layers, ledger=ledger, folder=place, terms=terms)

    def save(self) -> None:
        """Save the current state; ``run`` does so after every step."""
        self.state.save(self._folder)

    def run(self) -> CascadeEnding:
        """Continue until all layers have had their turn, a person is needed, or a limit is reached.

        A person's recent decisions are carried out first. A response from before a crash is carried out
        completely before any model is asked again.

        Returns:
            Why it stopped.

        Raises:
            LedgerError: something can't be recorded or saved; nothing runs unrecorded.
            KeyboardInterrupt: a person stopped it, which is recorded.
        """
        try:
            ending = self._until_over()
        except KeyboardInterrupt:
            self._notes.stopped(CascadeEnding("stopped", "Somebody stopped it."))
            raise
        self._notes.stopped(ending)
        return ending

    def waiting(self) -> list[Approval]:
        """Return the actions that wait for approval, those that have waited longest first."""
        return [each for each in pending_approvals(self._ledger) if self.sessions.layer_of(each.session_id)]

    def close(self) -> None:
        """Close the sessions and their stores; a second call does nothing."""
        self.sessions.close(success=None if self.state.due else True)
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _until_over(self) -> CascadeEnding:
        if self.state.received:
            self._carry_out()
        self._carry_out_decisions()
        while isinstance(due := self._next(), Due):
            try:
                self._ask(due)
            except ModelError as error:
                return CascadeEnding("model_failed", f"The layer {due.layer!r} gave no response: {error}")
            self._carry_out()
        if due is None:
            self._carry_out_decisions()  # those made during the last layers' turns
        return due or self._finished()

    def _hold_sessions(self) -> None:
        """Open every session, so that no other process works on this orchestration."""
        due, received, dry_run = self.state.due, self.state.received, self.state.dry_run
        try:
            for layer in self.state.layers:
                begun = received.turn_index if due and received and layer == due.layer else None
                self.sessions.session(layer, dry_run=dry_run, begun=begun)
                said = sum(each.layer == layer for each in self.state.exchanges)
                self.sessions.check_ledger(layer, said, dry_run=dry_run)
        except BaseException:
            self.close()
            raise

    def _next(self) -> Due | CascadeEnding | None:
        """Return who is asked next and with which prompt, including awaited answers, or why none can be."""
        due = self.state.due
        if due is None:
            return None
        asked = [each for each in self.request_queue.requests() if each.number in due.waits_for]
        open_ones = ", ".join(str(each.number) for each in asked if each.answer is None)
        if open_ones:
            return CascadeEnding(
                "waiting", f"The layer {due.layer!r} waits for the answer to request {open_ones}."
            )
        if len(self.state.messages) >= self._terms.max_turns:
            return CascadeEnding(
                "turn_limit",
                f"It had {counted(len(self.state.messages), 'response')}, as many as there may be.",
            )
        if asked:
            due = Due(layer=due.layer, prompt=briefing.answered(due.prompt, asked))
            self._change(due=due)
        return due

    def _ask(self, due: Due) -> None:
        """Get the due response, and save it before using it."""
        layer = self._layers[due.layer]
        messages = [Message("system", briefing.part_of(due.layer, ORCHESTRATOR))]
        for exchange in self.state.exchanges:
            if exchange.layer == due.layer:
                messages += [Message("user", exchange.prompt), Message("assistant", exchange.response)]
        completion = layer.model.complete([*messages, Message("user", due.prompt)])
        self._change(
            received=Received(
                response=completion.text,
                turn_index=self.sessions.next_turn(due.layer, dry_run=self.state.dry_run),
                cost_usd=layer.cost_of(completion),
                duration_ms=completion.elapsed_ms,
                finish_reason=completion.finish_reason,
            )
        )

    def _carry_out(self) -> None:
        """Carry out the received response: run its actions, and route its message."""
        due, received = self.state.due, self.state.received
        assert due
        assert received
        turn = self.sessions.take(
            due.layer,
            received.response,
            due.prompt,
            index=received.turn_index,
            finish_reason=received.finish_reason,
            dry_run=self.state.dry_run,
        )
        is_to_be_corrected = is_flawed(turn.result) and not due.is_correction
        way = briefing.route(
            self.state.layers, due.layer, turn.observations, is_to_be_corrected=is_to_be_corrected
        )
        read = parsed_actions(turn.result)
        message = LayerMessage(
            id=derived_id("layer-message", turn.turn_id),
            from_layer=due.layer,
            to=way.to,
            content=read.narrative,
            actions=tuple(read.actions),
            timestamp=datetime.now(UTC),
            cost_usd=received.cost_usd,
            duration_ms=received.duration_ms,
        )
        self._notes.said(message, turn)
        exchange = LayerTurn(layer=due.layer, prompt=due.prompt, response=received.response)
        self._change(
            messages=(*self.state.messages, message),
            exchanges=(*self.state.exchanges, exchange),
            due=self._after(message, turn, way),
            received=None,
        )
        if self._terms.on_message:
            self._terms.on_message(message, turn)

    def _after(self, message: LayerMessage, turn: Turn, way: briefing.Route) -> Due | None:
        if way.next_layer is None:
            return None
        if way.waits_for:
            return Due(
                layer=way.next_layer, prompt=briefing.sent_back(turn.feedback), waits_for=way.waits_for
            )
        if way.next_layer == message.from_layer:
            return Due(layer=way.next_layer, prompt=briefing.corrected(turn.feedback), is_correction=True)
        prompt = briefing.handed_on(self.state.directive, message, turn.feedback)
        return Due(layer=way.next_layer, prompt=prompt)

    def _carry_out_decisions(self) -> None:
        """Run or drop the actions that a person has decided about, and tell the next layer."""
        decided: dict[tuple[str, str], set[int]] = {}
        for each in decided_approvals(self._ledger):
            if layer := self.sessions.layer_of(each.session_id):
                decided.setdefault((layer, each.turn_id), set()).add(each.action_index)
        for (layer, turn_id), places in decided.items():
            turn = self.sessions.session(layer).resume(turn_id)
            if due := self.state.due:
                told = briefing.with_decisions(due.prompt, turn.feedback)
                self._change(due=due.changed(prompt=told))
            if self._terms.on_decided:
                self._terms.on_decided(
                    layer, [each for each in turn.observations if each.action_index in places]
                )

    def _finished(self) -> CascadeEnding:
        number = len(self.waiting())
        if number:
            return CascadeEnding(
                "waiting", f"All layers had their say; {number} of their actions wait for approval."
            )
        return CascadeEnding("finished", "All layers had their say.")

    def _change(self, **changes: object) -> None:
        self.state = self.state.changed(**changes)
        self.save()


def orchestrate(
    directive: str | None,
    layers: Sequence[Layer],
    *,
    ledger: Ledger,
    folder: str | Path,
    repository: str | Path | None = None,
    dry_run: bool = False,
    terms: Terms = STANDARD_TERMS,
) -> tuple[CascadeEnding, tuple[LayerMessage, ...]]:
    """Run a directive through its layers, or continue a saved one: a command line needs no more.

    Args:
        directive: what the person wants; None to continue the one saved in the folder.
        layers: who takes part.
        ledger: where it is recorded; it must be writable.
        folder: where its state and its actions' data are.
        repository: where branches are created; only with a directive.
        dry_run: whether its actions only report what they would do; only with a directive.
        terms: the terms of its run.

    Returns:
        Why it stopped, and all messages so far.

    Example:
        >>> from actionledger.runtime.models import ScriptedModel
        >>> layers = [al.Layer(name, ScriptedModel(["Nothing is to be done."])) for name in ("2ic", "eng-lead", "team-lead")]
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     ending, messages = al.orchestrate("Find accents.", layers, ledger=ledger, folder="work")
        >>> str(ending.status), [message.from_layer for message in messages]
        ('finished', ['2ic', 'eng-lead', 'team-lead'])
    """
    if directive is None:
        orchestration = Orchestration.load(folder, layers, ledger=ledger, terms=terms)
    else:
        orchestration = Orchestration.start(
            directive,
            layers,
            ledger=ledger,
            folder=folder,
            repository=repository,
            dry_run=dry_run,
            terms=terms,
        )
    with orchestration:
        return orchestration.run(), orchestration.state.messages
