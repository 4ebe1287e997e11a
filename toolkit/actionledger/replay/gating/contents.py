"""The texts that a baseline knows by their hashes: written beside it, and found again, in a file, a folder or a ledger."""

import gzip
import hashlib
import io
import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from actionledger.core.compressed import unpacked
from actionledger.core.errors import SourceError
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.expected import recorded_contents

SUFFIX = ".texts.jsonl.gz"
_LONGEST_LINE = 512 * 2**20
_LARGEST_FILE = 64 * 2**20
"""The largest file of a folder that is looked at, in bytes: as much as a ledger takes of one text."""


def hash_of(content: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal digits."""
    return hashlib.sha256(content.encode()).hexdigest()


def beside(baseline: Path) -> Path:
    """Return where the texts of a baseline's file are kept: ``baseline.texts.jsonl.gz`` for ``baseline.json``."""
    return baseline.with_name(baseline.name.removesuffix(".json") + SUFFIX)


def packed(contents: Iterable[str]) -> bytes:
    """Return texts as a file, a line each in the order of their hashes; the same texts give the same bytes."""
    by_hash = sorted((hash_of(content), content) for content in set(contents))
    lines = (json.dumps({"sha256": digest, "content": content}) for digest, content in by_hash)
    file = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as archive:
        archive.writelines(f"{line}\n".encode() for line in lines)
    return file.getvalue()


def found_in_files(path: Path, wanted: Collection[str]) -> dict[str, str]:
    """Return those texts that a file of them, or a folder, holds, by their hashes."""
    try:
        if path.is_dir():
            return dict(_in_folder(path, set(wanted)))
        return dict(_in_file(path, set(wanted)))
    except OSError as error:
        raise SourceError(f"The texts {str(path)!r} can't be read: {error.strerror or error}.") from error


def found_in_ledger(ledger: Queryable, wanted: Collection[str]) -> dict[str, str]:
    """Return those texts that a ledger holds, by their hashes."""
    return {hash_of(content): content for content in recorded_contents(ledger, sorted(wanted))}


def _in_folder(folder: Path, wanted: set[str]) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        if path.name.endswith(SUFFIX):
            yield from _in_file(path, wanted)
        elif path.stat().st_size <= _LARGEST_FILE:
            data = path.read_bytes()
            digest = hashlib.sha256(data).hexdigest()
            if digest in wanted and (content := _decoded(data)) is not None:
                yield digest, content


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _in_file(path: Path, wanted: set[str]) -> Iterator[tuple[str, str]]:
    with path.open("rb") as file, unpacked(file, file.tell) as lines:
        for number, line in enumerate(iter(lambda: lines.readline(_LONGEST_LINE), b""), start=1):
            try:
                said = json.loads(line)
                content, digest = said["content"], hash_of(said["content"])
                is_as_said = said["sha256"] == digest
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                raise SourceError(
                    f"The texts {str(path)!r} hold no text in line {number:,}: {error!r}."
                ) from error
            if not is_as_said:
                raise SourceError(
                    f"The texts {str(path)!r} were changed: line {number:,} is not what its sha256 is of. Write them again with "
                    "'actionledger bless --with-texts'."
                )
            if digest in wanted:
                yield digest, content
