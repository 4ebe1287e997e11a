"""What the prose around a call makes of it: shown, taken back, left open, or announced."""

import json
from unittest import mock

import pytest
from hypothesis import given, strategies as st
from wild.shown_prose import MEANT, SHOWN

import actionledger as al
from actionledger.core.values import Span
from actionledger.core.vocabulary import Outcome, Reason
from actionledger.reading import prose
from actionledger.reading.parsers import parser_for
from actionledger.reading.prose import is_corrected, verdict, verdict_of_marked
from actionledger.reading.stream import is_known_behind

TOOLS = [
    {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    }
]
JSON = '{"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}'
BARE = {
    "json": JSON,
    "json-fence": f"```json\n{JSON}\n```",
    "python": 'get_weather(city="Oslo", days=2)',
    "python-list": '[get_weather(city="Oslo", days=2)]',
    "python-fence": '```python\nget_weather(city="Oslo", days=2)\n```',
}
MARKED = {
    "hermes": f"<tool_call>\n{JSON}\n</tool_call>",
    "xml_tags": "<get_weather>\n<city>Oslo</city>\n<days>2</days>\n</get_weather>",
    "kimi_k2": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
        '{"city": "Oslo", "days": 2}<|tool_call_end|><|tool_calls_section_end|>'
    ),
}
HELD_OUT = "held out"
MOST_RUN_OF_MARKED = 4
"""Of the texts that were held out while building, how many let a call with its format's marks run."""


def texts(table, *, is_held_out):
    """Return the texts of a table's part."""
    return [text for prose in table if prose.kind.startswith(HELD_OUT) == is_held_out for text in prose.texts]


def outcome(text, tools):
    """Return what becomes of the one call in a text."""
    result = al.parse(text, dialects="auto", tools=tools)
    runs = [call for call in result.actions if call.status.is_runnable]
    waits = [call for call in result.actions if str(call.status) == "needs_approval"]
    said = [issue for issue in result.issues if issue.span]
    assert runs or said, "nothing is said of it"
    return "runs" if runs else "waits" if waits else "shown"


@pytest.mark.parametrize("tools", [TOOLS, None], ids=["offered", "unknown"])
@pytest.mark.parametrize("is_held_out", [False, True], ids=["train", HELD_OUT])
@pytest.mark.parametrize("look", BARE)
def test_a_call_that_is_shown_does_not_run_where_its_place_alone_marks_it(look, is_held_out, tools):
    if tools is None and look in {"python", "python-fence"}:
        pytest.skip("without the names of the tools it is no call")
    found = {
        text: outcome(text.replace("…", BARE[look]), tools) for text in texts(SHOWN, is_held_out=is_held_out)
    }
    assert [text for text, each in found.items() if each == "runs"] == []


@pytest.mark.parametrize("is_held_out", [False, True], ids=["train", HELD_OUT])
@pytest.mark.parametrize("look", MARKED)
def test_a_call_that_is_plainly_shown_does_not_run_with_its_marks(look, is_held_out):
    found = {
        text: outcome(text.replace("…", MARKED[look]), TOOLS)
        for text in texts(SHOWN, is_held_out=is_held_out)
    }
    running = [text for text, each in found.items() if each == "runs"]
    assert len(running) <= (MOST_RUN_OF_MARKED if is_held_out else 0), running


@pytest.mark.parametrize("is_held_out", [False, True], ids=["train", HELD_OUT])
@pytest.mark.parametrize("look", [*BARE, *MARKED])
def test_a_call_that_is_announced_runs(look, is_held_out):
    """Nearly each does; one that can't be told waits, and none is lost."""
    call = {**BARE, **MARKED}[look]
    meant = texts(MEANT, is_held_out=is_held_out)
    found = {text: outcome(text.replace("…", call), TOOLS) for text in meant}
    assert [text for text, each in found.items() if each == "shown"] == []
    waiting = [text for text, each in found.items() if each == "waits"]
    assert len(waiting) <= len(meant) // 20, waiting


