"""The message about a file of no known format: its kind, its content, and the nearest formats."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from actionledger.core.errors import SourceError
from actionledger.core.names import near_names
from actionledger.core.text import counted
from actionledger.imports.formats.table import header
from actionledger.imports.sources.base import Sample
from actionledger.imports.sources.containers import kind_of, shown, told, wide_encoding_of
from actionledger.imports.sources.databases import HEADER, Database
from actionledger.imports.sources.registry import sources
from actionledger.imports.sources.rows import REQUIRED

_SHOWN_FIELDS = 8
_SHOWN_SUFFIXES = 5
_SHOWN_CHARACTERS = 60
_NEAREST = 3
_NEAR = 0.5
"""The share of a format's fields that must be there for it to be near."""

_JSON = {dict: "empty or cut object", list: "array", str: "text", bool: "true or false", type(None): "null"}

_CALLED: dict[str, tuple[str, ...]] = {
    "session": (
        "session_id",
        "sessionId",
        "conversation_id",
        "conversation",
        "thread_id",
        "trace_id",
        "chat_id",
        "run_id",
        "id",
    ),
    "text": ("response", "completion", "output", "content", "answer", "generation", "message", "raw"),
}
"""Common names of the two required fields of a turn, the likeliest first."""


def described(sample: Sample) -> str:
    """Return a sentence that describes a file of no known format, and what can be done."""
    name = repr(shown(sample.path))
    if not sample.head:
        packed = sample.path.is_file() and sample.path.stat().st_size
        what = (
            "nothing can be unpacked of it, since it is damaged or holds nothing" if packed else "it is empty"
        )
        return f"The format of {name} is not known: {what}."
    if sample.head.startswith(HEADER) and (damage := _damage(sample.path)):
        return f"The format of {name} is not known: {damage}"
    if other := kind_of(sample.head):
        columns = _columns(sample)
        holds = f" with the columns {_listed(columns)}" if columns else ""
        return f"The format of {name} is not known: it is {other[0]}{holds}; {_hint(columns) or other[1]}."
    fields = _columns(sample)
    if fields:
        kind = "its objects hold" if sample.values else "its columns are"
        advice = [_nearest(fields), _hint(fields)]
        return (
            f"The format of {name} is not known: {kind} {_listed(fields)}; {'; '.join(filter(None, advice))}."
        )
    if sample.values:
        kinds = Counter(_JSON.get(type(value), "number") for value in sample.values)
        return f"The format of {name} is not known: it holds JSON, but no objects with fields ({_kinds(kinds)}); {_known()}."
    if encoding := wide_encoding_of(sample.head):
        return f"The format of {name} is not known: it is {told(encoding)}."
    first = sample.head[:_SHOWN_CHARACTERS].decode(errors="replace")
    return f"The format of {name} is not known: it is not JSON and no table, and begins with {first!r}; {_known()}."


def _damage(path: Path) -> str:
    """Return why a database can't be read, as a sentence; empty if it can."""
    try:
        with Database.at(path):
            return ""
    except (SourceError, OSError) as error:
        return str(error)


def described_folder(unknown: Mapping[tuple[Path, str], int], patterns: Iterable[str]) -> str:
    """Return a sentence that describes folders without any recording."""
    roots = ", ".join(dict.fromkeys(repr(str(root)) for root, _ in unknown))
    suffixes: Counter[str] = Counter()
    for (_, suffix), count in unknown.items():
        suffixes[suffix or "no suffix"] += count
    seen = ", ".join(f"{count:,} × {suffix}" for suffix, count in suffixes.most_common(_SHOWN_SUFFIXES))
    endings = {pattern.removesuffix(".gz").rpartition(".")[2] for pattern in patterns}
    called = ", ".join(f".{ending}" for ending in sorted(endings))
    if not unknown:
        return f"There is no file to import: nothing there ends in {called}."
    total = counted(sum(suffixes.values()), "file")
    return f"{roots} holds no recording of a known format, but {total}: {seen}. Recordings end in {called}; {_known()}."


def _columns(sample: Sample) -> tuple[str, ...]:
    """Return the fields of a sample's first object, or a table's columns."""
    if sample.head.startswith(b"PAR1"):
        from actionledger.imports.sources.tables import columns_of  # noqa: PLC0415 - DuckDB is slow to load

        return columns_of(sample.path)
    first: Any = next((value for value in sample.values if isinstance(value, dict | list)), None)
    if isinstance(first, list):
        first = next((value for value in first if isinstance(value, dict)), None)
    return tuple(map(str, first)) if first else header(sample)


def _nearest(fields: tuple[str, ...]) -> str:
    """Return the formats that have most of these fields, or similar names."""
    kinds = {
        each.name: max((each.fields, *each.other_fields), key=partial(_likeness, fields))
        for each in sources().values()
    }
    likeness = {name: _likeness(fields, kind) for name, kind in kinds.items()}
    nearest = sorted((each for each in likeness if likeness[each] >= _NEAR), key=lambda each: -likeness[each])
    if not nearest:
        return _known()
    near = ", ".join(f"{each} ({' and '.join(kinds[each])})" for each in nearest[:_NEAREST])
    return f"nearest is {near}; --format NAME reads it as one of {', '.join(sources())}"


def _likeness(fields: tuple[str, ...], kind: tuple[str, ...]) -> float:
    """Return the share of a file kind's fields that are among these, from 0 to 1."""
    same = sum(field in fields for field in kind)
    alike = sum(bool(near_names(field, fields)) for field in kind if field not in fields)
    return (same + alike / 2) / len(kind) if kind else 0.0


def _hint(fields: tuple[str, ...]) -> str:
    """Return how to read the fields as rows of turns; empty if that is not possible."""
    found = {
        name: name if name in fields else next((each for each in _CALLED[name] if each in fields), "")
        for name in REQUIRED
    }
    if not all(found.values()):
        return ""
    mapping = ",".join(f"{name}={column}" for name, column in found.items() if name != column)
    return f"if each is a turn: --map {mapping}"


def _listed(fields: tuple[str, ...]) -> str:
    rest = len(fields) - _SHOWN_FIELDS
    shown_fields = ", ".join(repr(field[:_SHOWN_CHARACTERS]) for field in fields[:_SHOWN_FIELDS])
    return shown_fields + (f" and {rest} more" if rest > 0 else "")


def _kinds(kinds: Counter[str]) -> str:
    return ", ".join(f"{count:,} × {kind}" for kind, count in kinds.most_common())


def _known() -> str:
    return f"known are {', '.join(sources())}, and docs/jsonl.md says how to write the simplest"
