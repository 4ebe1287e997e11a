"""What is gone as a whole: a link knows more cells than there are, and other tables say what they were about."""

from collections.abc import Iterator

from duckdb import DuckDBPyConnection

from actionledger.ledger.upkeep.proofs.report import Fault

_OF_KINDS = {
    "turn_starts": ("response_received", "turn_id"),
    "turn_ends": ("turn_finished", "turn_id"),
    "parse_attempts": ("response_parsed", "turn_id"),
    "execution_starts": ("execution_started", "turn_id"),
    "approval_starts": ("approval_requested", "turn_id"),
    "reversals": ("action_reversed", "turn_id"),
    "resumptions": ("turn_resumed", "turn_id"),
    "session_starts": ("session_started", "session_id"),
    "session_ends": ("session_finished", "session_id"),
    "session_details": ("session_described", "session_id"),
    "run_starts": ("run_started", "run_id"),
    "run_ends": ("run_finished", "run_id"),
}
"""Which kind of event each table has a row of, and whose it is: where ``events`` has one and the table none, a row is gone."""

_MISSING = """
SELECT DISTINCT e.run_id::VARCHAR, e.session_id::VARCHAR, e.turn_id::VARCHAR FROM events AS e
ANTI JOIN superseded AS s ON s.turn_id = e.turn_id
ANTI JOIN {table} AS t ON t.{key} = e.{key}
WHERE e.link IS NOT DISTINCT FROM ? AND e.kind = ? ORDER BY ALL LIMIT 10"""

_COUNTED = {"blocks": "block_count", "actions": "action_count", "repairs": "repair_count"}
"""The tables of which a parse attempt says how many rows it has."""

_TOO_FEW = """
SELECT p.run_id::VARCHAR, p.session_id::VARCHAR, p.turn_id::VARCHAR FROM parse_attempts AS p
LEFT JOIN (SELECT attempt_id, count(*) AS there FROM {table} GROUP BY attempt_id) AS t USING (attempt_id)
WHERE p.link IS NOT DISTINCT FROM ? AND p.{counted} > coalesce(t.there, 0) ORDER BY ALL LIMIT 10"""


def missing_rows(connection: DuckDBPyConnection, link: int, count: int) -> Iterator[Fault]:
    """Yield what is gone of a link as a whole, as far as it can be told."""
    number = link or None
    asked = [
        (table, _MISSING.format(table=table, key=key), [number, kind])
        for table, (kind, key) in _OF_KINDS.items()
    ]
    asked += [
        (table, _TOO_FEW.format(table=table, counted=each), [number]) for table, each in _COUNTED.items()
    ]
    told = 0
    for table, statement, parameters in asked:
        for run_id, session_id, turn_id in connection.execute(statement, parameters).fetchall():
            told += 1
            whose = (
                f"turn {turn_id} of session {session_id}"
                if turn_id
                else f"session {session_id or ''} of run {run_id}"
            )
            sentence = f"What link {link} took into the table {table} of {whose} is gone."
            yield Fault(sentence, table, link, session_id, turn_id)
    if told < count:
        yield Fault(
            f"Of {count - told:,} more turns, sessions or runs that link {link} took in, all rows of a table are gone; which, nothing that is left "
            "says.",
            "",
            link,
        )
