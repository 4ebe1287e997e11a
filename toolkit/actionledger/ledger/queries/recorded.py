"""A ledger's data of a source, so that an import doesn't import it again."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias

from actionledger.core.canonical import json_text
from actionledger.core.text import utf8_with_halves
from actionledger.core.vocabulary import LeftOutReason
from actionledger.ledger.queries.base import OF_ACTIONS, RUN_ELSEWHERE, Queryable, Streamed, picked, rows
from actionledger.ledger.queries.packed import KnownTurn, PackedIds, PackedResults, PackedTurns
from actionledger.ledger.queries.scopes import FIRST_READING
from actionledger.ledger.storage.insertion import STANDING
from actionledger.reading.parsers import READING_RULES


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A recorded call without a recorded result."""

    session_id: str
    turn_id: str
    turn_index: int
    profile: str
    model: str
    task: str
    occurred_at: datetime | None
    attempt_id: str  # attempt_id, action_id, action_index, name, dialect: its parsed action
    action_id: str
    action_index: int
    name: str
    dialect: str
    call_id: str  # its identifier at its source
    repeated: int = 0  # how many calls before it in its turn have the same identifier
    arguments: str = ""  # its arguments as JSON text; empty if they are too long to compare


LeftOutKey: TypeAlias = tuple[str, LeftOutReason, str]
"""A skipped input: its file, the reason, and the kind of input."""


class RecordedSkip(NamedTuple):
    """The reports of runs about a skipped input."""

    amount: int = 0  # the reported amount
    times: int = 0  # the number of reports


NOT_TOLD = RecordedSkip()
"""No run has reported it."""


@dataclass(slots=True)
class Added:
    """The additions of an import."""

    # the sessions that ended, the latest details of each, and the turns that were processed to their end (parsed, and run if requested)
    ids: set[str] = field(default_factory=set)
    turns: dict[str, KnownTurn] = field(default_factory=dict)  # each turn by its id, parsed or not
    # the turn that now replaces another one, by the replaced turn's id
    superseded: dict[str, str] = field(default_factory=dict)


class LastTurn(NamedTuple):
    """The last turn of a session: its place, and when it was."""

    place: int
    at: datetime | None


class Before(NamedTuple):
    """A ledger's data of a source at the time of the query; see ``Added``."""

    ids: PackedIds = PackedIds()
    turns: PackedTurns = PackedTurns()
    results: PackedResults = PackedResults()


@dataclass(slots=True)
class Known:
    """A ledger's data of a source."""

    before: Before = field(default_factory=Before)  # the data at the time of the query
    ids_since: set[str] = field(default_factory=set)  # the ids that were added since; see `Added`
    turns_since: dict[str, KnownTurn] = field(default_factory=dict)  # the turns that were added since, by id
    # the turn that now replaces another one, by the replaced turn's id
    superseded: dict[str, str] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)  # the erased sessions, of any source
    open_calls: Callable[[], list[OpenCall]] = list  # returns the calls without a result
    # returns the identifiers of a turn's calls
    calls_of: Callable[[str], frozenset[str]] = lambda _turn_id: frozenset()
    # returns a turn's text; None if the ledger has none, since the same import added the turn
    text_of: Callable[[str], str | None] = lambda _turn_id: None
    # returns those of some call identifiers that have a recorded result
    answered: Callable[[Sequence[str]], set[str]] = lambda _call_ids: set()
    unended: Callable[[], set[str]] = set  # returns the sessions that started and have no end
    # returns the skipped inputs of some files, by file, reason and kind
    left_out: Callable[[Sequence[str]], dict[LeftOutKey, RecordedSkip]] = lambda _paths: {}
    # returns the id of a session's latest details; empty if there are none
    details_of: Callable[[str], str] = lambda _session_id: ""
    # returns the results of a turn's calls, each as a `result_line`
    results_of: Callable[[str], list[str]] = lambda _turn_id: []
    # returns a recorded turn's session; empty if the ledger has no such turn
    recorded_session: Callable[[str], str] = lambda _turn_id: ""
    # returns the place of a session's last turn in the ledger, and its time; None without one
    recorded_last: Callable[[str], LastTurn | None] = lambda _session_id: None
    last_since: dict[str, LastTurn] = field(
        default_factory=dict
    )  # the last turn that was added since, by session

    added: Added | None = None  # collects the additions for a caller that set it; None otherwise

    def is_done(self, identifier: str) -> bool:
        """Return whether a session has ended, or a turn was processed to its end."""
        return identifier in self.ids_since or identifier in self.before.ids

    def was_done(self, identifier: str) -> bool:
        """Return whether a session had ended at the time of the query."""
        return identifier in self.before.ids

    def turn(self, turn_id: str) -> KnownTurn | None:
        """Return the known data of a turn; None if it is unknown."""
        return self.turns_since.get(turn_id) or self.before.turns.get(turn_id)

    def session_of(self, turn_id: str) -> str:
        """Return a known turn's session; empty if it is unknown."""
        since = self.turns_since.get(turn_id)
        return self.recorded_session(turn_id) if since is None else since.session_id

    def last_of(self, session_id: str) -> LastTurn | None:
        """Return a session's last turn; None without one. The ledger is asked only about sessions that it had before."""
        recorded = self.recorded_last(session_id) if self.was_done(session_id) else None
        found = [each for each in (self.last_since.get(session_id), recorded) if each]
        return max(found, key=lambda each: each.place, default=None)

    def add_done(self, identifier: str) -> None:
        """Add a session that ended, or a turn that was processed to its end."""
        self.ids_since.add(identifier)
        if self.added is not None:
            self.added.ids.add(identifier)

    def add_turn(self, turn_id: str, turn: KnownTurn, replaces: str) -> None:
        """Add a turn, and the id of the turn that it replaces; empty if it replaces none."""
        self.turns_since[turn_id] = turn
        if replaces:
            self.superseded[replaces] = turn_id
        if self.added is not None:
            self.added.turns[turn_id] = turn
            if replaces:
                self.added.superseded[replaces] = turn_id

    def add_superseded(self, turn_id: str, stands: str) -> None:
        """Record that a known turn now replaces another one."""
        self.superseded[turn_id] = stands
        if self.added is not None:
            self.added.superseded[turn_id] = stands

    def add(self, added: Added) -> None:
        """Add the additions of another import."""
        self.ids_since |= added.ids
        self.turns_since |= added.turns
        self.superseded |= added.superseded

    def remove(self, added: Added) -> None:
        """Remove an import's additions."""
        self.ids_since -= added.ids
        for turn_id in added.turns:
            self.turns_since.pop(turn_id, None)
        for turn_id in added.superseded:
            self.superseded.pop(turn_id, None)

    def current(self, turn_id: str) -> str:
        """Return the turn that now replaces a turn: usually the turn itself."""
        while turn_id in self.superseded:
            turn_id = self.superseded[turn_id]
        return turn_id


