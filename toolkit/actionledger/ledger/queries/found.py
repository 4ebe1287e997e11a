"""What came of responses, as conditions on parse attempts, in SQL: what went wrong, and in which of their texts something stands."""

import json
from typing import get_args

from actionledger.ledger.queries.base import NOT_DONE, NOT_READ, REFUSED, Stage
from actionledger.vocabulary import Origin

_STAGES: dict[Stage, str] = {
    "reading": "{not_read} AND {reason} AND {no_action}",
    "checking": "attempt_id IN (SELECT attempt_id FROM validation_errors WHERE {refused} AND {code} AND {action})",
    "acting": (
        "attempt_id IN (SELECT attempt_id FROM executions WHERE {not_done} AND {reason} AND {action} AND {origin})"
    ),
}

HOLDS = "contains(lower({column}), lower($text))"
"""Whether a column holds the text that is looked for, character by character in any case; nothing in it is a pattern."""

IN_JSON = f"({HOLDS} OR contains(lower({{column}}), lower($text_in_json)))"
"""The same of a column of JSON text, in which quotes, line breaks and the like stand as escapes."""

NAMED = f"session_id IN (SELECT session_id FROM session_starts WHERE {HOLDS.format(column='external_id')})"
"""Of which sessions the name holds the text."""

IN_RESPONSE = f"(turn_id IN (SELECT turn_id FROM turn_starts WHERE {HOLDS.format(column='text')}) OR {NAMED})"
"""Which responses hold the text, or are of a session whose name does."""

IN_ARGUMENTS = (
    f"attempt_id IN (SELECT attempt_id FROM actions WHERE {IN_JSON.format(column='arguments::VARCHAR')})"
)
IN_RESULTS = f"""attempt_id IN (SELECT attempt_id FROM execution_starts WHERE execution_id IN (
    SELECT execution_id FROM execution_ends WHERE {IN_JSON.format(column="result::VARCHAR")} OR {HOLDS.format(column="message")}))"""


def has_text(within: str = "true") -> str:
    """Return the condition that the text stands in the response, in the arguments read of it, in the results of these, or in the
    session's name.

    Args:
        within: which responses and actions are looked at, as SQL over the dimensions that both tables have: their texts are most of a
            ledger, and read no further than need be.
    """
    response = IN_RESPONSE.replace("FROM turn_starts WHERE", f"FROM turn_starts WHERE {within} AND")
    arguments = IN_ARGUMENTS.replace("FROM actions WHERE", f"FROM actions WHERE {within} AND")
    return f"({response} OR {arguments} OR {IN_RESULTS})"


def text_parameters(text: str) -> dict[str, object]:
    """Return the values for a condition that looks for a text, literally.

    Args:
        text: what is looked for.
    """
    return {"text": text, "text_in_json": json.dumps(text, ensure_ascii=False)[1:-1]}


def went_wrong(stage: Stage | None, *, has_reasons: bool, has_action: bool, origin: Origin | None) -> str:
    """Return the condition that something went wrong in a turn, with ``$reasons``, ``$action`` and ``$origin``.

    Args:
        stage: where; None for anywhere.
        has_reasons: whether it must be one of the reasons.
        has_action: whether it must have gone wrong with the action; with reading itself it can't.
        origin: who must have run it; None for anybody.
    """
    words = {
        "not_read": NOT_READ,
        "not_done": NOT_DONE,
        "refused": REFUSED,
        "reason": "list_contains($reasons, reason)" if has_reasons else "true",
        "code": "list_contains($reasons, code)" if has_reasons else "true",
        "action": "name = $action" if has_action else "true",
        "no_action": "false" if has_action else "true",
        "origin": run_by(origin),
    }
    stages = [stage] if stage else get_args(Stage)
    return "(" + " OR ".join(_STAGES[each].format(**words) for each in stages) + ")"


def executed(*, has_statuses: bool, origin: Origin | None) -> str:
    """Return the condition that an execution came to one of ``$executions``, or was run by ``$origin``.

    Args:
        has_statuses: whether it must have come to one of these.
        origin: who must have run it; None for anybody.
    """
    status = "list_contains($executions, status)" if has_statuses else "true"
    return f"attempt_id IN (SELECT attempt_id FROM executions WHERE {status} AND {run_by(origin)})"


def run_by(origin: Origin | None) -> str:
    """Return the condition on executions that picks whose they are."""
    return "origin = $origin" if origin else "true"
