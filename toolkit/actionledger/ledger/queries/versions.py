"""The versions of other runtimes that wrote sessions, and the counts for a report of a failure."""

from dataclasses import dataclass

from actionledger.core.vocabulary import Outcome, Reason
from actionledger.ledger.queries.base import RUN_ELSEWHERE, Queryable, picked, rows

VERSIONS = ("cli_version", "version", "claude_code_version")
"""The keys of a runtime's version in recordings."""

FORMAT_VERSIONS = ("protocol_version", "schema_version")
"""The keys of a format's version, for recordings without a runtime's version."""

VERSION = f"coalesce({', '.join(f'metadata->>{name!r}' for name in (*VERSIONS, *FORMAT_VERSIONS))}, '')"
"""The version, as SQL, in a row of ``sessions``; empty if its recording has none."""


@dataclass(frozen=True, slots=True)
class RecordedVersion:
    """Sessions that one version of a runtime wrote."""

    source: str  # the runtime that recorded them
    version: str
    sessions: int


_RECORDED_VERSIONS = f"""
SELECT {picked(RecordedVersion, version=VERSION, sessions="count(*)")}
FROM sessions WHERE {VERSION} <> '' AND (metadata->>'agent') IS NULL GROUP BY ALL ORDER BY count(*) DESC, source, version"""


def recorded_versions(ledger: Queryable) -> list[RecordedVersion]:
    """Return the versions that wrote a ledger's sessions, as far as recorded, the most sessions first."""
    return rows(ledger, RecordedVersion, _RECORDED_VERSIONS)


_MOST_ROWS = 500

RECORDINGS = f"""
SELECT source, {VERSION} AS version, count(*) AS sessions, coalesce(sum(turns), 0)::BIGINT AS turns
FROM sessions LEFT JOIN (SELECT session_id, count(*) AS turns FROM turns GROUP BY session_id) USING (session_id)
GROUP BY ALL ORDER BY source, version LIMIT {_MOST_ROWS}"""
"""The numbers of sessions and responses of each version of each runtime."""

READINGS = f"""
SELECT source, parser_name AS parser, dialect, capture, outcome, coalesce(reason, '') AS reason, count(*) AS responses
FROM parse_attempts JOIN (SELECT session_id, source FROM sessions) USING (session_id)
GROUP BY ALL ORDER BY responses DESC, source, parser, dialect, capture, outcome, reason LIMIT {_MOST_ROWS}"""
"""The parse outcomes, by parser and source."""

ISSUES = "SELECT code, count(*) AS count FROM issues GROUP BY code ORDER BY count DESC, code"
"""The issues of responses, by code."""

NOTED = "SELECT code, count(*) AS count FROM events WHERE code IS NOT NULL GROUP BY code ORDER BY count DESC, code"
"""The toolkit's notes, such as lines that an import rejected, by code."""

QUARANTINE = """
SELECT regexp_extract(reason, '^[^:]*') AS reason, count(*) AS lines FROM quarantine GROUP BY 1 ORDER BY lines DESC, 1"""
"""The reasons why lines of segments could not be read."""

# The shortest come first: a maintainer reads those, and they disclose the least.
UNREAD = f"""
SELECT outcome, coalesce(reason, '') AS reason, dialect, left(text, 4000) AS text
FROM (SELECT turn_id, outcome, reason, dialect FROM parse_attempts WHERE outcome IN ('{Outcome.FAILED}', '{Outcome.PARTIAL}'))
JOIN (SELECT turn_id, text FROM turns WHERE text <> '') USING (turn_id)
QUALIFY row_number() OVER (PARTITION BY outcome, reason, dialect ORDER BY length(text), turn_id) <= 3
ORDER BY length(text), turn_id LIMIT 20"""
"""A few responses of each kind that were not fully parsed."""


@dataclass(frozen=True, slots=True)
class ToolErrors:
    """Tool errors with the same wording."""

    source: str  # the runtime that recorded their sessions
    version: str  # its version; empty if its recording has none
    message: str  # the beginning of the result
    count: int


_TOOL_ERRORS = f"""
SELECT {picked(ToolErrors, count="count(*)", message="coalesce(message, '')", version=VERSION)}
FROM (SELECT session_id, message FROM executions WHERE {RUN_ELSEWHERE} AND reason = '{Reason.TOOL_ERROR}')
JOIN (SELECT session_id, source, metadata FROM sessions) USING (session_id) GROUP BY ALL ORDER BY ALL"""


def tool_errors(ledger: Queryable) -> list[ToolErrors]:
    """Return the recorded results with only a generic tool error, by wording."""
    return rows(ledger, ToolErrors, _TOOL_ERRORS)
