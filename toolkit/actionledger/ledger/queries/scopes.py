"""A filter as SQL: the fields known before parsing, those that depend on the outcome, and people's reviews.

A filter selects parse attempts. Actions, validation errors and executions follow from these, so that every number on a page is about the same
responses.
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
"""The characters that RE2 would not match literally: signs, and two letters with a third form, the long s and the Kelvin sign."""

_MOST = 1_000
"""The most characters that a pattern searches; a longer text is searched by its beginning, and matches are compared with all of it."""

HOLDS = "(regexp_matches({column}, $pattern, 'i') AND ($is_short OR contains(lower({column}), lower($text))))"
"""Whether a column contains the searched text, literally and in any case. RE2 works on the column itself, which takes half the time of a copy in
lower case."""

_ESCAPED = HOLDS.replace("$text", "$text_in_json").replace("$pattern", "$pattern_in_json")
IN_JSON = f"({HOLDS} OR (NOT $is_same_in_json AND {_ESCAPED}))"
"""The same for a column of JSON text, in which quotes, line breaks and similar characters are escaped."""

NAMES = """(
    SELECT session_id, external_id AS name FROM session_starts WHERE {within}
    UNION SELECT session_id, title FROM session_details WHERE {within} AND title <> '')"""
"""The names of sessions: those of their sources, and their titles."""

NAMED = f"session_id IN (SELECT session_id FROM {NAMES.format(within='true')} WHERE {HOLDS.format(column='name')})"
"""The condition that a session's name contains the text."""

_THEIRS = "session_id IN (SELECT session_id FROM turn_starts WHERE {within})"
_NAMED_WITHIN = f"session_id IN (SELECT session_id FROM {NAMES.format(within=_THEIRS)} WHERE {HOLDS.format(column='name')})"
"""The same for the sessions of some turns, with an aggregate: otherwise DuckDB would search all names first."""

_IN_RESPONSE = "turn_id IN (SELECT turn_id FROM turn_starts WHERE {within} AND {holds})"
_IN_ARGUMENTS = "attempt_id IN (SELECT attempt_id FROM actions WHERE {within} AND {reading} AND {holds})"
_IN_RESULTS = "attempt_id IN (SELECT attempt_id FROM execution_starts JOIN execution_ends USING (execution_id) WHERE {within} AND {holds})"
_IN_RESULT = f"({IN_JSON.format(column='result::VARCHAR')} OR {HOLDS.format(column='message')})"


class TextScope(NamedTuple):
    """Where a filter's text may be, as conditions on parse attempts."""

    own: str  # the response, its parsed arguments or their results contain it
    named: str  # the session's name contains it
    parameters: dict[str, object]


def text_scope(within: Filter) -> TextScope:
    """Return the conditions that a filter's text is found in a turn, or in its session's name."""
    looked_at, parameters = of_turn(within)
    _add_times(within, looked_at, parameters)
    where, reading = " AND ".join(looked_at), "true" if within.run_id else FIRST_READING
    response = _IN_RESPONSE.format(within=where or "true", holds=HOLDS.format(column="text"))
    arguments = _IN_ARGUMENTS.format(
        within=where or "true", reading=reading, holds=IN_JSON.format(column="arguments::VARCHAR")
    )
    # After the join: DuckDB would otherwise search each result before it knows its turn.
    result = f"CASE WHEN {where} THEN {_IN_RESULT} ELSE false END" if where else _IN_RESULT
    results = _IN_RESULTS.format(within=where or "true", holds=result)
    named = _NAMED_WITHIN.format(within=where) if where else NAMED
    own = f"({response} OR {arguments} OR {results})"
    return TextScope(own, named, parameters | text_parameters(within.text))


def text_parameters(text: str) -> dict[str, object]:
    """Return the parameters of a condition that searches a text literally."""
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
    """Return an RE2 pattern that matches the beginning of a text literally."""
    return _NOT_AS_IT_IS.sub(_for_itself, text[:_MOST])


