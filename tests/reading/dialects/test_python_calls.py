"""Calls in Python notation: what is a literal, where a call ends, and what makes an illustration of it."""

import warnings

import pytest

from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RepairKind
from actionledger.reading.dialects.invoke_tags import MiniCpm
from actionledger.reading.dialects.python_calls import Lfm2, Llama4Pythonic, PythonFence, Pythonic
from actionledger.reading.parsers import DialectParser

PYTHONIC, FENCE = Pythonic(), PythonFence()


def read(text, dialect=PYTHONIC, names=None, **decoding):
    parser = DialectParser(
        name="p", dialects=(dialect,), decoding=decoding or {"repairs": list(RepairKind)}, evidence="ignored"
    )
    return parser.read(text, names if names is None else frozenset(names))


def only_block(text, dialect=PYTHONIC, names=None):
    (block,) = read(text, dialect, names).blocks
    return block


def fenced(body, names=("f",)):
    return read(f"```python\n{body}\n```", FENCE, names)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1", 1),
        ("-1", -1),
        ("1_000", 1000),
        ("0x1f", 31),
        ("2.5e3", 2500.0),
        ("True", True),
        ("true", True),
        ("None", None),
        ("null", None),
        ('"a"', "a"),
        ("'a'", "a"),
        ('"""a\nb"""', "a\nb"),
        (r'"\u00e9\n"', "é\n"),
        (r'r"\d"', r"\d"),
        (r'"\d"', r"\d"),
        ('"a" "b"', "ab"),
        ('("a"\n "b")', "ab"),
        ("[1, [2]]", [1, [2]]),
        ("(1, 2)", [1, 2]),
        ("()", []),
        ('{"k": {"l": null}}', {"k": {"l": None}}),
        ("1  # a comment, with a bracket (", 1),
        ('"# no comment"', "# no comment"),
        ("123456789012345678901234567890", 123456789012345678901234567890),
    ],
)
def test_a_literal_is_its_json_value(written, value):
    """Tuples are lists, and JSON's constants mean what Python's do."""
    reading = read(f"[f(a={written}\n)]")
    assert reading.outcome is Outcome.CLEAN
    assert reading.actions[0].arguments == {"a": value}


@pytest.mark.parametrize(
    "written",
    [
        "x",
        "x.y",
        "x[0]",
        "g()",
        "1 + 2",
        "-x",
        'f"{x}"',
        "[x]",
        "{**x}",
        "not 1",
        "...",
        "lambda: 1",
        "[i for i in x]",
    ],
)
def test_an_argument_that_is_no_literal_makes_an_illustration(written):
    """What would have to be evaluated is shown, not done; a list that shows nothing else says why."""
    block = only_block(f"[f(a={written})]")
    assert (block.status, block.reason) == (BlockStatus.IGNORED, Reason.EXAMPLE)
    assert [issue.code for issue in block.issues] == [Reason.EXAMPLE]


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("f(a={1, 2})", Reason.WRONG_SHAPE),
        ('f(a=b"x")', Reason.WRONG_SHAPE),
        ("f(a=1j)", Reason.WRONG_SHAPE),
        ("f(a={1: 2})", Reason.WRONG_SHAPE),
        ("f(a=1, 2)", Reason.WRONG_SHAPE),
        ("f(a=1e999)", Reason.NON_FINITE_NUMBER),
        ('f(a={"k": 1, "k": 2})', Reason.DUPLICATE_KEY),
        ("f(a=1, a=2)", Reason.DUPLICATE_KEY),
        ("f(a=1 b=2)", Reason.MALFORMED_JSON),
        ("f(a=1,, b=2)", Reason.MALFORMED_JSON),
        ("f(a=)", Reason.MALFORMED_JSON),
        ("f(a=01)", Reason.MALFORMED_JSON),
        ('f(a="x\ny")', Reason.MALFORMED_JSON),
        ("f(a=[1)", Reason.MALFORMED_JSON),
        (f"f(a={'9' * 5000})", Reason.MALFORMED_JSON),
        (f"f(a={'-' * 20_000}1)", Reason.TOO_DEEP),
        (f"f(a={'1+' * 20_000}1)", Reason.TOO_DEEP),
        (f"f(a={'[' * 150}{']' * 150})", None),
        (f"f(a={'[' * 1_000}{']' * 1_000})", Reason.MALFORMED_JSON),
    ],
)
def test_what_python_or_json_does_not_know_is_refused(written, reason):
    """Nothing raises, whatever the parser of the standard library makes of it."""
    assert only_block(f"[{written}]").reason is reason


def test_nesting_beyond_the_limit_is_refused():
    """The decoder's limit holds for Python, too."""
    (block,) = read("[f(a=[[[1]]])]", max_depth=2).blocks
    assert block.reason is Reason.TOO_DEEP


def test_a_backslash_that_escapes_nothing_warns_nobody():
    """What a model writes is no concern of the process's warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(r'[f(a="\d", b=["\w"])]').actions[0].arguments == {"a": r"\d", "b": [r"\w"]}


@pytest.mark.parametrize(
    ("name", "read_as"),
    [("get-weather", "get-weather"), ("math.factorial", "math.factorial"), ("_f1", "_f1")],
)
def test_a_name_may_have_dashes_and_a_module(name, read_as):
    """Tools are named more freely than Python's functions."""
    assert read(f"[{name}(a=1)]").actions[0].name == read_as


