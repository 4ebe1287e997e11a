"""What nobody sees and what nothing can hold, and patterns from their first use on."""

import copy
import hashlib
import json
import pickle
import re
import uuid
from pathlib import Path
from unicodedata import name

import pytest
from hypothesis import given, strategies as st

import actionledger
from actionledger.core import ids, patterns
from actionledger.core.patterns import regex
from actionledger.core.text import (
    described,
    ends_in_half,
    escaped_halves,
    first_unseen,
    from_any_bytes,
    from_utf8_with_halves,
    is_unseen,
    joined_halves,
    printable,
    printable_json,
    to_any_bytes,
    token,
    utf8_with_halves,
    writable,
)
from actionledger.runtime.repetition.forms import hashed
from actionledger.runtime.sandbox.inside.plain import well_formed

WHOLE = {
    "plain": "print('a')",
    "cjk": "漢字かな",
    "emoji": "👩\u200d👧 😀",
    "combining": "e\u0301a\u0308",
    "crlf": "one\r\ntwo\r",
    "nul": "a\0b",
    "empty": "",
}
HALVES = {
    "first half": ("a\ud83db", "a\ufffdb", "a\\ud83db"),
    "second half": ("\ude00", "\ufffd", "\\ude00"),
    "a byte's": ("\udcff漢", "\ufffd漢", "\\udcff漢"),
    "wrong order": ("\ude00\ud83d", "\ufffd\ufffd", "\\ude00\\ud83d"),
    "both halves": ("\ud83d\ude00", "\ufffd\ufffd", "\\ud83d\\ude00"),
    "the outermost": ("\ud7ff\ud800\udfff\ue000", "\ud7ff\ufffd\ufffd\ue000", "\ud7ff\\ud800\\udfff\ue000"),
}
ANY_TEXT = st.text(st.characters(codec=None))


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_a_text_that_utf8_can_hold_stays_as_it_is(text):
    assert writable(text) == escaped_halves(text) == joined_halves(text) == text
    assert utf8_with_halves(text) == to_any_bytes(text) == text.encode()
    assert from_utf8_with_halves(text.encode()) == from_any_bytes(text.encode()) == text
    assert not ends_in_half(text)


@pytest.mark.parametrize(("text", "stored", "escaped"), HALVES.values(), ids=HALVES)
def test_halves_are_stored_as_one_mark_and_told_apart_as_escapes(text, stored, escaped):
    assert (writable(text), escaped_halves(text)) == (stored, escaped)
    assert from_utf8_with_halves(utf8_with_halves(text)) == text


@given(ANY_TEXT)
def test_whatever_it_holds_can_be_written_and_its_places_hold(text):
    stored = writable(text)
    assert len(stored) == len(text)
    assert stored.encode().decode() == stored
    assert all(
        now == was or (now, was.isprintable()) == ("\ufffd", False)
        for now, was in zip(stored, text, strict=True)
    )
    assert json.loads(printable_json(json.dumps(text, ensure_ascii=False))) == json.loads(json.dumps(text))


@given(ANY_TEXT)
def test_escapes_are_what_python_makes_of_them_and_what_the_sandbox_does(text):
    assert escaped_halves(text).encode() == text.encode(errors="backslashreplace")
    assert well_formed(text) == escaped_halves(text)


@given(st.binary())
def test_no_byte_is_lost(data):
    assert to_any_bytes(from_any_bytes(data)) == data


def test_halves_are_joined_to_the_character_that_they_make():
    cut = "a" + "😀".encode("utf-16-le")[:2].decode("utf-16-le", "surrogatepass")
    assert ends_in_half(cut)
    assert joined_halves(cut + "\ude00!\ude00") == "a😀!\ude00"
    assert not ends_in_half("\ude00")


