"""Where a ledger's tables lie: what writers, the ingester and readers need of it, and each place that there is."""

from actionledger.ledger.stores.base import Store
from actionledger.ledger.stores.local import LocalStore

__all__ = ["LocalStore", "Store"]
