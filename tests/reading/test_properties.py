"""What holds of any text at all: nothing raises, the invariants hold, and what was written is read back."""

import json

import pytest
from case_files import case_files
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.core.vocabulary import Outcome
from actionledger.reading.dialects import DIALECTS, dialect_named
from actionledger.reading.parsers import PARSERS, DialectParser, parser_for

SLOW_ON_LARGE_TEXTS = {"go-tags", "echelon-progressive"}
EVERYTHING = DialectParser(name="everything", dialects=tuple(dialect_named(d.name) for d in DIALECTS))
EVERY_PARSER = [*PARSERS.values(), EVERYTHING]

CASES = [case for _, case in case_files()]

FRAGMENTS = [
    *(
        "```",
        "````",
        "~~~",
        "`",
        "```actions\n",
        "```iteration\n",
        "```json\n",
        "```python\n",
        "\n```\n",
        "\r\n",
    ),
    *("{", "}", "[", "]", ":", ",", '"', "'", "\\", '\\"', "//", "/*", "*/", "#", "\n", "\t", " ", "\n\n"),
    *('"actions"', '"next_actions"', '"action"', '"type"', '"is_final": true', '{"actions": [', "]}", "null"),
    *('{"type": "a"}', '{"action": "b"}', '{"actions": []}', '{"next_actions": []}', "1", "-", "1e", "NaN"),
    *("<create_file>", "</create_file>", "<path>", "</path>", "<content>", "</content>", "<read_file>"),
    *("</read_file>", "<read_file><path>a</path></read_file>", "<execute>", "</execute>", "<solution>"),
    *(
        "</solution>",
        "<execute>a</execute>",
        "<think>",
        "</think>",
        "<",
        ">",
        "</",
        "a",
        "word ",
        "é",
        "e\u0301",
    ),
    *(
        "中文",
        "👩‍🌾",
        "🍅",
        "\x00",
        "\x0b",
        "\u2028",
        "\u00a0",
        "\ufeff",
        "\ud800",
        "\u200d",
        "7" * 20,
        "x" * 40,
    ),
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS), max_size=24).map("".join)
WHOLE = [
    '```actions\n{"actions": [{"type": "a"}]}\n```',
    '```json\n{"action": "b", "c": [1]}\n```',
    "<execute>\n1\n</execute>",
]
MOSTLY_WHOLE = st.lists(st.sampled_from([*WHOLE, *FRAGMENTS]), max_size=12).map("\n".join)

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)
PLAIN = st.text(st.characters(exclude_characters="<`~", exclude_categories=["Cs"]), max_size=60)

generously = settings(max_examples=examples(100))
each_parser = pytest.mark.parametrize("parser", EVERY_PARSER, ids=lambda parser: parser.name)


@each_parser
@generously
@given(text=st.text(max_size=200) | TEXTS | MOSTLY_WHOLE)
def test_any_text_can_be_read(parser, assert_invariants, text):
    """Whatever a model writes, there is a reading, and all that holds of readings holds of it."""
    assert_invariants(parser.read(text), parser)


@generously
@given(case=st.sampled_from(CASES), data=st.data())
def test_a_case_can_be_cut_anywhere(case, data, assert_invariants):
    """A response may end at any character, or begin at any."""
    parser = parser_for(tuple(case["dialects"])) if case.get("dialects") else PARSERS[case["parser"]]
    text = case["text"]
    at = data.draw(st.integers(min_value=0, max_value=len(text)))
    for part in (text[:at], text[at:]):
        assert_invariants(parser.read(part), parser)


@generously
@given(text=TEXTS | MOSTLY_WHOLE, other=st.sampled_from(["🍅", "é", "б"]))
def test_spans_count_code_points(text, other):
    """A text behind other characters is read the same, in the same places, whatever they take in bytes; none of them can be a name."""
    plain, wide = (EVERYTHING.read(f"{before * 3}\n\n{text}").blocks for before in ("中", other))
    assert [(block.span, block.status, block.reason) for block in plain] == [
        (block.span, block.status, block.reason) for block in wide
    ]


@each_parser
def test_a_reading_is_the_same_every_time(parser):
    """Nothing is remembered from one response to the next."""
    texts = [case["text"] for case in CASES[::5]]
    assert [parser.read(text) for text in texts] == [parser.read(text) for text in texts]


def rendered(dialect, discriminator, name, arguments, *, ascii_only):
    """Return an action as a model would write it in one of the fenced formats."""
    action = json.dumps(
        {discriminator: name} | arguments, ensure_ascii=ascii_only, indent=None if ascii_only else 2
    )
    label, shape = {
        "actions": ("actions", '{"actions": [%s]}'),
        "iteration": ("iteration", '{"next_actions": [%s], "is_final": false}'),
        "json_action": ("json", "%s"),
        "plan": ("json", '{"actions": [%s], "reasoning": "so"}'),
    }[dialect]
    return f"Before.\n\n```{label}\n{shape % action}\n```\n\nAfter."


@pytest.mark.parametrize(
    ("dialect", "discriminator"),
    [("actions", "type"), ("iteration", "type"), ("json_action", "action"), ("plan", "action")],
)
@generously
@given(
    name=st.text(min_size=1),
    arguments=st.dictionaries(st.text(), VALUES, max_size=4),
    ascii_only=st.booleans(),
)
def test_an_action_written_in_a_fence_is_read_back(dialect, discriminator, name, arguments, ascii_only):
    """Name and arguments come back as they were, without a repair, whatever the strings hold."""
    arguments.pop(discriminator, None)
    text = rendered(dialect, discriminator, name, arguments, ascii_only=ascii_only)
    reading = parser_for((dialect,)).read(text)
    assert reading.outcome is Outcome.CLEAN
    (action,) = reading.actions
    assert (action.name, repr(action.arguments)) == (name, repr(arguments))
    assert reading.narrative == "Before.\n\nAfter."


@generously
@given(path=PLAIN.filter(str.strip), content=PLAIN, before=st.sampled_from(["", "Text ", "\n"]))
def test_a_file_written_in_tags_is_read_back(path, content, before):
    """A content comes back to the character, control characters and line ends included."""
    text = (
        f"{before}<create_file>\n<path>{path}</path>\n<content>\n{content}</content>\n</create_file>\nAfter."
    )
    (action,) = PARSERS["coder"].read(text).actions
    assert (action.name, action.arguments) == ("create_file", {"path": path.strip(), "content": content})


@generously
@given(code=PLAIN.filter(str.strip), tag=st.sampled_from(["execute", "solution"]))
def test_code_written_in_tags_is_read_back(code, tag):
    """A body comes back without the blanks around it."""
    (action,) = PARSERS["mint"].read(f"<thought>Hm.</thought>\n<{tag}>{code}</{tag}>").actions
    assert (action.name, list(action.arguments.values())) == (tag, [code.strip()])


@pytest.mark.parametrize("size", [300_000])
@each_parser
def test_a_large_text_can_be_read(parser, size, assert_invariants):
    """A long answer of every kind of fragment is read; two of the old parsers are known to take too long for it."""
    unit = "".join(FRAGMENTS)
    length = 8_000 if parser.name in SLOW_ON_LARGE_TEXTS else size
    text = (unit * (length // len(unit) + 1))[:length]
    assert_invariants(parser.read(text), parser)
