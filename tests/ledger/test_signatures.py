"""Signatures: what changes from one message to the next is gone, what says which failure it is stays."""

import string

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.ledger.queries.failure_sums import LONGEST, signature

MESSAGES = {
    "There is no task with the number 5.": "There is no task with the number #.",
    "at -12,000.5, line 3:14": "at #, line #",
    "[Errno 2] No such file: '/a/b c/d.txt'": "[Errno #] No such file: …",
    'it says "a \\" b" and `x`': "it says … and …",
    "the model can't read 'it isn't'": "the model can't read …",
    "/home/x/y.py: not found": "/…: not found",
    "C:\\Users\\me\\x.txt is gone": "/… is gone",
    "GET https://a.example/b?c=1 failed": "GET /… failed",
    "2026-01-02T10:11:12.5Z is no 0xDEADBEEF": "# is no #",
    "run 123e4567-e89b-12d3-a456-426614174000": "run #",
    "commit deadbeefcafe is not a facade": "commit # is not a facade",
    "[1, 2, 3] of 4": "[#] of #",
    "a\tb\r\n  c\x00 d": "a b c\x00 d",
    "The tag is <content>, not </content>.": "The tag is <content>, not </content>.",
    "Chunk ID: 90b936\nWall time: 0.4 seconds\nProcess exited with code 1\nOutput:\nfatal: no upstream": "fatal: no upstream",
    "Command: sh -c 'a\nb'\nWall time: 0.4 seconds\nOutput:\n": "no output",
    "Exit code: 2\nOutput of a kind": "Exit code: # Output of a kind",
    "": "",
}

PLAIN = st.text(
    string.ascii_letters.translate({ord(mark): None for mark in "abcdefABCDEF"}), min_size=1, max_size=9
)
TEMPLATES = st.lists(PLAIN, min_size=1, max_size=6)
THINGS = st.one_of(
    st.integers(0, 10**12).map(str),
    st.uuids().map(str),
    st.datetimes().map(lambda at: at.isoformat(sep="T", timespec="seconds")),
    st.integers(2**32, 2**64).map(hex),
)
QUOTED = st.text(string.ascii_letters + string.digits + " /.,:äß漢🎉", max_size=20).map(
    lambda text: f'"{text}"'
)
PATHS = st.lists(
    st.text(string.ascii_lowercase + string.digits + "_-", min_size=1, max_size=8), min_size=2, max_size=5
).map(lambda names: "/" + "/".join(names))


@pytest.mark.parametrize(("message", "expected"), MESSAGES.items())
def test_what_changes_is_out_of_sight(message, expected):
    """Numbers, identifiers, times, quoted values, paths and blanks."""
    assert signature(message) == expected


@settings(max_examples=examples(400))
@given(st.text())
def test_it_is_its_own_signature_and_never_longer(message):
    """Of any text at all; so a group's name can be looked up by itself."""
    found = signature(message)
    assert signature(found) == found
    assert len(found) <= min(len(message), LONGEST)


@settings(max_examples=examples(200))
@given(
    st.lists(
        st.sampled_from([*"ab1-:./\\'\"`“” #…\n<>,", "'s", "0x1", "2026-01-02", "https://"]), max_size=60
    ).map("".join)
)
def test_it_is_its_own_signature_where_its_marks_meet(message):
    """Quotes, slashes and placeholders beside each other, where a first pass makes what a second would match."""
    assert signature(signature(message)) == signature(message)


@settings(max_examples=examples(200))
@given(TEMPLATES, st.sampled_from([THINGS, QUOTED, PATHS]).flatmap(lambda kind: st.tuples(kind, kind)))
def test_texts_that_differ_only_so_are_the_same(words, values):
    """The same words around two values of a kind, with other blanks between them."""
    one, two = (f" {value} ".join(words) + f" {value}" for value in values)
    assert signature(one) == signature("\n".join(two.split(" ")))


@settings(max_examples=examples(100))
@given(TEMPLATES, TEMPLATES)
def test_texts_of_other_words_are_not(one, two):
    """What says which failure it is stays."""
    assert (signature(" ".join(one)) == signature(" ".join(two))) == (" ".join(one) == " ".join(two))


def test_a_long_message_is_bounded():
    assert len(signature("word " * 100_000)) == LONGEST
    assert signature("/" * 50_000) == signature("/" * 60_000)
