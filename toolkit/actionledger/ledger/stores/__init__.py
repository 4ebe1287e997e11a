"""Where a ledger's tables lie: what writers, the ingester and readers need of it, and each place that there is."""

from actionledger.ledger.stores.base import AsOf, Store
from actionledger.ledger.stores.lake.place import is_place
from actionledger.ledger.stores.local import LocalStore
from actionledger.ledger.stores.opening import store_at

__all__ = ["AsOf", "LocalStore", "Store", "is_place", "store_at"]
