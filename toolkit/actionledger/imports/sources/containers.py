"""The bytes of a recording: in a file, compressed, in an archive, piped in, or in UTF-16.

An error for a file that is no text names its kind, and says what to do.
"""

import codecs
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from actionledger.core.compressed import BrokenOffError, unpacked
from actionledger.core.errors import SourceError
from actionledger.core.patterns import regex
from actionledger.core.text import escaped_halves, utf8_with_halves
from actionledger.imports.sources.files import STANDARD_INPUT, archive_of, opened_in, piped

# Detect texts with two or four bytes per character: by their byte order mark, or by an unambiguous first line.
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),  # before UTF-16's, which it begins with
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_UNMARKED = ("UTF-32LE", "UTF-32BE", "UTF-16LE", "UTF-16BE")
_LONGEST_LINE = 64 * 1024


def wide_encoding_of(head: bytes) -> str:
    """Return the encoding of a text with wide characters, by iconv's name; empty for any other text, or if it is unsure.

    With the wrong byte order, a line end is U+0A00, which is unassigned: so at most one encoding gives a whole first line.
    """
    if marked := next((name for mark, name in _MARKS if head.startswith(mark)), ""):
        return marked
    fitting = [name for name in _UNMARKED if b"\0" in head and _has_first_line(head, name)]
    return fitting[0] if len(fitting) == 1 else ""


def told(encoding: str) -> str:
    """Return the end of a sentence that names a file's encoding and how to convert it."""
    mark = "" if encoding in {"UTF-16", "UTF-32"} else " without a byte order mark"
    return f"in {encoding}{mark}: iconv -f {encoding} -t UTF-8 FILE makes one that is read"


def _has_first_line(head: bytes, encoding: str) -> bool:
    """Return whether the text has a first line of printable characters."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head[:_LONGEST_LINE])
    except UnicodeDecodeError:
        return False
    line, line_end, _ = text.partition("\n")
    seen = line.removesuffix("\r").replace("\t", "")
    return bool(line_end and seen) and seen.isprintable()


OnRead = Callable[[int], None]
"""Called with the number of bytes just read from a file, as stored."""

_HEAD = 512
_LONGEST_MARK = 4
_CHUNK = 128 * 1024
_LIST_OF_OBJECTS = regex(rb"\[\s*(\{|$)")

_OTHERS: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"PK\x03\x04", "a zip archive", "give it by itself: actionledger import FILE.zip"),
    (257, b"ustar", "a tar archive", "unpack it, and give the folder"),
    (0, b"PAR1", "a Parquet file", "say which column holds what: --map session=COLUMN,text=COLUMN"),
    (8, b"DUCK", "a DuckDB database", "if it is a ledger, ask it: actionledger report --ledger FILE"),
    (0, b"SQLite format 3\0", "an SQLite database", "write its rows as lines of JSON"),
    (0, b"\x1f\x8b", "compressed twice", "unpack it once"),
    (0, b"\x28\xb5\x2f\xfd", "compressed twice", "unpack it once"),
    (0, b"ARROW1", "an Arrow file", "write it as Parquet, or as lines of JSON"),
    (0, b"Obj\x01", "an Avro file", "write it as lines of JSON"),
    (0, b"%PDF", "a PDF document", "give the recording that it was made from"),
)
"""Other kinds of files: the offset and bytes of their signature, their name, and what to do."""


@contextmanager
def opened(path: Path, on_read: OnRead | None = None, *, only_lines: bool = True) -> Iterator[IO[bytes]]:
    """Open a file's bytes, unpacked if compressed, and in UTF-8 if UTF-16."""
    with _opened_anyhow(path, on_read) as file:
        _refuse_others(path, _peeked(file), only_lines=only_lines)
        yield cast("IO[bytes]", file)


def head_of(path: Path, size: int, longest_line: int) -> bytes:
    """Return a file's first bytes, unpacked, of whatever kind; piped input can still be read from its beginning."""
    if path == STANDARD_INPUT:
        return _head_of_pipe(size, size + longest_line)
    with _opened_anyhow(path, None) as file:
        head = _read(file, size)
        return head if b"\n" in head else head + _read(file, longest_line, only_line=True)


def kind_of(head: bytes) -> tuple[str, str] | None:
    """Return the kind of a file that is no text, and what to do; None if it may be text."""
    return next((other[2:] for other in _OTHERS if head[other[0] :].startswith(other[1])), None)


def is_document(head: bytes) -> bool:
    """Return whether a file begins as one JSON document over several lines, or as a list."""
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    line = first.split(b"\n", 1)[0].strip()
    return bool(_LIST_OF_OBJECTS.match(first)) or (line == b"{" and b"\n" in first)


