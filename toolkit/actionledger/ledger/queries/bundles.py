"""What a bundle for a report of a failure counts, in SQL; ``importing.bundles`` lets out of it what is no user's own word."""

from actionledger.core.vocabulary import Outcome
from actionledger.ledger.queries.versions import VERSION

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
