"""Lines of segments that are still written to: a writer only ever appends, so nobody writes where a whole line stands."""

import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.segments import segment_sizes

_KEPT = (
    "SELECT event_id::VARCHAR FROM events "
    "SEMI JOIN (SELECT unnest(string_split(?, ','))::UUID AS event_id) USING (event_id)"
)


def blank_lines(segments: Path, session_ids: Collection[str], event_ids: Collection[str] = ()) -> int:
    """Put blanks over lines in segments; return over how many. What is blank is passed over by whoever takes it in."""
    needles = [each.encode() for each in (*session_ids, *event_ids)]
    blanked = 0
    for name in segment_sizes(segments):
        with suppress(FileNotFoundError), (segments / name).open("r+b", buffering=0) as file:
            for start, line in _whole_lines(file.fileno()):
                if any(needle in line for needle in needles) and _is_of(line, session_ids, event_ids):
                    os.pwrite(file.fileno(), b" " * (len(line) - 1), start)
                    blanked += 1
            os.fsync(file.fileno())
    return blanked


def gone_of_nobody(
    connection: DuckDBPyConnection, segments: Path, offsets: Mapping[str, int]
) -> frozenset[str]:
    """Return the events of no session that segments still have and the records have not: tools that were theirs alone, notes on their runs."""
    there = dict(_lines_of_nobody(segments, offsets))
    if not there:
        return frozenset()
    known = {event_id for (event_id,) in connection.execute(_KEPT, [",".join(there)]).fetchall()}
    tools = {tools_hash for (tools_hash,) in connection.execute("SELECT tools_hash FROM tools").fetchall()}
    return frozenset(
        event_id
        for event_id, tools_hash in there.items()
        if event_id not in known or (tools_hash and tools_hash not in tools)
    )


def _lines_of_nobody(segments: Path, offsets: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the events of no session that were taken in, each with the hash of the tools that it offers, if any."""
    for name in segment_sizes(segments):
        with suppress(FileNotFoundError), (segments / name).open("rb", buffering=0) as file:
            for start, line in _whole_lines(file.fileno()):
                if start >= offsets.get(name, 0):
                    break
                event = _event(line)
                if event.get("session_id") is None and "event_id" in event:
                    yield str(event["event_id"]).lower(), str(event.get("tools_hash") or "")


def _whole_lines(descriptor: int) -> Iterator[tuple[int, bytes]]:
    """Yield each line that has its end, and where it begins, in bytes."""
    start = 0
    with open(descriptor, "rb", closefd=False) as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield start, line
            start += len(line)


def _is_of(line: bytes, session_ids: Collection[str], event_ids: Collection[str]) -> bool:
    """Return whether a line is of one of the sessions or events, and does not only mention it; one that can't be read is."""
    event = _event(line)
    if not event:
        return True
    return (
        str(event.get("session_id")).lower() in session_ids or str(event.get("event_id")).lower() in event_ids
    )


def _event(line: bytes) -> dict[str, Any]:
    """Return what a line says; nothing where it can't be read."""
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}
