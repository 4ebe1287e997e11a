"""Errors in words that no table knows: by them one sees that a runtime has come to say things otherwise."""

from collections import Counter
from dataclasses import dataclass

from actionledger.core.text import counted
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.versions import ToolErrors, tool_errors


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
    for errors in unknown_errors(ledger):
        found[errors.source, errors.version] += errors.count
    return [UnknownWordings(*runtime, count) for runtime, count in found.most_common()]


def unknown_errors(ledger: Queryable) -> list[ToolErrors]:
    """Return the errors that no wording fits.

    Args:
        ledger: what to ask.
    """
    recorded = tool_errors(ledger)
    if not recorded:
        return []
    from actionledger.imports.importers import wordings_of  # noqa: PLC0415 - every format's, slow to load
    from actionledger.imports.sources.wordings import is_known  # noqa: PLC0415 - the same

    return [each for each in recorded if not is_known(each.message, wordings_of(each.source))]
