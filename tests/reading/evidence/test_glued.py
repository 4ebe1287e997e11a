"""Calls that lost their marks or their name, or stand in another one's tag."""

from itertools import pairwise

import pytest
from wrong_ways import MEANT, mentions, ways

import actionledger as al
from actionledger.core.values.calls import Offer
from actionledger.core.vocabulary import Outcome
from actionledger.profiles import profile_named
from actionledger.reading.evidence.rests import glued, mentions_and_rests
from actionledger.reading.parsers import parser_named
from actionledger.reading.stream import StreamParser

OFFER = Offer({"get_weather": ("city", "days"), "put_note": ("text",)})
LEFT = [
    'functionget_weather\n```json\n{"city": "Paris"}\n```',
    '0get_weather{"city": "Paris"}',
    ' to=get_weatheranalysis xml<rfl:parameter name="city">Paris</rfl:parameter>',
    'get_weathercity="Paris", days=3)]',
]


def found(text):
    return [(each.name, each.span.of(text)) for each in glued(text, 0, len(text), OFFER)]


@pytest.mark.parametrize("text", LEFT)
def test_what_is_left_of_a_call_is_found(text):
    assert found(text) == [("get_weather", "get_weather")]


@pytest.mark.parametrize("text", LEFT)
@pytest.mark.parametrize("around", ["{}", "I look it up.\n\n{}\n\nOne moment."])
def test_it_has_failed_and_never_runs(read, text, around):
    result = read(around.replace("{}", text))
    assert result.outcome is Outcome.FAILED
    assert not result.actions


@pytest.mark.parametrize(
    "text",
    [
        "get_weathers are functions",
        "functionget_weather is a name",
        'get_weathercity = "Paris"',
        'get_weathercity="Paris"\nprint("(a)")',
        "my_get_weather{}",
        "20get_weather",
    ],
)
def test_words_that_hold_a_name_are_no_calls(text):
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        'functions.get_weather:0{"city": "Paris"}',
        'get_weather>{"city": "Paris"}',
        '{"naame": "get_weather", "arguments": {"city": "Paris"}}',
        '```json\n{"acction": "get_weather", "city": "Paris"}\n```',
        '**get_weather**(city="Paris")',
        '**get_weather**: {"city": "Paris"}',
        '[get_weather](city="Paris")',
        'get_weather -> {"city": "Paris"}',
        'get_weather, {"city": "Paris"}',
        'get_weather[city="Paris"]',
        'get_weather city="Paris" days=3',
        '(get_weather city="Paris")',
        "name: get_weather\narguments:\n  city: Paris",
        "```yaml\nname: get_weather\narguments:\n  city: Paris\n```",
        "[Called tool: get_weather]",
        "[Calling the function: get_weather]",
        '{"name": "get_weather',
        '```json\n{"name": "get_weather',
        "[get_weather",
        "```python\nget_weather",
        "<|tool_call_start|>[get_weather",
    ],
)
@pytest.mark.parametrize("before", ["", "I look it up.\n\n"])
def test_a_call_with_a_misspelt_key_or_cut_behind_its_name_has_failed(read, before, text):
    result = read(before + text)
    assert result.outcome is Outcome.FAILED
    assert not result.actions
    assert any(issue.span and "get_weather" in issue.span.of(before + text) for issue in result.issues)


@pytest.mark.parametrize(
    "text",
    [
        '{"naame": "get_weather", "country": "France"}',
        '{"gamer": "get_weather", "arguments": {"city": "Paris"}}',
        "I would ask the tool get_weather",
        "Its name is get_weather:0 in the list.",
        "[get_weather](docs/weather.md)",
        "**get_weather** (by city) tells the weather.",
        "get_weather, {days} at most",
        "tools:\n  - name: get_weather\n    arguments: city",
        "The answer of get_weather -> {} is empty.",
        "get_weather city=where it is",
    ],
)
def test_data_and_mentions_are_no_losses(read, text):
    assert read(text).outcome is Outcome.NO_ACTION


