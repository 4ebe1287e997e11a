"""A call within an argument of another one opens nothing, in whatever format, however deep, wherever a stream is cut."""

import json

import pytest

import actionledger as al
from actionledger.core.errors import RenderError
from actionledger.reading.dialects import dialects_named
from actionledger.reading.parsers import DialectParser

TEXT = {"type": "string"}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {"type": "object", "properties": dict.fromkeys(fields, TEXT), "required": fields},
        },
    }
    for name, fields in (("write_file", ["path", "text"]), ("delete_file", ["path"]))
]
NAMES = frozenset({"write_file", "delete_file"})
OPEN = "@@@"


def gemma(name, arguments, marks=("<|tool_call>", "<tool_call|>", '<|"|>')):
    """Return a call of Gemma 4: texts stand between two tokens."""
    opener, closer, quote = marks
    return f"{opener}call:{name}{{{','.join(f'{key}:{quote}{value}{quote}' for key, value in arguments.items())}}}{closer}"


def function_gemma(name, arguments):
    """Return a call of FunctionGemma."""
    return gemma(name, arguments, ("<start_function_call>", "<end_function_call>", "<escape>"))


def fenced(name, arguments):
    """Return a call as JSON in a fence."""
    return f"```json\n{json.dumps({'name': name, 'arguments': arguments})}\n```"


def rendered(dialect):
    """Return what writes a call in a dialect."""
    return lambda name, arguments: al.render([(name, arguments)], dialect)


def writable():
    """Yield the dialects that can write a call of any name."""
    for name in al.dialect_names():
        try:
            rendered(name)("write_file", {"path": "a", "text": "b"})
        except RenderError:
            continue
        yield name


FORMS = {name: (name, rendered(name)) for name in writable()} | {
    "gemma 4": ("gemma", gemma),
    "function gemma": ("gemma", function_gemma),
    "fence": ("json", fenced),
}
INNER = ("hermes", "minimax", "qwen3_coder", "gemma 4", "harmony", "mistral", "fence", "glm")


def nested(form, depth):
    """Return a call that is shown, alone or in an argument of another one of its format."""
    write = FORMS[form][1]
    text = write("delete_file", {"path": "a.txt"})
    for _ in range(depth - 1):
        text = write("write_file", {"path": "b.md", "text": f"See: {OPEN}"}).replace(OPEN, text)
    return text


def quoting(form, inner, depth, order=("path", "text")):
    """Return the content that shows a call, and the call that writes it, with nothing escaped."""
    content = f"So:\n{nested(inner, depth)}\nDone."
    fields = {"path": "how.md", "text": OPEN}
    call = FORMS[form][1]("write_file", {field: fields[field] for field in order})
    return content, call.replace(OPEN, content)


def is_right(actions, content):
    """Return whether nothing is run but the call around, with all of its content."""
    runnable = [(action.name, action.arguments) for action in actions if action.status.is_runnable]
    return runnable in ([], [("write_file", {"path": "how.md", "text": content})])


@pytest.mark.parametrize("form", FORMS)
def test_a_call_in_an_argument_is_never_run(form):
    """Either all of the call around it is read, or nothing; an issue says which of two readings can't be told apart."""
    dialect = FORMS[form][0]
    for inner in dict.fromkeys((form, *INNER)):
        for depth in (1, 2):
            for order in (("path", "text"), ("text", "path")):
                content, text = quoting(form, inner, depth, order)
                for dialects in ([dialect], "auto"):
                    for tools in (None, TOOLS):
                        result = al.parse(text, dialects=dialects, tools=tools)
                        assert is_right(result.actions, content), (inner, depth, order, dialects, text)
                        if tools and not result.actions:
                            assert any(issue.span for issue in result.issues), (inner, depth, dialects, text)


@pytest.mark.parametrize(
    "form", ["gemma 4", "function gemma", "minimax", "qwen3_coder", "glm", "muse_glimmer", "kimi_k3", "step3"]
)
@pytest.mark.parametrize("depth", [1, 2])
def test_where_the_format_says_where_a_text_ends_it_is_whole(form, depth):
    """Between two tokens, or up to the tag that is its own, a text may hold whole calls."""
    content, text = quoting(form, form, depth)
    result = al.parse(text, dialects=[FORMS[form][0]], tools=TOOLS)
    assert [action.arguments for action in result.actions] == [{"path": "how.md", "text": content}]
    assert result.outcome == "clean"


@pytest.mark.parametrize(
    "form", ["gemma 4", "minimax", "qwen3_coder", "hermes", "harmony", "mistral", "fence"]
)
def test_a_call_in_an_argument_is_never_given_out_early(form):
    """Wherever a stream is cut, what comes out first is no other than what the whole text holds."""
    content, text = quoting(form, form, 2)
    parser = DialectParser(name="one", dialects=dialects_named(FORMS[form][0]))
    for at in range(1, len(text), 3):
        stream = al.StreamParser(parser, NAMES)
        blocks = [*stream.feed(text[:at]), *stream.feed(text[at:]), *stream.feed("\nAnd so on." * 20)]
        assert all(action.name == "write_file" for _, actions in blocks for action in actions), at
        assert all(action.arguments["text"] == content for _, actions in blocks for action in actions), at


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "text": "I see', "\n"),
        ('<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "text": "5" wide, or', " "),
        ('<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "text": ', ""),
    ],
)
def test_a_call_behind_an_open_string_is_ambiguous(first, second):
    """It is quoted, or the first one breaks off: two readings, so neither is run, and the issue says where."""
    text = (
        f'{first}{second}<tool_call>\n{{"name": "delete_file", "arguments": {{"path": "a"}}}}\n</tool_call>'
    )
    result = al.parse(text, dialects=["hermes"], tools=TOOLS)
    assert result.actions == ()
    assert [(str(issue.code), issue.span.start) for issue in result.issues] == [("ambiguous", 0)]


@pytest.mark.parametrize(
    "first",
    [
        '<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "text": "b"}',
        '<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "text": "b"',
        '<tool_call>\n{"name": "write_file", "arguments": {"path": "a",',
    ],
)
def test_a_call_behind_one_that_breaks_off_between_values_is_read(first):
    """No string is open where it begins, so nothing holds it: what is lost is the first call."""
    text = f'{first}\n<tool_call>\n{{"name": "delete_file", "arguments": {{"path": "a"}}}}\n</tool_call>'
    result = al.parse(text, dialects=["hermes"], tools=TOOLS)
    assert [action.name for action in result.actions if action.status.is_runnable][-1:] == ["delete_file"]
