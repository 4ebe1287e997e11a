"""Sessions of goose: its database, the lines that it wrote before, and its exports."""

from itertools import islice
from pathlib import Path

from actionledger.core.vocabulary import Capture, Reason
from actionledger.imports.formats.goose.database import TABLES, read_database
from actionledger.imports.formats.goose.documents import read_export, read_lines
from actionledger.imports.formats.goose.messages import NAME
from actionledger.imports.sources.access import objects_at, text_at
from actionledger.imports.sources.base import SAMPLE_BYTES, Recorded, Sample, Source, Wording
from actionledger.imports.sources.containers import OnRead, head_of
from actionledger.imports.sources.databases import HEADER, decoded, is_database_with
from actionledger.imports.sources.lines import MAX_LINE

_FIRST_LINE = (
    {"working_dir", "description"},
    {"working_dir", "message_count"},
    {"working_dir", "total_tokens"},
)
_PARTS = frozenset({"toolRequest", "toolResponse", "frontendToolRequest"})

_WORDINGS = (
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
        yield from read_export(path, on_read)
    else:
        yield from read_lines(path, on_read)


def recognise(sample: Sample) -> float:
    """Return how sure it is that a sample is a session of goose's, or its database."""
    first = sample.values[0] if sample.values else None
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
    """Return whether a file is an export: on one line, which may go on beyond its head, or on several."""
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
    loses="The text of calls, and of those that couldn't be read all but their number; the tools that were offered; tokens of a "
    "response (the session's are metadata), how long it took and, before version 6 of the database, the model; which calls were of one response, where each stands in a message of its own; whose child a session is.",
    fields=("working_dir", "description", "message_count"),
    other_fields=(("id", "working_dir", "extension_data", "conversation"),),
)
"""The format."""
