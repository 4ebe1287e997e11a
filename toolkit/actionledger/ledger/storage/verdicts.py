"""What recordings say of their own sessions: whether they succeeded, and in how many responses their harness took an action."""

_MINT = "metadata ->> '$.counts.{}'"
"""Where a session that was imported before there was a common place has it: MINT's are the only ones that were kept."""


def _count(field: str, *mints: str) -> str:
    older = " + ".join(f"TRY_CAST({_MINT.format(name)} AS BIGINT)" for name in mints)
    return f"coalesce(TRY_CAST(metadata ->> '$.harness.{field}' AS BIGINT), {older})"


RECORDED_VERDICTS = f"""
    WITH told AS (
        SELECT session_id, profile, model, task, source, success,
               {_count("took", "propose_solution", "use_tool")} AS took, {_count("missed", "invalid_action")} AS missed
        FROM (SELECT * REPLACE (CASE WHEN json_valid(metadata) THEN metadata END AS metadata) FROM sessions))
    SELECT session_id, profile, model, task, source, success, CASE WHEN missed >= 0 AND took >= 0 THEN took END AS took,
           CASE WHEN missed >= 0 AND took >= 0 THEN took + missed END AS counted
    FROM told WHERE success IS NOT NULL OR took + missed > 0"""  # noqa: S608 - our own names
"""The SELECT of the view: a row for each session of which its source says one of the two."""
