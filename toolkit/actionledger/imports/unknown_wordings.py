"""Errors in words that no table knows: by them one sees that a runtime has come to say things otherwise."""

from collections import Counter
from dataclasses import dataclass

from actionledger.core.text import counted
from actionledger.imports.importers import wordings_of
from actionledger.imports.sources.wordings import is_known
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.versions import tool_errors


@dataclass(frozen=True, slots=True)
class UnknownWordings:
    """Errors of one runtime in words that no table knows.

    Args:
        source: what their sessions were recorded by.
        version: which version of it; empty where the recordings don't say.
        count: how many there are.
    """

    source: str
    version: str
    count: int

    @property
    def words(self) -> str:
        """The same, as people read it."""
        matches = "matches" if self.count == 1 else "match"
        return f"{counted(self.count, 'error')} of {f'{self.source} {self.version}'.strip()} {matches} no known wording"


def unknown_wordings(ledger: Queryable) -> list[UnknownWordings]:
    """Return what was recorded as an error and no more, since no wording fits it, the most first.

    Args:
        ledger: what to ask.
    """
    found: Counter[tuple[str, str]] = Counter()
    for errors in tool_errors(ledger):
        if not is_known(errors.message, wordings_of(errors.source)):
            found[errors.source, errors.version] += errors.count
    return [UnknownWordings(*runtime, count) for runtime, count in found.most_common()]
