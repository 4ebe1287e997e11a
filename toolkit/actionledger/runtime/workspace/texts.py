"""Between the bytes of a file and the text that a model reads and writes."""

from actionledger.core.errors import ActionError
from actionledger.core.plurals import counted
from actionledger.core.vocabulary import Reason

BOM = "\ufeff"
"""The mark that some systems put before a text in UTF-8."""


def decoded(path: str, content: bytes) -> str:
    """Return a file's text, line ends and byte order mark kept."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        message = (
            f"The file {path!r} is not UTF-8 text but {counted(len(content), 'byte')} of something else."
        )
        raise ActionError(Reason.BAD_FORMAT, message) from None


def encoded(path: str, text: str, limit: int) -> bytes:
    """Return a text as the bytes of a file."""
    try:
        content = text.encode()
    except UnicodeEncodeError:
        message = f"The content for {path!r} holds half of a surrogate pair, which UTF-8 can't write."
        raise ActionError(Reason.BAD_FORMAT, message) from None
    if len(content) > limit:
        message = f"The content for {path!r} is {len(content):,} bytes; the limit is {limit:,}."
        raise ActionError(Reason.TOO_LARGE, message)
    return content


def is_text(content: bytes) -> bool:
    """Whether a content can be shown as text."""
    if b"\0" in content:
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def line_end(text: str) -> str | None:
    r"""Return how all lines of a text end, ``"\n"`` or ``"\r\n"``; None where they differ or there is only one line."""
    breaks, windows = text.count("\n"), text.count("\r\n")
    if not breaks or windows not in {0, breaks}:
        return None
    return "\r\n" if windows else "\n"


def with_line_ends(text: str, end: str | None) -> str:
    """Return a text with all its lines ending that way; as it is where no way is given."""
    if end is None:
        return text
    plain = text.replace("\r\n", "\n")
    return plain if end == "\n" else plain.replace("\n", end)
