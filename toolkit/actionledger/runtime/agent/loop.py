"""The agent loop: the session handles the model's response, and the feedback is the next prompt."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace

from actionledger.core.errors import ActionLedgerError, UsageError
from actionledger.core.text import counted
from actionledger.core.values import Turn
from actionledger.core.vocabulary import Outcome, Reason
from actionledger.runtime.agent.endings import ConversationLimits, Ending, EndingWatch
from actionledger.runtime.agent.transcript import Transcript
from actionledger.runtime.execution.mending import HOW
from actionledger.runtime.execution.profile import Profile, dialect_of, prompt_of
from actionledger.runtime.models import BrokenResponseError, Completion, Model, ModelError, ModelTimeoutError
from actionledger.runtime.models.base import Chunks, Message
from actionledger.runtime.models.errors import ServerFailedError
from actionledger.runtime.session.runtime import Runtime

STANDARD_LIMITS = ConversationLimits()

_KEPT_OF_A_BROKEN_RESPONSE = 4000
"""In characters."""

_BROKEN = (BrokenResponseError, ModelTimeoutError, ServerFailedError)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A finished conversation.

    Args:
        session_id: its session's id.
        ending: why it ended.
        message: the reason as a sentence for people.
        turns: its turns, in order.

    Example:
        >>> from actionledger.runtime.models import ScriptedModel
        >>> model = ScriptedModel(["All is well."])
        >>> conversation = al.converse(al.Runtime("assistant"), model, "How are you?")
        >>> str(conversation.ending), len(conversation.turns)
        ('answered', 1)
    """

    session_id: str
    ending: Ending
    message: str
    turns: tuple[Turn, ...]


