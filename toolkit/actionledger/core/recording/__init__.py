"""Makes events from values: the events of runs, sessions, turns and attempts, for live runs and imports.

An event's id is derived from its content. So an import that is repeated, or continued after a crash, writes the same
events again, and the ledger ignores them.
"""

from typing import TYPE_CHECKING

from actionledger.core.hooks import by_name, lazy_getattr

if TYPE_CHECKING:
    from actionledger.core.recording.sessions import (
        ALERT_RAISED as ALERT_RAISED,
        LIST_PRICES_USED as LIST_PRICES_USED,
        PRICES_USED as PRICES_USED,
        ParserIdentity as ParserIdentity,
        RunKey as RunKey,
        SessionKey as SessionKey,
        TurnKey as TurnKey,
        alert_raised as alert_raised,
        details_id_of as details_id_of,
        hash_of_tools as hash_of_tools,
        input_left_out as input_left_out,
        list_prices_used as list_prices_used,
        parser_used as parser_used,
        prices_used as prices_used,
        run_finished as run_finished,
        run_started as run_started,
        session_described as session_described,
        session_finished as session_finished,
        session_readmitted as session_readmitted,
        session_started as session_started,
        tools_offered as tools_offered,
    )
    from actionledger.core.recording.turns import (
        KEPT_CHARACTERS as KEPT_CHARACTERS,
        RESPONSE_CHARACTERS as RESPONSE_CHARACTERS,
        Recorder as Recorder,
        billed_beside as billed_beside,
        context_compacted as context_compacted,
        record_fitting as record_fitting,
        response_received as response_received,
        response_refused as response_refused,
        turn_finished as turn_finished,
        turn_id_of as turn_id_of,
        turn_superseded as turn_superseded,
    )

_MODULES = by_name(
    {
        "sessions": "ALERT_RAISED LIST_PRICES_USED PRICES_USED ParserIdentity RunKey SessionKey TurnKey alert_raised details_id_of hash_of_tools input_left_out list_prices_used parser_used prices_used run_finished run_started session_described session_finished session_readmitted session_started tools_offered",
        "turns": "KEPT_CHARACTERS RESPONSE_CHARACTERS Recorder billed_beside context_compacted record_fitting response_received response_refused turn_finished turn_id_of turn_superseded",
    }
)
"""The module of each name, for import on first use."""

__all__ = [*_MODULES]  # noqa: PLE0604 - the table has them


if not TYPE_CHECKING:  # else type checkers would accept unknown names as Any
    __getattr__ = lazy_getattr(__name__, _MODULES)
