"""What can't be written in a dialect is refused, with a sentence for the developer who asked for it."""

import re
from typing import Any

import pytest

from actionledger.core.errors import RenderError, UsageError
from actionledger.reading.dialects import DIALECTS, dialect_named
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.dialects.reasoning import Reasoning

OF_ANY_TOOL = [
    dialect
    for dialect in DIALECTS
    if dialect.name not in {"xml_tags", "mint", "search_replace", "bash_fence", "command_tags", "apply_patch"}
]

REFUSED = [
    ("hermes", PlainCall("a", {"b": float("nan")}), "float values are not JSON"),
    ("lfm2", PlainCall("a", {"b": [float("inf")]}), "float values are not JSON"),
    ("hermes", PlainCall("a", {"b": {1, 2}}), "set is not JSON serializable"),
    ("hermes", PlainCall("a", {"b": {1: 2}}), "the argument 'b' of 'a' would be read back otherwise"),
    ("hermes", PlainCall("a", {"b": (1, 2)}), "the argument 'b' of 'a' would be read back otherwise"),
    ("hermes", PlainCall("a", {"b": 10**5000}), "4300 digits"),
    ("hermes", PlainCall("a", {"b": "\ud83d\ude00"}), "the argument 'b' of 'a' would be read back otherwise"),
    ("hermes", PlainCall("", {}), "the call of '' would not be read back"),
    ("actions", PlainCall("a", {"type": "b"}), "the name 'a' would be read as 'b'"),
    (
        "json_action",
        PlainCall("a", {"action": "a"}),
        "the argument 'action' of 'a' would be read back otherwise",
    ),
    ("qwen3_coder", PlainCall("a", {"b": None}), "null in the argument 'b'"),
    ("qwen3_coder", PlainCall("a", {"b": "\ud800"}), "surrogates not allowed"),
    ("qwen3_coder", PlainCall("a", {"b": "<parameter=c>"}), "Another parameter begins in it"),
    ("qwen3_coder", PlainCall("a>b", {}), "the call of 'a>b' would not be read back"),
    ("glm", PlainCall("a", {" b": "c"}), "the argument ' b' of 'a' would be read back otherwise"),
    ("minimax", PlainCall("a", {"b": "\nc\r"}), "the argument 'b' of 'a' would be read back otherwise"),
    ("mint", PlainCall("run", {"code": "1"}), "neither execute(code) nor solution(answer)"),
    ("mint", PlainCall("execute", {"answer": "1"}), "neither execute(code) nor solution(answer)"),
    (
        "mint",
        PlainCall("execute", {"code": " 1"}),
        "the argument 'code' of 'execute' would be read back otherwise",
    ),
    ("mint", PlainCall("execute", {"code": "</execute>"}), "The block has no content"),
    (
        "mint",
        PlainCall("execute", {"code": "1</execute>2"}),
        "the argument 'code' of 'execute' would be read back",
    ),
    (
        "xml_tags",
        PlainCall("shred_file", {"path": "a"}),
        "'shred_file' with ['path'] is none of create_file(path",
    ),
    (
        "xml_tags",
        PlainCall("read_file", {"file": "a"}),
        "'read_file' with ['file'] is none of create_file(path",
    ),
    (
        "xml_tags",
        PlainCall("read_file", {"path": "a "}),
        "the argument 'path' of 'read_file' would be read back",
    ),
    (
        "xml_tags",
        PlainCall("create_file", {"path": "a", "content": "</content>\n</create_file>"}),
        "'content'",
    ),
    ("search_replace", PlainCall("edit", {}), "is not search_replace(path, search, replace)"),
    ("bash_fence", PlainCall("edit", {}), "is not bash(command)"),
    ("command_tags", PlainCall("edit", {}), "is not bash(command)"),
    ("command_tags", PlainCall("bash", {"command": "<command>"}), "not be read"),
    ("apply_patch", PlainCall("edit", {}), "is not apply_patch(input)"),
    ("apply_patch", PlainCall("apply_patch", {"input": "*** Begin Patch\nx\n*** End Patch"}), "not be read"),
    (
        "search_replace",
        PlainCall("search_replace", {"path": "a", "search": "b", "replace": ""}),
        "not be read",
    ),
    (
        "search_replace",
        PlainCall("search_replace", {"path": "a b", "search": "c\n", "replace": ""}),
        "a path",
    ),
    ("kimi_k2", PlainCall("a:b", {}), "the call of 'a:b' would not be read back"),
    ("deepseek_v31", PlainCall("a b", {}), "the call of 'a b' would not be read back"),
    ("mistral", PlainCall("a", {}, call_id="b c"), "the call of 'a' would not be read back"),
    ("lfm2", PlainCall("get weather", {}), "the call of 'get weather' would not be read back"),
    ("pythonic", PlainCall("a", {"b c": 1}), "the call of 'a' would not be read back"),
    (
        "llama3_json",
        PlainCall("a", {"type": "object", "properties": {}}),
        "the call of 'a' would not be read back",
    ),
    ("react", PlainCall("None", {}), "the call of 'None' would not be read back"),
]


@pytest.mark.parametrize(("dialect", "call", "why"), REFUSED)
def test_what_would_be_read_otherwise_is_refused(dialect, call, why):
    """The error says which dialect, which call and why; it is one that a developer made."""
    with pytest.raises(RenderError, match=re.escape(why)) as caught:
        dialect_named(dialect).render([call])
    assert caught.value.dialect == dialect
    assert str(caught.value).startswith(f"The dialect {dialect!r} can't write {call.name!r}: ")
    assert isinstance(caught.value, UsageError)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("dialect", OF_ANY_TOOL, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("depth", [300, 10_000])
def test_a_value_that_is_too_deep_is_refused(dialect, depth):
    """One that no parser would read, or that the encoder can't write."""
    value = nested(depth)
    if dialect.strings_only and depth < 1000:
        assert f"{'[' * depth}[" in dialect.render(
            [PlainCall("a", {"b": value})]
        )  # it is the schema's business
        return
    with pytest.raises(RenderError):
        dialect.render([PlainCall("a", {"b": value})])


def test_a_value_that_holds_itself_is_refused():
    """It has no end."""
    value: list[Any] = []
    value.append(value)
    for dialect in ("hermes", "lfm2"):
        with pytest.raises(RenderError):
            dialect_named(dialect).render([PlainCall("a", {"b": value})])


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_no_calls_are_nothing_to_write(dialect):
    """An empty block would be another thing than no call."""
    with pytest.raises(UsageError, match="at least one"):
        dialect.render([])


def test_what_is_only_read_says_so():
    """Thoughts are no calls."""
    with pytest.raises(RenderError, match="it is only read"):
        Reasoning().render([PlainCall("a", {})])
