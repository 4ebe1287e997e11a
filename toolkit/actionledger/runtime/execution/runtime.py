"""Handle one response, from text to record: the only module that knows the order of all stages."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from actionledger.actions.validation import as_known
from actionledger.core.errors import UsageError
from actionledger.core.ids import new_id, now
from actionledger.core.recording import (
    RESPONSE_CHARACTERS,
    Recorder,
    RunKey,
    SessionKey,
    TurnKey,
    record_fitting,
    response_received,
    response_refused,
    turn_finished,
    turn_id_of,
)
from actionledger.core.recording.turns import attempt_id_of
from actionledger.core.values import Issue, ParseResult, Turn
from actionledger.core.vocabulary import ExecutionStatus, was_cut
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.execution_events import noted, turn_resumed
from actionledger.runtime.execution.executor import Executor
from actionledger.runtime.execution.feedback import corrector, render
from actionledger.runtime.execution.limits import Counter, FailureBudget, LocalCounter, Rates
from actionledger.runtime.execution.mending import mender
from actionledger.runtime.execution.plan import build_plan, doubled
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.turn_context import TurnContext, TurnState
from actionledger.runtime.execution.turn_run import TurnRun
from actionledger.runtime.parse_result import read_and_record, read_response, unread
from actionledger.runtime.repetition.fingerprints import refused_fingerprints
from actionledger.runtime.repetition.guard import RepetitionGuard
from actionledger.runtime.workspace import Workspace


class SessionRuntime:
    """One session: its responses are parsed, checked, planned, decided, run and recorded, one after another."""

    def __init__(
        self,
        profile: Profile,  # the session's profile
        *,
        session: SessionKey,  # the session's key
        run: RunKey,  # the run that it belongs to
        workspace: Workspace,  # the folder that its actions may touch
        record: Recorder,  # records the events
        policy: Policy | None = None,  # the policy on which actions may run; the profile's if not given
        auto: bool = False,  # whether actions that need approval by policy run without it
        dry_run: bool = False,  # whether actions only report their effects instead of running
        # counts actions against the profile's rates; within this session if not given
        counter: Counter | None = None,
        sleep: Callable[[float], None] = time.sleep,  # waits for some seconds, between two tries at an action
        executor: Callable[..., Executor] = Executor,  # makes the executor of actions
    ) -> None:
        self.profile = profile
        self.session = session
        self.run = run
        self.workspace = workspace
        self.record = record
        self.policy = policy or profile.policy
        self.auto = auto
        self.dry_run = dry_run
        self.rates = Rates(profile.limits, counter or LocalCounter())
        self.failures = FailureBudget(profile.limits)
        self.repetition = RepetitionGuard(profile.repetition)
        self._feedback = ""
        self.correct, self.mend = corrector(profile), mender(profile)
        self.executor = executor(
            profile.handlers(workspace),
            workspace=workspace,
            execution_settings=profile.execution_settings,
            record=record,
            rates=self.rates,
            sleep=sleep,
        )
        self.turns = 0
        self.waiting: dict[str, TurnState] = {}
        """This session's turns with pending actions, by their id."""

    def handle(
        self,
        text: str,  # the raw response
        *,
        occurred_at: datetime | None,  # when the response was made, UTC without a zone; None if unknown
        # the input that the model got before this response, if that was not the last turn's feedback
        prompt: str | None = None,
        index: int | None = None,  # the turn's index in the session; the next one if not given
        finish_reason: str | None = None,  # the provider's reason why the model stopped; None if unknown
    ) -> Turn:
        """Handle the model's next response: parse it, run its actions, and return the feedback.

        Returns:
            The parsed actions, their results and the feedback. A response never raises; a recorder may. A response longer than
            ``RESPONSE_CHARACTERS`` is refused: that is recorded, and it becomes no turn of the session.
        """
        turn = self._turn(self.turns if index is None else index, occurred_at)
        if len(text) > RESPONSE_CHARACTERS:
            return self._refused(turn, len(text))
        self.turns = turn.index + 1
        received = response_received(turn, self.run.run_id, text, prompt, finish_reason=finish_reason)
        record_fitting(self.record, received)
        parser, catalogue, is_cut = self.profile.parser, self.profile.catalogue, was_cut(finish_reason)
        result = read_and_record(self.record, text, parser, catalogue, turn=turn, run=self.run, is_cut=is_cut)
        # A prompt other than the feedback is a new request by a user.
        is_new_request = prompt is not None and (not self._feedback or self._feedback not in prompt)
        self.repetition.begin_turn(is_new_request=is_new_request)
        self.repetition.note(refused_fingerprints(result))
        return self._act(result, TurnState(turn, text, result.parser_id, is_cut=is_cut))

    def resume(self, history: TurnState) -> Turn:
        """Resume a turn where it stopped: run the actions approved since, and those never begun.

        An action that was begun and never finished is recorded as interrupted; it runs again only if it is idempotent.
        """
        if history.parser_id != self.profile.parser.id:
            raise UsageError(
                f"The turn {history.turn.turn_id} was read by another version of the parser "
                f"{self.profile.parser.name!r}; it can't go on under this one."
            )
        parser, catalogue = self.profile.parser, self.profile.catalogue
        result = read_response(history.text, parser, catalogue, is_cut=history.is_cut)
        self.repetition.begin_turn(is_new_request=True)
        return self._act(result, history)

    def close(self) -> None:
        """Close the handlers."""
        self.executor.close()

    def _refused(self, turn: TurnKey, characters: int) -> Turn:
        """Return the turn of a response that is too large to record; only its size is recorded."""
        detail = f"It has {characters:,} characters; at most {RESPONSE_CHARACTERS:,} are taken."
        result = unread("", self.profile.parser, self.profile.catalogue, detail)
        self.record(response_refused(self.session.session_id, self.run.run_id, turn.index, characters))
        self._feedback = render(result, (), correct=self.correct, limits=self.profile.limits)
        return Turn(
            turn_id=new_id(),
            session_id=self.session.session_id,
            index=turn.index,
            result=result,
            feedback=self._feedback,
            issues=result.issues,
        )

    def _turn(self, index: int, occurred_at: datetime | None) -> TurnKey:
        turn_id = turn_id_of(self.session, index)
        return TurnKey(session=self.session, turn_id=turn_id, index=index, occurred_at=occurred_at)

    def _act(self, result: ParseResult, history: TurnState) -> Turn:
        turn, context = history.turn, self._context(result, history)
        self.failures.begin_turn()
        run = TurnRun(context, self.executor)
        run.carry_out()
        found = self.repetition.found
        if found:
            code = "repetition_stopped" if found.is_stop else "repetition_nudged"
            detail = {"pattern": found.pattern, "count": found.count, "action": found.name}
            self.record(noted(code, self.repetition.told, turn, self.run.run_id, detail))
        note, limits = self.repetition.told, self.profile.limits
        self._feedback = render(
            result, run.observations, correct=self.correct, mend=self.mend, note=note, limits=limits
        )
        ended = turn_resumed if history.is_finished else turn_finished
        record_fitting(self.record, ended(turn, self.run.run_id, self._feedback, now()))
        self._remember(turn.turn_id, replace(run.history, is_finished=True))
        unread = (issue for issue in result.issues if not issue.code.is_note)
        return Turn(
            turn_id=turn.turn_id,
            session_id=self.session.session_id,
            index=turn.index,
            result=result,
            observations=run.observations,
            feedback=self._feedback,
            issues=(*unread, *_refused(result), *context.plan.issues),
            stopped=self.repetition.spent(),
        )

    def _context(self, result: ParseResult, history: TurnState) -> TurnContext:
        """Return the context of a turn, from the session and the parsed response."""
        catalogue, limits = self.profile.catalogue, self.profile.limits
        calls = [as_known(call, catalogue) for call in result.actions]
        return TurnContext(
            profile=self.profile,
            policy=self.policy.automatic() if self.auto else self.policy,
            policy_version=self.policy.version,
            handlers=self.executor.handlers,
            rates=self.rates,
            failures=self.failures,
            repetition=self.repetition,
            record=self.record,
            calls=calls,
            plan=build_plan(calls, references=catalogue.references, limit=limits.actions_per_turn),
            history=history,
            run_id=self.run.run_id,
            attempt_id=attempt_id_of(history.turn, self.run),
            dry_run=self.dry_run,
            doubled=doubled(result),
        )

    def _remember(self, turn_id: str, history: TurnState) -> None:
        """Keep a turn in memory while an action in it is pending, so that it resumes with the exact text of the response."""
        waits = any(
            observation.status is ExecutionStatus.PENDING for observation in history.observations.values()
        )
        if waits:
            self.waiting[turn_id] = history
        else:
            self.waiting.pop(turn_id, None)


def _refused(result: ParseResult) -> Sequence[Issue]:
    """Return an issue for each action that the catalogue rejects."""
    return [
        Issue(call.reason, call.span, call.errors[0].message if call.errors else "")
        for call in result.actions
        if call.reason and call.status.is_refused
    ]
