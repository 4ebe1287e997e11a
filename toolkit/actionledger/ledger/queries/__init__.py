"""The ledger's SELECT statements: they answer every number that a page, a report or a command shows.

Functions accept anything with ``.sql`` and return frozen rows. A share is always a ``Rate``, which includes its count and interval. Values are
bound as parameters, never written into the statement.
"""

from typing import TYPE_CHECKING

from actionledger.core.hooks import by_name, lazy_getattr

if TYPE_CHECKING:
    from actionledger.ledger.queries.addresses import Order as Order
    from actionledger.ledger.queries.agreement import (
        RecordedVerdicts as RecordedVerdicts,
        recorded_verdicts as recorded_verdicts,
    )
    from actionledger.ledger.queries.base import Queryable as Queryable, Stage as Stage
    from actionledger.ledger.queries.choices import (
        ColumnDescription as ColumnDescription,
        Dimensions as Dimensions,
        Run as Run,
        TableDescription as TableDescription,
        dimensions as dimensions,
        runs as runs,
        tables as tables,
    )
    from actionledger.ledger.queries.compare import (
        CHANGED as CHANGED,
        Bucket as Bucket,
        ComparedGroup as ComparedGroup,
        ComparedTurn as ComparedTurn,
        Comparison as Comparison,
        Grouping as Grouping,
        compare_groups as compare_groups,
        compare_runs as compare_runs,
        compared_turns as compared_turns,
    )
    from actionledger.ledger.queries.differences import (
        ActionDifference as ActionDifference,
        FieldDifference as FieldDifference,
        ReadAction as ReadAction,
        TurnDifference as TurnDifference,
        compare_turn as compare_turn,
    )
    from actionledger.ledger.queries.filters import (
        EVERYTHING as EVERYTHING,
        NO_DIALECT as NO_DIALECT,
        Filter as Filter,
    )
    from actionledger.ledger.queries.funnel import (
        Dimension as Dimension,
        Funnel as Funnel,
        funnel as funnel,
        funnel_by as funnel_by,
        unread as unread,
    )
    from actionledger.ledger.queries.hits import (
        Hit as Hit,
        Mention as Mention,
        Place as Place,
        mentions as mentions,
    )
    from actionledger.ledger.queries.labels import ScoreBound as ScoreBound
    from actionledger.ledger.queries.lineage import Child as Child, children as children
    from actionledger.ledger.queries.marks import (
        ALL_TURNS as ALL_TURNS,
        Mark as Mark,
        TurnBehind as TurnBehind,
        TurnsPage as TurnsPage,
        count_turns_behind as count_turns_behind,
        turns_behind as turns_behind,
        turns_page as turns_page,
    )
    from actionledger.ledger.queries.reasons import Failure as Failure, reasons as reasons
    from actionledger.ledger.queries.recent import (
        RecentTurn as RecentTurn,
        goes_on as goes_on,
        recent_turns as recent_turns,
    )
    from actionledger.ledger.queries.session import Session as Session, session as session
    from actionledger.ledger.queries.sessions import (
        SessionRow as SessionRow,
        SessionsPage as SessionsPage,
        count_sessions as count_sessions,
        session_outcomes as session_outcomes,
        sessions as sessions,
        sessions_page as sessions_page,
    )
    from actionledger.ledger.queries.skipped import (
        ImportOmission as ImportOmission,
        Omission as Omission,
        Refused as Refused,
        Uncounted as Uncounted,
        count_refused as count_refused,
        left_out as left_out,
        left_out_by_import as left_out_by_import,
        refused as refused,
        uncounted as uncounted,
    )
    from actionledger.ledger.queries.stages import (
        Pace as Pace,
        ReadIn as ReadIn,
        dialects as dialects,
        dialects_by as dialects_by,
        pace as pace,
    )
    from actionledger.ledger.queries.trend import (
        Arrival as Arrival,
        Period as Period,
        Trend as Trend,
        Unit as Unit,
        arrivals as arrivals,
        success_over_time as success_over_time,
    )
    from actionledger.ledger.queries.turn import (
        ActionReversal as ActionReversal,
        Attempt as Attempt,
        Execution as Execution,
        Reader as Reader,
        Response as Response,
        Told as Told,
        TurnDetail as TurnDetail,
        conversation as conversation,
        response as response,
        turn as turn,
        turn_details as turn_details,
    )
    from actionledger.ledger.queries.turns import (
        Stretch as Stretch,
        TurnRow as TurnRow,
        stretches as stretches,
        turns as turns,
    )
    from actionledger.ledger.queries.unacted import Unacted as Unacted, unacted as unacted
    from actionledger.ledger.queries.usage import (
        FailureCost as FailureCost,
        UsageSums as UsageSums,
        billed_beside as billed_beside,
        failure_costs as failure_costs,
        price_sources as price_sources,
        unpriced as unpriced,
        usage as usage,
        usage_by as usage_by,
    )

_MODULES = by_name(
    {
        "agreement": "RecordedVerdicts recorded_verdicts",
        "base": "Queryable Stage",
        "choices": "ColumnDescription Dimensions Run TableDescription dimensions runs tables",
        "compare": "Bucket CHANGED ComparedGroup ComparedTurn Comparison Grouping compare_groups compare_runs compared_turns",
        "differences": "ActionDifference FieldDifference ReadAction TurnDifference compare_turn",
        "filters": "EVERYTHING Filter NO_DIALECT",
        "funnel": "Dimension Funnel funnel funnel_by unread",
        "hits": "Hit Mention Place mentions",
        "lineage": "Child children",
        "marks": "ALL_TURNS Mark TurnBehind TurnsPage count_turns_behind turns_behind turns_page",
        "reasons": "Failure reasons",
        "recent": "RecentTurn goes_on recent_turns",
        "labels": "ScoreBound",
        "session": "Session session",
        "addresses": "Order",
        "sessions": "SessionRow SessionsPage count_sessions session_outcomes sessions sessions_page",
        "skipped": "ImportOmission Omission Refused Uncounted count_refused left_out left_out_by_import refused uncounted",
        "stages": "Pace ReadIn dialects dialects_by pace",
        "trend": "Arrival Period Trend Unit arrivals success_over_time",
        "turn": "ActionReversal Attempt Execution Reader Response Told TurnDetail conversation response turn turn_details",
        "turns": "Stretch TurnRow stretches turns",
        "unacted": "Unacted unacted",
        "usage": "FailureCost UsageSums billed_beside failure_costs price_sources unpriced usage usage_by",
    }
)
"""The module of each name; a name is imported on first use."""

__all__ = [*_MODULES]  # noqa: PLE0604 - the table has them


if not TYPE_CHECKING:  # Without this, type checkers would accept a missing name as Any.
    __getattr__ = lazy_getattr(__name__, _MODULES)
