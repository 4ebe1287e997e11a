"""Compare a rule's condition with an action: literally if it approves, in all spellings if it restricts. Pure."""

from actionledger.runtime.execution.rules.conditions import Condition, fits_plainly, restricts
from actionledger.runtime.execution.rules.lines import Fit

__all__ = ["Condition", "Fit", "fits_plainly", "restricts"]
