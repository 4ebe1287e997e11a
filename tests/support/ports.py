"""A port for a server that is started by its number."""

import socket
from contextlib import closing, suppress
from random import SystemRandom


def free_port() -> int:
    """A port that nothing listens on, of those that no connection is given: none takes it until the server does."""
    while True:
        port = SystemRandom().randrange(10_000, 16_000)
        with suppress(OSError), closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", port))
            return port
