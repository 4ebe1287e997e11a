"""The tables of a ledger, once: the DDL, the ingest and the readers all take them from here.

Tables are only ever appended to, which lets a reader put what is not ingested yet beside what is (``UNION ALL``).
What starts and later ends (a run, a session, a turn, an execution) is two tables, ``…_starts`` and ``…_ends``, and a
view under the plain name. Every row carries its dimensions (run, session, turn, profile, model, dialect, time), typed:
a success rate needs no join and no JSON.

Times are UTC without a zone. Spans are code points of ``turns.text``.
"""

from dataclasses import dataclass

SCHEMA_VERSION = 3
"""The number of the last migration; a ledger holds it in ``meta``."""


@dataclass(frozen=True, slots=True)
class Table:
    """An append-only table.

    Args:
        name: its name.
        columns: the DuckDB type of each column, in order.
    """

    name: str
    columns: dict[str, str]

    @property
    def ddl(self) -> str:
        """The statement that creates it."""
        columns = ", ".join(f'"{name}" {kind}' for name, kind in self.columns.items())
        return f"CREATE TABLE {self.name} ({columns})"


_TURN = {
    "run_id": "UUID",
    "session_id": "UUID",
    "turn_id": "UUID",
    "turn_index": "INTEGER",
    "profile": "VARCHAR",
    "model": "VARCHAR",
    "task": "VARCHAR",
    "occurred_at": "TIMESTAMP",
}
_ATTEMPT = _TURN | {
    "attempt_id": "UUID",
    "run_kind": "VARCHAR",
    "parser_id": "VARCHAR",
    "parser_name": "VARCHAR",
}
_BLOCK = _ATTEMPT | {"block_index": "INTEGER", "dialect": "VARCHAR"}
_SPAN = {"span_start": "INTEGER", "span_end": "INTEGER"}

TABLES = (
    Table(
        "run_starts",
        {
            "run_id": "UUID",
            "run_kind": "VARCHAR",
            "name": "VARCHAR",
            "source": "VARCHAR",
            "parent_run_id": "UUID",
            "toolkit_version": "VARCHAR",
            "python_version": "VARCHAR",
            "started_at": "TIMESTAMP",
        },
    ),
    Table("run_ends", {"run_id": "UUID", "turns": "BIGINT", "refused": "BIGINT", "finished_at": "TIMESTAMP"}),
    Table(
        "parsers",
        {
            "parser_id": "VARCHAR",
            "name": "VARCHAR",
            "version": "VARCHAR",
            "configuration": "JSON",
            "run_id": "UUID",
            "first_used_at": "TIMESTAMP",
        },
    ),
    Table(
        "session_starts",
        {
            "session_id": "UUID",
            "run_id": "UUID",
            "external_id": "VARCHAR",
            "source": "VARCHAR",
            "profile": "VARCHAR",
            "model": "VARCHAR",
            "task": "VARCHAR",
            "started_at": "TIMESTAMP",
            "metadata": "JSON",
        },
    ),
    Table(
        "session_ends",
        {
            "session_id": "UUID",
            "run_id": "UUID",
            "success": "BOOLEAN",
            "reason": "VARCHAR",
            "finished_at": "TIMESTAMP",
            "recorded_at": "TIMESTAMP",
        },
    ),
    Table(
        "turn_starts",
        _TURN | {"text": "VARCHAR", "text_is_exact": "BOOLEAN", "prompt": "VARCHAR", "characters": "INTEGER"},
    ),
    Table(
        "turn_ends",
        {
            "turn_id": "UUID",
            "session_id": "UUID",
            "run_id": "UUID",
            "feedback": "VARCHAR",
            "finished_at": "TIMESTAMP",
        },
    ),
    Table(
        "parse_attempts",
        _ATTEMPT
        | {
            "dialect": "VARCHAR",
            "catalogue": "VARCHAR",
            "outcome": "VARCHAR",
            "reason": "VARCHAR",
            "block_count": "INTEGER",
            "action_count": "INTEGER",
            "valid_count": "INTEGER",
            "repair_count": "INTEGER",
            "duration_us": "BIGINT",
            "parsed_at": "TIMESTAMP",
        },
    ),
    Table(
        "blocks",
        _BLOCK
        | _SPAN
        | {"body_start": "INTEGER", "body_end": "INTEGER", "status": "VARCHAR", "reason": "VARCHAR"},
    ),
    Table("repairs", _BLOCK | _SPAN | {"kind": "VARCHAR", "before": "VARCHAR", "after": "VARCHAR"}),
    Table("issues", _ATTEMPT | _SPAN | {"code": "VARCHAR", "detail": "VARCHAR"}),
    Table(
        "actions",
        _BLOCK
        | _SPAN
        | {
            "action_id": "UUID",
            "action_index": "INTEGER",
            "name": "VARCHAR",
            "status": "VARCHAR",
            "reason": "VARCHAR",
            "call_id": "VARCHAR",
            "catalogue": "VARCHAR",
            "arguments": "JSON",
        },
    ),
    Table(
        "validation_errors",
        _ATTEMPT
        | {
            "action_id": "UUID",
            "action_index": "INTEGER",
            "name": "VARCHAR",
            "dialect": "VARCHAR",
            "code": "VARCHAR",
            "path": "VARCHAR",
            "value": "VARCHAR",
            "expected": "VARCHAR",
        },
    ),
    Table(
        "execution_starts",
        _TURN
        | {
            "execution_id": "UUID",
            "attempt_id": "UUID",
            "action_id": "UUID",
            "action_index": "INTEGER",
            "name": "VARCHAR",
            "dialect": "VARCHAR",
            "trace_id": "VARCHAR",
            "try_number": "INTEGER",
            "started_at": "TIMESTAMP",
            "arguments": "JSON",
        },
    ),
    Table(
        "execution_ends",
        {
            "execution_id": "UUID",
            "status": "VARCHAR",
            "reason": "VARCHAR",
            "result": "JSON",
            "message": "VARCHAR",
            "duration_ms": "DOUBLE",
            "finished_at": "TIMESTAMP",
        },
    ),
    Table(
        "reversals",
        _TURN
        | {
            "reversal_id": "UUID",
            "attempt_id": "UUID",
            "action_id": "UUID",
            "action_index": "INTEGER",
            "name": "VARCHAR",
            "dialect": "VARCHAR",
            "kind": "VARCHAR",
            "paths": "JSON",
            "path_count": "BIGINT",
            "reversed_at": "TIMESTAMP",
        },
    ),
    Table(
        "approval_starts",
        _TURN
        | {
            "approval_id": "UUID",
            "attempt_id": "UUID",
            "action_id": "UUID",
            "action_index": "INTEGER",
            "name": "VARCHAR",
            "arguments": "JSON",
            "content_hash": "VARCHAR",
            "policy_version": "VARCHAR",
            "is_exact": "BOOLEAN",
            "requested_at": "TIMESTAMP",
        },
    ),
    Table(
        "approval_ends",
        {
            "approval_id": "UUID",
            "decision": "VARCHAR",
            "decided_by": "VARCHAR",
            "why": "VARCHAR",
            "decided_hash": "VARCHAR",
            "changed_arguments": "JSON",
            "decided_at": "TIMESTAMP",
        },
    ),
    Table(
        "resumptions",
        {
            "turn_id": "UUID",
            "session_id": "UUID",
            "run_id": "UUID",
            "feedback": "VARCHAR",
            "finished_at": "TIMESTAMP",
        },
    ),
    Table(
        "events",
        {
            "event_id": "UUID",
            "kind": "VARCHAR",
            "run_id": "UUID",
            "session_id": "UUID",
            "turn_id": "UUID",
            "recorded_at": "TIMESTAMP",
            "code": "VARCHAR",
            "message": "VARCHAR",
            "detail": "JSON",
        },
    ),
)

