"""What came of responses, as conditions on parse attempts, in SQL: what went wrong, and in which of their texts something stands."""

import json
import re
from typing import get_args

from actionledger.core.vocabulary import Origin
from actionledger.ledger.queries.base import ANSWERED, NOT_DONE, NOT_READ, REFUSED, Stage

_STAGES: dict[Stage, str] = {
    "reading": "{not_read} AND {reason} AND {no_action}",
    "checking": "attempt_id IN (SELECT attempt_id FROM validation_errors WHERE {refused} AND {code} AND {action})",
    "acting": (
        "attempt_id IN (SELECT attempt_id FROM executions WHERE {not_done} AND {reason} AND {action} AND {origin})"
    ),
}

_NOT_AS_IT_IS = re.compile(r"[^\w\x80-\U0010ffff]|[sSkK\u017f\u212a]", re.ASCII)
"""What RE2 would take for more than itself: signs, and two letters of which it knows a third form, the long s and the Kelvin sign."""

_MOST = 1_000
"""So many characters are looked for by a pattern; of a longer text they are the beginning, and what has it is compared with all of it."""

HOLDS = "(regexp_matches({column}, $pattern, 'i') AND ($is_short OR contains(lower({column}), lower($text))))"
"""Whether a column holds the text that is looked for, character by character in any case; nothing in it means more than itself. RE2, which
leaves the column as it is, takes half the time of a copy in lower case."""

_ESCAPED = HOLDS.replace("$text", "$text_in_json").replace("$pattern", "$pattern_in_json")
IN_JSON = f"({HOLDS} OR (NOT $is_same_in_json AND {_ESCAPED}))"
"""The same of a column of JSON text, in which quotes, line breaks and the like stand as escapes."""

NAMED = f"session_id IN (SELECT session_id FROM session_starts WHERE {HOLDS.format(column='external_id')})"
"""Of which sessions the name holds the text."""

_NAMED_WITHIN = f"""session_id IN (
    SELECT session_id FROM (
        SELECT session_id, any_value(external_id) AS external_id FROM session_starts
        WHERE session_id IN (SELECT session_id FROM turn_starts WHERE {{within}}) GROUP BY session_id)
    WHERE {HOLDS.format(column="external_id")})"""
"""The same of the sessions of some turns, behind a sum: DuckDB would look into everybody's name first."""

_IN_RESPONSE = "turn_id IN (SELECT turn_id FROM turn_starts WHERE {within} AND {holds})"
_IN_ARGUMENTS = "attempt_id IN (SELECT attempt_id FROM actions WHERE {within} AND {reading} AND {holds})"
_IN_RESULTS = "attempt_id IN (SELECT attempt_id FROM execution_starts JOIN execution_ends USING (execution_id) WHERE {within} AND {holds})"
_IN_RESULT = f"({IN_JSON.format(column='result::VARCHAR')} OR {HOLDS.format(column='message')})"


def has_text(within: str, reading: str) -> str:
    """Return the condition that the text stands in the response, in the arguments read of it, in the results of these, or in the session's name."""
    response = _IN_RESPONSE.format(within=within or "true", holds=HOLDS.format(column="text"))
    arguments = _IN_ARGUMENTS.format(
        within=within or "true", reading=reading, holds=IN_JSON.format(column="arguments::VARCHAR")
    )
    # Asked behind the join: DuckDB would look into each result before it knows whose it is.
    result = f"CASE WHEN {within} THEN {_IN_RESULT} ELSE false END" if within else _IN_RESULT
    results = _IN_RESULTS.format(within=within or "true", holds=result)
    named = _NAMED_WITHIN.format(within=within) if within else NAMED
    return f"({response} OR {named} OR {arguments} OR {results})"


def text_parameters(text: str) -> dict[str, object]:
    """Return the values for a condition that looks for a text, literally."""
    in_json = json.dumps(text, ensure_ascii=False)[1:-1]
    return {
        "text": text,
        "text_in_json": in_json,
        "pattern": _pattern(text),
        "pattern_in_json": _pattern(in_json),
        "is_short": len(in_json) <= _MOST,
        "is_same_in_json": text == in_json,
    }


def _pattern(text: str) -> str:
    """Return what RE2 takes for the beginning of a text, each character for itself."""
    return _NOT_AS_IT_IS.sub(_for_itself, text[:_MOST])


def _for_itself(found: re.Match[str]) -> str:
    letter = found[0]
    if letter == "\0":
        return "\\x00"
    if not letter.isalpha():
        return f"\\{letter}"
    # With its third form RE2 has nothing to jump to, and takes three times the processor.
    return f"(?-i:[{letter.upper()}{letter.lower()}])" if letter.isascii() else f"(?-i:{letter})"


def went_wrong(stage: Stage | None, *, has_reasons: bool, has_action: bool, origin: Origin | None) -> str:
    """Return the condition that something went wrong in a turn, with ``$reasons``, ``$action`` and ``$origin``."""
    words = {
        "not_read": NOT_READ,
        # Whoever asks for the reason finds it, though it is no failure.
        "not_done": f"({NOT_DONE} OR {ANSWERED})" if has_reasons else NOT_DONE,
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
    """Return the condition that an execution came to one of ``$executions``, or was run by ``$origin``."""
    status = "list_contains($executions, status)" if has_statuses else "true"
    return f"attempt_id IN (SELECT attempt_id FROM executions WHERE {status} AND {run_by(origin)})"


def run_by(origin: Origin | None) -> str:
    """Return the condition on executions that picks whose they are."""
    return "origin = $origin" if origin else "true"


FAILING = went_wrong(None, has_reasons=False, has_action=False, origin=None)
"""Which parse attempts are of failing turns: something went wrong in reading, checking or acting, a refusal among it. Nothing else is called
so anywhere."""
