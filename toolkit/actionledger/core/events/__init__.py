"""Events, as one frozen union: a ledger records nothing else.

Rows in the database are derived from events, never the reverse. An event has the dimensions of its rows (session, run, model,
profile), so that no statistic needs a join.
"""

from typing import TYPE_CHECKING, TypeAlias

from actionledger.core.events.executions import (
    ActionReversed,
    ApprovalDecided,
    ApprovalRequested,
    ExecutionFinished,
    ExecutionRecorded,
    ExecutionStarted,
    Reviewed,
)
from actionledger.core.events.readings import ActionRecord, ResponseParsed
from actionledger.core.events.sessions import (
    InputLeftOut,
    ParserUsed,
    ResponseReceived,
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
from actionledger.core.hooks import lazy_getattr

if TYPE_CHECKING:
    from actionledger.core.events.adapter import EVENT as EVENT

__all__ = [
    "EVENT",
    "ActionRecord",
    "ActionReversed",
    "ApprovalDecided",
    "ApprovalRequested",
    "Event",
    "ExecutionFinished",
    "ExecutionRecorded",
    "ExecutionStarted",
    "InputLeftOut",
    "ParserUsed",
    "ResponseParsed",
    "ResponseReceived",
    "Reviewed",
    "RunFinished",
    "RunStarted",
    "SessionDescribed",
    "SessionFinished",
    "SessionForgotten",
    "SessionStarted",
    "SystemNoted",
    "ToolsOffered",
    "TurnFinished",
    "TurnResumed",
    "TurnSuperseded",
]

Event: TypeAlias = (
    RunStarted
    | RunFinished
    | ParserUsed
    | ToolsOffered
    | InputLeftOut
    | SessionStarted
    | SessionDescribed
    | SessionFinished
    | SessionForgotten
    | ResponseReceived
    | ResponseParsed
    | ExecutionStarted
    | ExecutionFinished
    | ExecutionRecorded
    | ActionReversed
    | ApprovalRequested
    | ApprovalDecided
    | TurnFinished
    | TurnResumed
    | TurnSuperseded
    | Reviewed
    | SystemNoted
)

_MODULES = {"EVENT": "adapter"}
"""Reads and writes events as JSON with pydantic; a ledger that is only read works without it."""

if not TYPE_CHECKING:  # else type checkers would accept unknown names as Any
    __getattr__ = lazy_getattr(__name__, _MODULES)
