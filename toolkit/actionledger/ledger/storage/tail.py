"""What a reader has of segments beyond the published copy, in memory."""

from collections.abc import Sequence

from actionledger.ledger.storage.insertion import Staging
from actionledger.ledger.storage.loading import Loader
from actionledger.ledger.storage.readers import GROWING_TABLES
from actionledger.ledger.storage.segments import Line


class Tail(Loader):
    """What loads lines into the tail; how far it has come, the view knows."""

    def empty(self) -> None:
        """Leave nothing of it, for whoever uses the tables next."""
        anew = (GROWING_TABLES[name].ddl for name in self.tables)
        self._connection.execute(";".join(ddl.replace("CREATE", "CREATE OR REPLACE", 1) for ddl in anew))

    def _finish(self, lines: Sequence[Line], staging: Staging) -> None:
        """Nothing is noted."""
