"""A filter as SQL: what was known before a response was read, what came of it, and what people say of it.

It picks parse attempts. Actions, validation errors and executions belong to the attempts that it picks, so that every number on a page is
about the same responses.
"""

import json
import re
from typing import NamedTuple, get_args

from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Origin, RunKind
from actionledger.ledger.queries.base import ANSWERED, NOT_DONE, NOT_READ, REFUSED, Stage
from actionledger.ledger.queries.fields import Rows
from actionledger.ledger.queries.filters import NO_DIALECT, Filter, refuse_no_filter, set_fields

_STAGES: dict[Stage, str] = {
    "reading": "{not_read} AND {reason} AND {no_action}",
    "checking": "attempt_id IN (SELECT attempt_id FROM validation_errors WHERE {refused} AND {code} AND {action})",
    "acting": (
        "attempt_id IN (SELECT attempt_id FROM executions WHERE {not_done} AND {reason} AND {action} AND {origin})"
    ),
}

_NOT_AS_IT_IS = regex(r"[^\w\x80-\U0010ffff]|[sSkK\u017f\u212a]", re.ASCII)
"""What RE2 would take for more than itself: signs, and two letters of which it knows a third form, the long s and the Kelvin sign."""

_MOST = 1_000
"""So many characters are looked for by a pattern; of a longer text they are the beginning, and what has it is compared with all of it."""

HOLDS = "(regexp_matches({column}, $pattern, 'i') AND ($is_short OR contains(lower({column}), lower($text))))"
"""Whether a column holds the text that is looked for, character by character in any case; nothing in it means more than itself. RE2, which
leaves the column as it is, takes half the time of a copy in lower case."""

_ESCAPED = HOLDS.replace("$text", "$text_in_json").replace("$pattern", "$pattern_in_json")
IN_JSON = f"({HOLDS} OR (NOT $is_same_in_json AND {_ESCAPED}))"
"""The same of a column of JSON text, in which quotes, line breaks and the like stand as escapes."""

NAMES = """(
    SELECT session_id, external_id AS name FROM session_starts WHERE {within}
    UNION SELECT session_id, title FROM session_details WHERE {within} AND title <> '')"""
"""What sessions are called: by their sources, and by their titles."""

NAMED = f"session_id IN (SELECT session_id FROM {NAMES.format(within='true')} WHERE {HOLDS.format(column='name')})"
"""Of which sessions a name holds the text."""

_THEIRS = "session_id IN (SELECT session_id FROM turn_starts WHERE {within})"
_NAMED_WITHIN = f"session_id IN (SELECT session_id FROM {NAMES.format(within=_THEIRS)} WHERE {HOLDS.format(column='name')})"
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


class Scope(NamedTuple):
    """A filter as SQL.

    Args:
        condition: what stands behind WHERE.
        parameters: its values.
    """

    condition: str
    parameters: dict[str, object]

    def beside(self, prefix: str) -> "Scope":
        """Return the same with other names for its values, to stand beside another one in a statement."""
        names = {name: f"{prefix}{name}" for name in self.parameters}
        condition = re.sub(r"\$(\w+)", lambda found: f"${names[found[1]]}", self.condition)
        return Scope(condition, {names[name]: value for name, value in self.parameters.items()})


_ASKED = regex(r"\$(\w+)")
_OF_RUN = "run_id = $run_id::UUID"
_OF_ATTEMPTS = "attempt_id IN (SELECT attempt_id FROM parse_attempts WHERE run_id = $run_id::UUID)"
_OF_SCORE = (
    "session_id IN (SELECT session_id FROM sessions "
    "WHERE (scores::MAP(VARCHAR, DOUBLE))[$score_name_{number}] {comparison} $score_{number})"
)
_ATTEMPTS_WHERE = "attempt_id IN (SELECT attempt_id FROM parse_attempts WHERE {})"
_TURNS_WHERE = "turn_id IN (SELECT turn_id FROM parse_attempts WHERE {})"
AGAIN = ", ".join(f"'{kind}'" for kind in RunKind if not kind.is_first_reading)
FIRST_READING = f"run_kind NOT IN ({AGAIN})"
"""Which parse attempts, or what was found by them, are of turns that were read for the first time, as SQL."""
FIRST_EXECUTIONS = f"run_id NOT IN (SELECT run_id FROM run_starts WHERE run_kind IN ({AGAIN}))"
"""Which executions are of actions that were carried out for the first time, and not once more by a rerun, as SQL."""


