"""Errors that match no known wording: they show that a runtime has changed its words."""

from collections import Counter
from dataclasses import dataclass

from actionledger.core.text import counted
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.versions import ToolErrors, tool_errors


@dataclass(frozen=True, slots=True)
class UnknownWordings:
    """A runtime's errors that match no known wording."""

    source: str  # the runtime
    version: str  # its version; empty if unknown
    count: int

    @property
    def words(self) -> str:
        """The same as a sentence."""
        matches = "matches" if self.count == 1 else "match"
        return f"{counted(self.count, 'error')} of {f'{self.source} {self.version}'.strip()} {matches} no known wording"


def unknown_wordings(ledger: Queryable) -> list[UnknownWordings]:
    """Return the errors without a known wording by runtime and version, the most frequent first."""
    found: Counter[tuple[str, str]] = Counter()
    for errors in unknown_errors(ledger):
        found[errors.source, errors.version] += errors.count
    return [UnknownWordings(*runtime, count) for runtime, count in found.most_common()]


def unknown_errors(ledger: Queryable) -> list[ToolErrors]:
    """Return the errors that match no known wording."""
    recorded = tool_errors(ledger)
    if not recorded:
        return []
    from actionledger.imports.importers import wordings_of  # noqa: PLC0415 - every format's, slow to load
    from actionledger.imports.sources.wordings import is_known  # noqa: PLC0415 - the same

    return [each for each in recorded if not is_known(each.message, wordings_of(each.source))]