@pytest.mark.parametrize("table", [SHOWN, MEANT], ids=["shown", "meant"])
def test_the_tables_are_large_enough(table):
    assert len(texts(table, is_held_out=False)) >= 60
    assert len(texts(table, is_held_out=True)) >= 30


CALL = "<tool_call>\n%s\n</tool_call>"
ONE = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
OTHER = '{"name": "get_weather", "arguments": {"city": "Bergen"}}'
CORRECTIONS = [
    "Here is the corrected call:",
    "Sorry, I meant this:",
    "Hier ist der korrigierte Aufruf:",
    "Voici l'appel corrigé :",
    "更正：",
    "訂正します。",
    "Исправленный вызов:",
    "Aquí está la llamada corregida:",
]


@pytest.mark.parametrize("form", ["%s", "```json\n%s\n```", CALL])
@pytest.mark.parametrize("words", CORRECTIONS)
def test_of_two_versions_equal_ones_run_once_and_different_ones_not_at_all(words, form):
    lead = "I look it up now:\n\n"
    twice = al.parse(f"{lead}{form % ONE}\n\n{words}\n\n{form % ONE}", dialects="auto", tools=TOOLS)
    assert [call.status.is_runnable for call in twice.actions].count(True) <= 1
    assert len([call for call in twice.actions if str(call.status) != "illustration"]) == 1
    versions = al.parse(f"{lead}{form % ONE}\n\n{words}\n\n{form % OTHER}", dialects="auto", tools=TOOLS)
    assert (versions.actions, versions.outcome) == ((), Outcome.FAILED)
    assert [issue.code for issue in versions.issues] == [Reason.AMBIGUOUS] * 2
    assert [str(block.status) for block in versions.blocks] == ["malformed"] * 2


def test_further_calls_are_no_versions():
    """Words between two calls of one tool that correct nothing."""
    text = f"I look it up now:\n\n{CALL % ONE}\n\nNow the other city:\n\n{CALL % OTHER}"
    assert [call.status.is_runnable for call in al.parse(text, dialects="auto", tools=TOOLS).actions] == [
        True,
        True,
    ]
    assert not is_corrected("Now I test the corrected file:")
    assert not is_corrected("Here is the corrected call: " + "x" * 200)


@pytest.mark.parametrize("words", ["For example:\n\n", "So, once more:\n\n", ""])
def test_two_equal_fences_share_one_verdict(words):
    """Of an answer that is meant only in part, nothing runs."""
    fence = f"```json\n{ONE}\n```"
    result = al.parse(f"I look it up now:\n\n{fence}\n\n{words}{fence}", dialects="auto", tools=TOOLS)
    assert not [call for call in result.actions if call.status.is_runnable]
    assert Reason.AMBIGUOUS in {issue.code for issue in result.issues}


@pytest.mark.parametrize(
    "value",
    [
        "<city>",
        "<your city>",
        "your_city_here",
        "...",
        "…",
        "[insert city]",
        "{{city}}",
        "path/to/file",
        "xxx",
    ],
)
@pytest.mark.parametrize("form", ["%s", "```json\n%s\n```", CALL])
def test_a_placeholder_waits(form, value):
    """The place of a value is no value, whatever marks stand around the call."""
    text = form % ONE.replace("Oslo", value)
    [call] = al.parse(text, dialects="auto", tools=TOOLS).actions
    assert (str(call.status), call.reason) == ("needs_approval", Reason.EXAMPLE)


