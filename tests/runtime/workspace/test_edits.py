"""Changing a text in places, and differences for people."""

import difflib

import pytest
from hypothesis import given, strategies as st
from steps import steps

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.edits import Edit, EditBounds, Edited, Places, edited_text
from actionledger.runtime.workspace.texts import line_end, unified

BOUNDS = EditBounds(characters=10_000, seconds=60)


def edited(text: str, *edits: Edit) -> str:
    return edited_text("x.py", text, edits, BOUNDS)[0]


def result(text: str, edit: Edit) -> Edited:
    return edited_text("x.py", text, [edit], BOUNDS)[1][0]


def refusal(text: str, *edits: Edit, bounds: EditBounds = BOUNDS) -> ActionError:
    with pytest.raises(ActionError) as caught:
        edited_text("x.py", text, edits, bounds)
    return caught.value


def test_the_first_place_is_changed_and_the_others_counted():
    """So that a wrong guess is noticed."""
    assert edited("one\ntwo\ntwo\n", Edit("two", "2")) == "one\n2\ntwo\n"
    assert result("one\ntwo\ntwo\n", Edit("two", "2")) == Edited(line=2, occurrences=2, changed=1)


def test_every_place_is_changed_where_that_is_asked_for():
    """All of them, none of them twice."""
    assert edited("aXbXX", Edit("X", "XX", Places.EVERY)) == "aXXbXXXX"
    assert result("aXbXX", Edit("X", "", Places.EVERY)).changed == 3


def test_a_text_may_grow_up_to_its_bound():
    """To the character; and the last line keeps the break that ends the text, where the lines are found but for their blanks."""
    assert edited_text("x.py", "a", [Edit("a", "bcd")], EditBounds(characters=3, seconds=60))[0] == "bcd"
    assert "grow beyond 2 characters" in str(refusal("a", Edit("a", "bcd"), bounds=EditBounds(2, 0.5)))
    assert edited("one\ntwo  \n", Edit("one\ntwo\n", "1\n2\n")) == "1\n2\n"


def test_only_one_place_may_fit_where_that_is_asked_for():
    """More than one, even if they overlap, are refused with their lines."""
    error = refusal("aa\nb\naa\n", Edit.block("aa", "x"))
    assert error.reason == Reason.SEVERAL_MATCHES
    assert "(lines 1, 3)." in str(error)
    assert refusal("aaa", Edit.block("aa", "x")).reason == Reason.SEVERAL_MATCHES
    assert edited("aa\nb\n", Edit.block("aa\n", "x\n")) == "x\nb\n"


@pytest.mark.parametrize(
    ("search", "replace", "after"),
    [("a.c", "X", "abc X\n"), ("abc", r"\g<0>\1\n", "\\g<0>\\1\\n a.c\n"), ("abc a.c", "", "\n")],
)
def test_search_and_replace_are_plain_text(search, replace, after):
    """No character of them has a meaning of its own."""
    assert edited("abc a.c\n", Edit(search, replace)) == after


@pytest.mark.parametrize(
    ("text", "search", "replace", "after"),
    [
        ("one\r\ntwo\r\nthree\r\n", "one\ntwo\n", "1\n2\n3\n", "1\r\n2\r\n3\r\nthree\r\n"),
        ("one\r\ntwo\r\n", "ne\ntw", "NE\nTW", "oNE\r\nTWo\r\n"),
        ("one\ntwo\n", "one\r\ntwo\r\n", "1\r\n2\r\n", "1\n2\n"),
        ("one\r\ntwo", "two", "2\n3", "one\r\n2\r\n3"),
        ("one\ntwo\r\nthree\n", "three", "3\n4", "one\ntwo\r\n3\n4\n"),
        ("\ufeffone\r\ntwo\r\n", "one\ntwo", "1", "\ufeff1\r\n"),
    ],
)
def test_line_ends_stay_the_files_own(text, search, replace, after):
    """A model writes plain line ends; where the file's all end otherwise, so does what is put there."""
    assert edited(text, Edit(search, replace)) == after