# One long text, since DuckDB 1.5 takes a hundred times as long for a list of parameters.
_KNOWN = """
WITH known AS (
    SELECT session_id FROM session_starts
    WHERE source IN (SELECT unnest(string_split($sources, chr(31)))))"""

_DONE = f"""
{_KNOWN}
SELECT id::VARCHAR FROM (
    SELECT session_id AS id FROM session_ends SEMI JOIN known USING (session_id)
    UNION ALL SELECT arg_max(details_id, described_at) FROM session_details SEMI JOIN known USING (session_id) GROUP BY session_id
    UNION ALL SELECT turn_id FROM {{table}} SEMI JOIN known USING (session_id) WHERE {{condition}})"""

_UNENDED = f"""
{_KNOWN}
SELECT session_id::VARCHAR FROM known ANTI JOIN session_ends USING (session_id)"""

_TEXT = "SELECT text FROM turn_starts WHERE turn_id = $turn_id::UUID"

_SESSION = "SELECT session_id::VARCHAR FROM turn_starts WHERE turn_id = $turn_id::UUID"

_LAST = "SELECT turn_index AS place, occurred_at AS at FROM turn_starts WHERE session_id = $session_id::UUID ORDER BY turn_index DESC LIMIT 1"

_DETAILS = "SELECT arg_max(details_id, described_at)::VARCHAR FROM session_details WHERE session_id = $session_id::UUID"

_CALLS = """
SELECT call_id FROM actions WHERE turn_id = $turn_id::UUID AND call_id IS NOT NULL
UNION SELECT call_id FROM execution_starts WHERE turn_id = $turn_id::UUID AND call_id IS NOT NULL"""

# The call ids are one long text for the same reason.
_ANSWERED = f"""
{_KNOWN}
SELECT DISTINCT call_id FROM execution_starts SEMI JOIN known USING (session_id)
SEMI JOIN (SELECT unnest(string_split($call_ids, '\n')) AS call_id) USING (call_id) WHERE {RUN_ELSEWHERE}"""

_LEFT_OUT = """
SELECT path, reason, detail, sum(count)::BIGINT, count(*) FROM left_out
WHERE path IN (SELECT unnest(from_json($paths, '["VARCHAR"]'))) GROUP BY ALL"""

# Results that earlier reading rules classified: the current rules may classify them better.
_LINE = "call_id || ' ' || status || ' ' || coalesce(reason, '')"
_RESULTS = f"FROM execution_starts JOIN execution_ends USING (execution_id) WHERE {RUN_ELSEWHERE} AND {OF_ACTIONS} AND call_id IS NOT NULL"
_RESULTS_OF = f"SELECT {_LINE} {_RESULTS} AND turn_id = $turn_id::UUID"
_EARLIER_RULES = """
SELECT parser_id FROM parsers GROUP BY ALL
HAVING max(coalesce(TRY_CAST(configuration->>'reading_rules' AS INTEGER), 0)) < $rules"""

_DIGEST = 16
_FETCHED_AT_ONCE = 10_000

_TURNS = f"""
{_KNOWN}
SELECT turn_id::VARCHAR, coalesce(left(sha256(text), {_DIGEST}), '0'), coalesce(characters, 0), coalesce(call_count, 0), output_tokens,
       cost_usd IS NOT NULL, turn_index
FROM turn_starts SEMI JOIN known USING (session_id)"""