@pytest.mark.parametrize("value", ["YOUR_CITY", "your_city", "placeholder"])
@pytest.mark.parametrize(
    ("form", "is_runnable"),
    [
        (CALL, True),
        (CALL + "\n" + CALL.replace("Oslo", "Rome"), True),
        ("<think>Which one? I take it.</think>\n" + CALL, True),
        ("I look it up.\n" + CALL, False),
        (CALL + "\nThat will do.", False),
        ("%s", False),
        ("```json\n%s\n```", False),
    ],
)
def test_a_name_that_reads_as_a_place_is_a_value_in_a_marked_call_alone(form, is_runnable, value):
    """A user may call a data set ``your_dataset``; with words around the call, it may be a template."""
    text = form.replace("%s", ONE).replace("Oslo", value)
    call = al.parse(text, dialects="auto", tools=TOOLS).actions[0]
    assert call.status.is_runnable is is_runnable


@pytest.mark.parametrize("given", [{"default": "YOUR_CITY_HERE"}, {"enum": ["YOUR_CITY_HERE", "Oslo"]}])
@pytest.mark.parametrize("form", ["%s", "I look it up:\n\n```json\n%s\n```", CALL])
def test_what_the_schema_itself_gives_is_a_value(form, given):
    schema = {"type": "object", "properties": {"city": {"type": "string"} | given}}
    tools = [{"type": "function", "function": {"name": "get_weather", "parameters": schema}}]
    text = form % ONE.replace("Oslo", "YOUR_CITY_HERE")
    [call] = al.parse(text, dialects="auto", tools=tools).actions
    assert call.status.is_runnable
    [other] = al.parse(text.replace("CITY", "TOWN"), dialects="auto", tools=tools).actions
    assert not other.status.is_runnable


@pytest.mark.parametrize("value", ["<b>", "<Oslo>", "your", "Waiting...", "…and so on", "exxxact"])
def test_a_text_that_only_looks_like_a_placeholder_is_a_value(value):
    [call] = al.parse(CALL % ONE.replace("Oslo", value), dialects="auto", tools=TOOLS).actions
    assert call.status.is_runnable


@pytest.mark.parametrize(("name", "value"), [("", "<title>"), ("t", "<title>"), ("document", "<d>")])
def test_markup_is_no_place_of_a_parameter_whose_name_it_only_happens_to_hold(name, value):
    call = {"name": "show", "arguments": {name: value}}
    [action] = al.parse(CALL % json.dumps(call), dialects="auto").actions
    assert action.reason is not Reason.EXAMPLE


@pytest.mark.parametrize(
    ("arguments", "is_runnable"),
    [
        ({"argv": ["/path/to/classes", "60"]}, True),
        ({"files": [{"name": "path/to/file"}]}, False),
        ({"names": ["…"]}, False),
    ],
)
def test_a_placeholder_within_an_argument_waits_but_no_path_among_others(arguments, is_runnable):
    [action] = al.parse(CALL % json.dumps({"name": "run", "arguments": arguments}), dialects="auto").actions
    assert (action.reason is not Reason.EXAMPLE) is is_runnable


@pytest.mark.parametrize(
    "header",
    [
        "<|start|>assistant to=user<|message|>",
        " to=user<|message|>",
        "<|start|>assistant to=user<|message|>So: ",
    ],
)
def test_a_block_in_a_message_to_the_user_never_runs(header):
    """Muse tells the user what a call looks like; the next message may make one."""
    block = (
        '<atem:function_calls>\n<atem:invoke name="get_weather">\n<atem:parameter name="city">Oslo</atem:parameter>\n'
        "</atem:invoke>\n</atem:function_calls>"
    )
    parser = parser_for(("muse_glimmer",))
    assert [action.illustration for action in parser.read(header + block + "<|eot|>").actions] == [
        Reason.EXAMPLE
    ]
    both = parser.read(f"{header}{block}<|eom|><|start|>assistant to=get_weather<|message|>{block}<|eot|>")
    assert [action.illustration for action in both.actions] == [Reason.EXAMPLE, None]
    bare = parser.read(f"{header}Hm. to=get_weather<|message|>{block}<|eot|>")
    assert [action.illustration for action in bare.actions] == [None]


