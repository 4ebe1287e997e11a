"""A small ledger that has one of everything, so that every number can be counted by hand."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from actionledger.core.events import (
    ActionRecord,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ResponseParsed,
    ResponseReceived,
    RunFinished,
    RunStarted,
    SessionFinished,
    SessionStarted,
    TurnFinished,
)
from actionledger.core.ids import derived_id
from actionledger.core.values import Block, FieldError, Issue, Repair, Span
from actionledger.core.vocabulary import (
    ActionStatus,
    BlockStatus,
    ExecutionStatus,
    Outcome,
    Reason,
    RepairKind,
    RunKind,
)
from actionledger.ledger import open_ledger, queries

MONDAY = datetime.fromisoformat("2026-03-02T09:00")
TUESDAY = MONDAY + timedelta(days=1)


@dataclass
class Book:
    """Writes events, with ids that follow from what they are about."""

    events: list[Event] = field(default_factory=list)
    sessions: dict[str, SessionStarted] = field(default_factory=dict)
    turns: dict[tuple[str, int], ResponseReceived] = field(default_factory=dict)
    readings: dict[tuple[str, int, str], ResponseParsed] = field(default_factory=dict)

    def head(self, run: str) -> dict[str, object]:
        number = len(self.events)
        at = MONDAY + timedelta(seconds=number)
        return {"event_id": derived_id("event", number), "recorded_at": at, "run_id": derived_id("run", run)}

    def run(self, name: str, kind: RunKind, parent: str | None = None) -> None:
        self.events.append(
            RunStarted(
                **self.head(name),
                run_kind=kind,
                name=name,
                source="",
                toolkit_version="1",
                python_version="3",
                parent_run_id=derived_id("run", parent) if parent else None,
            )
        )

    def session(self, name: str, run: str = "live", **changes: object) -> None:
        known = {
            "source": "live",
            "profile": "coder",
            "model": "small",
            "task": "demo",
            "started_at": MONDAY,
        } | changes
        event = SessionStarted(
            **self.head(run), session_id=derived_id("session", name), external_id=name, **known
        )
        self.sessions[name] = event
        self.events.append(event)

    def turn(
        self, session: str, index: int, text: str, at: datetime | None = MONDAY, prompt: str | None = None
    ) -> None:
        of = self.sessions[session]
        event = ResponseReceived(
            **(self.head("") | {"run_id": of.run_id}),
            **self.place(session, index, at),
            text=text,
            prompt=prompt,
        )
        self.turns[session, index] = event
        self.events.append(event)

    def place(self, session: str, index: int, at: datetime | None) -> dict[str, object]:
        of = self.sessions[session]
        return {
            "session_id": of.session_id,
            "turn_id": derived_id("turn", session, index),
            "turn_index": index,
            "profile": of.profile,
            "model": of.model,
            "task": of.task,
            "occurred_at": at,
        }

    def read(self, session: str, index: int, outcome: Outcome, run: str = "live", **found: object) -> None:
        of = self.turns[session, index]
        kind = RunKind.REPARSE if run == "again" else RunKind.LIVE
        known: dict[str, object] = {"catalogue": "coder", "dialect": "xml_tags", "reason": None} | found
        event = ResponseParsed(
            **self.head(run),
            **self.place(session, index, of.occurred_at),
            run_kind=kind,
            outcome=outcome,
            attempt_id=derived_id("attempt", session, index, run),
            parser_id="p",
            parser_name="p-1",
            duration_us=10,
            **known,
        )
        self.readings[session, index, run] = event
        self.events.append(event)

    def execute(
        self,
        session: str,
        index: int,
        action: int,
        status: ExecutionStatus | None,
        *,
        reason: Reason | None = None,
        number: int = 1,
    ) -> None:
        reading = self.readings[session, index, "live"]
        call = reading.actions[action]
        execution_id = derived_id("execution", call.action_id, number)
        self.events.append(
            ExecutionStarted(
                **self.head("live"),
                **self.place(session, index, reading.occurred_at),
                execution_id=execution_id,
                attempt_id=reading.attempt_id,
                action_id=call.action_id,
                action_index=action,
                name=call.name,
                dialect=call.dialect,
                trace_id="t",
                try_number=number,
                started_at=MONDAY,
            )
        )
        if status is not None:
            self.events.append(
                ExecutionFinished(
                    **self.head("live"),
                    execution_id=execution_id,
                    session_id=reading.session_id,
                    turn_id=reading.turn_id,
                    status=status,
                    reason=reason,
                    result='{"ok": true}',
                    message="no" if reason else "",
                    duration_ms=1.5,
                    finished_at=MONDAY,
                )
            )


def call(
    name: str,
    status: ActionStatus = ActionStatus.VALID,
    *errors: FieldError,
    index: int = 0,
    dialect: str = "xml_tags",
    arguments: dict[str, object] | None = None,
) -> ActionRecord:
    return ActionRecord(
        action_id=derived_id("action", name, status, index, id(errors), arguments),
        index=index,
        block=0,
        dialect=dialect,
        name=name,
        status=status,
        reason=errors[0].code if errors else None,
        span=Span(0, 4),
        arguments=json.dumps(arguments or {}),
        errors=errors,
    )


MISSING = FieldError(Reason.MISSING_FIELD, "path", "", "a path")
UNKNOWN = FieldError(Reason.UNKNOWN_ACTION, "", "", "create_file or read_file")
BROKEN = "😀 so:\n{"


def small_world() -> list[Event]:
    """Return three sessions with every outcome, a re-reading of five of their turns, and no turn without a reason."""
    book = Book()
    book.run("live", RunKind.LIVE)
    book.session("one")
    book.turn("one", 0, "<read_file>a</read_file>", prompt="Look.")
    shown = call("read_file", ActionStatus.ILLUSTRATION, index=1)
    book.read("one", 0, Outcome.CLEAN, actions=(call("read_file", arguments={"path": "a"}), shown))
    book.execute("one", 0, 0, ExecutionStatus.SUCCEEDED)
    book.turn("one", 1, "漢字 <create_file>b")
    block = Block(
        0,
        "xml_tags",
        BlockStatus.REPAIRED,
        Span(3, 17),
        Span(16, 17),
        repairs=(Repair(RepairKind.UNCLOSED_TAG, Span(17, 17), "", "</create_file>"),),
    )
    pair = (call("create_file", arguments={"path": "b"}), call("wait", ActionStatus.COERCED, index=1))
    book.read("one", 1, Outcome.REPAIRED, blocks=(block,), actions=pair)
    book.execute("one", 1, 0, ExecutionStatus.FAILED, reason=Reason.HANDLER_ERROR)
    book.execute("one", 1, 0, ExecutionStatus.SUCCEEDED, number=2)
    book.execute("one", 1, 1, ExecutionStatus.TIMED_OUT, reason=Reason.TIMEOUT)
    book.turn("one", 2, BROKEN, TUESDAY)
    issue = Issue(Reason.MALFORMED_JSON, Span(6, 7), "The object never ends.")
    book.read("one", 2, Outcome.FAILED, dialect="", reason=Reason.MALFORMED_JSON, issues=(issue,))
    book.turn("one", 3, "Done.", TUESDAY)
    book.read("one", 3, Outcome.NO_ACTION, dialect="")
    _second_session(book)
    _third_session(book)
    _read_again(book, pair)
    return book.events


def _second_session(book: Book) -> None:
    book.session("two", source="jsonl", model="large", started_at=TUESDAY)
    book.turn("two", 0, "<create_file>x</create_file><read_file>", TUESDAY)
    book.read("two", 0, Outcome.PARTIAL, reason=Reason.UNCLOSED_TAG, actions=(call("create_file"),))
    book.execute("two", 0, 0, ExecutionStatus.DENIED, reason=Reason.NOT_APPROVED)
    book.turn("two", 1, '{"action": "create_file"}', TUESDAY)
    invalid = call("create_file", ActionStatus.INVALID, MISSING, dialect="json_action")
    unknown = call("fly", ActionStatus.UNKNOWN, UNKNOWN, index=1, dialect="json_action")
    book.read("two", 1, Outcome.CLEAN, dialect="json_action", actions=(invalid, unknown))
    book.turn("two", 2, "I can't.", None)
    book.read("two", 2, Outcome.ABSTAINED, dialect="")
    book.turn("two", 3, "", None)
    book.read("two", 3, Outcome.EMPTY, dialect="")
    two = book.sessions["two"].session_id
    book.events.append(SessionFinished(**book.head("live"), session_id=two, success=False, reason="gave up"))


def _third_session(book: Book) -> None:
    book.session("three", profile="assistant", model="large", task="other", started_at=None)
    book.turn("three", 0, "```actions\n[]\n```", None)
    book.read(
        "three",
        0,
        Outcome.CLEAN,
        catalogue=None,
        dialect="actions",
        actions=(call("note", dialect="actions"),),
    )
    book.execute("three", 0, 0, None)
    book.turn("three", 1, "100% sure", None)
    book.read("three", 1, Outcome.FAILED, dialect="", reason=Reason.NO_ACTION_FOUND)
    book.turn("three", 2, "never read", None)
    first = book.turns["three", 0]
    book.events.append(
        TurnFinished(
            **book.head("live"),
            session_id=first.session_id,
            turn_id=first.turn_id,
            feedback="Go on.",
        )
    )
    book.events.append(RunFinished(**book.head("live"), turns=11, refused=2))


def _read_again(book: Book, pair: tuple[ActionRecord, ...]) -> None:
    book.run("again", RunKind.REPARSE, parent="live")
    book.run("alone", RunKind.LIVE)
    book.read("one", 0, Outcome.CLEAN, "again", actions=(call("read_file", arguments={"path": "a"}),))
    other = call("create_file", arguments={"path": "B"})
    book.read("one", 1, Outcome.CLEAN, "again", actions=(other, pair[1]))
    book.read("one", 2, Outcome.CLEAN, "again", actions=(call("wait"),))
    book.read("one", 3, Outcome.NO_ACTION, "again", dialect="")
    book.read("two", 1, Outcome.FAILED, "again", dialect="", reason=Reason.TRUNCATED)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[queries.Queryable]:
    """The small world as a real ledger."""
    path: Path = tmp_path_factory.mktemp("world") / "world.duckdb"
    with open_ledger(path) as opened:
        for event in small_world():
            opened.record(event)
        opened.flush()
        yield opened


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[queries.Queryable]:
    """A ledger that holds nothing yet."""
    with open_ledger(tmp_path_factory.mktemp("empty") / "empty.duckdb") as opened:
        yield opened
