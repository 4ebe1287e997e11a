"""Text that anybody may have written, made fit to look at: what can't be seen becomes a token that can."""

from unicodedata import category, east_asian_width

from actionledger.core.text import is_unseen, token


def visible(text: object) -> str:
    """Return a text on one line with a token such as ``⟨U+202E⟩`` for each character that can't be seen.

    Args:
        text: whatever is to be shown.
    """
    return laid_out(text).replace("\n", "⟨LF⟩").replace("\t", "⟨TAB⟩")


def laid_out(text: object) -> str:
    """Return a text with its line breaks and tabs, and a token for each other character that can't be seen.

    Args:
        text: whatever is to be shown.
    """
    return "".join(f"⟨{token(character)}⟩" if is_unseen(character) else character for character in str(text))


def cut(text: str, longest: int) -> str:
    """Return a text, its end replaced by an ellipsis where it is longer than so many characters."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(
        0 if category(character) in {"Mn", "Me"} else 2 if east_asian_width(character) in {"W", "F"} else 1
        for character in text
    )
