"""goose's sessions: its database, its older files of lines, and its exports."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.shapes.base import Passed, left_out
from actionledger.imports.shapes.goose_messages import NAME, Circumstances, session
from actionledger.imports.sources.access import objects_at, text_at, told as unknown_as
from actionledger.imports.sources.base import SAMPLE_BYTES, Recorded, Refusal, Sample, Source, Wording, seen
from actionledger.imports.sources.containers import OnRead, head_of, shown
from actionledger.imports.sources.databases import HEADER, Database, Row, decoded, is_database_with
from actionledger.imports.sources.json_values import MAX_LINE, Elements, document_or_part, json_lines

# goose's database, ``~/.local/share/goose/sessions/sessions.db``.
TABLES: Mapping[str, frozenset[str]] = {
    "sessions": frozenset({"id", "working_dir"}),
    "messages": frozenset({"session_id", "role", "content_json", "created_timestamp"}),
}
"""The columns by which it is recognized, which every version of it has."""

_SESSION = (
    "id",
    "name",
    "description",
    "session_type",
    "working_dir",
    "created_at",
    "updated_at",
    "total_tokens",
    "accumulated_total_tokens",
    "accumulated_input_tokens",
    "accumulated_output_tokens",
    "provider_name",
    "model_config_json",
    "goose_mode",
    "parent_session_id",
)
_MESSAGE = ("id", "message_id", "role", "content_json", "created_timestamp", "metadata_json")
_SERVED, _COUNTS = "usage_ledger", ("model", "input_tokens", "output_tokens", "cache_read_tokens", "cost")
"""The table of responses in newer versions, which names the model that answered."""


def read_database(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the sessions of a database."""
    with Database.at(path) as database:
        if missing := TABLES.keys() - database.tables.keys():
            raise SourceError(
                f"{shown(path)!r} is not a database of goose's: it has no table {min(missing)!r}."
            )
        try:
            forks = _Forks(database)
            for row in database.rows("sessions", _SESSION, order=("created_at", "id")):
                yield from _session(path, database, row, forks)
        except SourceError as error:
            yield Refusal(shown(path), 0, str(error))
    if on_read:
        on_read(path.stat().st_size)


class _Forks:
    """Which sessions of a database are forks: a fork begins with its origin's messages, under the same names, and doesn't say so.

    Args:
        database: the database.
    """

    def __init__(self, database: Database) -> None:
        self._first: dict[tuple[object, object], str] = {}
        self._begun: set[str] = set()
        self._copied: dict[str, int] = {}
        self._origins: dict[str, str] = {}
        self._copies: dict[str, dict[str, list[str]]] = {}
        if "message_id" in database.tables["messages"]:
            columns = ("session_id", "message_id", "created_timestamp")
            for row in database.rows("messages", columns, order=("id",)):
                self._add(text_at(row, "session_id"), text_at(row, "message_id"), row["created_timestamp"])

    def _add(self, name: str, message_id: str, created: object) -> None:
        first = self._first.setdefault((message_id, created), name) if message_id else name
        if first == name or name in self._begun:
            self._begun.add(name)
            return
        self._origins[name] = first
        self._copied[name] = self._copied.get(name, 0) + 1
        self._copies.setdefault(first, {}).setdefault(message_id, []).append(name)

    def beside(self, name: str, served: tuple[JsonMap, ...]) -> tuple[int, Circumstances]:
        """Return how many of a session's first messages are copies, and what is known beside them."""
        copies = {key: tuple(names) for key, names in self._copies.get(name, {}).items()}
        return self._copied.get(name, 0), Circumstances(self._origins.get(name, ""), copies, served)


def _session(path: Path, database: Database, row: Row, forks: _Forks) -> Recorded:
    told = []
    copied, beside = forks.beside(text_at(row, "id"), _served(database, row["id"]))
    for message in islice(_messages(path, database, row["id"]), copied, None):
        if isinstance(message, Refusal):
            yield message
        else:
            told.append(message)
    yield from session(path, {**row, "model_config": _value(row.get("model_config_json"))}, told, beside)
    if copied:
        yield from left_out(shown(path), Passed({(LeftOutReason.DUPLICATE, "message"): copied}))


def _served(database: Database, name: object) -> tuple[JsonMap, ...]:
    if _SERVED not in database.tables:
        return ()
    return tuple(database.rows(_SERVED, _COUNTS, order=("id",), session_id=name))


def _messages(path: Path, database: Database, name: object) -> Iterator[JsonMap | Refusal]:
    for row in database.rows("messages", _MESSAGE, order=("id",), session_id=name):
        try:
            content = decoded(row["content_json"])
        except ValueError as error:
            where = f"message {row.get('id')} of session {str(name)[:80]!r}"
            yield Refusal(shown(path), 0, f"The content of {where} is not JSON: {error}.")
            continue
        yield {
            "id": row.get("message_id"),
            "role": row["role"],
            "created": row["created_timestamp"],
            "content": content,
            "metadata": _value(row.get("metadata_json")),
        }


