"""Events to record, and ledgers to record them in."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from actionledger.core.events import (
    ActionRecord,
    ActionReversed,
    ApprovalDecided,
    ApprovalRequested,
    Event,
    ExecutionFinished,
    ExecutionRecorded,
    ExecutionStarted,
    InputLeftOut,
    ParserUsed,
    ResponseParsed,
    ResponseReceived,
    Reviewed,
    RunFinished,
    RunStarted,
    SessionDescribed,
    SessionFinished,
    SessionForgotten,
    SessionStarted,
    SystemNoted,
    ToolsOffered,
    TurnFinished,
    TurnResumed,
    TurnSuperseded,
)
from actionledger.core.ids import new_id
from actionledger.core.values import Block, FieldError, Issue, Repair, Span
from actionledger.core.vocabulary import (
    ActionStatus,
    BlockStatus,
    DecisionKind,
    ExecutionStatus,
    ForgettingStep,
    LeftOutReason,
    Outcome,
    Reason,
    RepairKind,
    Reversal,
    ReviewAspect,
    ReviewStep,
    RunKind,
    TitleOrigin,
)
from actionledger.ledger import Ledger, open_ledger

NOON = datetime.fromisoformat("2026-05-04T12:00:00.123456")


@dataclass
class Maker:
    """Makes events of one run and one session; every field can be given."""

    run_id: str = field(default_factory=new_id)
    session_id: str = field(default_factory=new_id)

    def response(self, text: str = "hello", **given: Any) -> ResponseReceived:
        return ResponseReceived(**self._turn() | {"text": text} | given)

    def parsed(self, **given: Any) -> ResponseParsed:
        values = {
            "attempt_id": new_id(),
            "run_kind": RunKind.LIVE,
            "parser_id": "f" * 64,
            "parser_name": "gembrain-standard",
            "catalogue": "assistant",
            "dialect": "actions",
            "outcome": Outcome.REPAIRED,
            "reason": None,
            "duration_us": 321,
        }
        return ResponseParsed(**self._turn() | values | given)

    def action(self, **given: Any) -> ActionRecord:
        values = {
            "action_id": new_id(),
            "index": 0,
            "block": 0,
            "dialect": "actions",
            "name": "create_task",
            "status": ActionStatus.VALID,
            "reason": None,
            "span": Span(11, 40),
            "arguments": '{"title": "tea"}',
        }
        return ActionRecord(**values | given)

    def block(self, **given: Any) -> Block:
        values = {
            "index": 0,
            "dialect": "actions",
            "status": BlockStatus.REPAIRED,
            "span": Span(0, 50),
            "body": Span(10, 46),
            "repairs": (Repair(RepairKind.TRAILING_COMMA, Span(39, 40), ",", ""),),
        }
        return Block(**values | given)

    def started(self, **given: Any) -> ExecutionStarted:
        values = {
            "execution_id": new_id(),
            "attempt_id": new_id(),
            "action_id": new_id(),
            "action_index": 0,
            "name": "create_task",
            "dialect": "actions",
            "trace_id": "trace-1",
            "try_number": 1,
            "started_at": NOON,
        }
        return ExecutionStarted(**self._turn() | values | given)

    def finished(self, **given: Any) -> ExecutionFinished:
        values = {
            "execution_id": new_id(),
            "session_id": self.session_id,
            "turn_id": new_id(),
            "status": ExecutionStatus.SUCCEEDED,
            "reason": None,
            "result": '{"id": 7}',
            "message": "",
            "duration_ms": 1.5,
            "finished_at": NOON,
        }
        return ExecutionFinished(**self._head() | values | given)

    def recorded(self, **given: Any) -> ExecutionRecorded:
        values = {
            "execution_id": new_id(),
            "attempt_id": new_id(),
            "action_id": new_id(),
            "action_index": 0,
            "name": "create_task",
            "dialect": "calls",
            "trace_id": "toolu_1",
            "call_id": "toolu_1",
            "status": ExecutionStatus.FAILED,
            "reason": Reason.COMMAND_FAILED,
            "result": '"Exit code 1"',
            "message": "Exit code 1",
            "exit_status": 1,
            "is_inferred": True,
        }
        return ExecutionRecorded(**self._turn() | values | given)

    def superseded(self, turn_id: str, by: str) -> TurnSuperseded:
        return TurnSuperseded(**self._head(), session_id=self.session_id, turn_id=turn_id, superseded_by=by)

    def forgotten(self, session_id: str, **given: Any) -> SessionForgotten:
        values = {
            "forgotten_session": session_id,
            "step": ForgettingStep.FORGOTTEN,
            "forgotten_by": "ada",
            "why": "older than 90 days",
            "counts": {"turn_starts": 3},
        }
        return SessionForgotten(**self._head() | values | given)

    def reversed(self, **given: Any) -> ActionReversed:
        values = {
            "reversal_id": new_id(),
            "attempt_id": new_id(),
            "action_id": new_id(),
            "action_index": 0,
            "name": "create_file",
            "dialect": "xml_tags",
            "reversal": Reversal.UNDONE,
            "paths": ("a.txt",),
            "path_count": 1,
            "reversed_at": NOON,
        }
        return ActionReversed(**self._turn() | values | given)

    def asked(self, **given: Any) -> ApprovalRequested:
        values = {
            "approval_id": new_id(),
            "attempt_id": new_id(),
            "action_id": new_id(),
            "action_index": 0,
            "name": "create_task",
            "arguments": '{"title": "tea"}',
            "content_hash": "c" * 64,
            "policy_version": "p" * 64,
        }
        return ApprovalRequested(**self._turn() | values | given)

    def decided(self, approval_id: str, **given: Any) -> ApprovalDecided:
        values = {
            "approval_id": approval_id,
            "session_id": self.session_id,
            "turn_id": new_id(),
            "decision": DecisionKind.MODIFIED,
            "decided_by": "ada",
            "why": "tea it is",
            "decided_hash": "c" * 64,
            "changed_arguments": '{"title": "coffee"}',
        }
        return ApprovalDecided(**self._head() | values | given)

    def parser(self, parser_id: str = "f" * 64, **given: Any) -> ParserUsed:
        values = {
            "parser_id": parser_id,
            "name": "standard",
            "version": "1",
            "configuration": '{"blocks": 20}',
        }
        return ParserUsed(**self._head() | values | given)

    def note(self, message: str = "a note", **given: Any) -> SystemNoted:
        return SystemNoted(**self._head() | {"code": "line_refused", "message": message} | given)

    def one_of_each(self) -> list[Event]:
        """One event of each kind, with one row for each table at least."""
        error = FieldError(Reason.WRONG_TYPE, "title", "7", "a string")
        asked = self.asked()
        return [
            RunStarted(
                **self._head(),
                run_kind=RunKind.LIVE,
                name="n",
                source="",
                toolkit_version="1",
                python_version="3",
            ),
            self.parser(),
            SessionStarted(
                **self._head(),
                session_id=self.session_id,
                external_id="s1",
                source="live",
                profile="assistant",
                model="m",
                task="",
                started_at=NOON,
                metadata='{"a": 1}',
            ),
            self.response(),
            self.parsed(
                blocks=(self.block(),),
                actions=(
                    self.action(),
                    self.action(
                        index=1, status=ActionStatus.INVALID, reason=Reason.WRONG_TYPE, errors=(error,)
                    ),
                ),
                issues=(Issue(Reason.TRAILING_COMMA, Span(39, 40)),),
            ),
            self.started(arguments='{"title": "tea"}'),
            self.finished(),
            self.recorded(),
            self.superseded(new_id(), new_id()),
            self.forgotten(new_id()),
            ToolsOffered(**self._head(), tools_hash="h", tools="[]"),
            InputLeftOut(**self._head(), path="f", reason=LeftOutReason.DUPLICATE, detail="d", count=3),
            self.reversed(),
            asked,
            self.decided(asked.approval_id),
            TurnFinished(
                **self._head(),
                session_id=self.session_id,
                turn_id=new_id(),
                feedback="done",
                finished_at=NOON,
            ),
            TurnResumed(
                **self._head(),
                session_id=self.session_id,
                turn_id=new_id(),
                feedback="done after all",
                finished_at=NOON,
            ),
            Reviewed(
                **self._turn(),
                review_id=new_id(),
                attempt_id=new_id(),
                aspect=ReviewAspect.COMMENT,
                step=ReviewStep.GIVEN,
                reviewer="ann",
                value="Look.",
                span=Span(0, 2),
                quote="he",
            ),
            self.note(detail={"line": 3}),
            SessionFinished(
                **self._head(), session_id=self.session_id, success=True, reason="", finished_at=NOON
            ),
            SessionDescribed(
                **self._head(),
                session_id=self.session_id,
                details_id=new_id(),
                title="Sums",
                title_from=TitleOrigin.PERSON,
                project="/work/sums",
                pull_requests=("https://example.org/pull/1",),
            ),
            RunFinished(**self._head(), turns=1, refused=0),
        ]

    def _head(self) -> dict[str, Any]:
        return {"event_id": new_id(), "recorded_at": NOON, "run_id": self.run_id}

    def _turn(self) -> dict[str, Any]:
        return self._head() | {
            "session_id": self.session_id,
            "turn_id": new_id(),
            "turn_index": 3,
            "profile": "assistant",
            "model": "m",
            "task": "t",
            "occurred_at": NOON,
        }


@pytest.fixture
def make() -> Maker:
    return Maker()


@pytest.fixture(scope="session")
def make_any() -> type[Maker]:
    """Makes makers, for tests of many examples."""
    return Maker


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a ledger is to be; nothing is there yet."""
    return tmp_path / "team.duckdb"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    with open_ledger(path, in_background=False) as opened:
        yield opened


@pytest.fixture
def worker() -> str:
    """The script that other processes run."""
    return str(Path(__file__).with_name("worker.py"))