def _for_itself(found: re.Match[str]) -> str:
    letter = found[0]
    if letter == "\0":
        return "\\x00"
    if not letter.isalpha():
        return f"\\{letter}"
    # With a letter's third form RE2 can't skip ahead, and takes three times the processor time.
    return f"(?-i:[{letter.upper()}{letter.lower()}])" if letter.isascii() else f"(?-i:{letter})"


def went_wrong(stage: Stage | None, *, has_reasons: bool, has_action: bool, origin: Origin | None) -> str:
    """Return the condition that something failed in a turn, with ``$reasons``, ``$action`` and ``$origin``."""
    words = {
        "not_read": NOT_READ,
        # A search for this reason finds it, although it is no failure.
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
    """Return the condition that an execution has a status of ``$executions``, or was run by ``$origin``."""
    status = "list_contains($executions, status)" if has_statuses else "true"
    return f"attempt_id IN (SELECT attempt_id FROM executions WHERE {status} AND {run_by(origin)})"


def run_by(origin: Origin | None) -> str:
    """Return the condition on the origin of executions."""
    return "origin = $origin" if origin else "true"


FAILING = went_wrong(None, has_reasons=False, has_action=False, origin=None)
"""The parse attempts of failing turns: something failed in parsing, checking or acting, refusals included. This is the only definition of failing."""


class Scope(NamedTuple):
    """A filter as SQL."""

    condition: str  # the SQL after WHERE
    parameters: dict[str, object]

    def filled(self, statement: str, **words: object) -> tuple[str, dict[str, object]]:
        """Return a statement with this condition in its place, and the values that it binds with those given."""
        return statement.format(condition=self.condition), self.parameters | words

    def beside(self, prefix: str) -> "Scope":
        """Return the same with renamed parameters, for use next to another scope in a statement."""
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
"""The condition on first parse attempts of turns, or on rows derived from them, as SQL."""
FIRST_EXECUTIONS = f"run_id NOT IN (SELECT run_id FROM run_starts WHERE run_kind IN ({AGAIN}))"
"""The condition on first executions of actions, without those of reruns, as SQL."""


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
    """Return a filter as a condition on responses, parsed or not; their outcomes are those of their first parse attempts."""
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
    """Return a filter's conditions on a table of sessions, to join by AND, and their parameters."""
    refuse_no_filter(within)
    parts, parameters = _picked(within, "session")
    for number, score in enumerate(within.scores):
        parts.append(_OF_SCORE.format(number=number, comparison=score.comparison))
        parameters |= {f"score_name_{number}": score.name, f"score_{number}": score.value}
    return parts, parameters


def of_turn(within: Filter) -> tuple[list[str], dict[str, object]]:
    """Return the same for a table of turns or their rows, with people's reviews, which unparsed turns may have as well."""
    parts, parameters = of_session(within)
    picked, values = _picked(within, "turn")
    return parts + picked, parameters | values


def _picked(within: Filter, of: Rows) -> tuple[list[str], dict[str, object]]:
    """Return the conditions of the fields that select such rows directly, and their parameters."""
    picking = [(field, value) for field, value in set_fields(within) if field.of == of]
    return [field.condition for field, _ in picking], {
        field.name: value if field.kind == "number" else list(value) for field, value in picking
    }


def found_scope(within: Filter) -> Scope:
    """Return a filter's conditions on outcomes as a condition on parse attempts; ``true`` if it has none."""
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
        text = text_scope(within)
        parts.append(f"({text.own} OR {text.named})")
        parameters |= text.parameters
    condition = " AND ".join(parts) or "true"
    # A failure in parsing has no action, so ``$action`` may be unused there; DuckDB refuses unused parameters.
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
    """Add the filter's captures; only tables of responses and of parse attempts have this column."""
    if within.captures:
        held = "list_contains($captures, capture)"
        parts.append(held if is_own else _ATTEMPTS_WHERE.format(held))
        parameters["captures"] = list(within.captures)