def test_each_call_has_its_own_place():
    """The block is the list, the actions are the calls."""
    text = 'Yes:\n  [f(a="é"), g()]  \nDone.'
    reading = read(text)
    assert [action.span.of(text) for action in reading.actions] == ['f(a="é")', "g()"]
    assert reading.blocks[0].body.of(text) == 'f(a="é"), g()'


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("[f(1)]", None, False),
        ("[f(1)]", ["f"], True),
        ("[f(a=1)]", ["g"], False),
        ("[f()]", None, True),
        ("[f() for x in y]", ["f"], True),
        ("[note(s) follow]", None, False),
        ("[1, 2]", None, False),
        ("[f]", ["f"], False),
    ],
)
def test_a_bare_list_is_a_call_by_its_names(text, names, found):
    """An offered name, or arguments with names where it isn't known what was offered."""
    assert bool(read(text, names=names).blocks) is found


def test_a_bare_list_shows_what_it_is_quoted_in():
    """Text behind a list on its line makes it part of a sentence; the token that ends a turn doesn't."""
    assert read("[f(a=1)] calls f.").outcome is Outcome.NO_ACTION
    assert read("[f(a=1)]<|eot_id|>\n").outcome is Outcome.CLEAN


def test_tags_with_another_format_in_them_are_not_python():
    """DeepSeek's and Anthropic's markup uses the same word for its tag."""
    assert read('<function_calls>\n<invoke name="f">\n</invoke>\n</function_calls>').blocks == ()


def test_what_shares_a_token_is_one_dialects():
    """LFM2 and MiniCPM open with the same token: a list or JSON is the former's, a fence or a bare call the latter's."""
    bodies = ["[f(a=1)]", '[{"name": "f", "arguments": {}}]', "```python\nf(a=1)\n```", "f(a=1)"]
    for body, is_lfm2 in zip(bodies, [True, True, False, False], strict=True):
        text = f"<|tool_call_start|>{body}<|tool_call_end|>"
        assert len(read(text, Lfm2()).actions) == is_lfm2
        assert len(read(text, MiniCpm()).actions) != is_lfm2


@pytest.mark.parametrize("dialect", [Lfm2(), Llama4Pythonic(), MiniCpm()], ids=lambda dialect: dialect.name)
def test_a_string_may_hold_the_tokens_around_it(dialect):
    """A call that is whole says where it ends."""
    opener, closer = dialect.example.partition(">")[0] + ">", "<" + dialect.example.rpartition("<")[2]
    text = dialect.example.replace("Paris", f"{opener} and {closer}") + f"\n{dialect.example}"
    assert [action.arguments for action in read(text, dialect).actions] == [
        {"city": f"{opener} and {closer}"},
        {"city": "Paris"},
    ]


@pytest.mark.parametrize("dialect", [Lfm2(), Llama4Pythonic()], ids=lambda dialect: dialect.name)
def test_a_block_ends_before_the_next_opening_token(dialect):
    """A list whose brackets stay open takes nothing from the block behind it."""
    opener = min(dialect.literals)
    text = f"{opener}[f(a=[1)\n{dialect.example}"
    reading = read(text, dialect)
    assert [action.name for action in reading.actions] == ["get_weather"]
    assert [block.status for block in reading.blocks] == [BlockStatus.MALFORMED, BlockStatus.STRICT]


@pytest.mark.parametrize(
    "body",
    [
        "x = f(a=1)",
        "x: int = f(a=1)",
        "import os\nf(a=1)",
        "for i in range(3):\n    f(a=i)",
        "if True:\n    f(a=1)",
        "@f(a=1)\ndef g(): ...",
        "f(a=1)\ng()",
        "f(a=1).b",
        "f(a=1) + 1",
        "f(a=x)",
        "print(f(a=1))",
        "await f(a=1)",
        "async def g():\n    f(a=1)",
    ],
)
def test_a_fence_that_does_more_than_call_is_a_program(body):
    """A program is somebody's code: an illustration, about which nothing is wrong."""
    reading = fenced(body)
    assert reading.outcome is Outcome.NO_ACTION
    assert [block.reason for block in reading.blocks] == [Reason.EXAMPLE]
    assert reading.issues == ()


@pytest.mark.parametrize(
    "body", ["f(a=1)", "f(a=1);", "\n# first\nf(a=1)  # now\n", "f(\n  a=1,\n)", "[f(a=1)]"]
)
def test_a_fence_of_calls_is_read(body):
    """Blank lines, comments and semicolons mean nothing."""
    reading = fenced(body)
    assert reading.outcome is Outcome.CLEAN
    assert [(action.name, action.arguments) for action in reading.actions] == [("f", {"a": 1})]


@pytest.mark.parametrize(
    "body", ["Some prose that names f(a=1).", "<<<<<<< SEARCH\nf(a=1)", "{'f': f(a=1)}", "g(a=1)"]
)
def test_a_fence_that_is_no_such_program_is_left_to_others(body):
    """What isn't Python, or calls nothing that was offered, is no block of this dialect."""
    assert fenced(body).blocks == ()


def test_a_fence_behind_a_broken_one_is_read():
    """A call whose brackets stay open ends with its fence."""
    reading = read("```python\nf(a=[1\n```\n\n```python\nf(a=2)\n```", FENCE, ["f"])
    assert [action.arguments for action in reading.actions] == [{"a": 2}]
    assert [block.status for block in reading.blocks] == [BlockStatus.MALFORMED, BlockStatus.STRICT]
