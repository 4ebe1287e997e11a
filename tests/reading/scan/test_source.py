"""Where lines begin, blocks close, and bytes that nobody sees."""

import re

import pytest
from hypothesis import given, strategies as st

from actionledger.core.vocabulary import RepairKind
from actionledger.reading.parsers import PARSERS
from actionledger.reading.scan.line_starts import AnyCase, LineStart
from actionledger.reading.scan.openings import Openers
from actionledger.reading.scan.source import Source

FENCES = Openers(literals=frozenset(), lines=frozenset(), fences=True)


def opened(text):
    return Source(text), FENCES.next(text, 0, len(text))


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("```a\nx\n```", "x\n"),
        ("```a\nx\n```\n", "x\n"),
        ("```a\nx\n  ```  \nmore", "x\n"),
        ("```a\nx\n`````\nmore", "x\n"),
        ("````a\n```\n````", "```\n"),
        ("~~~a\n```\n~~~", "```\n"),
        ("```a\n~~~\n```", "~~~\n"),
        ("```a\n```b\n```", "```b\n"),
        ("```a\nx ```\n```", "x ```\n"),
        ("```a\n```", ""),
        ("```a\r\nx\r\n```\r\nmore", "x\r\n"),
    ],
)
def test_a_fence_closes_at_the_first_line_of_as_many_marks_alone(text, body):
    """Fewer or other marks, or marks with text beside them, are content."""
    source, opening = opened(text)
    closing = source.closing_fence(opening, opening.end, len(text))
    assert (closing.found, text[opening.end : closing.start]) == (True, body)
    assert text[closing.start : closing.end].strip() == text[closing.start : closing.end].strip("\r\n ")
    assert set(text[closing.start : closing.end].strip()) == {opening.mark[0]}


@pytest.mark.parametrize("text", ["```a\nx\n", "```a", "````a\n```\n", "~~~a\n```\n", "```a\nx```\n``` b\n"])
def test_a_fence_that_nothing_closes_reaches_to_the_end(text):
    """The end of the text ends it, and that is said."""
    source, opening = opened(text)
    closing = source.closing_fence(opening, opening.end, len(text))
    assert (closing.found, closing.start, closing.end) == (False, len(text), len(text))


@pytest.mark.parametrize(
    ("rest", "end", "found"),
    [
        ("```", 3, True),
        ("\n```", 4, True),
        (" \r\n\n\t```  \r\nmore", 10, True),
        ("````\nmore", 4, True),
        ("", 0, False),
        (" \n\u00a0\t", 4, False),
    ],
)
def test_a_block_closes_behind_its_value(rest, end, found):
    """A fence may follow on the value's own line or after blanks; else the end of the text closes the block."""
    head = "```a\n1"
    source, opening = opened(head + rest)
    closing = source.closing_behind(opening, len(head), len(source.text))
    assert (closing.start, closing.end, closing.found) == (len(head), len(head) + end, found)


@pytest.mark.parametrize("rest", ["x", "\n``", "\n~~~", "\n``` x", "\n```x\n```", " 2\n```"])
def test_text_behind_a_value_closes_nothing(rest):
    """Anything but a fitting fence is text that nobody accounted for."""
    head = "```a\n1"
    source, opening = opened(head + rest)
    assert source.closing_behind(opening, len(head), len(source.text)) is None


class Counted(str):
    """A text that counts how often it is searched."""

    __slots__ = ("searches",)

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.searches = 0
        return self

    def find(self, *arguments):
        self.searches += 1
        return super().find(*arguments)


def test_a_miss_is_remembered():
    """What isn't there from one place on isn't there from a later one, up to the same end or a nearer one."""
    text = Counted("aaaabaaaa")
    source = Source(text)
    assert [source.find("x", start, 9) for start in range(9)] == [-1] * 9
    assert source.find("x", 5, 7) == -1
    assert text.searches == 1


def test_a_miss_says_nothing_beyond_its_end():
    """A needle that isn't in one fence may be in the text behind it."""
    source = Source("aaaabaaaa")
    assert source.find("b", 0, 3) == -1
    assert source.find("b", 0, 9) == 4
    assert source.find("b", 5, 9) == -1
    assert source.find("b", 0, 9) == 4


def test_a_hit_that_is_remembered_has_to_end_in_time():
    """Asked again up to a nearer end, it is none."""
    source = Source("aaaabcaaa")
    assert source.find("bc", 0, 9) == 4
    assert [source.find("bc", 0, end) for end in (4, 5, 6)] == [-1, -1, 4]


def test_the_next_match_is_remembered():
    """Asked again from further on, but before the match, the answer is the same; behind it, the next one."""
    source, pattern = Source("..a....a.."), re.compile("a")
    assert [source.search(pattern, start, 10) for start in (0, 1, 2, 3, 7, 8, 9)] == [2, 2, 2, 7, 7, 10, 10]
    assert source.search(pattern, 3, 6) == 6
    assert source.search(pattern, 0, 10) == 2


