"""What is written in a dialect is read back as it was meant, or it is not written at all."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.actions.tools import ToolCatalogue
from actionledger.core.errors import RenderError
from actionledger.core.values import ActionCall, RawAction, Reading
from actionledger.core.vocabulary import Outcome
from actionledger.reading.dialects import DIALECTS, Dialect, dialect_named
from actionledger.reading.dialects.parts.writing import PlainCall, fenced, raw_text
from actionledger.reading.dialects.xml_tags import XmlTags
from actionledger.reading.parsers import parser_for, parser_named
from actionledger.runtime.parse_result import read_response

BY_NAME = {dialect.name: dialect for dialect in DIALECTS}
TYPED = [dialect for dialect in DIALECTS if not dialect.strings_only]
"""The dialects that say what is a text and what a number."""

NAMES_OF_TEXTS = (
    *("qwen3_coder", "glm", "minimax", "step3", "dots", "k2_horizon", "longcat", "muse_glimmer", "seed_oss"),
    *("solar_open2", "iquest_q1", "iquest_coder", "beam"),
)
OF_TEXTS = [BY_NAME[name] for name in NAMES_OF_TEXTS]
"""The dialects of any tool that write texts only."""

OF_ITS_OWN = [
    BY_NAME[name]
    for name in ("xml_tags", "mint", "search_replace", "bash_fence", "command_tags", "apply_patch")
]
"""The dialects that have actions of their own and texts only."""

ONE_ACTION = {"bash_fence", "command_tags"}
"""The dialects that write one action in a response."""

MARKUP = """
~~~ ```` ]]> <![CDATA[ &amp; <!-- null True 03106 1e5 NaN print( functools[ [TOOL_CALLS] [ARGS] [a(b=1)] {"action":"a"}
<think> </think> <tool_call> </tool_call> <tool_calls> </tool_calls> <|tool_call|> <|tool_call_end|> <|python_end|>
<function=a> </function> <parameter=a> </parameter> <arg_key> </arg_key> <arg_value> </arg_value> <function_calls>
</invoke> </minimax:tool_call> </steptml:parameter> </steptml:invoke> <｜tool_call_end｜>
<｜tool▁call▁end｜> <｜tool▁sep｜> </｜DSML｜parameter> </｜DSML｜invoke> <|call|> <|end|> <|channel|> <execute> </execute>
</ifm|arg_value> <ifm|tool_call> </｜GCML｜parameter> </cofl:value> </cofl:tool_call> <|close|>argument<|sep|> <|sep|> <|message_sep|> <|function_call|>
</longcat_arg_value> </iquest_tool_call> </iquestcoder_tool_call> <rfl:parameter </rfl:parameter> </dots_function_call> </atem:parameter> </seed:tool_call> <|tool_arg:end|> <|tool_call:start|>
<|action_end|> <|plugin|> <|tools_suffix|> <|end_message|> <|message|> <|eom|>
</solution> <create_file> </create_file> <path> </path> <content> </content> </search> <replace> 👩‍🌾 e\u0301
"""
MARKS = [
    *"\n\r\t \x00\x0b\x1b\x85\u2028\ufeff`'\"\\{}[]():,;#=é中🍅",
    *("\r\n", "\n```\n", "```actions\n", "\nAction Input: {}", "\nObservation: a", '<parameter name="a">'),
    *("<<<<<<< SEARCH\n", "\n=======\n", "\n>>>>>>> REPLACE", '<invoke name="a">', '"""'),
    *MARKUP.split(),
]
"""What means something to one reader or another."""

TAME = (
    st.text(st.characters(exclude_characters="<>=\r", exclude_categories=["Cs"])).map(str.strip).filter(bool)
)
"""Texts, perhaps of several lines, without blanks around them and without tags."""

NAMES = st.text("abcxyz_019", min_size=1, max_size=8).map(lambda text: f"n{text}")
CALL_IDS = st.none() | st.text("abcXYZ019_-", min_size=1, max_size=9)
NUMBERS = (
    st.integers()
    | st.integers(min_value=10**20, max_value=10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
)
ONLY_NAMES_AS_PARAMETERS = {
    "pythonic": "a list of calls without a marker is prose unless its parameters have names",
    "deepseek_dsml": "a parameter's name stands in a tag's attribute",
    "gigachat35": "a parameter's name stands in a tag's attribute",
    "kimi_k3": "a parameter's name stands in a tag's attribute",
    "cohere_xml": "a parameter's name stands in a tag's attribute",
}
"""The typed dialects that can't write every parameter's name, and why."""

RAW_TEXTS = dict.fromkeys(
    ("deepseek_dsml", "gigachat35", "kimi_k3", "cohere_xml"), "a text between its tags is raw"
)
"""The typed dialects that refuse a text for the markup in it, and why."""

generously = settings(max_examples=examples(30))


@cache
def hostile(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return texts made of the dialect's own markup, and of what means something to others."""
    tokens = re.findall(r"<[^<>]*>|\w+|\s+|[^\w\s]+", dialect.example)
    place = st.integers(0, len(tokens))
    pieces = st.tuples(place, place).map(lambda ends: "".join(tokens[min(ends) : max(ends)]))
    return st.lists(pieces | st.sampled_from(MARKS), max_size=6).map("".join)


@cache
def values(dialect: Dialect) -> st.SearchStrategy[Any]:
    """Return JSON values, their texts hostile."""
    texts = st.text() | hostile(dialect)
    return st.recursive(
        st.none() | st.booleans() | NUMBERS | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=6,
    )


def each(dialects: list[Dialect]) -> Callable[[Any], Any]:
    return pytest.mark.parametrize("dialect", dialects, ids=lambda dialect: dialect.name)


def names_of(calls: list[PlainCall]) -> frozenset[str]:
    return frozenset(call.name for call in calls)


def readings(dialect: Dialect, text: str, calls: list[PlainCall]) -> list[Reading]:
    """Return what the dialect's parser reads, with the tools' names and, if it reads anything then, without."""
    parser = parser_for((dialect.name,))
    known = [names_of(calls)] if dialect.needs_names else [names_of(calls), None]
    return [parser.read(text, names) for names in known]


def exactly(calls: Iterable[PlainCall | RawAction | ActionCall]) -> list[tuple[str, str]]:
    """Return names and arguments such that 1, 1.0 and True are not the same."""
    return [(call.name, json.dumps(call.arguments, sort_keys=True)) for call in calls]


def assert_same(reading: Reading, calls: list[PlainCall]) -> None:
    """All of the text is these calls, without a repair or a doubt."""
    assert reading.outcome is Outcome.CLEAN
    assert exactly(reading.actions) == exactly(calls)
    assert (reading.narrative, reading.issues) == ("", ())


def is_tame(call: PlainCall) -> bool:
    """Return whether no value has markup in it, blanks around it, or a key or a line end that is not written as it is."""
    tame = re.compile(r"[^\s<>]([^<>\r]*[^\s<>])?", re.DOTALL)
    values = call.arguments.values()
    return all(map(tame.fullmatch, [*map(raw_text, values), *keys_in(list(values))])) and all(
        "\\r" not in raw_text(value) for value in values
    )


def keys_in(value: object) -> Iterator[str]:
    """Yield the keys of all objects in a JSON value."""
    if isinstance(value, dict):
        yield from value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys_in(each)


def plain(actions: tuple[RawAction, ...]) -> list[PlainCall]:
    return [PlainCall(action.name, action.arguments, action.call_id) for action in actions]


@cache
def typed_calls(dialect: Dialect) -> st.SearchStrategy[list[PlainCall]]:
    """Return calls with any JSON values, under any parameter's name that the dialect can write."""
    keys = NAMES if dialect.name in ONLY_NAMES_AS_PARAMETERS else NAMES | st.text() | hostile(dialect)
    keys = keys.filter(lambda key: key != getattr(dialect, "discriminator", None))
    call = st.builds(PlainCall, NAMES, st.dictionaries(keys, values(dialect), max_size=4), CALL_IDS)
    return st.lists(call, min_size=1, max_size=3)


@each(TYPED)
@generously
@given(data=st.data())
def test_any_json_value_is_read_back(dialect, data):
    """Names, values and their types come back, whatever the strings hold, with tools known or not."""
    calls = data.draw(typed_calls(dialect))
    try:
        text = dialect.render(calls)
    except RenderError:
        assert dialect.name in RAW_TEXTS
        assert not all(map(is_tame, calls))
        return
    for reading in readings(dialect, text, calls):
        assert_same(reading, calls)


def typed_by(calls: list[PlainCall]) -> ToolCatalogue:
    """Return tools whose parameters take values of the types that the calls give."""
    types = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
    return ToolCatalogue.of(
        [
            {
                "name": call.name,
                "input_schema": {
                    "type": "object",
                    "properties": {
                        name: {"type": types[type(value)]} for name, value in call.arguments.items()
                    },
                },
            }
            for call in calls
        ]
    )


@cache
def calls_of_texts(dialect: Dialect) -> st.SearchStrategy[list[PlainCall]]:
    """Return calls of different tools without null, which no text can be told from."""
    not_null = values(dialect).filter(lambda value: value is not None) | TAME
    call = st.builds(PlainCall, NAMES, st.dictionaries(NAMES, not_null, max_size=3), st.none())
    return st.lists(call, min_size=1, max_size=3, unique_by=lambda call: call.name)


@each(OF_TEXTS)
@generously
@given(data=st.data())
def test_a_text_between_tags_is_read_back_or_refused(dialect, data):
    """A value comes back as it was, typed by the tool's schema; a text is refused only where it holds markup or blanks."""
    calls = data.draw(calls_of_texts(dialect))
    try:
        text = dialect.render(calls)
    except RenderError:
        assert not all(map(is_tame, calls))
        return
    result = read_response(text, parser_for((dialect.name,)), typed_by(calls))
    assert (result.outcome, result.narrative) == (Outcome.CLEAN, "")
    assert exactly(result.actions) == exactly(calls)
    assert len(result.valid_actions) == len(calls)


@cache
def own_calls(dialect: Dialect, *, tame: bool) -> st.SearchStrategy[list[PlainCall]]:
    """Return calls of a dialect that has actions of its own."""
    texts = TAME if tame else hostile(dialect) | TAME
    paths = st.sampled_from(["app.py", "src/app.py", "a/b-c/d_e.test.ts", "Makefile"])
    lines = texts.map(lambda text: f"{text}\n") | st.just("")
    actions = {
        "xml_tags": {tag: dict.fromkeys(dict(fields), texts) for tag, fields in XmlTags().tags},
        "mint": {"execute": {"code": texts}, "solution": {"answer": texts}},
        "search_replace": {"search_replace": {"path": paths, "search": lines, "replace": lines}},
        "bash_fence": {"bash": {"command": texts}},
        "command_tags": {"bash": {"command": texts}},
        "apply_patch": {"apply_patch": {"input": texts.map(patch_of)}},
    }[dialect.name]
    each_action = [
        st.fixed_dictionaries(fields).map(lambda arguments, name=name: PlainCall(name, arguments))
        for name, fields in actions.items()
    ]
    return st.lists(st.one_of(each_action), min_size=1, max_size=1 if dialect.name in ONE_ACTION else 3)


def patch_of(text: str) -> str:
    """A patch that adds a file with that text, and replaces it in another one."""
    lines = "".join(f"+{line}\n" for line in text.split("\n"))
    return f"*** Begin Patch\n*** Add File: a.py\n{lines}*** Update File: b.py\n@@\n-x\n{lines}*** End Patch"


@each(OF_ITS_OWN)
@generously
@given(data=st.data())
def test_an_action_with_texts_only_is_read_back_or_refused(dialect, data):
    """Whatever the texts hold, they come back to the character, or nothing is written."""
    calls = data.draw(own_calls(dialect, tame=False))
    try:
        text = dialect.render(calls)
    except RenderError:
        return
    for reading in readings(dialect, text, calls):
        assert_same(reading, calls)


@each(OF_ITS_OWN)
@generously
@given(data=st.data())
def test_an_action_with_tame_texts_is_always_written(dialect, data):
    """Texts without markup, and without blanks around them, are no reason to refuse."""
    calls = data.draw(own_calls(dialect, tame=True))
    for reading in readings(dialect, dialect.render(calls), calls):
        assert_same(reading, calls)


WRITES_MORE_THAN_CALLS = {
    "iteration": "the step's number and reasoning",
    "plan": "whether it can be extended, and the reasoning",
    "mint": "a thought",
    "react": "a thought",
    "search_replace": "the fence's label",
    "bash_fence": "what the model says before it",
    "command_tags": "what the model says before it",
}
"""The dialects whose example holds more than its calls, and what that is."""


@each(list(DIALECTS))
def test_the_example_is_what_is_written(dialect):
    """A dialect writes its example's calls as its example does, up to what the example holds beside them."""
    names = frozenset({"get_weather", "get_time"})
    calls = plain(parser_for((dialect.name,)).read(dialect.example, names).actions)
    text = dialect.render(calls)
    assert (text == dialect.example) == (dialect.name not in WRITES_MORE_THAN_CALLS)
    assert_same(readings(dialect, text, calls)[0], calls)


SOME = [
    PlainCall("get_weather", {"city": "Paris"}),
    PlainCall("get_time", {"zone": "Asia/Tokyo", "utc": "no"}),
]
GROUPED = {
    *("actions", "iteration", "json_action", "plan", "json", "granite", "hunyuan", "phi4", "minimax", "lfm2"),
    *("deepseek_v3", "deepseek_v31", "deepseek_dsml", "kimi_k2", "step3", "minicpm", "gemma", "python_fence"),
    *("pythonic", "llama4_pythonic", "llama3_json", "apertus", "dots", "gigachat35", "k2_horizon", "kimi_k3"),
    *("nemotron", "cohere", "cohere_xml", "plamo", "solar_open"),
}
"""The dialects that write parallel calls as one block."""


@each([dialect for dialect in DIALECTS if dialect not in OF_ITS_OWN])
def test_parallel_calls_are_grouped_as_the_format_groups_them(dialect):
    """One block for all of them, or one for each."""
    (reading, *_) = readings(dialect, dialect.render(SOME), SOME)
    assert len(reading.blocks) == (1 if dialect.name in GROUPED else 2)


@each([dialect for dialect in DIALECTS if dialect not in OF_ITS_OWN])
def test_all_dialects_at_once_read_what_one_writes(dialect):
    """No other dialect takes the text for its own, or for something else."""
    assert_same(parser_named("auto").read(dialect.render(SOME), names_of(SOME)), SOME)


@each(
    [
        BY_NAME[name]
        for name in ("hermes", "granite", "hunyuan", "phi4", "llama3_json", "json", "mistral", "cohere")
    ]
)
def test_a_call_keeps_its_identifier(dialect):
    """Where the format has a place for one."""
    calls = [PlainCall("a", {}, "call_1"), PlainCall("b", {"c": 1}, "call_2")]
    assert plain(readings(dialect, dialect.render(calls), calls)[0].actions) == calls


@pytest.mark.parametrize(
    ("given", "written"),
    [("functions.a:7", "functions.a:7"), (None, "functions.a:0"), ("x", "functions.a:0")],
)
def test_an_identifier_of_kimi_names_the_tool(given, written):
    """One that doesn't is replaced, for the reader takes the name from it."""
    assert f"<|tool_call_begin|>{written}<" in dialect_named("kimi_k2").render([PlainCall("a", {}, given)])


@pytest.mark.parametrize(
    ("body", "mark"), [("a", "```"), ("a```b", "```"), ("```", "````"), ("a\n  `````\nb", "``````")]
)
def test_a_fence_is_longer_than_those_in_it(body, mark):
    """A line of the body can't close it; backticks within a line can't anyway."""
    assert fenced("json", body) == f"{mark}json\n{body}\n{mark}"


def test_every_dialect_is_under_a_property():
    """A new one that writes only texts has to be put into a table."""
    assert {dialect.name for dialect in [*TYPED, *OF_TEXTS, *OF_ITS_OWN]} == set(BY_NAME)
