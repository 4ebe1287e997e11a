"""Which versions of other runtimes have written sessions, and what is counted for a report of a failure."""

from dataclasses import dataclass

from actionledger.core.vocabulary import Outcome, Reason
from actionledger.ledger.queries.base import RUN_ELSEWHERE, Queryable, picked, rows

VERSIONS = ("cli_version", "version", "claude_code_version")
"""What recordings call the version of what wrote them."""

FORMAT_VERSIONS = ("protocol_version", "schema_version")
"""What those call the version of their format that don't say what wrote them."""

VERSION = f"coalesce({', '.join(f'metadata->>{name!r}' for name in (*VERSIONS, *FORMAT_VERSIONS))}, '')"
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


_MOST_ROWS = 500

RECORDINGS = f"""
SELECT source, {VERSION} AS version, count(*) AS sessions, coalesce(sum(turns), 0)::BIGINT AS turns
FROM sessions LEFT JOIN (SELECT session_id, count(*) AS turns FROM turns GROUP BY session_id) USING (session_id)
GROUP BY ALL ORDER BY source, version LIMIT {_MOST_ROWS}"""
"""How many sessions and responses each version of each runtime has written."""

READINGS = f"""
SELECT source, parser_name AS parser, dialect, capture, outcome, coalesce(reason, '') AS reason, count(*) AS responses
FROM parse_attempts JOIN (SELECT session_id, source FROM sessions) USING (session_id)
GROUP BY ALL ORDER BY responses DESC, source, parser, dialect, capture, outcome, reason LIMIT {_MOST_ROWS}"""
"""What came of reading, by what read it."""

ISSUES = "SELECT code, count(*) AS count FROM issues GROUP BY code ORDER BY count DESC, code"
"""What was wrong with responses."""

NOTED = "SELECT code, count(*) AS count FROM events WHERE code IS NOT NULL GROUP BY code ORDER BY count DESC, code"
"""What the toolkit has noted, such as lines that an import refused."""

QUARANTINE = """
SELECT regexp_extract(reason, '^[^:]*') AS reason, count(*) AS lines FROM quarantine GROUP BY 1 ORDER BY lines DESC, 1"""
"""Why lines of segments could not be read."""

# The shortest first: a maintainer reads those, and they give the least away.
UNREAD = f"""
SELECT outcome, coalesce(reason, '') AS reason, dialect, left(text, 4000) AS text
FROM (SELECT turn_id, outcome, reason, dialect FROM parse_attempts WHERE outcome IN ('{Outcome.FAILED}', '{Outcome.PARTIAL}'))
JOIN (SELECT turn_id, text FROM turns WHERE text <> '') USING (turn_id)
QUALIFY row_number() OVER (PARTITION BY outcome, reason, dialect ORDER BY length(text), turn_id) <= 3
ORDER BY length(text), turn_id LIMIT 20"""
"""A few responses of each kind that could not be read whole."""


@dataclass(frozen=True, slots=True)
class ToolErrors:
    """Results of one wording.

    Args:
        source: what their session was recorded by.
        version: which version of it, where its recording says that; else empty.
        message: the beginning of the result.
        count: how many there are.
    """

    source: str
    version: str
    message: str
    count: int


_TOOL_ERRORS = f"""
SELECT {picked(ToolErrors, count="count(*)", message="coalesce(message, '')", version=VERSION)}
FROM (SELECT session_id, message FROM executions WHERE {RUN_ELSEWHERE} AND reason = '{Reason.TOOL_ERROR}')
JOIN (SELECT session_id, source, metadata FROM sessions) USING (session_id) GROUP BY ALL ORDER BY ALL"""


def tool_errors(ledger: Queryable) -> list[ToolErrors]:
    """Return the recorded results that are errors, and no more, by their words.

    Args:
        ledger: what to ask.
    """
    return rows(ledger, ToolErrors, _TOOL_ERRORS)