def test_reading_in_vain_is_bounded():
    """A block may be read beyond its closing fence, for the sake of strings, until that was too often in vain."""
    source = Source("```a\n1\n```\nmore")
    source.overran(-5)
    source.overran(2 * len(source.text))
    assert source.may_overrun
    source.overran(1)
    assert not source.may_overrun


def test_a_text_holds_what_matches_anywhere():
    """Asked again, the answer is the same."""
    source = Source("..a")
    assert [source.holds(re.compile(pattern)) for pattern in "abab"] == [True, False, True, False]


def test_a_question_is_answered_once_while_it_is_asked_again():
    """Dialects that ask one after the other get the same answer; another question is another one."""
    source, answers = Source("x"), iter(range(10))
    asked = [("a", 1), ("a", 1), ("a", 2), ("b", 2), ("b", 2)]
    assert [source.once(each, lambda: next(answers)) for each in asked] == [0, 0, 1, 2, 2]


PATTERNS = [r"\bI (?:will|WON['’]T)\b", r"(?P<Key>[A-Z]\w)\W*\Z", r"[^A-Za-z\s]+é?", r"É|straße|\Akey", "s"]
PIECES = st.sampled_from(
    ["I", "i", "will", "Won't", " ", "É", "straße", "ſ", "İ", "\u212a", "KEY", "9", "\n"]
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)


@pytest.mark.parametrize("pattern", PATTERNS)
@given(TEXTS)
def test_it_finds_what_a_pattern_that_ignores_case_finds(pattern, text):
    plain, lowered = re.compile(pattern, re.IGNORECASE), AnyCase(pattern)
    for ask in ("search", "match", "fullmatch"):
        found, expected = getattr(lowered, ask)(text), getattr(plain, ask)(text)
        assert (found and found.span()) == (expected and expected.span())


def test_what_it_holds_may_be_in_lower_case():
    found = AnyCase("(?P<Key>[A-Z]+):").search("A KEY: x")
    assert found is not None
    assert found["Key"] == "key"


LINE_STARTS_PATTERNS = [r"[ \t]*+a", r"[ ]{0,3}>[^\n]*+", r"[ \t]*`{3,}[ \t]*(?=\r?$)", r"a[^\n]*+\n|b"]
LINE_STARTS_TEXTS = st.lists(st.sampled_from(["a", "b", " ", "\n", "\r", ">", "```"]), max_size=20).map(
    "".join
)


@pytest.mark.parametrize("pattern", LINE_STARTS_PATTERNS)
@given(LINE_STARTS_TEXTS, st.data())
def test_it_finds_what_a_pattern_with_a_line_start_finds(pattern, text, data):
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    plain = re.compile(f"^(?:{pattern})", re.MULTILINE).search(text, start, end)
    found = LineStart(pattern).search(text, start, end)
    assert (found and found.span()) == (plain and plain.span())


@pytest.mark.parametrize("pattern", LINE_STARTS_PATTERNS)
@given(LINE_STARTS_TEXTS)
def test_it_finds_all_of_them(pattern, text):
    plain = re.compile(f"^(?:{pattern})", re.MULTILINE).finditer(text)
    assert [each.span() for each in LineStart(pattern).finditer(text)] == [each.span() for each in plain]


VALUE = '{"actions": [{"type": "create_task", "content": "漢字"}]}'
HIDDEN = ["\ufeff", "\u200b", "\u200d", "\u2060\ufeff"]


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize(
    "text",
    [
        "{0}```actions\n{1}\n```",
        "Here:\n {0}```actions\n{1}\n```\nbye",
        "```{0}actions\n{1}\n```",
        "```act{0}ions\n{1}\n```",
        "```actions{0}\n{1}\n```",
        "``` {0} actions {0}\n{1}\n{0}```\nbye",
        "```actions\n{1}\n```{0}\nbye",
    ],
)
def test_a_fence_with_hidden_characters_is_read_and_they_are_named(text, hidden):
    """The one action is there, the status says that something was repaired, and the spans are exact."""
    text = text.format(hidden, VALUE)
    reading = PARSERS["assistant"].read(text)
    assert [action.name for action in reading.actions] == ["create_task"]
    (block,) = reading.blocks
    assert str(block.status) == "repaired"
    spaces = [repair for repair in block.repairs if repair.kind is RepairKind.SPACE]
    assert "".join(repair.before for repair in spaces) == hidden * text.count(hidden)
    assert all(repair.span.of(text) == repair.before for repair in spaces)


def test_a_fence_without_them_needs_no_repair():
    """Nor does one with such characters in its value alone."""
    reading = PARSERS["assistant"].read(f"```actions\n{VALUE.replace('字', '字' + HIDDEN[0])}\n```")
    assert [str(block.status) for block in reading.blocks] == ["strict"]
