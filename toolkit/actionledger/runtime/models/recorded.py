"""A session's responses once more: the same loop over a recorded model is a replay, and nothing in the loop knows."""

from collections.abc import Sequence

from actionledger.ledger.encoding import as_recorded
from actionledger.ledger.queries import Queryable, Response, conversation, session
from actionledger.ledger.queries.naming import one_session
from actionledger.runtime.models.base import Chunks, Completion, Message, Stop, Tools, in_pieces, said
from actionledger.runtime.models.errors import NoMoreResponsesError, ReplayDivergedError

_PIECE = 16
_SHOWN = 60
_STAND_INS = frozenset("*\ufffd")


class RecordedModel:
    """Gives the responses of a recorded session in their order, whatever it is shown.

    Args:
        ledger: where the session is recorded.
        name: which session: its own name, its id, the beginning of either, or its title.
        strict: whether to compare the last message with the recorded prompt (or the feedback of the turn before,
            where that was the prompt) and to refuse where they differ. A turn whose prompt was not recorded is
            given without; one whose text is not recorded exactly (a secret was masked) is refused.

    Raises:
        UsageError: there is no such session, or several are called that.
    """

    def __init__(self, ledger: Queryable, name: str, *, strict: bool = False) -> None:
        session_id = one_session(ledger, name)
        recorded = session(ledger, session_id)
        assert recorded is not None
        self._called = name
        self._model = recorded.model
        self._strict = strict
        self._responses = conversation(ledger, session_id)
        self._given = 0

    @property
    def name(self) -> str:
        """The name of the model that was recorded."""
        return self._model

    def complete(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Completion:  # noqa: ARG002 - the protocol's
        """Return the next recorded response; see ``Model``. Tools and stops made no part of the record."""
        if self._given == len(self._responses):
            raise NoMoreResponsesError(
                f"The session {self._called} has {self._given} recorded responses, and all were given; its replay "
                "ends here."
            )
        response = self._responses[self._given]
        if self._strict:
            before = self._responses[self._given - 1] if self._given else None
            _refuse_difference(response, before, messages)
        self._given += 1
        return said(response.text, model=self._model)

    def stream(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Chunks:
        """Yield the next recorded response in pieces; see ``complete``."""
        yield from in_pieces(self.complete(messages, tools=tools, stop=stop), _PIECE)


def _refuse_difference(response: Response, before: Response | None, messages: Sequence[Message]) -> None:
    """Raise where a response was not given to these messages, as far as the record knows."""
    # The record's mark covers the prompt, too; a text that was changed itself shows what stands in for the rest.
    if not response.text_is_exact and not _STAND_INS.isdisjoint(response.text):
        raise ReplayDivergedError(
            f"Turn {response.index} is not recorded exactly (a secret or half a character was replaced); replay it "
            "without strict=True."
        )
    prompt = response.prompt if response.prompt is not None else before.feedback if before else None
    if prompt is None:
        return
    shown = as_recorded(messages[-1].content) if messages else ""
    if shown != prompt:
        place = _first_difference(shown, prompt)
        raise ReplayDivergedError(
            f"Turn {response.index} was recorded after another message: at character {place} it goes on with "
            f"{prompt[place : place + _SHOWN]!r}, and not with {shown[place : place + _SHOWN]!r}; replay it without "
            "strict=True, or find what changed the message."
        )


def _first_difference(one: str, other: str) -> int:
    """Return where two texts part."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
