"""A response read while it comes in."""

from itertools import pairwise

import pytest
from case_files import case_files
from effort import examples, is_soak
from hypothesis import HealthCheck, given, settings, strategies as st

from actionledger.reading import stream
from actionledger.reading.parsers import PARSERS, DialectParser, parser_for
from actionledger.reading.stream import StreamParser


def parser_of(case):
    """Return the parser that a case names, or one for its dialects."""
    return parser_for(tuple(case["dialects"])) if case.get("dialects") else PARSERS[case["parser"]]


CASES = [
    pytest.param(parser, case["text"], id=f"{path.parent.name}/{path.stem}")
    for path, case in case_files()
    if isinstance(parser := parser_of(case), DialectParser)
]
"""Each case's parser and text; the baselines don't read streams."""

CUT = CASES if is_soak() else CASES[::2]
"""Of a dialect's many cases every second one, but for the soak."""

TEXT = 'One.\n```actions\n{"actions": [{"type": "create_task", "content": "a ``` b"}]}\n```\nTwo.\n'


@pytest.fixture
def looks_always(monkeypatch):
    """Look after every chunk, which a stream otherwise does only when there is enough to look at."""
    monkeypatch.setattr(stream, "_SMALL_GROWTH", 1)
    monkeypatch.setattr(stream, "_SHARE_OF_GROWTH", 10**9)


def streamed(parser, chunks, **options):
    """Return what a stream gives out while the chunks come in, and its reading at the end."""
    reader = StreamParser(parser, **options)
    given_out = [block for chunk in chunks for block in reader.feed(chunk)]
    return given_out, reader.finish()


def check(parser, text, chunks):
    """What is given out is how the whole response's reading begins."""
    given_out, reading = streamed(parser, chunks)
    assert reading == parser.read(text)
    assert [block for block, _ in given_out] == list(reading.blocks[: len(given_out)])
    actions = [action for _, actions in given_out for action in actions]
    assert actions == list(reading.actions[: len(actions)])
    return given_out


PIECE = 1 if is_soak() else 4
"""How many characters come at a time: every state of a text is looked at by the soak alone."""


@pytest.mark.scaled
@pytest.mark.parametrize(("parser", "text"), CUT)
@pytest.mark.usefixtures("looks_always")
def test_no_cut_changes_what_is_read(parser, text):
    """Every case, cut in two at some places and into small pieces, is read as the whole text is."""
    for at in range(0, len(text), max(1, len(text) // examples(10))):
        check(parser, text, (text[:at], text[at:]))
    check(parser, text, [text[at : at + PIECE] for at in range(0, len(text), PIECE)])


PIECES = [
    *(
        "```actions\n",
        "```json\n",
        "```\n",
        "~~~\n",
        "\n",
        "\r\n",
        " ",
        "{",
        "}",
        "[",
        "]",
        '"',
        ",",
        ":",
        "\\",
    ),
    *('{"actions": [{"type": "list_tasks"}]}', '{"action": "escalate"}', '{"a": 1}', "<think>", "prose "),
    *("<read_file><path>", "a.txt", "</path>", "</read_file>", "<create_file>", "<content>", "</content>"),
    *("</create_file>", "`", "😀", "\x00"),
]


@pytest.mark.usefixtures("looks_always")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(PIECES), max_size=30),
    st.sampled_from(["assistant", "orchestrator", "coder", "reasoner", "mint"]),
    st.lists(st.integers(0, 400), max_size=6),
)
def test_random_cuts_of_random_texts_change_nothing(pieces, name, cuts):
    """Whatever the text and wherever it is cut, what was given out early still holds at the end."""
    text = "".join(pieces)
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    check(PARSERS[name], text, [text[a:b] for a, b in pairwise(places)])


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize(
    "lines",
    [
        ["<execute>", "1 + 1", "</execute>"],
        ["> <read_file><path>a.txt</path></read_file>"],
        ["```", "<read_file><path>a.txt</path></read_file>", "```"],
    ],
)
@pytest.mark.usefixtures("looks_always")
def test_a_line_that_a_carriage_return_may_end_is_waited_for(lines, end):
    """What is a line's end and what is content is known with the first line feed, or with the end of the response."""
    text = "".join(f"{line}\r" for line in ["Look.", *lines]) + "x" * 99 + end
    for name in ("coder", "mint", "auto"):
        check(PARSERS[name], text, text)


def test_a_block_is_given_out_before_the_end():
    """A whole block with enough text behind it doesn't wait for the end of the response."""
    given_out = check(PARSERS["assistant"], TEXT * 3, [*TEXT, *TEXT, *TEXT])
    assert len(given_out) >= 2


