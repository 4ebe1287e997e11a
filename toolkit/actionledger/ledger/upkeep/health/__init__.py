"""A ledger's health: what its files, locks and records show, in sentences that a person can act on, and safe repairs."""

from actionledger.ledger.upkeep.health.examination import examine, mend
from actionledger.ledger.upkeep.health.report import Check, Finding, Health, Holder, Level, Size, Waiting

__all__ = ["Check", "Finding", "Health", "Holder", "Level", "Size", "Waiting", "examine", "mend"]
