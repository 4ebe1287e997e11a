"""How a ledger is: what its files, its locks and its records say, in words that a person can act on; and what may be mended safely."""

from actionledger.ledger.upkeep.health.examination import examine, mend
from actionledger.ledger.upkeep.health.report import Check, Finding, Health, Holder, Level, Size, Waiting

__all__ = ["Check", "Finding", "Health", "Holder", "Level", "Size", "Waiting", "examine", "mend"]
