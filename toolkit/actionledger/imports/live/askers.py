"""Who asks a server on loopback: a program of this machine, or a page in a browser, which may be anybody's."""

from collections.abc import Iterable
from urllib.parse import urlsplit

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""What a client may call this machine."""

_OWN = frozenset({b"same-origin", b"none"})
_SIMPLE = frozenset({b"text/plain", b"application/x-www-form-urlencoded"})


def is_asked_here(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a request names this machine: a page of a browser that another name was made to lead here doesn't."""
    host = next((value for name, value in headers if name == b"host"), b"")
    try:
        return urlsplit(f"//{host.decode('latin-1')}").hostname in LOOPBACK
    except ValueError:
        return False


def is_of_foreign_page(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a page of another origin asks, one of another port of this machine among them; a browser says so, a program says nothing."""
    given = list(headers)
    own = {b"http://" + value.lower() for name, value in given if name == b"host"}
    return any(
        (name == b"origin" and value.lower() not in own)
        or (name == b"sec-fetch-site" and value.lower() not in _OWN)
        for name, value in given
    )


def is_simple(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a request's body is of a kind that a browser sends for any page without asking, and no model's interface takes.

    Programs send files as ``multipart/form-data``, the third of these kinds; of a page that sends it a browser says where it is from.
    """
    kinds = (value for name, value in headers if name == b"content-type")
    return any(kind.split(b";")[0].strip().lower() in _SIMPLE for kind in kinds)