def shown(path: Path) -> str:
    """Return a file's name for people."""
    return "standard input" if path == STANDARD_INPUT else escaped_halves(str(path))


@contextmanager
def _opened_anyhow(path: Path, on_read: OnRead | None) -> Iterator[io.BufferedReader]:
    with _raw(path) as raw:
        counted = _Counted(raw, on_read)
        yield _in_utf8(unpacked(io.BufferedReader(counted, _CHUNK), lambda: counted.count))


def _in_utf8(file: io.BufferedReader) -> io.BufferedReader:
    is_marked = wide_encoding_of(_peeked(file)[:_LONGEST_MARK]) == "UTF-16"
    return io.BufferedReader(_InUtf8(file), _CHUNK) if is_marked else file


class _Counted(io.RawIOBase):
    """Reads a file, and reports its progress."""

    def __init__(self, file: io.RawIOBase, on_read: OnRead | None) -> None:
        self._file = file
        self._on_read = on_read
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        count = self._file.readinto(buffer) or 0
        self.count += count
        if self._on_read:
            self._on_read(count)
        return count


class _InUtf8(io.RawIOBase):
    """Converts UTF-16 to UTF-8, with unpaired surrogates as Python writes them."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-16")("surrogatepass")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while data := self._file.read(max(len(buffer) // 3, 2)):
            if text := self._decoder.decode(data):
                encoded = utf8_with_halves(text)
                buffer[: len(encoded)] = encoded
                return len(encoded)
        return 0


@contextmanager
def _raw(path: Path) -> Iterator[io.RawIOBase]:
    if path == STANDARD_INPUT:
        yield piped()
        return
    try:
        file = path.open("rb", buffering=0)
    except NotADirectoryError as error:
        if (archive := archive_of(path)) is None:
            raise SourceError(f"The file {str(path)!r} can't be read: {error.strerror}.") from error
        with opened_in(path, archive) as inner:
            yield inner
        return
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise SourceError(f"The file {str(path)!r} can't be read: {why}.") from error
    with file:
        yield file


def _head_of_pipe(size: int, most: int) -> bytes:
    """Return the first line of piped input, and what else is already there."""
    pipe, read, head = piped(), b"", b""
    try:
        while b"\n" not in head and len(head) < most and (more := pipe.read1(_CHUNK)):
            read += more
            there = io.BytesIO(read)
            head = _read(_in_utf8(unpacked(io.BufferedReader(there), there.tell)), most)
    finally:
        pipe.hold(read)
    return head[: max(size, head.find(b"\n") + 1)]


def _read(file: io.BufferedReader, size: int, *, only_line: bool = False) -> bytes:
    """Return a file's bytes up to a size, a line end, or where it breaks off; a full read reports the break."""
    read: list[bytes] = []
    with suppress(BrokenOffError):
        while size > 0 and (
            more := file.readline(min(size, _CHUNK)) if only_line else file.read1(min(size, _CHUNK))
        ):
            read.append(more)
            size = 0 if only_line and more.endswith(b"\n") else size - len(more)
    return b"".join(read)


def _peeked(file: io.BufferedReader) -> bytes:
    try:
        return file.peek(_HEAD)
    except BrokenOffError:
        return b""  # reading the file reports it


def _refuse_others(path: Path, head: bytes, *, only_lines: bool = True) -> None:
    if other := kind_of(head):
        what, instead = other
        raise SourceError(f"{shown(path)!r} is {what}, not lines of JSON; {instead}.")
    # A NUL further on is left by a crash, between readable lines.
    if b"\0" in head[:_LONGEST_MARK] and (encoding := wide_encoding_of(head)):
        raise SourceError(f"{shown(path)!r} is {told(encoding)}.")
    if only_lines and is_document(head[:_HEAD]):
        first = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        what, by = ("a list", "'.[]'") if first.startswith(b"[") else ("an object", ".")
        raise SourceError(
            f"{shown(path)!r} is one JSON document, {what}, not a line of JSON for each turn; write it as lines: "
            f"jq -c {by} FILE > FILE.jsonl."
        )


def read_all(file: Any, limit: int) -> tuple[bytes, str]:
    """Return the readable bytes, at most a piece more than a limit, and why they stop; empty at the end of the file."""
    parts, size = list[bytes](), 0
    try:
        while size <= limit and (part := file.read(2**20)):
            parts.append(part)
            size += len(part)
    except (OSError, EOFError, zlib.error) as error:
        return b"".join(parts), str(error)
    return b"".join(parts), ""