@pytest.mark.parametrize(
    ("text", "search", "replace", "after"),
    [
        (
            "def f():  \n    return 1\t\nx\n",
            "def f():\n    return 1\n",
            "def f():\n    return 2\n",
            "def f():\n    return 2\nx\n",
        ),
        ("def f():\n    return 1\n", "def f():   \n    return 1", "g()", "g()\n"),
        ("a\nlast", "last\n", "new\n", "a\nnew"),
        ("a\nb \nlast", "b\nlast\n", "c\n", "a\nc"),
        ("a\r\nb\nc\n", "a\nb\n", "d\n", "d\nc\n"),
        ("a \r\nb\nc\n", "a\nb", "d", "d\nc\n"),
        ("a\nb\t", "a \nb", "c", "c"),
    ],
)
def test_whole_lines_fit_without_their_trailing_blanks(text, search, replace, after):
    """Where nothing fits exactly and one place fits so, it is taken, and the result says so."""
    assert edited(text, Edit(search, replace)) == after
    assert not result(text, Edit(search, replace)).is_exact


@pytest.mark.parametrize(
    ("text", "search", "reason"),
    [
        ("a \nb\na\t\n", "a\n", Reason.SEVERAL_MATCHES),
        ("  a\n", "a\nb\n", Reason.NO_MATCH),
        ("    a\n", "  a \n", Reason.NO_MATCH),
        ("ab\n", "a \n", Reason.NO_MATCH),
        ("a\n\n\nb\n", " \n", Reason.NO_MATCH),
        ("Hello\n", "hello\n", Reason.NO_MATCH),
    ],
)
def test_nothing_is_guessed(text, search, reason):
    """Two places, other indentation, a part of a line, blank lines, other letter case: none of them is taken."""
    assert refusal(text, Edit(search, "x")).reason == reason


def test_a_failed_edit_shows_the_nearest_lines_with_their_numbers():
    """The model sees what it got wrong, and no more than that."""
    text = "".join(f"line {number}\n" for number in range(50)) + "def total(items):\n    return sum(items)\n"
    error = refusal(text, Edit("def total(item):\n    return sum(item)\n", "x"))
    assert "51| def total(items):\n52|     return sum(items)" in str(error)
    assert "Hello" in str(refusal("say Hello, world\n", Edit("hello,", "x")))
    assert "nearest" not in str(refusal("abc\n", Edit("0123456789", "x")))
    assert len(str(refusal("x" * 9_000, Edit("x" * 9_000 + "y", "")))) < 600


def test_several_edits_are_numbered_where_one_fails():
    """The model knows which one to mend."""
    assert str(refusal("a", Edit("a", "b"), Edit("a", "c"))).startswith("Edit 2 of 2: ")


@pytest.mark.parametrize("places", Places)
def test_a_text_does_not_grow_beyond_its_limit(places):
    """A short edit can ask for more memory than there is."""
    bounds = EditBounds(characters=100, seconds=60)
    for edit in (Edit("a", "b" * 200, places), Edit("(a)", r"\1" * 200, places, is_pattern=True)):
        assert refusal("a", edit, bounds=bounds).reason == Reason.TOO_LARGE
    assert refusal("a" * 60, Edit("a", "bb", Places.EVERY), bounds=bounds).reason == Reason.TOO_LARGE


def test_a_regular_expression_changes_one_place_or_every_one():
    """With groups, with lines counted, with the file's own line ends."""
    edit = Edit(r"(?m)^(\w+) = (\d+)$", r"\2 = \1", is_pattern=True)
    assert edited("a = 1\r\nb = 2\r\n", edit) == "1 = a\r\nb = 2\r\n"
    every = Edit(r"(\d)", r"<\g<1>>\n", Places.EVERY, is_pattern=True)
    assert edited("a1\r\nb2\r\n", every) == "a<1>\r\n\r\nb<2>\r\n\r\n"
    assert result("x\na1\nb2\n", every) == Edited(line=2, occurrences=2, changed=2)
    assert refusal("a1\nb2\n", Edit(r"\d", "", Places.ONLY, is_pattern=True)).reason == Reason.SEVERAL_MATCHES


@pytest.mark.parametrize(
    ("pattern", "template", "reason"),
    [
        ("(", "x", Reason.BAD_FORMAT),
        ("[z-a]", "x", Reason.BAD_FORMAT),
        ("a", r"\1", Reason.BAD_FORMAT),
        ("(?P<n>a)", r"\g<m>", Reason.BAD_FORMAT),
        ("(" * 900 + "a" + ")" * 900, "x", Reason.BAD_FORMAT),
        ("z", "x", Reason.NO_MATCH),
        ("a" * 3_000, "x", Reason.TOO_LARGE),
        (r"(a+)+$", "x", Reason.TIMEOUT),
        (r"(a|aa)+$", "x", Reason.TIMEOUT),
        (r"(.*a){25}$", "x", Reason.TIMEOUT),
        (r"(?:(?:a{1000}){1000}){1000}", "x", Reason.NO_MATCH),
    ],
)
def test_a_bad_regular_expression_is_refused_in_time(pattern, template, reason):
    """Neither one that is none, nor one that never ends, nor one that eats all memory harms the session."""
    bounds = EditBounds(characters=10_000, seconds=0.5 if reason is Reason.TIMEOUT else 60)
    assert refusal("a" * 60 + "b", Edit(pattern, template, is_pattern=True), bounds=bounds).reason == reason