def test_thoughts_without_an_opening_tag_are_waited_for():
    """A stream that begins inside thoughts gives out nothing of them."""
    text = f"I could write\n{TEXT}\n</think>\n{TEXT}{'x' * 200}"
    given_out, reading = streamed(PARSERS["assistant"], text, is_thinking=True)
    assert [block for block, _ in given_out] == list(reading.blocks[: len(given_out)])
    meant = [action for _, actions in given_out for action in actions if action.illustration is None]
    assert [action.span.start > text.index("</think>") for action in meant] == [True]


TAGGED = '<tool_call>\n{"name": "ping", "arguments": {"host": "a"}}\n</tool_call>'
FENCED = '```json\n{"name": "ping", "arguments": {"host": "a"}}\n```'


@pytest.mark.parametrize("names", [None, frozenset({"ping"})], ids=["unknown", "offered"])
@pytest.mark.parametrize("call", [TAGGED, FENCED], ids=["marked", "bare"])
@pytest.mark.parametrize(
    "text",
    [
        "<think>I might @ no.</think>Done. @",
        "<think>I ping it.\n@",
        "<think>I ping it.\n@</think>",
        "<thinking>x @ no</thinking>@",
        "<think>a</think>Action: ping\nAction Input: {}\n",
        "<think>a <think>b</think>I might @ no.</think>Done.",
        "Here is my thought process: x\n@\n no. Here is my response: @",
        "@\nHere is the corrected call:\n@",
        "@\n\n@",
        "@ Please ignore that.",
        "I would then use this:\n\n@\n\nbut I may not.",
        "Let me check.\n\n@",
    ],
)
@pytest.mark.usefixtures("looks_always")
def test_thoughts_and_prose_are_read_the_same_in_pieces(text, call, names):
    """What is taken back, corrected or thought is not given out before that is known."""
    for behind in ("", " And so on." * 30):
        whole = text.replace("@", call) + behind
        reader = StreamParser(PARSERS["auto"], names)
        given_out = [block for at in range(0, len(whole), 7) for block, _ in reader.feed(whole[at : at + 7])]
        reading = reader.finish()
        assert reading == PARSERS["auto"].read(whole, names)
        assert given_out == list(reading.blocks[: len(given_out)])


def test_no_more_blocks_than_the_limit_are_given_out():
    """What the parser ignores for its number is not given out as read."""
    given_out = check(PARSERS["assistant"], TEXT * 8, list(TEXT * 8))
    assert len(given_out) == PARSERS["assistant"].max_blocks


def test_a_long_stream_takes_time_in_proportion():
    """A text of one long block in small chunks is looked at seldom enough to stay linear but for a logarithm."""
    text = f"<create_file><path>a</path><content>{'x <b> ' * 20_000}</content></create_file>\n\n"
    reader = StreamParser(PARSERS["coder"])
    looks = 0
    for start in range(0, len(text), 10):
        before = reader._looked_at
        reader.feed(text[start : start + 10])
        looks += reader._looked_at != before
    assert looks < 120


def test_a_fence_stays_open_behind_a_block_that_fences_do_not_concern():
    """What is shown in a fence is given out by no chunk as meant, whatever was given out before it in the fence."""
    tag = "<read_file>\n<path>a</path>\n</read_file>"
    text = f"```\n<solution>1</solution> and\n{tag}\n{'text ' * 40}\n```\nend"
    stream = StreamParser(PARSERS["auto"])
    given_out = [block for at in range(0, len(text), 20) for block, _ in stream.feed(text[at : at + 20])]
    whole = stream.finish().blocks
    assert given_out == list(whole[: len(given_out)])
    assert [block.dialect for block in given_out] == ["mint"]


HEREDOC = "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a.py\n*** End Patch\nEOF\nmore"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("auto", HEREDOC),
        ("auto", HEREDOC.replace("\n", "\r\n")),
        ("assistant", "The format ends with </think> as its tag."),
        ("assistant", "Let me see.\n</think>\n" + TEXT),
        ("assistant", "```markdown</think>\n" + TEXT + "```\n"),
        ("auto", "```\n<think>\nHm.\n</think>\nand so on\n```\n"),
        ("assistant", '```actions\n{"actions": [{"type": "list_tasks"}]}\n```\r\r\nTwo.'),
        ("auto", '{"name:<function=f><parameter=t></parameter></function>name:"r","arg'),
        ("reasoner", "```\n```json\n{}\n```json\n{\n```"),
        ("orchestrator", '```\n```json[{"a": {}}]```\n```'),
    ],
    ids=[
        *("word", "word-crlf", "mention", "thoughts", "in-fence", "shown", "line-goes-on"),
        *("in-open-json", "in-open-fence", "in-open-fence-on-a-line"),
    ],
)
@pytest.mark.usefixtures("looks_always")
def test_what_the_next_characters_decide_is_waited_for(name, text):
    """A here-document's word, the rest of a tag's line or of a fence's, and what begins before a block and may end behind it."""
    check(PARSERS[name], text, text)
