"""From values to events: what is recorded of a run, a session, a turn and an attempt, whoever makes it.

An event's id is derived from what it is about. So an import that is repeated, or goes on after a crash, writes the same
events again, and the ledger passes over them.
"""

from actionledger.core.recording.runs import (
    LIST_PRICES_USED,
    PRICES_USED,
    hash_of_tools,
    input_left_out,
    list_prices_used,
    parser_used,
    prices_used,
    run_finished,
    run_started,
    tools_offered,
)
from actionledger.core.recording.sessions import (
    ParserIdentity,
    RunKey,
    SessionKey,
    TurnKey,
    details_id_of,
    session_described,
    session_finished,
    session_readmitted,
    session_started,
)
from actionledger.core.recording.turns import (
    BILLED_BESIDE,
    KEPT_CHARACTERS,
    RESPONSE_CHARACTERS,
    Recorder,
    billed_beside,
    record_fitting,
    response_received,
    response_refused,
    turn_finished,
    turn_id_of,
    turn_superseded,
)

__all__ = [
    "BILLED_BESIDE",
    "KEPT_CHARACTERS",
    "LIST_PRICES_USED",
    "PRICES_USED",
    "RESPONSE_CHARACTERS",
    "ParserIdentity",
    "Recorder",
    "RunKey",
    "SessionKey",
    "TurnKey",
    "billed_beside",
    "details_id_of",
    "hash_of_tools",
    "input_left_out",
    "list_prices_used",
    "parser_used",
    "prices_used",
    "record_fitting",
    "response_received",
    "response_refused",
    "run_finished",
    "run_started",
    "session_described",
    "session_finished",
    "session_readmitted",
    "session_started",
    "tools_offered",
    "turn_finished",
    "turn_id_of",
    "turn_superseded",
]