def test_identifiers_and_hashes_are_those_of_ledgers_that_are_there():
    """Computed by hand: an id of a stranger's name with half a pair, and the fingerprint of such a text."""
    by_hand = uuid.uuid5(uuid.UUID("6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11"), "session\x1fa\\ud83d漢")
    assert ids.derived_id("session", "a\ud83d漢") == str(by_hand)
    assert hashed("a\ud83d漢") == hashlib.blake2b("a\\ud83d漢".encode(), digest_size=12).hexdigest()


@pytest.mark.parametrize(
    ("character", "short", "long"),
    [
        ("\0", "NUL", "U+0000 NUL"),
        ("\r", "CR", "U+000D CR"),
        ("\u202e", "U+202E", "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("\u3164", "U+3164", "U+3164 HANGUL FILLER"),
        ("\U000e0101", "U+E0101", "U+E0101 VARIATION SELECTOR-18"),
        ("\ud83d", "U+D83D", "U+D83D"),
    ],
)
def test_what_is_not_seen_has_a_word(character, short, long):
    assert is_unseen(character)
    assert (token(character), described(character)) == (short, long)
    assert first_unseen(f"漢{character}a") == long


@pytest.mark.parametrize("text", ["漢字", "e\u0301", "👩\u200d👧", "نامه\u200cها", "a\tb\n", "\ue000"])
def test_what_belongs_to_a_script_is_no_trap(text):
    assert first_unseen(text) == ""


def test_a_joiner_between_plain_letters_is_one():
    assert first_unseen("rm\u200d") == first_unseen("a\u200db") == f"U+200D {name(chr(0x200D))}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", "\\x1b[31m"),
        ("a\r\nb\tc", "a\\r\nb\\tc"),
        ("漢 e\u0301 😀 'q' \\", "漢 e\u0301 😀 'q' \\"),
        ("\u202e\ud83d\0", "\\u202e\\ud83d\\x00"),
    ],
)
def test_nothing_steers_a_terminal(text, shown):
    assert printable(text, kept="\n") == shown


def test_no_other_room_has_a_way_of_its_own_with_halves():
    """The sandbox's inner side imports nothing of the package; bytes of a damaged line are shown, not read; UTF-16 has halves of its own."""
    package = Path(actionledger.__file__).parent
    ways = re.compile(
        r"surrogatepass|surrogateescape|\\u[dD][89a-fA-F]|encode\([^)]*(?:replace|ignore)|decode\(errors=.backslashreplace"
    )
    found = {
        f"{path.relative_to(package).as_posix()}: {line.strip()}"
        for path in package.rglob("*.py")
        if path != package / "core" / "text.py"
        if "inside" not in path.parts
        for line in path.read_text(encoding="utf-8").splitlines()
        if ways.search(line)
    }
    assert found == {
        'ledger/storage/loading.py: text = line.data.decode(errors="backslashreplace").rstrip("\\n")',
        'imports/sources/containers.py: self._decoder = codecs.getincrementaldecoder("utf-16")("surrogatepass")',
    }


def test_nothing_is_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    monkeypatch.setattr(patterns.re, "compile", lambda *given: compiled.append(given) or re.Pattern)
    regex("a+", re.IGNORECASE)
    assert not compiled


@pytest.mark.parametrize("method", patterns._METHODS)
def test_it_does_what_a_pattern_does(method: str) -> None:
    given = ("-", "xAAy") if method.startswith("sub") else ("xAAy",)
    ours, theirs = (getattr(make("a+", re.IGNORECASE), method)(*given) for make in (regex, re.compile))
    if method == "finditer":
        ours, theirs = [found[0] for found in ours], [found[0] for found in theirs]
    assert ours == theirs or (ours and ours[0] == theirs[0])


def test_it_has_what_else_a_pattern_has() -> None:
    made = regex(rb"(?P<one>a)")
    assert (made.pattern, made.groups, dict(made.groupindex)) == (rb"(?P<one>a)", 1, {"one": 1})
    assert regex("a").flags == re.compile("a").flags


def test_it_is_copied_and_pickled() -> None:
    made = regex("a+", re.IGNORECASE)
    made.search("A")
    for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert again.fullmatch("AA")
