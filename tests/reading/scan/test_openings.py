"""Where a block may begin: fences by CommonMark's rule with two liberties, and literal openers."""

import pytest
from hypothesis import given, strategies as st

from actionledger.reading.scan.openings import Openers, OpeningKind

NOTHING = frozenset()
TAGS = frozenset({"<execute>", "<exec>"})
LINES = frozenset({r"Action:", r"\{"})


def openings(text, literals=NOTHING, lines=NOTHING, *, fences=True):
    openers, found, at = Openers(literals, lines, fences), [], 0
    while opening := openers.next(text, at, len(text)):
        found.append(opening)
        at = max(opening.end, opening.start + 1)
    return found


@pytest.mark.parametrize(
    ("line", "mark", "label"),
    [
        ("```", "```", ""),
        ("```json", "```", "json"),
        ("``` json ", "```", "json"),
        ("```JSON", "```", "json"),
        ("```json title=a b", "```", "json"),
        ("````json", "````", "json"),
        ("~~~json", "~~~", "json"),
        ("~~~~", "~~~~", ""),
        ("   ```json", "```", "json"),
        ("\t```json", "```", "json"),
        ("            ```json", "```", "json"),
        ("```日本 🍅", "```", "日本"),
    ],
)
def test_a_line_that_opens_a_fence(line, mark, label):
    """At least three marks at the start of a line, however indented, with an info string in any case."""
    (opening,) = openings(f"{line}\nbody")
    assert (opening.kind, opening.mark, opening.label) == (OpeningKind.FENCE, mark, label)
    assert (opening.start, opening.end) == (0, len(line) + 1)


@pytest.mark.parametrize(
    "line", ["``", "~~", "x ```", "x ~~~json", "> ``` json", "```js`on", "``json``", "`~`~`~", ""]
)
def test_a_line_that_opens_no_fence(line):
    """Too few marks, text before them, or a backtick behind them: that is inline code or prose."""
    assert openings(f"{line}\nbody") == []


def test_a_fence_opens_on_any_line_and_its_body_begins_on_the_next():
    """Start and end count code points of the text."""
    text = "🍅\n```json\n1"
    (opening,) = openings(text)
    assert (opening.start, text[opening.end :]) == (2, "1")


@pytest.mark.parametrize("marker", ["- ", "* ", "+ ", "1. ", "12) ", "  - ", "- - ", "1. -\t"])
@pytest.mark.parametrize("mark", ["```", "~~~"])
def test_a_fence_opens_in_a_lists_item(marker, mark):
    """CommonMark lets it: the item's content begins behind the marker."""
    text = f"{marker}{mark}json\n1"
    (opening,) = openings(text)
    assert (opening.kind, opening.start, text[opening.end :]) == (OpeningKind.FENCE, len(marker), "1")


@pytest.mark.parametrize(
    ("before", "line", "label", "body"),
    [
        ("x ", "```json\n", "json", "1"),
        ("x ", "````json  \r\n", "json", "1"),
        ("> ", "```actions", "actions", ""),
        ("", "```json", "json", ' {"a": 1}```'),
        ("x: ", "```json", "json", '{"a": 1}```'),
        ("x: ", "```", "", '[{"a": 1}]```'),
        ("x: ", "```\n", "", '{"a": 1}```'),
        ("", "```json", "json", " {action: 1}"),
    ],
)
def test_a_fence_may_be_embedded_in_a_line(before, line, label, body):
    """Behind other text it needs a label or a value; with its value on its line it is no fence of CommonMark's."""
    text = before + line + body
    (opening,) = openings(text)
    assert (opening.kind, opening.label) == (OpeningKind.EMBEDDED, label)
    assert (opening.start, text[opening.end :]) == (len(before), body)
    assert opening.mark == "`" * line.count("`")


