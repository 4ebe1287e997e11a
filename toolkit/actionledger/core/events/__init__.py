"""What happened, as one frozen union: the only thing that a ledger records.

Rows in the database are derived from events, never the other way round. An event carries the dimensions of the
rows it becomes (session, run, model, profile), so that no statistic needs a join.
"""

from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter

from actionledger.core.events.decisions import ApprovalDecided, ApprovalRequested, Reviewed
from actionledger.core.events.executions import (
    ActionReversed,
    ExecutionFinished,
    ExecutionRecorded,
    ExecutionStarted,
)
from actionledger.core.events.readings import ActionRecord, ResponseParsed
from actionledger.core.events.runs import (
    InputLeftOut,
    ParserUsed,
    RunFinished,
    RunStarted,
    SystemNoted,
    ToolsOffered,
)
from actionledger.core.events.sessions import (
    SessionDescribed,
    SessionFinished,
    SessionForgotten,
    SessionStarted,
)
from actionledger.core.events.turns import ResponseReceived, TurnFinished, TurnResumed, TurnSuperseded

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

Event = Annotated[
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
    | SystemNoted,
    Field(discriminator="kind"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event, config=ConfigDict(defer_build=True))
"""Reads and writes events as JSON."""
