"""HTML from text that anybody may have written: escaped, framed, and styled by one sheet."""

from html import escape

from actionledger.core.formatting.style import STYLE
from actionledger.core.formatting.text import laid_out
from actionledger.core.text import described, is_unseen, token, writable


def escaped(text: object) -> str:
    """Return a text for an element's content or a quoted attribute, each unseen character as a token."""
    return escape(laid_out(text))


def faithful(text: str) -> str:
    """Return a text of which every character stays what it was, and none is unseen.

    A token is drawn over an unseen character, which stays where it is: the element's text content is the text, so that
    places in it are places in the text. Two kinds of characters can't be in HTML: NUL becomes ␀, half of a
    surrogate pair becomes �.

    Args:
        text: what a model wrote.
    """
    return "".join(_drawn(character) if is_unseen(character) else _plain(character) for character in text)


def frame(*parts: str) -> str:
    """Return parts of HTML as one display, with its style.

    Args:
        parts: HTML that this package made.
    """
    return f'<div class="al"><style>{STYLE}</style>{"".join(parts)}</div>'


def heading(title: str, *facts: str) -> str:
    """Return the line at the top: what it is, then what is to be known of it.

    Args:
        title: a word or two.
        facts: HTML; empty ones are left out.
    """
    rest = "".join(f'<span class="al-fact">{fact}</span>' for fact in facts if fact)
    return f'<div class="al-top"><b>{escaped(title)}</b>{rest}</div>'


def chip(word: object, tone: str = "") -> str:
    """Return a status as a small mark.

    Args:
        word: the status.
        tone: ``good``, ``fair``, ``bad`` or nothing.
    """
    return f'<span class="al-chip {tone}">{escaped(str(word).replace("_", " "))}</span>'


def _plain(character: str) -> str:
    return escape(character)


def _drawn(character: str) -> str:
    match character:
        case "\0":
            kept = "\u2400"
        case "\r":
            kept = "&#13;"
        case _:
            kept = writable(character)
    return f'<bdi class="al-unseen" data-is="{token(character)}" title="{escape(described(character))}">{kept}</bdi>'
