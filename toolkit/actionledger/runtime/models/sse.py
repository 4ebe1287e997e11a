"""Server-sent events, from bytes however they were cut.

Lines are split as bytes and decoded whole, so that a character that two packets share stays one. They end in LF or CRLF
alone: U+2028 and the like are ordinary characters of a JSON string. An event ends with a blank line or with the stream.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from actionledger.runtime.models.malformed import MalformedError

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class ServerEvent(NamedTuple):
    """One event.

    Args:
        name: its name; empty where it has none.
        data: its data, the lines joined by line breaks.
    """

    name: str
    data: str


def events(pieces: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Yield the events of a stream; comments are passed over.

    Args:
        pieces: the stream's bytes in order, cut anywhere.

    Raises:
        MalformedError: a line is no field of an event; passing over it could lose text without a word.
    """
    name, data = "", list[str]()
    for line in _lines(pieces):
        field, _, value = _decoded(line).partition(":")
        value = value.removeprefix(" ")
        match field:
            case "data":
                data.append(value)
            case "event":
                name = value
            case "" if not line:
                if data:
                    yield ServerEvent(name, "\n".join(data))
                name, data = "", []
            case "" | "id" | "retry":
                pass
            case _:
                raise MalformedError("a line that is no server-sent event", _decoded(line))
    if data:
        yield ServerEvent(name, "\n".join(data))


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines without their ends, the unfinished last one among them."""
    is_first = True
    begun: list[bytes] = []
    for piece in pieces:
        *finished, rest = piece.split(b"\n")
        for end in finished:
            line = b"".join((*begun, end)).removesuffix(b"\r")
            yield line.removeprefix(_BYTE_ORDER_MARK) if is_first else line
            is_first = False
            begun.clear()
        begun.append(rest)
    if last := b"".join(begun):
        yield last.removeprefix(_BYTE_ORDER_MARK) if is_first else last


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise MalformedError("a line that is not UTF-8", line.decode(errors="replace")) from error
