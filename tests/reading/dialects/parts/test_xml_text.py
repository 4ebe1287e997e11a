"""What tags hold: escapes, and all the arguments in one parameter."""

import pytest

import actionledger as al
from actionledger.reading.dialects.parts.call_tags import unescaped


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a", "a"),
        ("&lt;a&gt; &amp;&amp; &quot;b&quot; &apos;c&apos;", "<a> && \"b\" 'c'"),
        ("&amp;lt;", "&lt;"),
        ("&#38;lt; &#x26;lt;", "&lt; &lt;"),
        ("&#20013;&#x1F345;", "中🍅"),
        ("a & b &lt;", "a & b &lt;"),
        ("<b>&lt;</b>", "<b>&lt;</b>"),
        ("&nbsp;", "&nbsp;"),
        ("&#xD800; &#9999999;", "&#xD800; &#9999999;"),
    ],
)
def test_escapes_stand_for_their_signs_unless_a_bare_sign_says_otherwise(text, meant):
    """An escape is undone once; what is no character stays as it was written."""
    assert unescaped(text) == meant


BOOK = {
    "name": "book_table",
    "parameters": {
        "type": "object",
        "properties": {"place": {"type": "string"}, "guests": {"type": "integer"}},
        "required": ["place"],
    },
}
KEEP = {"name": "keep", "parameters": {"type": "object", "properties": {"input": {"type": "object"}}}}
OBJECT = '{"place": "Roma", "guests": 4}'


def _dsml(key, value, kind="false", name="book_table"):
    inside = f'<｜DSML｜parameter name="{key}" string="{kind}">{value}</｜DSML｜parameter>'
    return f'<｜DSML｜function_calls>\n<｜DSML｜invoke name="{name}">\n{inside}\n</｜DSML｜invoke>\n</｜DSML｜function_calls>'


def _function(key, value):
    return f'<function name="book_table"><param name="{key}">{value}</param></function>'


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (_dsml("arguments", OBJECT), "deepseek_dsml"),
        (_dsml("input", OBJECT, "true"), "deepseek_dsml"),
        (_function("properties", OBJECT), "minicpm"),
        (_function("args", OBJECT.replace('"', "'")), "minicpm"),
    ],
)
def test_the_arguments_are_those_that_the_only_parameter_holds(text, dialect):
    """With a repair that has what stood there and what it was read as."""
    result = al.parse(text, dialects=[dialect], tools=[BOOK])
    (action,) = result.actions
    assert str(action.status) in {"valid", "coerced"}
    assert action.arguments == {"place": "Roma", "guests": 4}
    (repair,) = result.blocks[0].repairs
    assert (str(repair.kind), repair.span.of(text), repair.after) == ("nested_json", repair.before, OBJECT)


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        (_dsml("arguments", OBJECT), None),
        (_dsml("input", OBJECT, name="keep"), [KEEP]),
        (_dsml("arguments", '{"place": "Roma", "time": 8}'), [BOOK]),
        (_dsml("arguments", "{}"), [BOOK]),
        (_dsml("arguments", '{"place": "Roma", "guests": 4', "true"), [BOOK]),
        (_dsml("wish", OBJECT), [BOOK]),
    ],
)
def test_a_parameter_stays_one_where_the_tool_may_have_it(text, tools):
    """Or where the object names anything that the tool doesn't know, or doesn't end."""
    result = al.parse(text, dialects=["deepseek_dsml"], tools=tools)
    assert all(action.arguments.keys() <= {"arguments", "input", "wish"} for action in result.actions)
    assert not any(str(repair.kind) == "nested_json" for block in result.blocks for repair in block.repairs)
