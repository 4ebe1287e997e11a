"""What a model was shown with asterisks for a secret, it gives back with asterisks: they must not take the secret's place."""

from actionledger.core.errors import ActionError
from actionledger.core.privacy import mask_text
from actionledger.core.vocabulary import Reason

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
