"""How a ledger is: what its files, its locks and its records say, in words that a person can act on; and what may be mended safely."""

from actionledger.ledger.health.examining import examine
from actionledger.ledger.health.mending import mend
from actionledger.ledger.health.report import Check, Finding, Health, Holder, Level, Size, Waiting

__all__ = ["Check", "Finding", "Health", "Holder", "Level", "Size", "Waiting", "examine", "mend"]
