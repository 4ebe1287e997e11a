"""What nobody sees is named, and nothing of the text is lost or moved by it."""

import sys
import unicodedata

import pytest
from hypothesis import given, strategies as st

from actionledger_dashboard.components.wording import pieces, tokens, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb\u202c", "a[U+202E]b[U+202C]"),
        ("\ufeff{}", "[U+FEFF]{}"),
        ("a\u200b\u200b\u200bb", "a[U+200B ×3]b"),
        (
            "\u2066\u2067\u2068\u2069\u061c\u200e\u200f",
            "[U+2066][U+2067][U+2068][U+2069][U+061C][U+200E][U+200F]",
        ),
        ("x\x00y\x1b[31m\x7f\x9b", "x[NUL]y[ESC][31m[DEL][U+009B]"),
        ("a\u00a0b\u2028c\u00ad", "a[U+00A0]b[U+2028]c[U+00AD]"),
        ("\U000e0041\U000e007f", "[U+E0041][U+E007F]"),
        ("\u3164 \u2800", "[U+3164] [U+2800]"),
        ("lone \r return", "lone [CR] return"),
        ("\u200b\u202e" * 20 + "x", "[40 invisible]x"),
    ],
)
def test_what_is_not_seen_is_named(text: str, shown: str) -> None:
    """Marks of direction, characters without width, fillers, controls, spaces that are no space."""
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    ["plain\ttext\r\n", "漢字\u3000とカナ", "👩‍💻 ❤️ 1️⃣ 🏳️‍🌈 👨‍👩‍👧‍👦", "葛\U000e0100", "e\u0301", "مرحبا", ""],
)
def test_what_is_seen_is_left_alone(text: str) -> None:
    """A joiner within an emoji and the selector of a shape belong to what is seen."""
    assert pieces(text) == text
    assert tokens(text) == []


_STRANGE = st.text(st.sampled_from("a b\n\r\u200b\u200d\u202e\ufe0f\ufeff😀❤1\x00漢\U000e0100"))


@given(_STRANGE | st.text())
def test_nothing_is_lost_or_moved(text: str) -> None:
    """The pieces are the text, and a token's place is its characters'."""
    found = pieces(text)
    assert "".join(piece if isinstance(piece, str) else piece["text"] for piece in found) == text
    assert all(text[token["at"] : token["end"]] == token["text"] for token in tokens(text))  # type: ignore[misc]


@pytest.mark.soak
def test_every_invisible_character_is_known() -> None:
    """Also of the planes that are passed over: none of this Python's Unicode is in them."""
    kinds = {"Cc", "Cf", "Zl", "Zp", "Zs"}
    every = [chr(point) for point in range(sys.maxunicode + 1)]
    unseen = {each for each in every if unicodedata.category(each) in kinds and each not in "\t\n \u3000"}
    assert {each for each in unseen if not tokens(f"a{each}b")} == set()