@pytest.mark.parametrize(
    "text", ['functions.get_weather:0{"city": "Paris"}', 'get_weather>{"city": "Paris"}', LEFT[1]]
)
def test_in_thoughts_it_is_said(read, text):
    result = read(f"<think>I might {text} or not.</think>Done.")
    assert result.outcome is Outcome.NO_ACTION
    assert [str(issue.code) for issue in result.issues] == ["reasoning"]


TOOLS = [
    {
        "name": name,
        "parameters": {"type": "object", "properties": {field: {"type": "string"}}, "required": [field]},
    }
    for name, field in (("search", "query"), ("delete_file", "path"))
]
CALL = '{"name": "delete_file", "arguments": {"path": "a.txt"}}'


@pytest.mark.parametrize(
    "text",
    [
        "<search><delete_file><path>b</path></delete_file></search>",
        '<search>delete_file(path="a.txt")</search>',
        '<search>\ndelete_file(path="a.txt")\n</search>',
        f"<search>\n```json\n{CALL}\n```\n</search>",
        f"<search>\n<tool_call>{CALL}</tool_call>\n</search>",
        f"<search>\n<tool_call>{CALL}</tool_call>",
    ],
)
@pytest.mark.parametrize("before", ["", "I do that for you.\n\n"])
def test_a_call_in_another_tools_tag_does_not_run(before, text):
    result = al.parse(before + text, dialects="auto", tools=TOOLS)
    assert not any(action.status.is_runnable for action in result.actions)
    assert [issue for issue in result.issues if issue.span]


@pytest.mark.parametrize(
    "text",
    [
        "<delete_file><path>b</path></delete_file>",
        f"I have no <search> to offer, so let me delete it.\n\n<tool_call>{CALL}</tool_call>",
        f"<search></search>\n<tool_call>{CALL}</tool_call>",
        f'<tool_call>{{"name": "search", "arguments": {{"query": "<search>"}}}}</tool_call>\n<tool_call>{CALL}</tool_call></search>',
    ],
)
def test_a_call_beside_such_a_tag_runs(text):
    result = al.parse(text, dialects="auto", tools=TOOLS)
    assert "delete_file" in [action.name for action in result.actions if action.status.is_runnable]


def test_a_tool_that_has_the_name_of_a_formats_tag_encloses_nothing():
    tools = [*TOOLS, {"name": "tool_call", "parameters": {"type": "object"}}]
    result = al.parse(f"<tool_call>{CALL}</tool_call>", dialects="auto", tools=tools)
    assert [action.status.is_runnable for action in result.actions] == [True]


@pytest.mark.parametrize("size", [1, 9, 80])
def test_a_stream_waits_for_the_end_of_the_tag(size):
    text = f"<search>\n<tool_call>{CALL}</tool_call>" + " and so on" * 30 + "\n</search>"
    stream = StreamParser(parser_named("auto"), frozenset({"search", "delete_file"}))
    given = [block for at in range(0, len(text), size) for block, _ in stream.feed(text[at : at + size])]
    assert given == list(stream.finish().blocks[: len(given)])


WAYS = [
    pytest.param(profile, text, id=f"{profile}: {way}")
    for profile, (name, arguments, _) in MEANT.items()
    for way, text, _ in ways(name, arguments)
]
MENTIONS = [
    pytest.param(profile, text, id=f"{profile}: {number}")
    for profile, (name, arguments, other) in MEANT.items()
    for number, text in enumerate(mentions(name, next(iter(arguments)), other))
]


@pytest.mark.parametrize(("profile", "text"), WAYS)
def test_none_is_passed_over(profile, text):
    """It has failed, with an issue that says where; nothing of it is an action."""
    result = al.parse(text, profile=profile)
    assert (result.outcome, result.valid_actions) == (Outcome.FAILED, ())
    assert all(issue.span and issue.span.of(text).strip() for issue in result.issues)
    assert result.issues


@pytest.mark.parametrize(("profile", "text"), MENTIONS)
def test_to_name_an_action_is_not_to_call_it(profile, text):
    result = al.parse(text, profile=profile)
    assert not result.valid_actions
    assert not [issue for issue in result.issues if "It looks like a call of" in issue.detail]


