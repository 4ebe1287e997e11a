"""What a command says is given out whole, and kept up to a limit: its beginning and its end."""

import pytest

from actionledger.runtime.commands.process import MARGIN, OutputCapture

PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow7QpXz3vKd9LmT2\n" * 40 + "-----END RSA PRIVATE KEY-----"


def captured(pieces, limit=10):
    heard = []
    capture = OutputCapture("stdout", limit, lambda name, text: heard.append((name, text)))
    for piece in pieces:
        capture.add(piece)
    capture.add(b"", final=True)
    return capture.text, heard


def test_a_short_output_is_kept_whole():
    """And heard piece by piece, under its name."""
    assert captured([b"abc", b"def"]) == ("abcdef", [("stdout", "abc"), ("stdout", "def")])


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_of_a_long_output_the_beginning_and_the_end_are_kept(size):
    """A line between them says how much is missing, however the output was cut."""
    data = b"0123456789abcdefghijklmnopqrstuvwxyz"
    text, heard = captured([data[at : at + size] for at in range(0, len(data), size)])
    assert text == "01234\n[… 26 characters left out …]\nvwxyz"
    assert "".join(piece for _, piece in heard) == data.decode()


def test_an_output_of_just_the_limit_is_kept_whole():
    """Nothing is left out of it, so nothing says so."""
    assert captured([b"0123456789"])[0] == "0123456789"


def test_a_character_that_is_cut_between_two_pieces_is_read():
    """And bytes that are no UTF-8 become U+FFFD."""
    assert captured([b"\xf0\x9f", b"\x98\x80"])[0] == "😀"
    assert captured([b"a\xff", b"\xe9"])[0] == "a\ufffd\ufffd"


def test_an_endless_output_takes_no_more_room_than_the_limit():
    """What is behind the beginning is dropped as new text comes."""
    capture = OutputCapture("stdout", 100)
    for _ in range(1000):
        capture.add(b"x" * 1000)
    assert max(len(capture._head.text), len(capture._tail.text)) <= 100 + MARGIN
    assert sum(map(len, capture._tail._pieces)) <= 100 + MARGIN + 1000
    assert capture.text.count("x") == 100


@pytest.mark.parametrize(
    "secret", [f"ghp_{'Ab3' * 12}", "password=hunter2hunter2", PEM], ids=["token", "named", "key"]
)
@pytest.mark.parametrize("size", [1000, 100_000])
def test_a_secret_that_the_cut_goes_through_is_masked(secret, size):
    """Wherever the cut falls, at the end of the beginning or at the beginning of the end, no half of it is left."""
    value = "QpXz3vKd9L" if secret == PEM else secret.removeprefix("password=")
    for shift in range(0, len(secret), max(1, len(secret) // 6)):
        before, behind = b" a" * 500, b"z " * 500
        text = secret.encode()
        first = b"." * (1000 - shift) + text + before
        last = behind + text + b"." * (1000 - len(text) + shift)
        data = first + b" y" * 80_000 + last
        kept, _ = captured([data[at : at + size] for at in range(0, len(data), size)], limit=2000)
        assert not [at for at in range(len(value) - 6) if value[at : at + 6] in kept]
        assert "characters left out" in kept
        assert len(kept) == 2000 + len("\n[… 0 characters left out …]\n") + len(f"{len(data) - 2000:,}") - 1