def scope(within: Filter, table: str = "parse_attempts", *, every_reading: bool = False) -> Scope:
    """Return a filter as a condition on the rows of one table."""
    is_attempts = table == "parse_attempts"
    parts, parameters = of_turn(within)
    _add_times(within, parts, parameters)
    _add_captures(within, parts, parameters, is_own=is_attempts)
    if within.run_id is not None:
        parts.append(_OF_RUN if is_attempts else _OF_ATTEMPTS)
        parameters["run_id"] = within.run_id
    elif not every_reading:
        parts.append(FIRST_EXECUTIONS if table == "executions" else FIRST_READING)
    found = found_scope(within)
    if found.condition != "true":
        parts.append(found.condition if is_attempts else _ATTEMPTS_WHERE.format(found.condition))
    return Scope(" AND ".join(parts) or "true", parameters | found.parameters)


def turn_scope(within: Filter) -> Scope:
    """Return a filter as a condition on responses, read or not; what came of them is what came of their first readings."""
    parts, parameters = of_turn(within)
    _add_times(within, parts, parameters)
    _add_captures(within, parts, parameters, is_own=True)
    if within.run_id is not None:
        parts.append(_OF_RUN)
        parameters["run_id"] = within.run_id
    found = found_scope(within)
    if found.condition != "true":
        parts.append(_TURNS_WHERE.format(f"{FIRST_READING} AND {found.condition}"))
    return Scope(" AND ".join(parts) or "true", parameters | found.parameters)


def of_session(within: Filter) -> tuple[list[str], dict[str, object]]:
    """Return what a filter says of sessions, for a table of them: conditions to join by AND, and their values."""
    refuse_no_filter(within)
    parts, parameters = _picked(within, "session")
    for number, score in enumerate(within.scores):
        parts.append(_OF_SCORE.format(number=number, comparison=score.comparison))
        parameters |= {f"score_name_{number}": score.name, f"score_{number}": score.value}
    return parts, parameters


def of_turn(within: Filter) -> tuple[list[str], dict[str, object]]:
    """Return the same for a table of turns, or of what belongs to them: what people say of a turn is said of one that nobody has read, too."""
    parts, parameters = of_session(within)
    picked, values = _picked(within, "turn")
    return parts + picked, parameters | values


def _picked(within: Filter, of: Rows) -> tuple[list[str], dict[str, object]]:
    """Return the conditions of the fields that pick such rows by themselves, and their values."""
    picking = [(field, value) for field, value in set_fields(within) if field.of == of]
    return [field.condition for field, _ in picking], {
        field.name: value if field.kind == "number" else list(value) for field, value in picking
    }


def found_scope(within: Filter) -> Scope:
    """Return what a filter says of what came of responses, as a condition on parse attempts; ``true`` where it says nothing."""
    parts, parameters = _picked(within, "attempt")
    if within.dialects:
        parameters["dialects"] = ["" if name == NO_DIALECT else name for name in within.dialects]
    if within.is_failing or within.stage or within.reasons:
        wrong = {"has_reasons": bool(within.reasons), "has_action": bool(within.action)}
        parts.append(went_wrong(within.stage, **wrong, origin=within.origin))
    elif within.action:
        parts.append("attempt_id IN (SELECT attempt_id FROM actions WHERE name = $action)")
    if within.executions or within.origin:
        parts.append(executed(has_statuses=bool(within.executions), origin=within.origin))
    named: dict[str, object] = {
        "reasons": list(within.reasons),
        "action": within.action,
        "executions": list(within.executions),
        "origin": within.origin,
    }
    parameters |= {name: value for name, value in named.items() if value}
    if within.text:
        looked_at, bounds = of_turn(within)
        _add_times(within, looked_at, bounds)
        parts.append(has_text(" AND ".join(looked_at), "true" if within.run_id else FIRST_READING))
        parameters |= bounds | text_parameters(within.text)
    condition = " AND ".join(parts) or "true"
    # Nothing that went wrong in reading has an action, so that its name is not asked for there; DuckDB refuses a value that is not.
    asked = set(_ASKED.findall(condition))
    return Scope(condition, {name: value for name, value in parameters.items() if name in asked})


def _add_times(within: Filter, parts: list[str], parameters: dict[str, object]) -> None:
    if within.since is not None:
        parts.append("occurred_at >= $since")
        parameters["since"] = within.since
    if within.until is not None:
        parts.append("occurred_at < $until")
        parameters["until"] = within.until


def _add_captures(within: Filter, parts: list[str], parameters: dict[str, object], *, is_own: bool) -> None:
    """Add which captures a filter takes; tables other than those of responses and of parse attempts have no column of it."""
    if within.captures:
        held = "list_contains($captures, capture)"
        parts.append(held if is_own else _ATTEMPTS_WHERE.format(held))
        parameters["captures"] = list(within.captures)
