"""Sessions of opencode: its storage tree, what ``opencode export`` writes, and its database."""

from pathlib import Path

from actionledger.core.vocabulary import Capture, Reason
from actionledger.imports.formats.opencode.database import TABLES, read_database
from actionledger.imports.formats.opencode.documents import is_of_tree, read_document
from actionledger.imports.formats.opencode.messages import NAME
from actionledger.imports.sources.access import object_at
from actionledger.imports.sources.base import Recorded, Sample, Source, Wording
from actionledger.imports.sources.containers import OnRead, head_of
from actionledger.imports.sources.databases import HEADER, is_database_with

_WORDINGS = (
    Wording(
        r"(?i)^(?:Error: )?The user (?:rejected|has rejected) permission",
        Reason.REJECTED,
        "The user rejected permission to use this specific tool call.",
        is_telling=True,
    ),
    Wording(r"(?i)oldString not found in content", Reason.NO_MATCH, "oldString not found in content"),
    Wording(
        r"^Could not find oldString in the file",
        Reason.NO_MATCH,
        "Could not find oldString in the file. It must match exactly, including whitespace.",
        last_seen="1.18.33, kilo 7.7.9",
    ),
    Wording(
        r"(?i)You must read the file|must be read before",
        Reason.NOT_READ,
        "You must read the file a.py before overwriting it.",
    ),
    Wording(r"(?i)Tool execution aborted", Reason.STOPPED, "Tool execution aborted"),
)


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield a session of the tree, by its file, or of an export, or all of a database."""
    is_database = head_of(path, len(HEADER), 0).startswith(HEADER)
    yield from read_database(path, on_read) if is_database else read_document(path, on_read)


def recognise(sample: Sample) -> float:
    """Return how sure it is that a sample is a session of opencode's, or its database."""
    first = sample.values[0] if sample.values else None
    if isinstance(first, dict):
        info = object_at(first, "info") if "messages" in first else first
        return 1.0 if {"id", "projectID", "directory"} <= info.keys() or is_of_tree(first) else 0.0
    if is_database_with(sample, TABLES):
        return 1.0
    head = sample.head.lstrip()[:2000]
    return 0.9 if first is None and b'"projectID"' in head and b'"directory"' in head else 0.0


_TOOLS = (
    "bash", "edit", "glob", "grep", "list", "multiedit", "patch", "read", "skill", "task",
    "todoread", "todowrite", "webfetch", "write",
)  # fmt: skip
"""The tools that it brings."""

SOURCE = Source(
    NAME,
    "opencode and Kilo",
    Capture.CALLS,
    read,
    recognise,
    patterns=("ses_*.json", "*.json", "opencode*.db", "kilo*.db"),
    wordings=_WORDINGS,
    loses="The text of calls, the tools that were offered, instructions, how long a response took; messages that only its newer table `session_message` holds, which are counted.",
    fields=("id", "projectID", "directory"),
    tools=_TOOLS,
    tested="1.18.33",
    other_fields=(("info", "messages"), ("id", "sessionID", "messageID"), ("id", "sessionID", "role")),
)
"""The format."""
