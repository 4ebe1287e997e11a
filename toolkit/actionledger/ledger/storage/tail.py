"""A reader's tail: the segments' events beyond the published copy, in memory."""

from collections.abc import Sequence

from actionledger.ledger.storage.insertion import Staging
from actionledger.ledger.storage.loading import Loader
from actionledger.ledger.storage.readers import GROWING_TABLES
from actionledger.ledger.storage.segments import Line


class Tail(Loader):
    """Loads lines into the tail; the view keeps the offsets."""

    def empty(self) -> None:
        """Empty the tables, for their next user."""
        anew = (GROWING_TABLES[name].ddl for name in self.tables)
        self._connection.execute(";".join(ddl.replace("CREATE", "CREATE OR REPLACE", 1) for ddl in anew))

    def _finish(self, lines: Sequence[Line], staging: Staging) -> None:
        """Record no offsets."""
