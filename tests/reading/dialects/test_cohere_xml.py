"""Cohere's calls in tags: what each type of value is, and that lists and objects of tags are no gap in the guards."""

import re

import pytest

import actionledger as al
from actionledger.core.errors import RenderError
from actionledger.core.vocabulary import Outcome, Reason
from actionledger.reading.parsers import parser_for, parser_named

PARSER = parser_for(("cohere_xml",))
NESTED = {
    "city": "Paris",
    "units": ["C", "F", [1, True, None], {}, []],
    "at": {"lat": 1.5, "near": ["Rome", {"name": "Oslo"}]},
}
TEXT = al.render([("f", NESTED)], "cohere_xml")
_OPENS, _CLOSES = '<cofl:tool_calls><cofl:tool_call id="0" name="f">', "</cofl:tool_call></cofl:tool_calls>"


def call(values):
    return f"{_OPENS}{values}{_CLOSES}"


def meant(text, parser=PARSER, names=None):
    return [action for action in parser.read(text, names).actions if action.illustration is None]


@pytest.mark.parametrize("parser", [PARSER, parser_named("auto")])
def test_lists_and_objects_are_read_as_they_are_written(parser):
    text = al.render([("f", NESTED), ("g", {})], "cohere_xml")
    reading = parser.read(text)
    assert reading.outcome is Outcome.CLEAN
    assert [(action.name, action.arguments, action.call_id) for action in reading.actions] == [
        ("f", NESTED, "0"),
        ("g", {}, "1"),
    ]


def test_blanks_around_tags_are_layout():
    """The grammar allows them between values, around JSON and in lists; a text keeps its own."""
    values = (
        '\n<cofl:value name="n" type="json"> 3\n</cofl:value> <cofl:value name="l" type="list">\n'
        '<cofl:value type="raw"> a\n</cofl:value>\n<cofl:value type="json"> 1 </cofl:value>\n</cofl:value>\n'
    )
    [action] = meant(call(values))
    assert action.arguments == {"n": 3, "l": [" a\n", 1]}


def test_a_cut_call_runs_only_with_its_own_end():
    """However deep the end of the text cuts."""
    whole = TEXT.index("</cofl:tool_call>") + len("</cofl:tool_call>")
    for at in range(1, len(TEXT) + 1):
        running = [action for action in meant(TEXT[:at]) if action.doubt is None]
        assert [action.arguments for action in running] == ([NESTED] if at >= whole else []), TEXT[:at]


_CONTENT = re.compile(r'"raw">([^<]*)<|"json">([^<]*)<|name="([^"]*)"|id="([^"]*)"')
_TAKEN = {
    at
    for found in _CONTENT.finditer(TEXT)
    for group in range(1, 5)
    if found[group]
    for at in range(*found.span(group))
}
MARKS = [at for at in range(TEXT.index('name="city"'), len(TEXT)) if at not in _TAKEN]
SLIPS = {
    "lost": lambda at: TEXT[:at] + TEXT[at + 1 :],
    "another": lambda at: f"{TEXT[:at]}x{TEXT[at + 1 :]}",
    "swapped": lambda at: TEXT[:at] + TEXT[at + 1 : at + 2] + TEXT[at] + TEXT[at + 2 :],
    "a blank": lambda at: f"{TEXT[:at]} {TEXT[at:]}",
    "twice": lambda at: TEXT[:at] + TEXT[at : at + 1] + TEXT[at:],
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_a_mark_runs_nothing_else(slip):
    """The sign behind an opening tag is the text's: it is the one that can't be told from a slip."""
    for at in MARKS:
        if slip in {"twice", "a blank"} and TEXT.endswith('"raw"', 0, at) | TEXT.endswith('"raw">', 0, at):
            continue
        if slip == "a blank" and TEXT.startswith("</", at):
            continue  # the text's own blank
        for action in meant(SLIPS[slip](at)):
            assert action.arguments == NESTED or action.doubt, SLIPS[slip](at)


@pytest.mark.parametrize(
    "quoted",
    [
        call('<cofl:value name="a" type="raw">b</cofl:value>'),
        '<cofl:tool_call id="1" name="g"></cofl:tool_call>',
        '<cofl:tool_call id="1" name="g">',
    ],
)
@pytest.mark.parametrize("kind", ["list", "dict"])
def test_a_call_in_a_text_of_a_list_never_runs(quoted, kind):
    """It is that text's, or both are lost."""
    name = ' name="k"' if kind == "dict" else ""
    for closer in ("</cofl:value>", ""):
        text = call(
            f'<cofl:value name="l" type="{kind}"><cofl:value{name} type="raw">{quoted}{closer}</cofl:value>'
        )
        reading = PARSER.read(text)
        assert [action.name for action in reading.actions] == []
        assert {issue.code for issue in reading.issues} == {Reason.AMBIGUOUS}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ('<cofl:value type="json">nope</cofl:value>', Reason.MALFORMED_JSON),
        ('<cofl:value type="json">1 2</cofl:value>', Reason.MALFORMED_JSON),
        ('<cofl:value type="json"></cofl:value>', Reason.MALFORMED_JSON),
        ('<cofl:value type="raw">a</cofl:value>text', Reason.WRONG_SHAPE),
        ('<cofl:value type="tuple">a</cofl:value>', Reason.WRONG_SHAPE),
        ('<cofl:value type="raw">a cofl:value b</cofl:value>', Reason.AMBIGUOUS),
        ('<cofl:value type="raw">a', Reason.WRONG_SHAPE),
    ],
)
def test_what_no_list_holds_is_refused(value, reason):
    [block] = PARSER.read(call(f'<cofl:value name="l" type="list">{value}</cofl:value>')).blocks
    assert block.reason is reason


def test_a_list_is_no_deeper_than_a_value_may_be():
    deep = '<cofl:value type="list">' * 2_000 + "</cofl:value>" * 2_000
    [block] = PARSER.read(call(f'<cofl:value name="l" type="list">{deep}</cofl:value>')).blocks
    assert block.reason is Reason.TOO_DEEP


@pytest.mark.parametrize("text", ["a</cofl:value>", "<cofl:value", "cofl:value"])
def test_what_would_be_read_otherwise_is_not_written(text):
    with pytest.raises(RenderError):
        al.render([("f", {"l": [text]})], "cohere_xml")
