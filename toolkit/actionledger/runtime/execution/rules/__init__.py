"""How a rule's condition is compared with what an action says: plainly where it approves, by all spellings where it restricts. Pure."""

from actionledger.runtime.execution.rules.conditions import Condition, fits_plainly, restricts
from actionledger.runtime.execution.rules.lines import Fit

__all__ = ["Condition", "Fit", "fits_plainly", "restricts"]