_JUDGED_EARLIER = f"""
{_KNOWN}, earlier AS ({_EARLIER_RULES}), read AS (
    SELECT turn_id FROM parse_attempts SEMI JOIN known USING (session_id) SEMI JOIN earlier USING (parser_id)
    WHERE {FIRST_READING})
SELECT turn_id::VARCHAR, left(sha256(string_agg({_LINE}, chr(10) ORDER BY {_LINE})), {_DIGEST})
{_RESULTS} AND turn_id IN (FROM read) GROUP BY turn_id"""

_SUPERSEDED = f"""
{_KNOWN}
SELECT turn_id::VARCHAR, superseded_by::VARCHAR FROM superseded SEMI JOIN known USING (session_id)"""

_MOST_LOOKED_AT = 40_000
# First the calls without a result, and then the others of their turns, by which equal identifiers are told apart: numbering all calls takes
# half a kilobyte for each.
_OPEN_CALLS = f"""
{_KNOWN}, calls AS NOT MATERIALIZED (FROM actions SEMI JOIN known USING (session_id) WHERE call_id IS NOT NULL AND {FIRST_READING}),
open AS MATERIALIZED (SELECT action_id, turn_id FROM calls ANTI JOIN (SELECT action_id FROM execution_starts) USING (action_id))
SELECT {picked(OpenCall)} FROM (
    SELECT * REPLACE (CASE WHEN length(arguments) <= {_MOST_LOOKED_AT} THEN arguments::VARCHAR ELSE '' END AS arguments),
           (row_number() OVER (PARTITION BY turn_id, call_id ORDER BY action_index) - 1)::INTEGER AS repeated
    FROM calls SEMI JOIN open USING (turn_id))
SEMI JOIN open USING (action_id)"""


def digest(text: str) -> str:
    """Return a digest that identifies a recorded text."""
    return sha256(utf8_with_halves(text)).hexdigest()[:_DIGEST]


def result_line(call_id: str, status: str, reason: str | None) -> str:
    """Return a call's result as a line for comparison."""
    return f"{call_id} {status} {reason or ''}"


def known(ledger: Queryable, *sources: str, run: bool = False) -> Known:
    """Return a ledger's data of some sources, which need not be imported again. With ``run``, the turns' actions are also run."""
    table, condition = ("turn_ends", "true") if run else ("parse_attempts", FIRST_READING)
    among = "\x1f".join(sources)
    done = ledger.sql(_DONE.format(table=table, condition=condition), {"sources": among})
    ids = PackedIds(identifier for (identifier,) in _fetched(done))
    turns = ledger.sql(_TURNS, {"sources": among})
    packed = PackedTurns((turn_id, KnownTurn(*rest)) for turn_id, *rest in _fetched(turns))
    results = PackedResults()
    if ledger.sql(_EARLIER_RULES, {"rules": READING_RULES}).fetchall():
        results = PackedResults(
            _fetched(ledger.sql(_JUDGED_EARLIER, {"sources": among, "rules": READING_RULES}))
        )
    return Known(
        Before(ids, packed, results),
        set(),
        {},
        dict(ledger.sql(_SUPERSEDED, {"sources": among}).fetchall()),
        set(_texts(ledger, STANDING, {})),
        lambda: rows(ledger, OpenCall, _OPEN_CALLS, {"sources": among}),
        lambda turn_id: frozenset(_texts(ledger, _CALLS, {"turn_id": turn_id})),
        lambda turn_id: next(iter(_texts(ledger, _TEXT, {"turn_id": turn_id})), None),
        lambda call_ids: set(_texts(ledger, _ANSWERED, {"sources": among, "call_ids": "\n".join(call_ids)})),
        lambda: set(_texts(ledger, _UNENDED, {"sources": among})),
        lambda paths: _left_out(ledger, paths),
        lambda session_id: next(iter(_texts(ledger, _DETAILS, {"session_id": session_id})), None) or "",
        lambda turn_id: _texts(ledger, _RESULTS_OF, {"turn_id": turn_id}),
        lambda turn_id: next(iter(_texts(ledger, _SESSION, {"turn_id": turn_id})), ""),
        lambda session_id: next(iter(rows(ledger, LastTurn, _LAST, {"session_id": session_id})), None),
    )


def _fetched(found: Streamed) -> Iterator[tuple[Any, ...]]:
    while batch := found.fetchmany(_FETCHED_AT_ONCE):
        yield from batch


def _left_out(ledger: Queryable, paths: Sequence[str]) -> dict[LeftOutKey, RecordedSkip]:
    found = ledger.sql(_LEFT_OUT, {"paths": json_text(list(paths))}).fetchall() if paths else []
    return {
        (path, LeftOutReason(reason), detail): RecordedSkip(count, times)
        for path, reason, detail, count, times in found
    }


def _texts(ledger: Queryable, query: str, parameters: dict[str, object]) -> list[str]:
    return [row[0] for row in ledger.sql(query, parameters).fetchall()]
