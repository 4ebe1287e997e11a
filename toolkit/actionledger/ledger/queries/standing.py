"""What people say of turns as it stands now, as SQL that other statements are made with.

Each row of ``reviews`` is one step; what is said stands as its last step left it. A turn that its recording has superseded hands on
what was said of it to the turn that stands for it now; a verdict is of one reading, and stays with it.
"""

from actionledger.ledger.storage.schema import sessions_of

MOVED = """
moved AS (
    SELECT turn_id AS said_of, superseded_by AS turn_id FROM superseded SEMI JOIN reviews USING (turn_id)
    UNION SELECT said_of, superseded_by FROM moved JOIN superseded USING (turn_id)),
there AS (SELECT said_of, turn_id AS now_of FROM moved ANTI JOIN superseded USING (turn_id))"""
"""Which turn stands for one of which something was said, where that is another one by now; recursive."""

LAST_STEPS = """
last_steps AS (
    SELECT *, first_value(reviewer) OVER steps_of AS said_by, first_value(reviewed_at) OVER steps_of AS given_at,
           count(*) OVER (PARTITION BY review_id) AS steps
    FROM reviews WINDOW steps_of AS (PARTITION BY review_id ORDER BY reviewed_at)
    QUALIFY row_number() OVER (PARTITION BY review_id ORDER BY reviewed_at DESC, step <> 'given' DESC) = 1)"""
"""The last step of each thing that is said, with who said it first, and when."""

LABELS = f"""
WITH RECURSIVE {MOVED}, {LAST_STEPS}
SELECT session_id, coalesce(now_of, turn_id) AS turn_id, value AS label FROM last_steps LEFT JOIN there ON said_of = turn_id
WHERE aspect = 'label' AND step <> 'withdrawn'"""
"""The labels that people have given to turns; a row for each of them, by whom is not asked."""

VERDICTS = f"""
WITH {LAST_STEPS} SELECT attempt_id, value AS verdict FROM last_steps WHERE aspect = 'verdict' AND step <> 'withdrawn'"""
"""What people have judged readings to be; a row for each of them."""


def filed(condition: str = "true") -> str:
    """Return, as SQL, the labels that sources file sessions under."""
    labelled = f"session_id IN (SELECT session_id FROM session_ends WHERE labels <> '[]' AND {condition})"
    return f"""
SELECT session_id, label FROM (
    SELECT session_id, unnest(labels::VARCHAR[]) AS label FROM ({sessions_of(labelled)}) WHERE labels <> '[]')"""


OF_FILED = f"session_id IN (SELECT session_id FROM ({filed()}) WHERE list_contains($labels, label))"
"""Which sessions are filed under some labels."""

LABELLED = f"turn_id IN (SELECT turn_id FROM ({LABELS}) WHERE list_contains($turn_labels, label))"
"""Which turns somebody has labelled so."""

JUDGED = f"attempt_id IN (SELECT attempt_id FROM ({VERDICTS}) WHERE list_contains($verdicts, verdict))"
"""Which readings somebody has judged so."""
