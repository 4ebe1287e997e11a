"""A filter as SQL.

It picks parse attempts. Actions, validation errors and executions belong to the attempts that it picks, so that every number on a page is
about the same responses.
"""

import re
from typing import NamedTuple

from actionledger.core.vocabulary import RunKind
from actionledger.ledger.queries.filters import NO_DIALECT, Filter, refuse_no_filter
from actionledger.ledger.queries.found import executed, has_text, text_parameters, went_wrong
from actionledger.ledger.queries.standing import JUDGED, LABELLED, OF_FILED


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


_OF_RUN = "run_id = $run_id::UUID"
_OF_ATTEMPTS = "attempt_id IN (SELECT attempt_id FROM parse_attempts WHERE run_id = $run_id::UUID)"
_OF_SOURCES = "session_id IN (SELECT session_id FROM session_starts WHERE list_contains($sources, source))"
_OF_SCORE = (
    "session_id IN (SELECT session_id FROM sessions "
    "WHERE (scores::MAP(VARCHAR, DOUBLE))[$score_name_{number}] {comparison} $score_{number})"
)
_ENDED = "attempt_id IN (SELECT attempt_id FROM unacted_turns WHERE list_contains($endings, ending))"
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
    parts: list[str] = []
    parameters: dict[str, object] = {}
    lists = {"profiles": within.profiles, "models": within.models, "tasks": within.tasks}
    for name, values in lists.items():
        if values:
            parts.append(f"list_contains(${name}, {name.removesuffix('s')})")
            parameters[name] = list(values)
    if within.sources:
        parts.append(_OF_SOURCES)
        parameters["sources"] = list(within.sources)
    if within.labels:
        parts.append(OF_FILED)
        parameters["labels"] = list(within.labels)
    for number, score in enumerate(within.scores):
        parts.append(_OF_SCORE.format(number=number, comparison=score.comparison))
        parameters |= {f"score_name_{number}": score.name, f"score_{number}": score.value}
    return parts, parameters


def of_turn(within: Filter) -> tuple[list[str], dict[str, object]]:
    """Return the same for a table of turns, or of what belongs to them: what people say of a turn is said of one that nobody has read, too."""
    parts, parameters = of_session(within)
    if within.turn_labels:
        parts.append(LABELLED)
        parameters["turn_labels"] = list(within.turn_labels)
    return parts, parameters


def found_scope(within: Filter) -> Scope:
    """Return what a filter says of what came of responses, as a condition on parse attempts; ``true`` where it says nothing."""
    parts: list[str] = []
    if within.outcomes:
        parts.append("list_contains($outcomes, outcome)")
    if within.endings:
        parts.append(_ENDED)
    if within.dialects:
        parts.append("list_contains($dialects, dialect)")
    if within.is_failing or within.stage or within.reasons:
        wrong = {"has_reasons": bool(within.reasons), "has_action": bool(within.action)}
        parts.append(went_wrong(within.stage, **wrong, origin=within.origin))
    elif within.action:
        parts.append("attempt_id IN (SELECT attempt_id FROM actions WHERE name = $action)")
    if within.executions or within.origin:
        parts.append(executed(has_statuses=bool(within.executions), origin=within.origin))
    if within.verdicts:
        parts.append(JUDGED)
    looked_at, bounds = of_turn(within)
    if within.text:
        _add_times(within, looked_at, bounds)
        parts.append(has_text(" AND ".join(looked_at), "true" if within.run_id else FIRST_READING))
    named: dict[str, object] = {
        "outcomes": list(within.outcomes),
        "endings": list(within.endings),
        "dialects": ["" if name == NO_DIALECT else name for name in within.dialects],
        "reasons": list(within.reasons),
        "action": within.action,
        "executions": list(within.executions),
        "origin": within.origin,
        "verdicts": list(within.verdicts),
    }
    parameters = {name: value for name, value in named.items() if value}
    if within.text:
        parameters |= bounds | text_parameters(within.text)
    return Scope(" AND ".join(parts) or "true", parameters)


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
