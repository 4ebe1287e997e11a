"""Logs of Inspect, the UK AI Security Institute's evaluation framework: ``.eval`` and ``.json``.

Defined by ``src/inspect_ai/log`` and ``src/inspect_ai/event`` of github.com/UKGovernmentBEIS/inspect_ai, versions 2 and 3 of the log (0.3.40 to
0.3.240). A ``.eval`` is a zip archive with one file per sample, a ``.json`` one document. A sample is a session, and each of its ``model`` events a
turn: its ``messages`` are only the last state of one agent. Long texts are stored once and referred to as ``attachment://HASH``, and so are the
messages of an event's input (``input_refs``). Agents and graders are distinguished by their spans. If the provider's own body is next to a response
(``call``), its argument strings are as the model wrote them.
"""

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pydantic_core import from_json

from actionledger.core.canonical import JsonDict, JsonMap, is_deeper
from actionledger.core.errors import MissingPackageError, SourceError
from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Capture
from actionledger.imports.shapes.base import Passed, left_out
from actionledger.imports.shapes.inspect_samples import sessions_of
from actionledger.imports.sources.access import object_at, objects_at
from actionledger.imports.sources.base import Item, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.files import STANDARD_INPUT, opened_member
from actionledger.imports.sources.json_values import (
    MAX_DOCUMENT,
    MAX_DOCUMENT_DEPTH,
    Elements,
    document_or_part,
)

_ZIP = b"PK\x03\x04"
_SAMPLE = regex(r"samples/[^/]+\.json")
_CHUNKED = regex(r"samples/[^/]+/sample\.json")
_HEADERS = ("header.json", "_journal/start.json")
_DOCUMENT = regex(
    rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,(?s:.{0,4000}?)"eval"\s*:\s*\{'
)


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of each sample of a log, then the skip counts."""
    passed: Passed = Counter()
    for item in _of_archive(path, on_read) if _is_archive(path) else _of_document(path, on_read):
        if isinstance(item, Refusal):
            yield item
        else:
            sample, log = item
            yield from sessions_of(sample, log, SOURCE.name, passed)
    yield from left_out(shown(path), passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a log: an archive with its first file, or a document that begins as one."""
    if sample.head.startswith(_ZIP):
        return float(b"_journal/start.json" in sample.head[:300] or sample.path.suffix == ".eval")
    return float(bool(_DOCUMENT.match(sample.head.removeprefix(b"\xef\xbb\xbf"))))


_Found = tuple[JsonMap, JsonMap]


def _is_archive(path: Path) -> bool:
    if path == STANDARD_INPUT:
        return False
    with suppress(OSError), path.open("rb") as file:  # the reader reports why it can't be read
        return file.read(4) == _ZIP
    return False


def _of_document(path: Path, on_read: OnRead | None) -> Iterator[_Found | Refusal]:
    try:
        log, reason = document_or_part(path, on_read, Elements(("samples",), known_by=("eval",)))
    except SourceError as error:
        yield Refusal(shown(path), 0, str(error))
        return
    if reason:
        yield Refusal(shown(path), 0, reason)
    if not isinstance(log, dict) or not isinstance(log.get("eval"), dict):
        yield Refusal(shown(path), 0, "The document is not a log of Inspect: it has no eval.")
        return
    for sample in objects_at(log, "samples"):
        yield sample, object_at(log, "eval")


def _of_archive(path: Path, on_read: OnRead | None) -> Iterator[_Found | Refusal]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield from _of_members(path, archive, on_read)
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError) as error:
        yield Refusal(shown(path), 0, f"The archive can't be read: {error}.")


def _of_members(path: Path, archive: zipfile.ZipFile, on_read: OnRead | None) -> Iterator[_Found | Refusal]:
    members = {info.filename: info for info in archive.infolist()}
    log: JsonMap = {}
    for name in _HEADERS:  # a log that is still being written has only the second
        if name in members:
            header = _decoded(path, archive, members[name])
            if isinstance(header, Refusal):
                yield header
            elif log := object_at(header, "eval"):
                break
    for name, info in members.items():
        if on_read:
            on_read(info.compress_size)
        if _CHUNKED.fullmatch(name):
            yield Refusal(
                shown(path), 0, f"{name!r} is a sample in chunks; write it anew: inspect log convert."
            )
        elif _SAMPLE.fullmatch(name):
            sample = _decoded(path, archive, info)
            yield sample if isinstance(sample, Refusal) else (sample, log)


def _decoded(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> JsonDict | Refusal:
    """Return the object in a file of the archive; no more is unpacked than the limit of a document."""
    try:
        with opened_member(archive, info) as file:
            data = file.read(MAX_DOCUMENT + 1)
        if len(data) > MAX_DOCUMENT:
            return Refusal(shown(path), 0, f"{info.filename!r} is larger than {MAX_DOCUMENT:,} bytes.")
        value = from_json(data)
        if not isinstance(value, dict) or is_deeper(value, MAX_DOCUMENT_DEPTH):
            return Refusal(shown(path), 0, f"{info.filename!r} is not an object, or too deep.")
    except (
        zipfile.BadZipFile,
        OSError,
        EOFError,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        ValueError,
        MissingPackageError,
    ) as error:
        return Refusal(shown(path), 0, f"{info.filename!r} can't be read: {error}.")
    return value


SOURCE = Source(
    "inspect",
    "Inspect",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.eval", "*.json"),
    loses=(
        "Argument strings, where the provider's body isn't in the log or its interface parses them; requests that gave no answer; "
        "earlier tries of a sample; images and other media; what solvers did to the state; samples in chunks."
    ),
    fields=("version", "status", "eval", "plan", "samples"),
)