@pytest.mark.parametrize("name", ["actions", "iteration", "json_action", "plan"])
def test_the_documents_own_fences_are_judged_as_calls_with_marks_are(name):
    """What is taken back is shown, and no prose has to announce them."""
    parser = parser_for((name,))
    example = parser.read(f"A colourless sentence.\n\n{parser.dialects[0].example}")
    assert {action.illustration for action in example.actions} == {None}
    taken_back = parser.read(f"{parser.dialects[0].example}\n\nPlease ignore that.")
    assert {action.illustration for action in taken_back.actions} == {Reason.EXAMPLE}


@pytest.mark.parametrize(
    ("before", "behind", "is_shown"),
    [
        ("", "", None),
        ("Let me check.\n\n", "", None),
        ("", "\n\nThis gives us the answer.", None),
        ("", "\n\nAnything else?", None),
        ("", "\n\nIs that what you want?", False),
        ("Let me check.\n\n", "\n\nIs that what you want?", False),
        ("A colourless sentence.\n\n", "", False),
        ("Let me check.\n\n", "\n\nPlease ignore that.", True),
        ("<function_call>\n", "\n</function_call>", None),
        ("<|im_start|>assistant\n", "", None),
        ("A colourless sentence.<|im_end|>", "", None),
    ],
)
def test_a_call_is_judged_by_the_words_on_both_sides(before, behind, is_shown):
    text = f"{before}{JSON}{behind}"
    found = verdict(text, Span(len(before), len(before) + len(JSON)), 0)
    assert (found.is_shown if found else None) is is_shown
    assert found is None or found.why.endswith(".")


def test_what_stands_behind_is_known_once_there_is_enough_of_it():
    assert not is_known_behind("f()", 3)
    assert not is_known_behind("f() And then", 3)
    assert is_known_behind("f() And then <", 3)
    assert is_known_behind("f()" + " and so on" * 20, 3)
    assert not is_known_behind("f() Please ignore that." + " And so on." * 20, 3)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["Never send this: ", "Schicken Sie das niemals ab: "])
