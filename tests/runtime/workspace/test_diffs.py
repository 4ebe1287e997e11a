"""Differences for people: right, and short even where the contents are not."""

import difflib

from hypothesis import given, strategies as st
from steps import steps

from actionledger.runtime.workspace.texts import unified

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
