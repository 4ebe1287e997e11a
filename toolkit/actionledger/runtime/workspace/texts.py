"""Between the bytes of a file and the text that a model reads and writes; masked secrets must not take the secret's place."""

from actionledger.core.errors import ActionError
from actionledger.core.plurals import counted
from actionledger.core.privacy import mask_text
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


MASK = "***"
"""What a masked secret looks like, at the least."""

SECRETS_ARE_MASKED = (
    " The file holds a secret there; what you are shown of it is asterisks, one for each character. Search for what stands "
    "around it."
)
"""What is said of a search for asterisks."""


def is_masked(text: str, shown: str) -> bool:
    """Return whether a text holds something that is shown with asterisks for a secret."""
    return MASK in shown and shown not in text and shown in mask_text(text)


def refuse_masks(path: str, before: str, after: str) -> None:
    """See that no secret of a file is overwritten by the asterisks that stand for it."""
    if MASK not in after or (masked := mask_text(before)) is before:
        return
    shown = set(masked.splitlines()) - set(before.splitlines())
    for number, line in enumerate(after.splitlines(), 1):
        if MASK in line and line in shown:
            message = (
                f"Line {number} of what {path!r} would hold has asterisks where the file holds a secret; what you are shown of it is "
                "masked. Nothing was written. Change the other lines by an edit, and leave that one."
            )
            raise ActionError(Reason.MASKED_CONTENT, message)
