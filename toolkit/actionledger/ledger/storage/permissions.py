"""Who let the calls of other runtimes run, or refused them: a view over what was noted beside their executions."""

from actionledger.core.recording.permissions import PERMISSION
from actionledger.core.vocabulary import Origin

PERMISSIONS = f"""
    SELECT s.run_id, s.session_id, s.turn_id, s.turn_index, s.profile, s.model, s.task, s.occurred_at, s.execution_id,
           s.attempt_id, s.action_id, s.action_index, s.name, s.call_id, e.decision,
           coalesce(e.decided_by, 'not_recorded') AS decided_by, e.why, e.hooks
    FROM execution_starts s LEFT JOIN (
        SELECT turn_id, (detail->>'execution_id')::UUID AS execution_id, detail->>'decision' AS decision,
               detail->>'decided_by' AS decided_by, detail->>'why' AS why, (detail->'hooks')::VARCHAR[] AS hooks
        FROM events WHERE code = '{PERMISSION}') e USING (turn_id, execution_id)
    WHERE s.origin = '{Origin.RECORDED}'"""  # noqa: S608 - our own words
"""Each execution of another runtime once; ``not_recorded`` where its recording says nothing of who decided."""