def _value(text: object) -> Any:
    """Return the value of an optional column; None if it has none."""
    try:
        return decoded(text)
    except ValueError:
        return None


# goose's files: lines from before it had a database, and the output of ``goose session export --format json``.
def read_lines(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the session of a file of lines."""
    info: JsonMap = {}
    told, unknown = [], Passed()
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
        elif "role" in item[1]:
            told.append(item[1])
        elif not info and not told:
            info = item[1]
        else:
            unknown[LeftOutReason.UNKNOWN_KIND, unknown_as("line", item[1])] += 1
    yield from left_out(shown(path), unknown)
    yield from session(path, {**info, "id": path.name.partition(".jsonl")[0]}, told)


_FIRST_LINE = (
    {"working_dir", "description"},
    {"working_dir", "message_count"},
    {"working_dir", "total_tokens"},
)
_PARTS = frozenset({"toolRequest", "toolResponse", "frontendToolRequest"})

_WORDINGS = (
    *seen(
        "1.52.0",
        "1.52.0",
        (
            Wording(
                r"^-32600: Tool '[^'\n]{1,200}' was not advertised for this model turn",
                Reason.UNKNOWN_ACTION,
                "-32600: Tool 'teleport' was not advertised for this model turn",
            ),
            Wording(
                r"^-32602: (?:The model(?:'s response was truncated|\b[^\n]{0,40}\bmalformed tool arguments)|Tool arguments for )|^Error: Failed to parse arguments: ",
                Reason.SCHEMA_ERROR,
                "Error: Failed to parse arguments: missing field `command`",
            ),
        ),
    ),
    Wording(
        r"^The user has declined to run this tool",
        Reason.REJECTED,
        "The user has declined to run this tool. DO NOT attempt to call this tool again.",
        is_telling=True,
    ),
    Wording(
        r"^Let the user know the tool call was skipped in goose chat mode",
        Reason.NOT_APPROVED,
        "Let the user know the tool call was skipped in goose chat mode. DO NOT apologize for skipping the tool call.",
        is_telling=True,
    ),
)


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the session of a file of lines or of an export, or all of a database."""
    head = head_of(path, SAMPLE_BYTES, MAX_LINE)
    if head.startswith(HEADER):
        yield from read_database(path, on_read)
    elif _is_document(head):
        document, reason = document_or_part(path, on_read, Elements(("conversation",), known_by=("id",)))
        if reason:
            yield Refusal(shown(path), 0, reason)
        if not isinstance(document, dict):
            raise SourceError(f"{shown(path)!r} is not a session of goose's but {type(document).__name__}.")
        yield from session(path, document, objects_at(document, "conversation"))
    else:
        yield from read_lines(path, on_read)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a session of goose's, or its database."""
    first = sample.first
    if not isinstance(first, dict):
        return 1.0 if is_database_with(sample, TABLES) else 0.0
    if "conversation" in first:
        return 1.0 if {"id", "working_dir", "extension_data"} <= first.keys() else 0.0
    if "role" not in first and any(fields <= first.keys() for fields in _FIRST_LINE):
        return 1.0
    messages = (value for value in islice(sample.values, 10) if isinstance(value, dict))
    kinds = {
        text_at(part, "type")
        for each in messages
        if "created" in each
        for part in objects_at(each, "content")
    }
    return 0.9 if kinds & _PARTS else 0.0


def _is_document(head: bytes) -> bool:
    """Return whether a file is an export: on one line, possibly longer than its head, or on several."""
    first, line_end, _ = head.strip().partition(b"\n")
    try:
        value = decoded(first.decode(errors="replace"))
    except ValueError:
        return not line_end or first.strip() == b"{"
    return isinstance(value, dict) and "conversation" in value


SOURCE = Source(
    NAME,
    "goose",
    Capture.CALLS,
    read,
    recognise,
    patterns=("sessions.db", "*.db", "*.jsonl", "*.jsonl.gz", "*.json"),
    wordings=_WORDINGS,
    loses="The text of calls, and of those that couldn't be read all but what the error repeats of it; the tools that were offered; why an answer "
    "ended; an empty answer, of which the database has the tokens alone; before its table `usage_ledger`, tokens of a response (the session's are "
    "metadata) and how long it took, which calls were of one response, where each stands in a message of its own, and whose child a session is; "
    "before version 6, the model.",
    fields=("working_dir", "description", "message_count"),
    other_fields=(("id", "working_dir", "extension_data", "conversation"),),
)