@given(
    lines=st.lists(st.text(alphabet="ab \t", max_size=4), max_size=6),
    end=st.sampled_from(["\n", "\r\n"]),
    search=st.text(alphabet="ab \n", min_size=1, max_size=4),
    replace=st.text(alphabet="cd\n", max_size=4),
    is_last_open=st.booleans(),
)
def test_an_edit_replaces_the_first_place_and_keeps_how_lines_end(lines, end, search, replace, is_last_open):
    """It does what a plain replacement does to plain line ends, and a file of one kind of line ends stays one."""
    text = end.join(lines) + ("" if is_last_open else end)
    try:
        after = edited(text, Edit(search, replace))
    except ActionError:
        assert search not in text.replace("\r\n", "\n")
        return
    if line_end(text) and line_end(after):
        assert line_end(after) == line_end(text)
    plain = text.replace("\r\n", "\n")
    if search in plain:
        assert after.replace("\r\n", "\n") == plain.replace(search, replace, 1)
    else:
        assert search.split("\n")[0].rstrip() in {line.rstrip() for line in plain.split("\n")}


LINES = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=30)


@given(old=LINES, new=LINES, same=st.integers(0, 20), behind=st.integers(0, 20))
def test_what_is_left_out_before_and_behind_changes_nothing(old, new, same, behind):
    """The diff is the one of the whole files, line numbers included."""
    start, end = ["s"] * same, ["e"] * behind
    one, two = start + old + end, start + new + end
    expected = difflib.unified_diff(one, two, "a/x", "b/x", lineterm="")
    found = unified("x", _bytes(one), _bytes(two))
    assert _applied(one, found.split("\n")) == two
    assert len(found.split("\n")) <= len(list(expected)) + 12


def _bytes(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _applied(lines: list[str], diff: list[str]) -> list[str]:
    """Return lines as a diff says that they become; fails where it doesn't fit."""
    result, at = [], 0
    for line in diff[2:]:
        if line.startswith("@@"):
            start, _, count = line.split()[1][1:].partition(",")
            begin = int(start) - (count != "0")
            result += lines[at:begin]
            at = begin
        elif line[:1] in {" ", "-"}:
            assert lines[at] == line[1:]
            result += [line[1:]] if line[0] == " " else []
            at += 1
        elif line:
            result.append(line[1:])
    return result + lines[at:]


def test_no_difference_is_no_text():
    """Nothing to say, nothing said."""
    assert unified("x", b"a\n", b"a\n") == ""


def test_a_name_with_a_line_break_stays_in_its_line():
    """A command may have made it to look like a line of the diff."""
    assert unified("x\n-gone\udcff", None, b"a\n").split("\n")[1] == "+++ b/x\\n-gone\\udcff"


def test_a_missing_last_line_break_is_shown():
    """Else the diff of a text with one and without would be empty."""
    assert unified("x", b"a\n", b"a").endswith("-a\n+a\n\\ No newline at end of file")


def test_contents_that_are_long_or_no_text_are_only_counted():
    """Comparing them would take too long, or show nothing."""
    assert unified("x", b"\xff", b"a") == "(binary: 1 byte before, 1 byte after)"
    long = "".join(f"{number}\n" for number in range(50_000)).encode()
    changed = long.replace(b"\n777\n", b"\nnew\n")
    assert unified("x", long, long[::-1]).startswith("(too long to compare")
    assert "+new" in unified("x", long, changed)
    assert steps(lambda: (unified("x", long, long[::-1]), unified("x", long, changed))) < 1_000


def test_a_long_diff_is_cut_and_says_so():
    """A reviewer sees the beginning and how much more there is."""
    new = "".join(f"{number}\n" for number in range(100)).encode()
    assert unified("x", b"", new, most_lines=10).endswith("(… 93 more lines)")
