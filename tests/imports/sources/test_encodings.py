"""Which texts take two or four bytes for each character: what is certain, and what is no such text."""

import pytest

from actionledger.imports.sources.containers import wide_encoding_of

UNMARKED = ["UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"]


@pytest.mark.parametrize("encoding", UNMARKED)
@pytest.mark.parametrize("text", ["session,text\n1,2", '{"é": "🙂"}\r\n', "会話\t本文\n\0\x1b"])
def test_a_first_line_says_which_it_is(encoding: str, text: str):
    """Whatever is behind it, and wherever the beginning of the file is cut."""
    data = text.encode(encoding)
    line = (text.index("\n") + 1) * (4 if "32" in encoding else 2) + 4
    assert {wide_encoding_of(data[:cut]) for cut in range(line, len(data) + 1)} <= {encoding}
    assert wide_encoding_of(data) == encoding


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-32"])
def test_a_mark_says_which_it_is(encoding: str):
    """Of UTF-32 it begins as that of UTF-16 does."""
    assert wide_encoding_of("a".encode(encoding)) == encoding


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"session,text\n",
        "é,ß\n".encode("latin-1"),
        b"\0" * 600,
        b"a\0\n",
        "no line".encode("utf-16-le"),
        "\x01\x02\n".encode("utf-16-le"),
        "\n\n".encode("utf-16-le"),
        b"SQLite format 3\0\x10\0\x01\x01\n\0",
        b"PK\x03\x04\0\0\0\0\n\0\0\0",
    ],
)
def test_nothing_else_is_taken_for_one(data: bytes):
    """Where it isn't certain, nothing is said."""
    assert wide_encoding_of(data) == ""
