"""The closed lists of words: every outcome, status and reason that a record can hold.

A code is stored; the sentence for people (``SENTENCES``) is derived from it and never stored.
"""

from actionledger.core.vocabulary.reading import (
    ActionStatus,
    BlockStatus,
    Ending,
    Evidence,
    Outcome,
    RepairKind,
    Stop,
    was_cut,
)
from actionledger.core.vocabulary.reasons import SENTENCES, Reason
from actionledger.core.vocabulary.recording import (
    BY_PRICES,
    LEFT_OUT,
    Capture,
    CostOrigin,
    DecisionKind,
    ExecutionStatus,
    ForgettingStep,
    Judgement,
    LeftOutReason,
    Origin,
    Relation,
    Reversal,
    ReviewAspect,
    ReviewStep,
    RunKind,
    SessionOutcome,
    TitleOrigin,
)

__all__ = [
    "BY_PRICES",
    "LEFT_OUT",
    "SENTENCES",
    "ActionStatus",
    "BlockStatus",
    "Capture",
    "CostOrigin",
    "DecisionKind",
    "Ending",
    "Evidence",
    "ExecutionStatus",
    "ForgettingStep",
    "Judgement",
    "LeftOutReason",
    "Origin",
    "Outcome",
    "Reason",
    "Relation",
    "RepairKind",
    "Reversal",
    "ReviewAspect",
    "ReviewStep",
    "RunKind",
    "SessionOutcome",
    "Stop",
    "TitleOrigin",
    "was_cut",
]
