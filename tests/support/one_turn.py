"""One turn as the ledger gives it: a repaired block with an action, its execution, and what else can be put to it."""

from datetime import datetime
from typing import Any

from actionledger.core.events import ActionRecord
from actionledger.core.values import Block, Issue, Repair, Span
from actionledger.core.vocabulary import (
    ActionStatus,
    BlockStatus,
    ExecutionStatus,
    Outcome,
    Reason,
    RepairKind,
    Reversal,
    RunKind,
)
from actionledger.ledger.queries import ActionReversal, Attempt, Execution, Reader, Response, TurnDetail
from actionledger_dashboard.viewer.reading import read_lanes
from actionledger_dashboard.viewer.results import run_lanes

TEXT = "😀 <a>1,</a> 好 <b"
BLOCK = Block(
    0,
    "xml_tags",
    BlockStatus.REPAIRED,
    Span(2, 11),
    Span(5, 7),
    repairs=(Repair(RepairKind.TRAILING_COMMA, Span(6, 7), ",", ""),),
)
ACTION = ActionRecord(
    block=0,
    dialect="xml_tags",
    span=Span(2, 11),
    action_id="a1",
    index=0,
    name="a",
    status=ActionStatus.NOT_CHECKED,
    reason=None,
    arguments='{"n":1}',
)
RUN = Execution("x", 0, "a", 1, ExecutionStatus.SUCCEEDED, None, 2.5, '{"ok":true}', "", None)  # type: ignore[arg-type]
DETAIL = TurnDetail(
    Response("t", "s", 0, None, TEXT, True, None, ()),
    Attempt("x", "r", "coder", None, "xml_tags", Outcome.REPAIRED, None, 1500),
    blocks=(BLOCK,),
    issues=(),
    actions=(ACTION,),
    executions=(RUN,),
    reversals=(),
    readers=(Reader("r", "live", RunKind.LIVE, "coder", Outcome.REPAIRED),),
)
UNDONE = ActionReversal("x", 0, "create_file", Reversal.UNDONE, ("a",), 3, datetime(2026, 1, 2, 3, 4, 5))
LOOSE = Issue(Reason.UNCLOSED_TAG, Span(14, 16), "b")


def lanes_of(detail: TurnDetail) -> list[dict[str, Any]]:
    """Return what is drawn of what was read and of what was done, in order."""
    return [*read_lanes(detail), *run_lanes(detail)]
