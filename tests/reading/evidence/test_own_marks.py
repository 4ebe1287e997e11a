"""The marks that each dialect writes around a name, and calls that have lost some of them."""

import re

import pytest

import actionledger as al
from actionledger.core.vocabulary import Outcome
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.evidence.names import names_of
from actionledger.reading.evidence.own_marks import MARK, known_marks, own_marks

NAMES = names_of(frozenset({"get_weather", "clock.get_time"}))
CALL = ("get_weather", {"city": "Paris", "days": 2})
WITHOUT_NAMES = {"xml_tags", "mint", "search_replace", "apply_patch", "bash_fence", "command_tags"}
"""The dialects whose actions have names of their own, which are their tags, or no name at all."""

_MARK = re.compile(rf"{MARK}|```\w*\n?")


def written() -> list[tuple[str, str]]:
    """Return the call as each dialect writes it."""
    return [(name, al.render([CALL], name)) for name in al.dialect_names() if name not in WITHOUT_NAMES]


def with_marks_lost() -> list[tuple[str, str]]:
    """Return the call as each dialect writes it, its first mark taken out, and its first two."""
    found = []
    for name, text in written():
        for lost in (1, 2):
            if _MARK.search(text):
                text = _MARK.sub("", text, count=1)  # noqa: PLW2901
                found.append(pytest.param(name, text, id=f"{name}-{lost}"))
    return found


def test_every_dialect_is_watched():
    """What can't be written with any name has tags of its own: a new dialect is either watched or named here."""
    assert {each.name for each in DIALECTS if own_marks(each) is None} == WITHOUT_NAMES
    assert {name for name, _ in written()} | WITHOUT_NAMES == set(al.dialect_names())


@pytest.mark.parametrize(("name", "text"), written(), ids=[name for name, _ in written()])
def test_a_name_is_seen_as_each_dialect_writes_it(name, text):
    """With its first mark gone, too, as long as the name is left."""
    assert [each.name for each in NAMES.mentions(text, 0, len(text))][:1] == ["get_weather"], name
    rest = _MARK.sub("", text, count=1)
    assert bool([*NAMES.mentions(rest, 0, len(rest))]) == bool(re.search(r"\bget_weather\b", rest))


@pytest.mark.parametrize(("name", "text"), with_marks_lost())
@pytest.mark.parametrize("lead", ["", "I look.\n\n"])
@pytest.mark.parametrize("is_named", [True, False])
def test_a_call_without_its_first_marks_is_read_or_lost(read, name, text, lead, is_named):
    """Nothing is silent but an object that no mark and no name is left of, where words stand before it."""
    result = read(lead + text, [name] if is_named else "auto")
    if lead and text.strip().startswith('{"city"') and text.strip().endswith("}"):
        return
    assert result.actions or any(issue.span for issue in result.issues)
    assert result.outcome.has_intent
    assert all(action.name == "get_weather" for action in result.actions)
    assert all(action.arguments.keys() == {"city", "days"} for action in result.actions)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("get_weather[ARGS]{", "own"),
        ("functions.get_weather:0<|tool_call_argument_begin|>{", "own"),
        ("get_weather:call_1<|tool_call_argument_begin|>{", "own"),
        ("commentary to=functions.get_weather json{", "own"),
        ("get_weather\n<arg_key>", "own"),
        ('<‖DSML‖invoke name="get_weather">', "own"),
        ('<||DSML||invoke name="get_weather">', "own"),
        ("<｜DSML｜toolcall>get_weather\n", "own"),
        ("[Tool Use: get_weather]", "own"),
        ("<any:tool_call>get_weather", "own"),
        ("<b>get_weather</b>", None),
        ("</tool_call>get_weather", None),
        ("goto=get_weather", None),
        ("see get_weather[1] there", None),
    ],
)
def test_a_formats_own_mark_beside_a_name_makes_a_call_of_it(text, form):
    assert next((each.form for each in NAMES.mentions(text, 0, len(text))), None) == form


def test_each_mark_is_taken_from_what_its_dialect_writes():
    """None matches where there is none."""
    for marks in known_marks():
        for pattern in (marks.before, marks.behind, marks.argument):
            assert not pattern or not re.match(pattern, "")


@pytest.mark.parametrize(
    "text",
    [
        'assistantcommentary to=functions.get_weather json{"city":"Paris"}',
        "get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>",
        "<tool_call>\n<function=get_weather\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>",
        '<｜｜DSML｜｜invoke name="get_weather">\n<｜｜DSML｜｜parameter name="city" string="true">Paris</｜｜DSML｜｜parameter>\n</｜｜DSML｜｜invoke>',
        '<｜DSML｜toolcall>get_weather\n\n```json\n{"city":"Paris"}\n```',
        '[TOOL_CALL]\n{tool => "get_weather", args => {\n--city "Paris"\n}}\n[/TOOL_CALL]',
        '[TOOL_CALL]{tool => "get_weather", args => {--city "Paris"}}[/TOOL_CALL]',
        '[Tool Use: get_weather]\n{"city": "Paris"}',
        "[get_weather(city=Paris)]",
        "[get_weather(city='Paris', days=2*3)]",
        "**get_weather(city=Paris)**",
    ],
)
def test_what_reports_show_is_lost_with_its_place(read, text):
    result = read(text)
    assert (result.outcome, result.actions) == (Outcome.FAILED, ())
    assert [issue.span for issue in result.issues if issue.span]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('get_weather[ARGS]{"city": "Paris"}', {"city": "Paris"}),
        (
            'functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris"}<|tool_calls_section_end|>',
            {"city": "Paris"},
        ),
        ('get_weather<｜tool▁sep｜>{"city": "Paris"}<｜tool▁call▁end｜>', {"city": "Paris"}),
        ('get_weather{"name": "get_weather", "args": {"city": "Paris"}}<|end_message|>', {"city": "Paris"}),
        (
            '<|tool_call>call:get_weather(city: "Paris", days: 5)<tool_call|></output>',
            {"city": "Paris", "days": 5},
        ),
        ("**get_weather(city='Paris')**", {"city": "Paris"}),
    ],
)
def test_what_is_plain_is_read_on_evidence(read, text, arguments):
    result = read(text)
    assert [(action.name, action.arguments, action.dialect) for action in result.actions] == [
        ("get_weather", arguments, "evidence")
    ]
    assert result.repairs[0].kind == "missing_marks"


@pytest.mark.parametrize(
    "text",
    [
        "Models write `get_weather[ARGS]{}` there.",
        "The name stands before it, as in `to=functions.get_weather`.",
        'In the manual:\n\n> get_weather[ARGS]{"city": "Paris"}\n',
        "I said **get_weather(city='Paris')**\n\nin the title, and that was all.",
    ],
)
def test_what_is_quoted_is_not_lost(read, text):
    assert not read(text).outcome.has_intent