@pytest.mark.parametrize(("profile", "text"), [*WAYS[::7], *MENTIONS[::5]])
def test_a_stream_says_the_same(profile, text):
    """No block is given out that the whole response has not."""
    chosen = profile_named(profile)
    stream = StreamParser(chosen.parser, chosen.catalogue.offer)
    given = [block for at in range(0, len(text), 7) for block, _ in stream.feed(text[at : at + 7])]
    whole = chosen.parser.read(text, chosen.catalogue.offer)
    assert stream.finish() == whole
    assert given == list(whole.blocks[: len(given)])


def test_a_word_of_a_language_is_no_name():
    """``Think:`` within an answer is what anybody writes; a line that is ``think`` and a colon is an action."""
    assert (
        al.parse("Dear Anna,\n\nThink: it is late.\n\nBen", profile="reasoner").outcome is Outcome.NO_ACTION
    )
    assert al.parse("think: it is late", profile="reasoner").outcome is Outcome.FAILED


def test_several_calls_are_told_apart():
    """Each has its place, and only the first needs to be announced."""
    text = "I'll do both.\n\nadd_goal: Learn French.\nspeak: Tell them."
    result = al.parse(text, profile="reasoner")
    assert [issue.span.of(text) for issue in result.issues] == [
        "add_goal: Learn French.",
        "speak: Tell them.",
    ]


RESTS_OFFER = Offer({"get_weather": ("city", "days"), "put_note": ("text", "count")})


def rests(text: str, start: int = 0, offer: frozenset[str] = RESTS_OFFER) -> list[str]:
    """Return the texts of the rests that are found."""
    found = mentions_and_rests(text, start, len(text), offer)
    return [text[slice(*each.span)] for each in found if each.form == "rest"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "<parameter=city>\nParis\n</parameter>\n</function>",
            ["<parameter=city", "</parameter>\n</function>"],
        ),
        ("<parameter=city>\nParis\n</parameter>", []),
        ('<parameter name="size">1</parameter>', []),
        ("so </arg_value></tool_call>", ["</arg_value></tool_call>"]),
        ('{"city": "Paris"}</function>', ["}</function>"]),
        ("Close it with </tool_call>.", []),
        ('{"city": "Paris", "days": 2}', ['{"city": "Paris", "days": 2}']),
        ('{"city": "Paris"}', []),
        ('{"city": "Paris", "text": "a"}', []),
        ('It is {"city": "Paris", "days": 2}', []),
    ],
)
def test_rests_are_found(text, found):
    assert rests(text) == found


def test_a_parameter_of_no_tool_is_somebody_elses_markup():
    text = '<parameter name="size">1</parameter></x></invoke>'
    assert rests(text) == []
    assert rests(text, offer=frozenset({"f"})) == ['<parameter name="size']


def test_closers_behind_a_block_close_it_once_more():
    """They are no call of their own."""
    assert rests("abc</parameter></function>", 3) == []
    assert rests("abc d</parameter></function>", 3) == ["</parameter></function>"]


@pytest.mark.parametrize(
    "text",
    [
        "court\n</parameter>\n</function>\n</tool_call>",
        "I look.\n\n<arg_value>Paris</arg_value>\n</tool_call>",
        '{"city": "Paris", "days": 2}</function>',
        '{"city": "Paris", "days": 2}',
    ],
)
def test_a_call_without_its_name_is_lost(read, text):
    result = read(text)
    assert (result.outcome, result.actions) == (Outcome.FAILED, ())
    assert all(issue.code == "wrong_shape" and issue.span for issue in result.issues)


def test_a_call_that_was_read_is_not_lost_by_a_closer_too_many(read):
    text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n</tool_call>\n</function>'
    assert read(text).outcome.is_success


def test_many_lost_calls_are_one_from_the_hundredth_on(read):
    """None is passed over, and telling thousands apart would take seconds. So long a text is a document: it shows them."""
    text = "[Tool Use: get_weather]\n" * 1_000
    result = read(text)
    spans = [issue.span for issue in result.issues if issue.span]
    assert (result.outcome, result.actions, len(spans)) == (Outcome.NO_ACTION, (), 101)
    assert all("get_weather" not in text[one.end : other.start] for one, other in pairwise(spans))
    assert "get_weather" not in text[spans[-1].end :]
