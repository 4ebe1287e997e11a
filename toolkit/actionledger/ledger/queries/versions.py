"""Which versions of other runtimes have written the sessions of a ledger."""

from dataclasses import dataclass

from actionledger.ledger.queries.base import Queryable, picked, rows

VERSIONS = ("cli_version", "version", "claude_code_version")
"""What recordings call the version of what wrote them."""

VERSION = f"coalesce({', '.join(f'metadata->>{name!r}' for name in VERSIONS)}, '')"
"""The version, in SQL, of a row of ``sessions``; empty where its recording doesn't say."""


@dataclass(frozen=True, slots=True)
class RecordedVersion:
    """Sessions that one version of a runtime has written.

    Args:
        source: what they were recorded by.
        version: which version of it.
        sessions: how many there are.
    """

    source: str
    version: str
    sessions: int


_RECORDED_VERSIONS = f"""
SELECT {picked(RecordedVersion, version=VERSION, sessions="count(*)")}
FROM sessions WHERE {VERSION} <> '' AND (metadata->>'agent') IS NULL GROUP BY ALL ORDER BY count(*) DESC, source, version"""


def recorded_versions(ledger: Queryable) -> list[RecordedVersion]:
    """Return which versions have written its sessions, as far as their recordings say, the most first.

    Args:
        ledger: what to ask.
    """
    return rows(ledger, RecordedVersion, _RECORDED_VERSIONS)
