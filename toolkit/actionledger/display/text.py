"""Text that anybody may have written, made fit to look at: what can't be seen becomes a token that can."""

from unicodedata import category, east_asian_width, name

_LAYOUT = frozenset("\n\t")
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, range(0xE0100, 0xE01F0))
)
"""Letters and marks that look like nothing."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NAMES = {"\0": "NUL", "\r": "CR", "\n": "LF", "\t": "TAB", "\x1b": "ESC", "\x7f": "DEL", "\ufeff": "BOM"}


def is_unseen(character: str) -> bool:
    """Return whether a character shows nothing, or changes how its neighbours are shown; line breaks and tabs don't count."""
    if character.isascii():
        return not (character.isprintable() or character in _LAYOUT)
    return character in _BLANKS or category(character) in _UNSEEN


def token(character: str) -> str:
    """Return what stands for a character that can't be seen: its short name, or ``U+202E``."""
    return _NAMES.get(character) or f"U+{ord(character):04X}"


def described(character: str) -> str:
    """Return a character's name for people, such as ``U+202E RIGHT-TO-LEFT OVERRIDE``."""
    return f"U+{ord(character):04X} {name(character, _NAMES.get(character, ''))}".rstrip()


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
