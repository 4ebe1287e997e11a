"""What a request that is passed on may ask for, and which of its headers go on."""

from collections.abc import Iterable
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

Headers: TypeAlias = list[tuple[bytes, bytes]]

_HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"upgrade",
    }
)
_OF_BODY = (b"content-", b"transfer-encoding")
_LAYERS = 4


def is_plain(path: bytes) -> bool:
    """Return whether a path leads below where it begins, however the server that is asked reads it."""
    if not path.startswith(b"/"):
        return False
    for _ in range(_LAYERS):
        parts = path.replace(b"\\", b"/").split(b"/")
        if any(part.split(b";")[0] in {b".", b".."} for part in parts):
            return False
        if (read := unquote_to_bytes(path)) == path:
            break
        path = read
    return all(0x20 <= byte != 0x7F for byte in path)


def passed_on(headers: Iterable[tuple[bytes, bytes]], drop: Iterable[bytes]) -> Headers:
    """Return the headers that are not of one connection alone; what says how the body is written always goes on."""
    given = [(name.lower(), value) for name, value in headers]
    named = (value for name, value in given if name == b"connection")
    dropped = {each.strip().lower() for value in named for each in value.split(b",")}
    dropped = {name for name in dropped if not name.startswith(_OF_BODY)} | _HOP_BY_HOP | set(drop)
    return [(name, value) for name, value in given if name not in dropped]


def framed(headers: Headers) -> Headers:
    """Return headers with one way to tell where a body ends: in pieces, or after so many bytes."""
    lengths = {value.strip() for name, value in headers if name == b"content-length"}
    codings = [value.strip().lower() for name, value in headers if name == b"transfer-encoding"]
    if len(lengths) > 1 or not all(each.isdigit() for each in lengths) or codings not in ([], [b"chunked"]):
        raise ValueError("where its body ends is not plain")
    others = [each for each in headers if each[0] not in {b"content-length", b"transfer-encoding"}]
    if codings:
        return [*others, (b"transfer-encoding", b"chunked")]
    return [*others, *((b"content-length", each) for each in lengths)]
