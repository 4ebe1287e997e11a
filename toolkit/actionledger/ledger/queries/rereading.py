"""Recorded responses to parse again, and recorded calls to check again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from duckdb import Error as DuckDBError

from actionledger.core.errors import SourceError
from actionledger.core.vocabulary import ActionStatus, Capture, Evidence, ExecutionStatus, Reason
from actionledger.ledger.queries.base import Queryable, Streamable, number, picked
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.progress import TurnHead
from actionledger.ledger.queries.scopes import scope

_PAGE_TURNS = 4000
_PAGE_CHARACTERS = 32_000_000
_BATCH_TURNS = 200
_BATCH_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Texts:
    """A source of turns' texts: any relation with the columns of the ledger's own table, such as files or a lake."""

    relation: str  # the relation as SQL after FROM
    parameters: Mapping[str, object] = field(default_factory=dict)


OWN_TEXTS = Texts("turn_starts")
"""The ledger's own texts."""


def parquet_texts(path: str) -> Texts:
    """Return the texts of Parquet files, as an export of turns writes them."""
    return Texts("read_parquet($parquet)", {"parquet": path})


class Connection(Protocol):
    """A connection to a snapshot of a ledger, without later changes."""

    def cursor(self) -> Any:
        """Return another connection to the same snapshot."""


@dataclass(frozen=True, slots=True)
class RecordedResponse(TurnHead):
    """One recorded response with its dimensions."""

    tools_hash: str | None  # the hash of the offered tools; None if not recorded
    text: str  # the raw response
    finish_reason: str | None = None  # why the model stopped, in its provider's term; None if not recorded


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive responses."""

    responses: tuple[RecordedResponse, ...]
    tools: Mapping[str, str]  # their offered tools, as JSON text, by hash


_RAW = f"capture = '{Capture.TEXT}'"
_SELECTED = f"""
FROM turn_starts
WHERE {_RAW} AND turn_id IN (SELECT turn_id FROM parse_attempts WHERE {{condition}})
AND turn_id NOT IN (SELECT turn_id FROM parse_attempts WHERE run_id = $done::UUID)"""
_PLACES = f"SELECT turn_id::VARCHAR, session_id::VARCHAR, characters {_SELECTED} ORDER BY session_id, turn_index, turn_id"
_COUNT = f"SELECT count(*) {_SELECTED}"
_READ_BY = "SELECT count(DISTINCT turn_id) FROM parse_attempts WHERE run_id = $run_id::UUID"

# One long text, since DuckDB 1.5 takes a hundred times as long for a list of parameters.
_PAGE = f"""
SELECT {picked(RecordedResponse)} FROM {{texts}}
WHERE {_RAW} AND session_id BETWEEN $first::UUID AND $last::UUID  -- files are written in their order: the others aren't looked at
AND turn_id IN (SELECT unnest(string_split($turn_ids, ' '))::UUID)
ORDER BY session_id, turn_index, turn_id"""
_LOOK = f"SELECT {picked(RecordedResponse)} FROM {{texts}} WHERE {_RAW} LIMIT 0"
_TOOLS = """
SELECT tools_hash, tools::VARCHAR FROM tools WHERE tools_hash IN (SELECT unnest(string_split($hashes, ' ')))"""

_NOBODY = "00000000-0000-0000-0000-000000000000"

_BY_PROFILE = f"""
SELECT profile, count(DISTINCT turn_id) FROM parse_attempts WHERE {_RAW} AND {{condition}} GROUP BY profile ORDER BY profile"""


def count_responses(ledger: Queryable, within: Filter, *, done: str | None = None) -> int:
    """Return how many responses there are to parse again."""
    return number(ledger, *scope(within).filled(_COUNT, done=done or _NOBODY))


def check_texts(ledger: Queryable, path: str) -> None:
    """Refuse files that contain no texts of turns, before any parsing."""
    texts = parquet_texts(path)
    try:
        ledger.sql(_LOOK.format(texts=texts.relation), texts.parameters).fetchall()
    except DuckDBError as error:
        raise SourceError(
            f"No texts of turns can be read from {path!r}: {str(error).splitlines()[0]}"
        ) from error


def count_read(ledger: Queryable, run_id: str) -> int:
    """Return how many turns a run has parsed."""
    return number(ledger, _READ_BY, {"run_id": run_id})


def batches(
    connection: Connection,
    within: Filter = EVERYTHING,
    *,
    done: str | None = None,
    texts: Texts = OWN_TEXTS,
) -> Iterator[Batch]:
    """Yield the raw responses of the selected parse attempts, in the order of sessions and turns. Only identifiers are sorted together: texts are loaded in pages, so that a ledger may be larger than the memory."""
    walk = connection.cursor().execute(*scope(within).filled(_PLACES, done=done or _NOBODY))
    for page in _pages(walk):
        yield from _split(_read(connection, page, texts), connection)


@dataclass(slots=True)
class _Page:
    """Turns that are loaded together, in the order of their sessions."""

    first: str
    last: str
    turn_ids: list[str] = field(default_factory=list)
    characters: int = 0

    def takes(self, characters: int) -> bool:
        """Return whether there is room for another text."""
        is_within = self.characters + characters <= _PAGE_CHARACTERS
        return not self.turn_ids or (is_within and len(self.turn_ids) < _PAGE_TURNS)


def _pages(walk: Any) -> Iterator[_Page]:
    """Yield pages of turns, each as large as the memory limit for texts allows."""
    page: _Page | None = None
    while found := walk.fetchmany(_PAGE_TURNS):
        for turn_id, session_id, characters in found:
            if page is not None and not page.takes(characters):
                yield page
                page = None
            page = page or _Page(session_id, session_id)
            page.last = session_id
            page.turn_ids.append(turn_id)
            page.characters += characters
    if page is not None:
        yield page


def _read(connection: Connection, page: _Page, texts: Texts) -> list[RecordedResponse]:
    bound = {"turn_ids": " ".join(page.turn_ids), "first": page.first, "last": page.last}
    query = _PAGE.format(texts=texts.relation)
    found = connection.cursor().execute(query, {**bound, **texts.parameters}).fetchall()
    return [RecordedResponse(*row) for row in found]


def _split(page: list[RecordedResponse], connection: Connection) -> Iterator[Batch]:
    tools = _tools(connection, page)
    batch: list[RecordedResponse] = []
    characters = 0
    for response in page:
        is_full = len(batch) >= _BATCH_TURNS or characters + len(response.text) > _BATCH_CHARACTERS
        if batch and is_full:
            yield _with_tools(batch, tools)
            batch, characters = [], 0
        batch.append(response)
        characters += len(response.text)
    if batch:
        yield _with_tools(batch, tools)


def _with_tools(batch: list[RecordedResponse], tools: Mapping[str, str]) -> Batch:
    offered = {response.tools_hash or "" for response in batch}
    return Batch(tuple(batch), {each: tools[each] for each in offered if each in tools})


def _tools(connection: Connection, page: list[RecordedResponse]) -> dict[str, str]:
    hashes = sorted({response.tools_hash for response in page if response.tools_hash})
    if not hashes:
        return {}
    return dict(connection.cursor().execute(_TOOLS, {"hashes": " ".join(hashes)}).fetchall())


def responses_by_profile(ledger: Queryable, within: Filter) -> dict[str, int]:
    """Return how many responses of each profile have selected parse attempts."""
    return dict(ledger.sql(*scope(within).filled(_BY_PROFILE)).fetchall())


_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class RecordedAction:
    """An action of a recorded response."""

    session_id: str
    turn_id: str
    turn_index: int
    action_index: int
    # when its first try started, here or in another runtime, or else the response's time, UTC without a zone; None if neither is recorded
    at: datetime | None
    name: str
    arguments: str  # its arguments, as JSON text
    dialect: str  # the dialect that it was parsed from
    evidence: Evidence | None  # the evidence that it was meant, if it has no marks of its format
    status: ActionStatus  # the result of its check
    reason: Reason | None  # why it could not run; None if it could
    # the status of its last try, here or in another runtime; None if none is recorded
    execution: ExecutionStatus | None


_COLUMNS = picked(
    RecordedAction,
    arguments="arguments::VARCHAR",
    at="coalesce(begun.at, occurred_at)",
    execution="last.status",
    status="actions.status",
)

_ACTIONS = f"""
WITH last AS (
    SELECT action_id, status FROM executions
    QUALIFY row_number() OVER (PARTITION BY action_id ORDER BY try_number DESC) = 1),