@pytest.mark.parametrize("dialect", ["minicpm", "gemma", "python_fence", "json", "hermes", "xml_tags"])
def test_a_sentence_forbids_a_call_in_a_fence_that_opens_on_its_line(dialect, before, ends):
    """The words before the fence are about the call, however the lines end."""
    name = "create_file" if dialect == "xml_tags" else "delete_file"
    call = al.render([(name, {"path": "a.txt"})], dialect)
    tools = [{"name": name, "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}]
    text = f"{before}{call} It would remove data.".replace("\n", ends)
    assert al.parse(text, dialects=[dialect], tools=tools).valid_actions == ()


CHINESE = {"：": ": ", "。": ". ", "，": ", ", "「": '"', "」": '"'}


def half_width(text):
    """Return a text with the punctuation of western texts."""
    for full, half in CHINESE.items():
        text = text.replace(full, half)
    return text


@pytest.mark.parametrize("table", [SHOWN, MEANT], ids=["shown", "meant"])
@pytest.mark.parametrize("look", [*BARE, *MARKED])
def test_line_ends_and_wide_punctuation_change_nothing(table, look):
    """Carriage returns, and colons and full stops of either width, before and behind a call."""
    call = {**BARE, **MARKED}[look]
    for text in texts(table, is_held_out=False):
        whole = text.replace("…", call)
        became = outcome(whole, TOOLS)
        assert outcome(whole.replace("\n", "\r\n"), TOOLS) == became, whole
        assert outcome(half_width(text).replace("…", call), TOOLS) == became, whole


@pytest.mark.parametrize("look", ["json", "python", "python-list", "hermes"])
@pytest.mark.parametrize(
    "lead",
    [
        "我来查一下",
        "例如这样写。我来查一下",
        "如果需要，我可以解释。我来查一下",
        "請不要使用這個",
        "确认します",
    ],
)
@pytest.mark.parametrize("gap", ["", "\n", "\n\n"])
def test_a_wide_colon_or_full_stop_beside_a_call_is_one_like_any_other(look, lead, gap):
    call = {**BARE, **MARKED}[look]
    for stop, wide in (("", ""), (".", "。")):
        before = half_width(lead) + ":" + (gap or " ")
        narrow = outcome(f"{before}{call}{stop}", TOOLS)
        assert outcome(f"{lead}：{gap}{call}{wide}", TOOLS) == narrow
        assert outcome(f"{lead}：{gap or chr(0x3000)}{call}{wide}", TOOLS) == narrow


@pytest.mark.parametrize(
    "before",
    [
        "Here is how I'd set it up.",
        "I'd rather write too much down than too little here.",
        "Because 6 people would have to run it.",
        "Since Olga is away until Saturday, I'd do it in this order.",
        "For the return trip alone I would plan 9 hours, perhaps more.",
        "Ich würde damit anfangen.",
        "Je préférerais commencer par cela.",
        "Я бы начал с этого.",
    ],
)
def test_a_wish_that_speaks_of_the_matter_says_nothing_of_a_marked_call(before):
    """Only one that speaks of sending or running the call does: models think aloud before what they mean."""
    text = f'{before}\n\n```actions\n{{"actions": [{{"type": "list_tasks"}}]}}\n```'
    found = al.parse(text, profile="assistant")
    assert [str(call.status) for call in found.actions] == ["valid"]
    assert found.outcome == "clean"


@pytest.mark.parametrize(
    "before", ["I would then use this:", "With write access I would send", "Ich würde dann dies benutzen:"]
)
def test_a_wish_that_speaks_of_the_call_makes_it_wait(before):
    text = f'{before}\n\n```actions\n{{"actions": [{{"type": "list_tasks"}}]}}\n```'
    assert not any(call.status.is_runnable for call in al.parse(text, profile="assistant").actions)


def _all_sentences(text):
    stop = len(text)
    for end in reversed([*prose._SENTENCE.finditer(text)]):
        yield text[end.end() : stop]
        stop = end.start() + (not text.startswith("\n", end.start()))
    yield text[:stop]


@given(
    st.lists(
        st.sampled_from(
            [
                "I look. ",
                "Wait",
                '?!"  ',
                "\n",
                " \n \n",
                "\n- ",
                "\n12. ",
                "\n#",
                "。",
                "…)",
                " ",
                "word " * 9,
                "é",
                "行",
            ]
        ),
        max_size=40,
    ).map("".join)
)
def test_the_last_sentences_are_the_same_when_only_the_end_is_looked_at(text):
    assert [*prose._sentences_backwards(text)] == [*_all_sentences(text)]


_AROUND = st.sampled_from(
    [part for each in (*SHOWN, *MEANT) for text in each.texts for part in text.split("…")]
) | st.lists(st.sampled_from([*"\n.:?!>`[{", "\n\n", " ", "a", "I do it", "ob", "</x>"]), max_size=6).map(
    "".join
)


@given(before=_AROUND, behind=_AROUND, is_own=st.booleans())
def test_a_text_that_plainly_says_nothing_is_judged_as_any_other(before, behind, is_own):
    """That is found by a look at its words alone, which saves work and changes no answer."""
    text = f"{before}\n\n<call>\n{behind}"
    span = Span(len(before) + 2, len(before) + 8)
    found = verdict_of_marked(text, span, 0, is_own=is_own)
    with mock.patch.object(prose, "_leaves_alone", return_value=False):
        assert found == verdict_of_marked(text, span, 0, is_own=is_own)


def test_most_texts_are_not_parted_into_sentences():
    """Three announcements, and nothing that counts against a call: their words say so."""
    for before in ("I'm changing what needs changing.", "Now the rest.", "One moment.\n\nThen:"):
        text = f"{before}\n\n<call>"
        with mock.patch.object(prose, "_last", side_effect=AssertionError):
            assert verdict_of_marked(text, Span(len(before) + 2, len(before) + 8), 0, is_own=True) is None
