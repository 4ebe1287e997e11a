"""What every reader of a server's bytes raises where they can't be read."""


class MalformedError(Exception):
    """Bytes that can't be read; whoever knows the server makes a ``BrokenResponseError`` of it.

    Args:
        what: what was sent, as the object of "the server sent …".
        excerpt: where it goes wrong; not yet fit to be shown.
    """

    def __init__(self, what: str, excerpt: str) -> None:
        super().__init__(what)
        self.what = what
        self.excerpt = excerpt