def converse(
    session: Runtime,
    model: Model,
    prompt: str,
    *,
    max_turns: int | None = None,
    limits: ConversationLimits = STANDARD_LIMITS,
    system: str | None = None,
    on_piece: Callable[[str], None] | None = None,
    on_turn: Callable[[Turn], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
    earlier: Sequence[tuple[str, str]] = (),
) -> Conversation:
    """Let a model work on a request in a session, until it is done or a limit is reached; then close the session.

    The reason for the end is recorded as the session's reason and as a note ``conversation_ended``. An incomplete response
    is noted and never executed.

    Args:
        session: a session of any profile, without a turn yet.
        model: the model.
        prompt: the request.
        max_turns: the maximum number of responses; by the limits if not given.
        limits: the conversation's limits.
        system: the instructions; the profile's own if not given.
        on_piece: called with each piece of a response as it arrives; the model is then streamed.
        on_turn: called with each finished turn.
        clock: returns the time in seconds; it never goes back.
        earlier: pairs of earlier responses and feedback, as the model is to see them; the conversation continues after them.

    Returns:
        The finished conversation. No response and no failure of the model raises.

    Raises:
        LedgerError: the ledger can't be written to.
        UsageError: the request is empty, or the session is closed.
        KeyboardInterrupt: the user interrupts; that is recorded, and the session closed.

    Example:
        >>> from actionledger.runtime.models import ScriptedModel
        >>> call = al.render([("create_task", {"content": "Call Ada"})], "actions")
        >>> model = ScriptedModel([call, "Done."])
        >>> conversation = al.converse(al.Runtime("assistant"), model, "Remind me to call Ada.")
        >>> str(conversation.ending), [len(turn.observations) for turn in conversation.turns]
        ('answered', [1, 0])
    """
    if not prompt.strip():
        raise UsageError("The prompt is empty; say what the model is to do.")
    bounds = limits if max_turns is None else replace(limits, turns=max_turns)
    return _Talk(
        session,
        model,
        prompt=prompt,
        system=prompt_of(session.profile) if system is None else system,
        limits=bounds,
        on_piece=on_piece,
        on_turn=on_turn,
        clock=clock,
        earlier=earlier,
    ).lead()


@contextmanager
def _as_model_errors() -> Iterator[None]:
    """Convert any exception of a model into a model error."""
    try:
        yield
    except ActionLedgerError:
        raise
    except Exception as error:
        raise ModelError(f"It raised {type(error).__name__}: {error}") from error


class _Talk:
    """One conversation; see ``converse``."""

    def __init__(
        self,
        session: Runtime,
        model: Model,
        *,
        prompt: str,
        system: str,
        limits: ConversationLimits,
        on_piece: Callable[[str], None] | None,
        on_turn: Callable[[Turn], None] | None,
        clock: Callable[[], float],
        earlier: Sequence[tuple[str, str]],
    ) -> None:
        self._session = session
        self._model = model
        self._system = system
        self._limits = limits
        self._on_piece = on_piece
        self._on_turn = on_turn
        self._clock = clock
        self._begun = clock()
        self._transcript = Transcript(system, prompt, limits.context)
        for response, told in earlier:
            self._transcript.add(response, told)
        self._watch = EndingWatch(limits, demands_action=session.profile.parser.requires_action)
        self._turns: list[Turn] = []
        self._broken = 0

    def lead(self) -> Conversation:
        """Run turns until the conversation ends; record why, and close the session."""
        detail = {"system": self._system, "model": self._model.name, "limits": asdict(self._limits)}
        self._session.note("conversation_started", f"{self._model.name} gets to work.", detail)
        try:
            ending, message = self._until_over()
        except KeyboardInterrupt:
            self._close(Ending.STOPPED, "Somebody stopped it.")
            raise
        return self._close(ending, message)

    def _until_over(self) -> tuple[Ending, str]:
        while True:
            if len(self._turns) >= self._limits.turns:
                return (
                    Ending.TURN_LIMIT,
                    f"It had the {counted(self._limits.turns, 'turn')} that it may have.",
                )
            if self._clock() - self._begun >= self._limits.seconds:
                return Ending.TIME_LIMIT, f"It had the {self._limits.seconds:g} s that it may have."
            try:
                completion = self._next_response()
            except ModelError as error:
                if not self._asks_again(error):
                    return Ending.MODEL_FAILED, f"The model gave no response. {error}"
                continue
            self._broken = 0
            if ending := self._take(completion):
                return ending, self._sentence(ending)

    def _next_response(self) -> Completion:
        """Return the model's next response."""
        messages = self._transcript.messages()
        if self._on_piece is None:
            with _as_model_errors():
                whole: Completion | None = self._model.complete(messages)
            if not isinstance(whole, Completion):
                raise ModelError(f"It gave {type(whole).__name__!r} and no Completion.")
            return whole
        whole = None
        with closing(self._chunks(messages)) as chunks:
            for chunk in chunks:
                if chunk.text:
                    self._on_piece(chunk.text)
                whole = chunk.completion or whole
        if whole is None:
            raise BrokenResponseError("The stream ended without saying what the whole response is.")
        return whole

    def _chunks(self, messages: Sequence[Message]) -> Chunks:
        with _as_model_errors():
            yield from self._model.stream(messages)

    def _asks_again(self, error: ModelError) -> bool:
        """Record an incomplete response; return whether to request it again."""
        text = error.partial.text if error.partial else ""
        detail = {
            "error": type(error).__name__,
            "partial": text[:_KEPT_OF_A_BROKEN_RESPONSE],
            "partial_length": len(text),
        }
        self._session.note("model_failed", str(error), detail)
        self._broken += 1
        return isinstance(error, _BROKEN) and self._broken <= self._limits.broken

    def _take(self, completion: Completion) -> Ending | None:
        """Let the session handle a response; return why the conversation ends, or None."""
        told, known = self._last_message()
        turn = self._session.handle(
            completion.text,
            prompt=None if told == known else told,
            finish_reason=completion.finish_reason,
        )
        self._turns.append(turn)
        if self._on_turn:
            self._on_turn(turn)
        ending = self._watch.after(turn)
        if ending is None:
            told = next_prompt(self._session.profile, turn, turns=self._limits.turns)
            self._transcript.add(completion.text, told)
        return ending

    def _last_message(self) -> tuple[str, str | None]:
        """Return the last message to the model, and the prompt that the record assumes by default."""
        told = self._transcript.messages()[-1].content
        return told, self._turns[-1].feedback if self._turns else None

    def _sentence(self, ending: Ending) -> str:
        match ending:
            case Ending.FINAL:
                return "The model said that this step was its last."
            case Ending.ANSWERED:
                return "The model asked for nothing more."
            case Ending.WAITING:
                return "An action waits for a decision."
            case Ending.REPETITION:
                return self._turns[-1].stopped
            case _:
                return f"In {counted(self._watch.failures, 'turn')} in a row nothing was done."

    def _close(self, ending: Ending, message: str) -> Conversation:
        seconds = round(self._clock() - self._begun, 3)
        detail = {"ending": ending.value, "turns": len(self._turns), "seconds": seconds}
        self._session.note("conversation_ended", message, detail)
        # A model's claim that it is done is no proof of success; a cut-off is proof of failure.
        is_open_question = ending.is_regular or ending is Ending.WAITING
        self._session.close(success=None if is_open_question else False, reason=ending.value)
        return Conversation(self._session.session_id, ending, message, tuple(self._turns))


def is_iterative(profile: Profile) -> bool:
    """Return whether a profile's model works in iteration blocks until one declares itself final."""
    return profile.parser.requires_action and _dialect_name(profile) == "iteration"


def next_prompt(profile: Profile, turn: Turn, *, turns: int) -> str:
    """Return the model's prompt after a turn."""
    done = turn.index + 1
    feedback = turn.feedback or "Nothing came of it: it asked for nothing."
    parts = [f"What came of iteration {done}:\n{feedback}" if is_iterative(profile) else feedback]
    if turn.result.outcome is Outcome.EMPTY or not turn.result.text.strip():
        parts.append("Your response was empty.")
    is_none = any(issue.code is Reason.NO_ACTION_FOUND for issue in turn.result.issues)
    if is_none and HOW not in turn.feedback:
        parts.append(f"This is how an action is written:\n{_example(profile)}")
    if is_iterative(profile):
        parts.append(_what_is_next(done + 1, turns))
    return "\n\n".join(parts)


def _what_is_next(number: int, turns: int) -> str:
    if number >= turns:
        return f'Iteration {number} is the last one: finish what you can, and write "is_final": true.'
    return f'Iteration {number} of at most {turns} is next. If all is done, write "is_final": true.'


def _dialect_name(profile: Profile) -> str:
    try:
        return dialect_of(profile).name
    except UsageError:  # a baseline parser has none
        return ""


def _example(profile: Profile) -> str:
    try:
        return dialect_of(profile).example
    except UsageError:
        return "as the instructions say"
