"""A session while its file is read: messages that may still grow, results that come later, and complete pieces."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from actionledger.core.recordings import (
    Compaction,
    RecordedCall,
    RecordedResult,
    RecordedSession,
    RecordedTurn,
    SessionDetails,
    Usage,
)
from actionledger.core.vocabulary import Capture

WINDOW = 32
"""How many messages of a session are kept open: a message's lines mix with others', and results come later."""

PIECE = 64
"""The number of messages in a piece."""

SESSIONS = 32
"""How many sessions of a file are kept open: subagents write between their parent's lines, and a stream may hold many sessions."""


@dataclass(slots=True)
class OpenTurn:
    """One message of the model, with its lines so far."""

    index: int  # its place in the session, from 0
    external_id: str  # its own identifier
    capture: Capture  # how much of the model's output is recorded
    texts: list[str] = field(default_factory=list)  # its texts, in order
    calls: dict[str, RecordedCall] = field(default_factory=dict)  # its calls by their identifiers, in order
    results: list[RecordedResult] = field(default_factory=list)  # results of calls
    usage: Usage = field(default_factory=Usage)
    prompt: str | None = None  # the model's input right before; None if not recorded
    occurred_at: datetime | None = None  # when it was made, UTC without a zone
    tools: str = ""  # the offered tools; see `RecordedTurn`
    model: str = ""  # the language model, if it is not the session's
    thoughts: list[str] = field(default_factory=list)  # the model's reasoning before its answer, in order
    # what its lines or events have said, by their own identifiers
    told: dict[str, object] = field(default_factory=dict)
    formerly: str = ""  # the identifier that earlier versions gave it; empty if the same
    compaction: Compaction | None = None  # how the context was compacted right before it; None if it was not

    def is_told_again(self, known_as: str, says: object) -> bool:
        """Return whether a line has come before: a stream may hold a file twice, or a session in several states."""
        return (
            bool(known_as)
            and self.told.setdefault(known_as, says) is not says
            and self.told[known_as] == says
        )

    def closed(self) -> RecordedTurn:
        return RecordedTurn(
            self.index,
            "\n\n".join(self.texts),
            prompt=self.prompt,
            occurred_at=self.occurred_at,
            external_id=self.external_id,
            capture=self.capture,
            calls=tuple(self.calls.values()),
            results=tuple(self.results),
            usage=self.usage,
            tools=self.tools,
            model=self.model,
            reasoning="\n\n".join(self.thoughts),
            formerly=self.formerly,
            compaction=self.compaction,
        )


class SessionPieces:
    """Collects a session's messages and returns them in pieces, so that a session need not fit into memory; ``window`` are kept open."""

    def __init__(self, session: RecordedSession, capture: Capture, window: int = WINDOW) -> None:
        self.session = session
        self._window = window
        self._capture = capture
        self._count = 0
        self._open: OrderedDict[str, OpenTurn] = OrderedDict()
        self._of_call: dict[str, str] = {}
        self._closed: list[RecordedTurn] = []
        self._waiting: list[tuple[int, RecordedResult]] = []
        self._compaction: Compaction | None = None

    def turn(self, external_id: str) -> OpenTurn:
        """Return the message with an identifier: an open one, or a new one."""
        if external_id not in self._open:
            turn = OpenTurn(self._count, external_id, self._capture, compaction=self._compaction)
            self._open[external_id], self._compaction = turn, None
            self._count += 1
            if len(self._open) > self._window:
                self._close_oldest()
        return self._open[external_id]

    def has_open(self, external_id: str) -> bool:
        """Return whether a message has begun and may still grow."""
        return external_id in self._open

    def has_call(self, call_id: str) -> bool:
        """Return whether an open message has a call with this identifier."""
        return call_id in self._of_call

    def call(self, external_id: str, call: RecordedCall) -> None:
        """Add a call to a message, unless it is there already.

        A different call with the same identifier is a call of its own: runtimes run both.
        """
        turn = self.turn(external_id)
        name = call.call_id or f"#{len(turn.calls)}"
        if (there := turn.calls.get(name)) is not None and there != call:
            if call in turn.calls.values():
                return
            name = f"{name}#{len(turn.calls)}"
        turn.calls.setdefault(name, call)
        if not call.call_id:
            return
        self._of_call[call.call_id] = external_id
        turn.results += [result for _, result in self._waiting if result.call_id == call.call_id]
        self._waiting = [each for each in self._waiting if each[1].call_id != call.call_id]

    def result(self, result: RecordedResult) -> None:
        """Add the result of a call of any message: some runtimes write the result before the call."""
        turn = self._open.get(self._of_call.get(result.call_id, ""))
        if turn is None:
            self._waiting.append((self._count, result))
        else:
            turn.results.append(result)

    def amend(self, call_id: str, change: Callable[[RecordedResult], RecordedResult]) -> bool:
        """Change the last result of a call whose message is still open."""
        turn = self._open.get(self._of_call.get(call_id, ""))
        places = [n for n, each in enumerate(turn.results) if each.call_id == call_id] if turn else []
        if turn is None or not places:
            return False
        turn.results[places[-1]] = change(turn.results[places[-1]])
        return True

    def compact(self, compaction: Compaction) -> None:
        """Note that the context was compacted before the next message."""
        self._compaction = compaction

    def describe(self, said: SessionDetails) -> None:
        """Note a line's information about the session's title or place."""
        details = self.session.details.then(said)
        if details != self.session.details:
            self.session = replace(self.session, details=details)

    def is_empty(self) -> bool:
        """Return whether nothing of the session has come, in this piece or before."""
        return not self._count and not self._waiting

    def is_full(self) -> bool:
        """Return whether a piece is complete."""
        return len(self._closed) >= PIECE

    def piece(self, *, is_last: bool = False, is_whole: bool = False) -> RecordedSession:
        """Return what is closed, and drop it."""
        is_whole = is_whole or is_last
        while is_whole and self._open:
            self._close_oldest()
        late = [each for each in self._waiting if is_whole or each[0] + self._window < self._count]
        results = tuple(result for _, result in late)
        piece = replace(self.session, turns=tuple(self._closed), results=results, is_last=is_last)
        self._closed, self._waiting = [], [each for each in self._waiting if each not in late]
        return piece

    def _close_oldest(self) -> None:
        _, turn = self._open.popitem(last=False)
        for call_id in turn.calls:
            self._of_call.pop(call_id, None)
        self._closed.append(turn.closed())


class FileSessions:
    """The sessions of one file, of which only few are open at a time."""

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._all: dict[str, SessionPieces] = {}
        self._open: OrderedDict[str, SessionPieces] = OrderedDict()
        self._last = ""

    def get(self, name: str, begun: Callable[[], RecordedSession]) -> SessionPieces:
        if name == self._last:
            return self._open[name]
        self._last = name
        if name not in self._all:
            self._all[name] = SessionPieces(begun(), self._capture)
        self._open[name] = self._all[name]
        self._open.move_to_end(name)
        return self._all[name]

    def there(self, name: str) -> SessionPieces | None:
        """Return the session with a name, if it has begun."""
        return self._all.get(name)

    def is_crowded(self) -> bool:
        """Return whether too many sessions are open."""
        return len(self._open) > SESSIONS

    def let_go(self) -> RecordedSession:
        """Return the whole of the least recently written session; later lines become another piece of it."""
        _, session = self._open.popitem(last=False)
        return session.piece(is_whole=True)

    def end(self) -> Iterator[RecordedSession]:
        """Yield the last piece of each session."""
        for session in self._all.values():
            yield session.piece(is_last=True)
