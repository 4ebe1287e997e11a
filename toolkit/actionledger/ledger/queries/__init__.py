"""The only SELECTs: every number that a page, a report or a command shows is asked for here.

Functions take whatever answers ``.sql`` and give frozen rows; a share is always a ``Rate``, so that its count and its
interval travel with it. Values are bound as parameters, never written into the statement.
"""

from actionledger.ledger.queries.aligning import FieldDifference
from actionledger.ledger.queries.arrivals import Arrival, arrivals
from actionledger.ledger.queries.base import Queryable, Stage
from actionledger.ledger.queries.choices import Dimensions, Run, dimensions, runs
from actionledger.ledger.queries.compare import (
    CHANGED,
    Bucket,
    ComparedGroup,
    ComparedTurn,
    Comparison,
    Grouping,
    compare_groups,
    compare_runs,
    compared_turns,
)
from actionledger.ledger.queries.conversation import conversation
from actionledger.ledger.queries.costs import FailureCost, failure_costs
from actionledger.ledger.queries.dialects import ReadIn, dialects, dialects_by
from actionledger.ledger.queries.differences import ActionDifference, ReadAction, TurnDifference, compare_turn
from actionledger.ledger.queries.filters import EVERYTHING, NO_DIALECT, Filter
from actionledger.ledger.queries.funnel import Dimension, Funnel, funnel, funnel_by, unread
from actionledger.ledger.queries.hits import Hit, Place
from actionledger.ledger.queries.lineage import Child, children
from actionledger.ledger.queries.marks import (
    ALL_TURNS,
    Mark,
    TurnBehind,
    TurnsPage,
    count_turns_behind,
    turns_behind,
    turns_page,
)
from actionledger.ledger.queries.mentions import Mention, mentions
from actionledger.ledger.queries.pace import Pace, pace
from actionledger.ledger.queries.price_sources import billed_beside, price_sources, unpriced
from actionledger.ledger.queries.reasons import Failure, reasons
from actionledger.ledger.queries.recent import LateTurn, goes_on, turns_lately
from actionledger.ledger.queries.scores import Comparison as ScoreComparison, ScoreBound
from actionledger.ledger.queries.sessions import (
    Order,
    Session,
    SessionRow,
    SessionsPage,
    count_sessions,
    session,
    sessions,
    sessions_page,
)
from actionledger.ledger.queries.skipped import (
    ImportOmission,
    Omission,
    Refused,
    count_refused,
    left_out,
    left_out_by_import,
    refused,
)
from actionledger.ledger.queries.tables import ColumnDescription, TableDescription, tables
from actionledger.ledger.queries.trend import Period, Trend, Unit, success_over_time
from actionledger.ledger.queries.turn import (
    ActionReversal,
    Attempt,
    Execution,
    Reader,
    Response,
    Told,
    TurnDetail,
    response,
    turn,
    turn_details,
)
from actionledger.ledger.queries.turns import Stretch, TurnRow, stretches, turns
from actionledger.ledger.queries.unacted import Unacted, session_outcomes, unacted
from actionledger.ledger.queries.uncounted import Uncounted, uncounted
from actionledger.ledger.queries.usage import UsageSums, usage, usage_by
from actionledger.ledger.queries.verdicts import RecordedVerdicts, recorded_verdicts

__all__ = [
    "ALL_TURNS",
    "CHANGED",
    "EVERYTHING",
    "NO_DIALECT",
    "ActionDifference",
    "ActionReversal",
    "Arrival",
    "Attempt",
    "Bucket",
    "Child",
    "ColumnDescription",
    "ComparedGroup",
    "ComparedTurn",
    "Comparison",
    "Dimension",
    "Dimensions",
    "Execution",
    "Failure",
    "FailureCost",
    "FieldDifference",
    "Filter",
    "Funnel",
    "Grouping",
    "Hit",
    "ImportOmission",
    "LateTurn",
    "Mark",
    "Mention",
    "Omission",
    "Order",
    "Pace",
    "Period",
    "Place",
    "Queryable",
    "ReadAction",
    "ReadIn",
    "Reader",
    "RecordedVerdicts",
    "Refused",
    "Response",
    "Run",
    "ScoreBound",
    "ScoreComparison",
    "Session",
    "SessionRow",
    "SessionsPage",
    "Stage",
    "Stretch",
    "TableDescription",
    "Told",
    "Trend",
    "TurnBehind",
    "TurnDetail",
    "TurnDifference",
    "TurnRow",
    "TurnsPage",
    "Unacted",
    "Uncounted",
    "Unit",
    "UsageSums",
    "arrivals",
    "billed_beside",
    "children",
    "compare_groups",
    "compare_runs",
    "compare_turn",
    "compared_turns",
    "conversation",
    "count_refused",
    "count_sessions",
    "count_turns_behind",
    "dialects",
    "dialects_by",
    "dimensions",
    "failure_costs",
    "funnel",
    "funnel_by",
    "goes_on",
    "left_out",
    "left_out_by_import",
    "mentions",
    "pace",
    "price_sources",
    "reasons",
    "recorded_verdicts",
    "refused",
    "response",
    "runs",
    "session",
    "session_outcomes",
    "sessions",
    "sessions_page",
    "stretches",
    "success_over_time",
    "tables",
    "turn",
    "turn_details",
    "turns",
    "turns_behind",
    "turns_lately",
    "turns_page",
    "unacted",
    "uncounted",
    "unpriced",
    "unread",
    "usage",
    "usage_by",
]
