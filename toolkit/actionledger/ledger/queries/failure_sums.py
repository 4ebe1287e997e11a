"""Counts groups of failures: how often, where and when they occur, and what they cost their sessions.

The caller defines the groups: a function maps each kind of failure to its group.
"""

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple, TypeVar, get_args

from actionledger.core.patterns import regex
from actionledger.core.values import Span
from actionledger.core.vocabulary import Origin, Reason
from actionledger.ledger.queries.base import INTENT, Stage, Streamable, maker
from actionledger.ledger.queries.failures import (
    NAMED,
    OF_ACTIONS,
    PAID,
    PLACED,
    SPAN,
    Spent,
    of_whole_sessions,
    words_of,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.reasons import failed
from actionledger.ledger.queries.scopes import Scope, scope
from actionledger.ledger.queries.trend import Unit

LONGEST = 160
"""The maximum length of a signature, in characters."""

_LOOKED_AT = 2_000
"""How much of a message is searched, in characters."""

_FRAME = regex(
    r"\A(?:Command|Chunk ID|Wall time|Exit code|Process exited)\b.{0,2000}?^Output:$\n?",
    re.DOTALL | re.MULTILINE,
)
"""The frame that a runtime puts around a program's output, the same each time: with it, signatures of all commands would be equal."""

NO_OUTPUT = "no output"
"""The signature of a program that printed nothing."""

_THING, _TEXT, _PATH = "#", "…", "/…"
"""Placeholders: for a number, an identifier, a hash or a time; for a quoted value; for a path or an address.

Each is no longer than the text that it replaces, so that no signature is longer than its message.
"""

_VARIABLE = regex(
    r"""
    (?P<text>
        "(?:[^"\\]|\\.)*" | `[^`]*` | “[^”]*”
        | (?<!\w)'(?:[^'] | (?<=\w)'(?=\w))*'(?!\w)         # an apostrophe within a word closes nothing
    )
    | (?P<path>
        \b[a-z][a-z0-9+.-]*://[^\s<>"'`]+
        | (?<![\w.\-/\\<~…#]) (?:[A-Za-z]:\\|~?/|\.{1,2}/)? [\w.\-…#]+ (?:[/\\]+[\w.\-…#]+)+ /?
        | (?<![\w.\-/\\<~…#]) ~?/[\w.\-…#]+ /?
    )
    | (?P<thing>
        \d{4}-\d\d-\d\d (?:[T\ ]\d\d:\d\d (?::\d\d (?:[.,]\d+)?)? (?:Z|[+-]\d\d:?\d\d)?)?
        | (?<!\w) [0-9a-f]{8} (?:-[0-9a-f]{4}){3} -[0-9a-f]{12} (?!\w)
        | (?<!\w) [0-9a-f]{8,} (?!\w)
        | (?<!\w) [-+]? \w*\d\w* (?:[.,:\-]\w*\d\w*)*
    )
    | (?P<list> \#(?:[\s,;:/+\-]+\#)+ | …(?:[\s,;]+…)+ )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_STANDS_FOR = {"text": _TEXT, "path": _PATH, "thing": _THING}


@lru_cache(maxsize=4096)
def signature(message: str) -> str:
    """Return a message without the parts that vary.

    Numbers, identifiers, hashes and times become ``#``, quoted values ``…``, paths and addresses ``/…``. Several of them in a row become one, and
    whitespace becomes one space. A runtime's frame around a program's output is removed. The signature of a signature is itself.

    Args:
        message: the message of a runtime, a tool or a parser.

    Returns:
        At most ``LONGEST`` characters, and never more than the message has.
    """
    framed = _FRAME.match(message)
    text = (message[framed.end() :].strip() or NO_OUTPUT if framed else message)[:_LOOKED_AT]
    while (shorter := _bounded(_VARIABLE.sub(_stand_in, " ".join(text.split())))) != text:
        text = shorter
    return text


def _stand_in(found: re.Match[str]) -> str:
    kind = found.lastgroup
    assert kind is not None
    return found[0][0] if kind == "list" else _STANDS_FOR[kind]


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + _TEXT


_BATCH = 1000
_SPENT = tuple(Spent.__dataclass_fields__)


class FailureKind(NamedTuple):
    """Identifies a kind of failure; see ``FailureAt``."""

    stage: Stage
    code: Reason
    action: str
    origin: Origin | None
    matter: str


@dataclass(frozen=True, slots=True)
class PeriodSums:
    """The failures since the start of a day or a week, and their turns and sessions."""

    start: datetime
    count: int
    turns: int
    sessions: int


class ExampleAt(NamedTuple):
    """The first failure of a session; see ``FailureAt``."""

    session_id: str
    turn_index: int
    attempt_id: str
    span: Span | None
    detail: str


@dataclass(frozen=True, slots=True)
class FailureSums:
    """The failures of a group."""

    count: int
    turns: int  # turns, sessions: how many have one
    sessions: int
    lost: int  # in how many sessions no action got through after one
    # first, last: the times of the first and the last, UTC without a zone; None if no time is recorded
    first: datetime | None
    last: datetime | None
    # the cost to their sessions; of failures that the same turn ends, only the first one's cost counts
    spent: Spent
    periods: list[PeriodSums]  # how many there were in each day or week, in order
    examples: list[ExampleAt]  # the first failure of some sessions


Group = TypeVar("Group", bound=Hashable)

_NAME = "md5(to_json([stage::VARCHAR, code, action, origin, matter])::VARCHAR)"
"""The identifier of a kind of failure."""

_KINDS = f"""
WITH {{failed}},
{NAMED}
SELECT {_NAME} AS name, $stages[stage], code, action, origin, matter
FROM (SELECT DISTINCT stage, code, action, origin, matter FROM named) ORDER BY name"""

_ORDER = "(turn_index, stage, attempt_id, coalesce(action_index, -1), code, detail)"

_SPENDING = ", ".join(f"'{name}': coalesce(sum(later.{name} - here.{name}), 0)" for name in _SPENT)

_SUMS = f"""{PLACED},
numbers AS (SELECT unnest($names) AS name, unnest($numbers) AS number),
numbered AS (SELECT * EXCLUDE (name) FROM (SELECT *, {_NAME} AS name FROM placed) JOIN numbers USING (name)),
paid AS (
    SELECT number, session_id, next_index, min(turn_index) FILTER (NOT is_done_again) AS turn_index
    FROM numbered GROUP BY GROUPING SETS ((number, session_id, next_index), (session_id, next_index))),
spending AS (SELECT number, {{{{{_SPENDING}}}}} AS spent FROM paid {PAID.replace("{of}", "paid")} GROUP BY number),
by_period AS (
    SELECT number, list({{{{'start': period, 'count': count, 'turns': turns, 'sessions': sessions}}}} ORDER BY period) AS periods FROM (
        SELECT number, period, count(*) AS count, count(DISTINCT turn_id) AS turns, count(DISTINCT session_id) AS sessions
        FROM numbered WHERE period IS NOT NULL GROUP BY number, period) GROUP BY number),
shown AS (
    SELECT number, unnest(min(session_id, $examples)) AS session_id
    FROM (SELECT DISTINCT number, session_id FROM numbered) GROUP BY number),
firsts AS (
    SELECT number, session_id, min_by({{{{'session_id': session_id::VARCHAR, 'turn_index': turn_index,
        'attempt_id': attempt_id::VARCHAR, 'span': {SPAN}, 'detail': detail}}}}, {_ORDER}) AS first
    FROM (FROM numbered SEMI JOIN shown USING (number, session_id)) {OF_ACTIONS} GROUP BY number, session_id),
examples AS (SELECT number, list(first ORDER BY session_id) AS examples FROM firsts GROUP BY number),
counted AS (
    SELECT number, count(*) AS count, count(DISTINCT turn_id) AS turns, count(DISTINCT session_id) AS sessions,
           count(DISTINCT session_id) FILTER (next_index IS NULL) AS lost, min(occurred_at) AS first, max(occurred_at) AS last
    FROM numbered GROUP BY number)
SELECT number, count, turns, sessions, lost, first, last, spent, coalesce(periods, []), examples
FROM spending LEFT JOIN counted USING (number) LEFT JOIN by_period USING (number) LEFT JOIN examples USING (number)
ORDER BY number"""

_TURNS = f"""
WITH {{failed}},
{NAMED},
numbers AS (SELECT unnest($names) AS name, unnest($numbers) AS number)
SELECT number, session_id::VARCHAR, count(DISTINCT turn_id)
FROM (SELECT *, {_NAME} AS name FROM named) JOIN numbers USING (name) GROUP BY number, session_id ORDER BY number, session_id"""


def failure_sums(
    ledger: Streamable,
    group_of: Callable[[FailureKind], Group],
    within: Filter,
    unit: Unit,
    *,
    examples: int,
) -> tuple[dict[Group, FailureSums], Spent]:
    """Return the failures in the responses of a filter by group, and the total cost of all to their sessions, with each turn counted once."""
    groups, numbers, (condition, parameters) = _numbered(ledger, group_of, within)
    words = words_of(unit)
    del words["stages"]
    statement = _SUMS.format(failed=failed(condition), whole=of_whole_sessions(within))
    answer = ledger.sql(statement, parameters | words | numbers | {"examples": examples})
    rows = answer.fetchmany(len(groups) + 1)
    names = list(FailureSums.__dataclass_fields__)
    make = maker(FailureSums)
    sums = [make(row[1:]) for row in rows if row[0] is not None]
    total = [row[1 + names.index("spent")] for row in rows if row[0] is None]
    in_all = maker(Spent)(total[0]) if total else Spent()
    return dict(zip(groups, sums, strict=True)), in_all


def failing_turns(
    ledger: Streamable, group_of: Callable[[FailureKind], Group], within: Filter = EVERYTHING
) -> dict[Group, dict[str, int]]:
    """Return the number of turns with failures, by group and session."""
    groups, numbers, (condition, parameters) = _numbered(ledger, group_of, within)
    names = list(groups)
    found: dict[Group, dict[str, int]] = {name: {} for name in names}
    asked = parameters | numbers | {"intent": INTENT}
    result = ledger.sql(_TURNS.format(failed=failed(condition)), asked)
    while batch := result.fetchmany(_BATCH):
        for number, session_id, turns in batch:
            found[names[number]][session_id] = turns
    return found


def _numbered(
    ledger: Streamable, group_of: Callable[[FailureKind], Group], within: Filter
) -> tuple[dict[Group, int], dict[str, object], Scope]:
    """Return the groups by number, the numbers of the kinds of failures as parameters, and the filter as SQL."""
    condition, parameters = scope(rated(within))
    groups: dict[Group, int] = {}
    numbers: dict[str, int] = {}
    words = {"stages": list(get_args(Stage)), "intent": INTENT}
    make = maker(FailureKind)
    result = ledger.sql(_KINDS.format(failed=failed(condition)), parameters | words)
    while batch := result.fetchmany(_BATCH):
        for name, *kind in batch:
            numbers[name] = groups.setdefault(group_of(make(kind)), len(groups))
    named: dict[str, object] = {"names": list(numbers), "numbers": list(numbers.values())}
    return groups, named, Scope(condition, parameters)
