"""A model's server, its key and its timeouts; none of them shows a secret."""

import os
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from pydantic import SecretStr

from actionledger.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts, in seconds.

    Raises:
        UsageError: a timeout is not above 0.
    """

    connect: float = 10.0  # the timeout of a connection
    read: float = 300.0  # the timeout of the next piece; before the first one the model reads its prompt
    total: float = 900.0  # the timeout of the whole request, including retries; checked at every piece

    def __post_init__(self) -> None:
        if not all(seconds > 0 for seconds in (self.connect, self.read, self.total)):
            raise UsageError(f"Time-outs are seconds above 0, got {self}.")

    def __str__(self) -> str:
        return f"connect {self.connect:g} s, read {self.read:g} s, total {self.total:g} s"


_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SECRET_WORDS = ("key", "token", "secret", "password", "sig", "auth", "credential")
_PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a chat API."""

    url: str  # the address of requests
    shown: str  # the address for people, without its query
    is_local: bool  # whether the server is on this machine, so that no proxy is used


def endpoint(base_url: str) -> Endpoint:
    """Return the chat API of a server."""
    try:
        parts = urlsplit(base_url.strip())
        host, _ = parts.hostname or "", parts.port
        host.encode("idna")
    except ValueError:  # the error's text may hold a secret
        raise _no_address(base_url) from None
    if parts.scheme not in {"http", "https"} or not host or parts.fragment or not base_url.isprintable():
        raise _no_address(base_url)
    names = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    if "@" in parts.netloc or any(word in name.lower() for name in names for word in _SECRET_WORDS):
        raise UsageError("The base URL holds a password or key; put it into an environment variable instead.")
    path = parts.path.rstrip("/").removesuffix(_PATH) + _PATH
    whole = parts._replace(path=path)
    return Endpoint(urlunsplit(whole), urlunsplit(whole._replace(query="")), host in _LOOPBACK)


def _no_address(base_url: str) -> UsageError:
    shown = "" if set("@?") & set(base_url) else f" {base_url!r}"
    return UsageError(
        f"The base URL{shown} is not an address of a server; write it as http://HOST:PORT/v1 or https://HOST/v1."
    )


def key_to_send(given: str | None, variable: str | None) -> SecretStr | None:
    """Return the key to send, or None for a server without a key."""
    key = (given if given is not None else os.environ.get(variable, "") if variable else "").strip()
    if not (key.isascii() and key.isprintable() and " " not in key):
        source = "The key given" if given is not None else f"The key in {variable}"
        raise UsageError(f"{source} holds a blank or a character that no key has; copy it again.")
    return SecretStr(key) if key else None