begun AS (SELECT action_id, min(started_at) AS at FROM executions GROUP BY action_id)
SELECT {_COLUMNS}
FROM (SELECT * FROM actions WHERE status <> '{ActionStatus.ILLUSTRATION}' AND {{condition}}) AS actions
LEFT JOIN last USING (action_id) LEFT JOIN begun USING (action_id)
ORDER BY session_id, turn_index, turn_id, action_index"""


def recorded_actions(ledger: Streamable, within: Filter) -> Iterator[RecordedAction]:
    """Yield the meant actions, session by session, in text order."""
    result = ledger.sql(*scope(within, "actions").filled(_ACTIONS))
    while batch := result.fetchmany(_BATCH):
        for row in batch:
            yield _action(row)


def _action(row: tuple[Any, ...]) -> RecordedAction:
    session_id, turn_id, turn_index, action_index, at, name, arguments, dialect = row[:8]
    evidence, status, reason, execution = row[8:]
    return RecordedAction(
        session_id,
        turn_id,
        turn_index,
        action_index,
        at,
        name,
        arguments,
        dialect,
        evidence=Evidence(evidence) if evidence else None,
        status=ActionStatus(status),
        reason=Reason(reason) if reason else None,
        execution=ExecutionStatus(execution) if execution else None,
    )


_FIELDS = """
SELECT name, list_sort(list_distinct(flatten(list(json_keys(arguments))))) FROM actions
WHERE name <> '' AND status <> 'illustration' AND {condition} GROUP BY name ORDER BY name"""


def called_fields(ledger: Queryable, within: Filter) -> dict[str, list[str]]:
    """Return the argument names in the calls of each action name."""
    return dict(ledger.sql(*scope(within, "actions").filled(_FIELDS)).fetchall())