@pytest.mark.parametrize("line", ["```json {1,3-5}", "```{.python}", "```js {highlight: [1]}", "``` {r}"])
def test_attributes_of_a_fence_are_no_value(line):
    """Other tools write them behind the label."""
    (opening,) = openings(f"{line}\nbody")
    assert (opening.kind, opening.end) == (OpeningKind.FENCE, len(line) + 1)


@pytest.mark.parametrize("text", ["```json", "x\n```json"])
def test_a_fence_may_open_on_the_last_line(text):
    """Its body is empty, and begins where the text ends."""
    (opening,) = openings(text)
    assert (opening.label, opening.end) == ("json", len(text))


def test_carriage_returns_are_no_part_of_the_label():
    """Windows line ends make no difference."""
    text = "```json\r\n1\r\n"
    (opening,) = openings(text)
    assert (opening.label, text[opening.end :]) == ("json", "1\r\n")


def test_literals_open_anywhere_and_the_longest_one_wins():
    """A tag needs no line of its own."""
    found = openings("a <execute> b<exec>", TAGS)
    assert [(opening.kind, opening.label, opening.start, opening.end) for opening in found] == [
        (OpeningKind.LITERAL, "<execute>", 2, 11),
        (OpeningKind.LITERAL, "<exec>", 13, 19),
    ]


def test_a_line_opener_counts_at_the_start_of_a_line_only():
    """Blanks before it belong to the line, not to the opener."""
    text = 'Action: a\n  {"b": {\nno Action: c'
    assert [(opening.kind, opening.label, opening.start) for opening in openings(text, lines=LINES)] == [
        (OpeningKind.LINE, "Action:", 0),
        (OpeningKind.LINE, "{", 12),
    ]


def test_an_opening_beyond_the_end_is_none():
    """What stands behind the stretch to look at doesn't open anything in it."""
    openers = Openers(TAGS, NOTHING, fences=True)
    assert openers.next("<exec>", 0, 5) is None
    assert openers.next("<exec>", 1, 6) is None
    assert openers.next("<exec>", 0, 6).end == 6


@pytest.mark.parametrize("text", ["a ```", "a Action:", "a\n\n ```json", "a\n{"])
def test_what_a_line_begins_with_is_no_opening_in_the_middle_of_it(text):
    """Where looking begins makes no line begin there; the line's own beginning counts."""
    openers = Openers(NOTHING, LINES, fences=True)
    begins = text.rfind("\n") + 1
    within = openers.next(text, 1, len(text))
    assert (within is not None) is (begins > 0)
    assert within is None or within == openers.next(text, begins, len(text))


def test_of_several_openings_the_first_one_counts():
    text = "<exec> x\n```json\n<exec>\n{"
    kinds = [opening.kind for opening in openings(text, TAGS, LINES)]
    assert kinds == [OpeningKind.LITERAL, OpeningKind.FENCE, OpeningKind.LITERAL, OpeningKind.LINE]


def test_nothing_opens_where_nothing_may():
    """No literals, no lines, no fences."""
    assert openings("```\n<exec>\n{", fences=False) == []


def test_fences_count_only_where_they_are_asked_for():
    """A dialect whose tags are special to the protocol sees no fences at all."""
    found = openings("```\n<exec>", TAGS, fences=False)
    assert [opening.label for opening in found] == ["<exec>"]
    assert openings("```\n<exec>", fences=False) == []


@given(
    st.frozensets(st.text("<ab", min_size=1, max_size=3), min_size=1, max_size=9),
    st.text("<abx", max_size=20),
)
def test_of_several_literals_at_a_place_the_longest_opens(literals, text):
    """Whatever they have in common, and however they begin one another."""
    expected, at = [], 0
    while at < len(text):
        found = max((literal for literal in literals if text.startswith(literal, at)), key=len, default="")
        if found:
            expected.append((found, at))
        at += max(1, len(found))
    assert [(opening.label, opening.start) for opening in openings(text, literals, fences=False)] == expected
