"""The values that travel from room to room: frozen, comparable, without behaviour of their own.

Every span counts Unicode code points of the raw response: ``raw[span.start:span.end]`` is exactly the text meant.
"""

from actionledger.core.frozen import row_maker, rows_of
from actionledger.core.values.calls import ActionCall, Conversion, FieldError, ParseResult, Reference
from actionledger.core.values.reading import Block, Issue, RawAction, Reading, Repair, Span
from actionledger.core.values.turns import Approval, Observation, Turn

__all__ = [
    "ActionCall",
    "Approval",
    "Block",
    "Conversion",
    "FieldError",
    "Issue",
    "Observation",
    "ParseResult",
    "RawAction",
    "Reading",
    "Reference",
    "Repair",
    "Span",
    "Turn",
    "row_maker",
    "rows_of",
]
