"""The ledger's interface: record events, ingest them, query them.

``record`` is the hot path and touches no database. After ``flush``, recorded events survive the death of this process.
``ingest`` loads everything flushed by any process into the database and publishes it. ``sql`` sees all of it, ingested or not.
POSIX only (``fcntl``).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol, Self, cast
from weakref import finalize

from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.events import Event
from actionledger.core.hooks import module_for
from actionledger.core.processes import watch
from actionledger.ledger.queries.names import Called
from actionledger.ledger.sql import ReadableLedger
from actionledger.ledger.storage.background import BackgroundIngester
from actionledger.ledger.storage.hosts import leave
from actionledger.ledger.storage.journal import SegmentWriter
from actionledger.ledger.storage.publishing import hand_over_all
from actionledger.ledger.storage.segments import has_live_writer
from actionledger.ledger.storage.store import IngestReport, Publishing, Store

if TYPE_CHECKING:
    from actionledger.core.recordings import AnyResult, AnyUsage, RecordedTurn
    from actionledger.ledger.storage.internals import Internals
    from actionledger.ledger.upkeep.forgetting.records import ForgetReport
    from actionledger.ledger.upkeep.proofs.report import Verification
    from actionledger.reading.parsers import NamedParser


class _TurnRecorder(Protocol):
    """Parses and records turns that a program hands over."""

    def record(
        self, turn: "RecordedTurn", read_as: Any, *, session: str, profile: str | None, model: str, task: str
    ) -> str: ...

    def finish(self) -> None: ...


_PATIENCE_SECONDS = 60.0


class Ledger(ReadableLedger):
    """An open ledger; threads may share it, and a forked child may go on using it.

    Args:
        store: the store of its tables, already checked (``open_ledger`` does).
        read_only: whether nothing may be written.
        in_background: whether a thread ingests and publishes flushed events.
        without_text: whether every text is shown as a blank.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger, al.Runtime("assistant", ledger=ledger) as runtime:
        ...     turn = runtime.handle("Nothing to do.")
        ...     ledger.sql("SELECT outcome FROM parse_attempts").fetchall()
        [('no_action',)]
    """

    def __init__(
        self, store: Store, *, read_only: bool, in_background: bool = True, without_text: bool = False
    ) -> None:
        super().__init__(store, read_only=read_only, without_text=without_text)
        self._background = BackgroundIngester(store)
        self._writer = SegmentWriter(
            store.files.segments, self._background.wake if in_background else _do_nothing
        )
        self._turns: _TurnRecorder | None = None
        self._before_close: list[Callable[[], object]] = []
        # A ledger that nobody closes still writes its buffered events, at the latest when the interpreter exits.
        self._hand_over = finalize(self, _hand_over, store, self._writer, self._background)
        watch(self)

    def record(self, event: Event) -> None:
        """Put an event into the buffer.

        Args:
            event: the event; secrets in it are masked before it is written.

        Raises:
            EventTooLargeError: the event exceeds the ledger's size limit; it is not recorded.
            LedgerError: the ledger can't be written to.

        Example:
            >>> from datetime import datetime
            >>> from uuid import uuid4
            >>> from actionledger.core.events import SystemNoted
            >>> note = SystemNoted(
            ...     event_id=str(uuid4()), recorded_at=datetime(2026, 1, 2), run_id=str(uuid4()), code="moved", message="To Rome."
            ... )
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.record(note)
            ...     ledger.sql("SELECT code, message FROM events").fetchall()
            [('moved', 'To Rome.')]
        """
        from actionledger.ledger.storage.encoding import waiting  # noqa: PLC0415 - slow to load, and a reader writes none

        self._refuse_unless_writable()
        self._writer.add(waiting(event))

    def record_turn(
        self,
        session: str,
        text: str | None = None,
        *,
        message: object = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        results: Sequence["AnyResult"] = (),
        usage: "AnyUsage | None" = None,
        model: str = "",
        task: str = "",
        profile: str | None = None,
        parser: "NamedParser | None" = None,
        dialects: Sequence[str] | None = None,
        prompt: str | None = None,
        feedback: str | None = None,
        at: datetime | None = None,
        name: str = "",
        reasoning: str = "",
    ) -> str:
        """Record a turn of another runtime: the model's response, the tools offered, and the tool results.

        The turn is parsed and checked as on import, so that rates, reasons and pages count it.

        Args:
            session: the session's name; turns with the same name are one session, in the order in which they are recorded.
            text: the raw response, with its tool calls as written.
            message: instead of ``text``, a provider's message with separate tool calls, as decoded JSON: of OpenAI's chat or Responses interface,
                Anthropic's, Gemini's or Bedrock's, or the response around it.
            tools: the tools that the model was offered, in the form of these interfaces.
            results: the tool results, by ``call_id`` or in order.
            usage: tokens, cost and times; None for the message's own, if it has any.
            model: the session's language model.
            task: the session's task.
            profile: the profile whose parser and catalogue are used for a text.
            parser: a parser for the text, by name or as a value, instead of the profile's.
            dialects: the formats to look for in a text; all of them if neither this nor ``profile`` nor ``parser`` is given.
            prompt: the last prompt before the response.
            feedback: what the model was sent next, besides the tool results.
            at: when the response was made; UTC if it has no zone.
            name: the message's own identifier; a turn recorded again under it is the same turn.
            reasoning: the model's reasoning before the response; empty for the message's own, if it has any.

        Returns:
            The turn's id.

        Raises:
            UsageError: both or neither of ``text`` and ``message`` is given, a value has the wrong type, or the response is too large.
            UnknownNameError: there is no such profile, parser or dialect.
            LedgerError: the ledger can't be written to.

        Example:
            >>> call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
            >>> message = {"role": "assistant", "content": "On it.", "tool_calls": [call]}
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     result = {"call_id": "c1", "output": "no b", "is_error": True}
            ...     turn_id = ledger.record_turn("s1", message=message, results=[result], usage={"output_tokens": 12})
            ...     ledger.sql("SELECT name, status, reason FROM executions").fetchall()
            [('add', 'failed', 'tool_error')]
        """
        recording = module_for("recording turns")
        recording.refuse_no_texts(session=session, model=model, task=task, profile=profile)
        turn = recording.recorded_turn(
            text,
            message,
            tools=tools,
            results=results,
            usage=usage,
            at=at,
            prompt=prompt,
            feedback=feedback,
            external_id=name,
            reasoning=reasoning,
        )
        how = recording.read_as(parser, dialects)
        self._refuse_unless_writable()
        with self._lock:
            if self._turns is None:
                self._turns = recording.TurnRecorder(self)
            return self._turns.record(turn, how, session=session, profile=profile, model=model, task=task)

    def flush(self, *, durable: bool = False) -> None:
        """Write recorded events to disk, so that they survive the death of this process.

        Args:
            durable: whether to wait until they survive a power loss, too.

        Raises:
            LedgerError: they can't be written; they stay in memory.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.flush(durable=True)
            ...     len(ledger.sql("FROM events"))
            0
        """
        self._refuse_if_closed()
        self._writer.flush(durable=durable)

    def ingest(self) -> IngestReport:
        """Flush, then ingest and publish everything flushed by any process. Waits if another process is ingesting.

        Returns:
            A report; it says if another process was still ingesting after a minute.

        Raises:
            LedgerError: the disk is full or a file can't be used; flushed events stay safe.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.ingest().events
            0
        """
        self._refuse_unless_writable()
        with self._lock:
            self._writer.flush()
            return self._store.ingest(Publishing.AT_THE_END, patience=_PATIENCE_SECONDS)

    def verify(self, *, since: str = "") -> "Verification":
        """Check that the ledger's tables hold what was ingested. Events recorded here are ingested first.

        A lake that was opened ``as_of`` a past state is checked as of then.

        Args:
            since: an earlier ``Verification.head`` that was kept elsewhere; empty for none.

        Returns:
            The differences from what was ingested, the earliest first, and what can't be checked.

        Raises:
            UsageError: ``since`` is not a head.
            LedgerError: the ledger can't be read.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     _ = ledger.record_turn("s1", "Hello.")
            ...     kept = ledger.verify().head
            ...     ledger.verify(since=kept).is_whole
            True
        """
        from actionledger.ledger.upkeep.proofs.report import heads_in  # noqa: PLC0415 - seldom needed

        self._refuse_if_closed()
        if not self.read_only:
            self.ingest()
        return self._store.verify(heads_in(since))

    def forget(self, sessions: Iterable[Called], *, by: str = "", why: str = "") -> "ForgetReport":
        """Erase sessions and their children from every file of the ledger, and record that this was done.

        The whole database is rewritten, so that nothing is left in its free pages: erase many sessions at once.

        Args:
            sessions: the sessions, each by its name, its id, or enough of its id's beginning.
            by: who requests it; this user if not given.
            why: the rule that requires it, for the record; empty if somebody named the sessions.

        Returns:
            The counts of what was erased.

        Raises:
            UsageError: no session has the name, or several do.
            LedgerError: a session is open in a live process, or a file can't be used; the next erasure or ingest resumes this one.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     _ = ledger.record_turn("s1", "My key is on the table.")
            ...     report = ledger.forget(["s1"])
            ...     report.counts["turn_starts"], ledger.sql("FROM turns").fetchall()
            (1, [])
        """
        forgetting = module_for("forgetting")
        self._refuse_unless_writable()
        if isinstance(sessions, Called):
            raise UsageError(
                f"sessions takes several, as in [{str(sessions)!r}]; a single text is not allowed."
            )
        gone = forgetting.sessions_being_erased(self.path)
        begun = forgetting.go_on_forgetting(self)
        found = forgetting.named(self, sessions, gone)
        with self._lock:
            if self._turns is not None:
                self._turns.finish()
                self._turns = None
        report: ForgetReport = forgetting.forget(self, found, by=by, why=why)
        return report if begun is None or report.sessions else cast("ForgetReport", begun)

    @property
    def internals(self) -> "Internals":
        """The interface for this package alone: locks, counts, and direct writing by imports and replays."""
        self._refuse_unless_writable()
        from actionledger.ledger.storage.internals import Internals  # noqa: PLC0415 - slow to load, and only writers need it

        return Internals(self._store, self._writer, self._before_close)

    @property
    def effects(self) -> Path:
        """The folder where workspaces keep the data for undoing what actions changed."""
        return self._files.effects

    @property
    def manifests(self) -> Path:
        """The folder where sessions keep what their workspaces held, so that they can be run again."""
        return self._files.manifests

    def close(self) -> None:
        """Flush, ingest and, unless others still write, publish; a second time does nothing.

        Raises:
            LedgerError: recorded events can't be written (then the ledger stays open) or can't be ingested.

        Example:
            >>> ledger = al.open_ledger("team.duckdb")
            >>> ledger.close()
            >>> ledger
            <Ledger '...team.duckdb': closed>
        """
        while self._before_close:
            self._before_close.pop()()
        with self._lock:
            if self._is_closed:
                return
            if self._turns is not None:
                self._turns.finish()
            self._writer.close()
            self._is_closed = True
            self._hand_over.detach()
            self._background.stop()
            self._reader.close()
            self._store.close()
            if not self.read_only:
                self._store.ingest(Publishing.UNLESS_OTHERS_WRITE, patience=_PATIENCE_SECONDS)
                if not has_live_writer(self._files.segments):
                    leave(self._files)
                hand_over_all(self._files.published, self._files.folder)

    def start_over(self) -> None:
        """Replace, in a forked child, a lock that another thread of the parent may hold.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.start_over()
            ...     len(ledger.sql("FROM turns"))
            0
        """
        self._lock = RLock()
        self._turns = None  # the parent ends its own run

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _hand_in(self) -> None:
        if not self.read_only:
            self._writer.flush()
            # Publish what was ingested directly but not published: its ingester was killed, or is still running.
            if self._store.is_behind():
                with suppress(LedgerError):
                    self._store.ingest(Publishing.WHEN_DUE)

    def _refuse_unless_writable(self) -> None:
        self._refuse_if_closed()
        if self.read_only:
            raise LedgerError(
                f"The ledger {self.path} was opened for reading only; open it without read_only=True."
            )


def _hand_over(store: Store, writer: SegmentWriter, background: BackgroundIngester) -> None:
    """Do the same as ``close`` for a ledger that nobody closed; there is nobody left to report errors to."""
    with suppress(LedgerError):
        has_written = writer.has_written
        writer.close()
        background.stop()
        if has_written:
            store.ingest(Publishing.UNLESS_OTHERS_WRITE)


def _do_nothing() -> None:
    pass