VIEWS = {
    "runs": """
        SELECT s.*, e.turns, e.refused, e.finished_at
        FROM run_starts s LEFT JOIN run_ends e USING (run_id)""",
    "sessions": """
        SELECT s.*, e.success, e.reason, e.finished_at
        FROM session_starts s
        LEFT JOIN (SELECT DISTINCT ON (session_id) * FROM session_ends ORDER BY session_id, recorded_at DESC) e
        USING (session_id)""",
    "turns": """
        SELECT s.*, e.feedback, e.finished_at
        FROM turn_starts s LEFT JOIN (SELECT turn_id, feedback, finished_at FROM turn_ends) e USING (turn_id)""",
    "executions": """
        SELECT s.*, coalesce(e.status, 'interrupted') AS status,
               CASE WHEN e.status IS NULL THEN 'never_finished' ELSE e.reason END AS reason,
               e.result, e.message, e.duration_ms, e.finished_at
        FROM execution_starts s LEFT JOIN execution_ends e USING (execution_id)
        ANTI JOIN (SELECT reversal_id AS execution_id FROM reversals) USING (execution_id)""",
    "approvals": """
        SELECT s.*, e.decision, e.decided_by, e.why, e.decided_hash, e.changed_arguments, e.decided_at
        FROM approval_starts s LEFT JOIN approval_ends e USING (approval_id)""",
}
"""What people read: each view's name and its SELECT."""

BOOKKEEPING = (
    "CREATE TABLE meta (schema_version INTEGER, created_at TIMESTAMP, toolkit_version VARCHAR)",
    "CREATE TABLE segments (name VARCHAR PRIMARY KEY, ingested_bytes BIGINT)",
    "CREATE TABLE quarantine (segment VARCHAR, byte_offset BIGINT, reason VARCHAR, line VARCHAR, found_at TIMESTAMP)",
)
"""What the ingester needs: the schema's version, how far each segment was taken in, and lines that can't be read."""
